"""What a published number is limited by, in words: one wording for report, results and terminal."""

from collections.abc import Sequence

from deniable.certificate.model import Unit
from deniable.certificate.results import ResultRow
from deniable.certificate.tables import CertifiedQuery

_SUBJECTS = {
    "count": "rows", "histogram": "rows by {column}", "entities": "{entities}",
    "sum": "sum of {column}", "mean": "mean of {column}", "variance": "variance of {column}",
    "regression": "coefficients of {column} on {predictors}",
    "top": "most frequent values of {column}", "removed": "rows that the limit left out",
    "crosstab": "rows in every margin", "tree": "rows in every node",
    "running_count": "rows so far, period by period", "survival": "survival by {column}",
}  # fmt: skip
_YEARS = range(1500, 2501)
"""Public numbers of one column that all lie here are written as years: 2019, not 2,019."""
_TEENS = range(11, 14)  # 11th, 12th and 13th, whatever their last digit
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def limits(query: CertifiedQuery, unit: Unit, rows_per_entity: int | None) -> tuple[str, ...]:
    """Each limit between the table and a published number of a query, as a phrase.

    >>> unit = Unit("nr", "replace-one", "…", "patient")
    >>> bounds = {"bounds": (-2000, 2000)}
    >>> query = CertifiedQuery("q", "sum", "cost", bounds, (), (), 1.0, 1, None, ())
    >>> limits(query, unit, 10)
    ('at most 10 rows per patient', 'values clipped to −2,000…2,000')
    """
    phrases = []
    each = unit.one
    if query.max_contribution is not None:
        what = query.column if query.statistic == "sum" else "rows"
        most = number(query.max_contribution)
        phrases.append(f"contribution of each {each} scaled down to at most {most} {what}")
    elif unit.entity is not None and rows_per_entity is not None:
        several = "" if rows_per_entity == 1 else "s"
        phrases.append(f"at most {rows_per_entity:,} row{several} per {each}")
    if (counted := query.parameters.get("most_rows")) is not None:
        phrases.append(f"counting at most {counted:,} rows per {each}")
    if (bounds := query.parameters.get("bounds")) is not None:
        low, high = numbers(bounds)
        of = f" of {query.column}" if query.statistic == "regression" else ""
        if query.statistic == "quantile":
            phrases.append(f"chosen between {low} and {high}")
        else:
            phrases.append(f"values{of} clipped to {low}…{high}")
    for column, pair in query.parameters.get("predictors") or ():
        low, high = numbers(pair)
        phrases.append(f"values of {column} clipped to {low}…{high}")
    if (nulls := query.parameters.get("nulls")) is not None:
        phrases.append(f"a missing value taken as {number(nulls)}")
    return tuple(phrases)


def beside_noise(
    queries: Sequence[CertifiedQuery],
    unit: Unit,
    rows_per_entity: int | None,
    rows: Sequence[ResultRow] = (),
) -> str | None:
    """What half-widths leave out: the limits that come before noise; None where there are none.

    How much a limit changed is private, unless a query with `removed` publishes it among the rows.

    >>> query = CertifiedQuery("q", "count", None, {}, (), (), 1.0, 1, None, ())
    >>> said = beside_noise([query], Unit("nr", "replace-one", "…", "patient"), 4)
    >>> print(said.partition(". No")[0])
    ± covers the noise alone. Before the noise is added, at most 4 rows per patient are kept
    """
    each = unit.one
    changes: dict[str, None] = {}
    for query in queries:
        if query.max_contribution is not None:
            what = query.column if query.statistic == "sum" else "rows"
            most = number(query.max_contribution)
            changes[f"the contribution of each {each} is scaled to at most {most} {what}"] = None
        elif unit.entity is not None and rows_per_entity is not None:
            kept = f"s per {each} are kept" if rows_per_entity > 1 else f" per {each} is kept"
            changes[f"at most {rows_per_entity:,} row{kept}"] = None
    for query in queries:
        bounds = query.parameters.get("bounds")
        if bounds is not None and query.statistic != "quantile":
            low, high = numbers(bounds)
            changes[f"{query.column} is clipped to {low}…{high}"] = None
    if not changes:
        return None
    said = f"± covers the noise alone. Before the noise is added, {'; '.join(changes)}."
    if (share := _removed_share(queries, rows)) is not None:
        return f"{said} {share} No ± covers this change."
    truncates = any(change.endswith("kept") for change in changes)
    published = ', unless a query with statistic = "removed" publishes it' if truncates else ""
    return f"{said} No ± covers this change. It stays private{published}."


def _removed_share(queries: Sequence[CertifiedQuery], rows: Sequence[ResultRow]) -> str | None:
    """What a release publishes of what its limit on rows removed."""
    for query in queries:
        if query.statistic != "removed":
            continue
        for row in rows:
            if row.query == query.name and row.statistic == "share" and row.value is not None:
                width = 100 * (row.half_width_95 or 0.0)
                share = f"About {100 * row.value:.2g} % (± {width:.2g} %)"
                if (most := query.parameters.get("most_rows")) is None:
                    return f"{share} of the entities lost rows to this limit."
                return f"{share} of the rows were removed, counting up to {most:,} of each."
    return None


def describe_measured(query: CertifiedQuery, unit: Unit, rows_per_entity: int | None) -> str:
    """What is published, with its limits, on one line.

    >>> query = CertifiedQuery("q", "count", None, {}, (), (), 1.0, 1, None, ())
    >>> describe_measured(query, Unit("nr", "replace-one", "…", "patient"), 10)
    'rows (at most 10 rows per patient)'
    """
    phrases = "; ".join(limits(query, unit, rows_per_entity))
    return f"{subject(query, unit)} ({phrases})" if phrases else subject(query, unit)


def subject(query: CertifiedQuery, unit: Unit) -> str:
    """What is published, without its limits."""
    if query.statistic == "quantile":
        return f"{quantile(query.parameters.get('quantile', 0.5))} of {query.column}"
    template = _SUBJECTS.get(query.statistic, f"{query.statistic} of {{column}}")
    if query.statistic == "removed" and query.parameters.get("most_rows") is None:
        template = "{entities} that the limit took rows from"
    predictors = " and ".join(column for column, _ in query.parameters.get("predictors") or ())
    entities = "rows"
    if unit.entity is not None:
        entities = f"different values of “{unit.entity}”"
        entities = entities if unit.word is None else plural(unit.word)
    return template.format(column=query.column, entities=entities, predictors=predictors)


def plural(word: str) -> str:
    """Several of what an English word is one of.

    >>> plural("patient"), plural("entity"), plural("person"), plural("census tract")
    ('patients', 'entities', 'people', 'census tracts')
    """
    head, last = word[:-1], word[-1:]
    if word.endswith("person"):
        return f"{word.removesuffix('person')}people"
    if last == "y" and head[-1:].lower() not in tuple("aeiou"):
        return f"{head}ies"
    return f"{word}es" if word.endswith(("s", "x", "ch", "sh")) else f"{word}s"


def quantile(share: float) -> str:
    """A quantile's name.

    >>> quantile(0.5), quantile(0.9), quantile(0.125)
    ('median', '90th percentile', '0.125 quantile')
    """
    if share == 0.5:
        return "median"
    percent = round(100 * share)
    return f"{ordinal(percent)} percentile" if share == percent / 100 else f"{share} quantile"


def ordinal(count: int) -> str:
    """A whole number as an ordinal.

    >>> ordinal(1), ordinal(12), ordinal(22), ordinal(45)
    ('1st', '12th', '22nd', '45th')
    """
    ending = "th" if count % 100 in _TEENS else _ENDINGS.get(count % 10, "th")
    return f"{count}{ending}"


def numbers(values: Sequence[float]) -> list[str]:
    """Public numbers of one column, such as bounds or the edges of bins.

    >>> numbers([0, 2000.0]), numbers([2015, 2020])
    (['0', '2,000'], ['2015', '2020'])
    """
    return [f"{value:.0f}" if are_years(values) else number(value) for value in values]


def are_years(values: Sequence[float]) -> bool:
    """Whether public numbers of one column look like calendar years."""
    return all(value in _YEARS for value in values)


def number(value: float) -> str:
    """A public number with every digit that it has.

    >>> number(-2000.0), number(0.25)
    ('−2,000', '0.25')
    """
    return f"{value:,}".removesuffix(".0").replace("-", "−")
