"""The certificate of a plan's release: its queries, and the plan itself."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from deniable.certificate import json_documents, model
from deniable.errors import InvalidArgument
from deniable.errors.late import late
from deniable.notions import Adjacency
from deniable.theorems.analysis import BoundedPriors, posterior_upper

if TYPE_CHECKING:
    from deniable.certificate import households, population
    from deniable.certificate.population import PopulationStatement
    from deniable.theorems.analysis import together
    from deniable.theorems.analysis.together import Together
else:  # for people who belong together, a list of members, and a report under add-remove
    households = late("deniable.certificate.households")
    population = late("deniable.certificate.population")
    together = late("deniable.theorems.analysis.together")

_SENTENCES = model.read_sentences(__file__)
_ASSUMPTIONS = _SENTENCES["assumptions"]
NOT_COVERED: tuple[str, ...] = _SENTENCES["not_covered"]
"""What no differentially private release covers, for `Certificate.not_covered`."""


def unit_sentence(
    entity: str | None, adjacency: Adjacency, unit: str | None = None, *, members: bool = False
) -> str:
    """What is protected, in a few sentences; `unit` is the plan's word for it.

    With `members` it is a household, and what changes inside it is protected too.

    >>> unit_sentence(None, Adjacency.ADD_REMOVE, "person-year").split(":")[0]
    'The protected unit is one person-year, which is one row of the table'
    """
    if entity is None:
        named = "" if unit is None else f"one {unit}, which is "
        what = f"{named}one row of the table: no column names an entity"
        given, number = "a given row", "rows"
    else:
        named = "" if unit is None else f"one {unit}: "
        what = f"{named}all rows of the table with one value of “{entity}”"
        given, number = f"a given “{entity}”", f"different values of “{entity}”"
    inside = f" {households.MEMBERS}" if members else ""
    match adjacency:
        case Adjacency.REPLACE_ONE:
            said = (
                f"the table contains {given} or, in its place, another one. The number of {number} "
                "is public."
            )
        case Adjacency.ADD_REMOVE:
            said = f"{given} is in the table, and how many {number} there are."
    return f"The protected unit is {what}. The noise hides whether {said}{inside}"


BELIEFS: str = _ASSUMPTIONS["beliefs"]
"""What an adversary may believe before where nothing is said of people who belong together."""
NOISE: str = _SENTENCES["noise"]
"""The source of noise, and what else leaves the data holder."""


def assumptions(
    entity: str | None,
    rows_per_entity: int | None,
    drawn: tuple[int, int] | None = None,
    *,
    endless: bool = False,
    unknown: Sequence[str] = (),
    beliefs: str = BELIEFS,
) -> tuple[str, ...]:
    """What the guarantee rests on, for `Certificate.assumptions`; `beliefs` is its first sentence.

    `drawn` is how many units the table has, and of how many they are a simple random sample; the
    population's intervals rest on that, and the guarantee does not. `endless` says whether running
    counts are published, which later releases continue; `unknown` are the columns whose keys nobody
    knew beforehand.
    """
    result: list[str] = [beliefs, _ASSUMPTIONS["all_else"], _ASSUMPTIONS["plan"], NOISE]
    if entity is not None:
        result.append(_ASSUMPTIONS["no_entity"].format(entity=entity))
    if entity is not None and rows_per_entity is not None:
        result.append(_ASSUMPTIONS["rows"].format(entity=entity, rows=rows_per_entity))
    if unknown:
        columns = " and ".join(f"“{column}”" for column in unknown)
        one = "row" if entity is None else f"“{entity}”"
        result.append(_ASSUMPTIONS["unknown_keys"].format(columns=columns, one=one))
    if endless:
        result += _ASSUMPTIONS["endless"]
    if drawn is not None:
        what = "rows" if entity is None else f"values of “{entity}”"
        result.append(_ASSUMPTIONS["sample"].format(size=drawn[0], population=drawn[1], what=what))
    return tuple(result)


_USUAL_PRIOR = 0.1  # the belief that groups are stated for where an attacker may believe anything

FORMAT = "deniable-certificate/2.1"
"""What the JSON calls itself."""

FORMAT_1 = "deniable-certificate/1"
"""The first: without the plan and without digests; it is read and no longer made."""


@attrs.frozen
class CertifiedGroup:
    """A column that a query groups by, with its public keys; dates become ISO text."""

    column: str
    keys: tuple[Any, ...] = attrs.field(converter=json_documents.public_values)


@attrs.frozen
class CertifiedMargin:
    """A margin of a crosstab; the total is by no columns.

    `multiplier` is that of its block in the vector that got the noise, 0 for a public total;
    `half_width_95` is of each cell, in rows, and covers by the proof that `method` names.
    """

    columns: tuple[str, ...]
    cells: int
    multiplier: int
    half_width_95: float
    method: str


@attrs.frozen
class CertifiedThreshold:
    """What a noisy number of entities had to reach for its key to be published.

    One entity counts in at most `keys_per_entity` keys; some key that it alone has appears with a
    probability of at most `exposure`. Nobody knew the keys of `columns`.
    """

    value: int
    keys_per_entity: int
    exposure: float
    columns: tuple[str, ...]


@attrs.frozen
class CertifiedQuery:
    """A published query with its public parameters; docs/reference/plan.md has their meaning.

    `where` are conditions that a row must pass, each (column, operator, value); `margins` are those
    of a crosstab, in the order of its results. There is a `threshold` where nobody knew the keys
    beforehand, and there are no public cells then. Where each entity lies in exactly one of so
    many cells as `partition` says, the one of everybody else among them, their noise adds up to 0.
    """

    name: str
    statistic: str
    column: str | None
    parameters: Mapping[str, Any] = attrs.field(converter=json_documents.public_mapping)
    group_by: tuple[CertifiedGroup, ...]
    where: tuple[tuple[Any, ...], ...] = attrs.field(converter=json_documents.public_values)
    weight: float
    cells: int
    max_contribution: float | None
    parts: tuple[model.CertifiedPart, ...]
    margins: tuple[CertifiedMargin, ...] | None = None
    threshold: CertifiedThreshold | None = None
    partition: int | None = None

    @property
    def widths(self) -> dict[str, float | None]:
        """95 % half-widths that are known before the data is touched, by part or margin."""
        if self.margins is None:
            return {part.label: part.half_width_95 for part in self.parts}
        return {" × ".join(each.columns): each.half_width_95 for each in self.margins}

    @property
    def limits(self) -> dict[str, Any]:
        """The ends that values are clipped to, and what one entity may add, where there are any."""
        bounds, most = self.parameters.get("bounds"), self.max_contribution
        limits = {"bounds": bounds, "max_contribution": most}
        return {name: limit for name, limit in limits.items() if limit is not None}


@attrs.frozen(kw_only=True)
class TableCertificate(model.Certificate):
    """Everything that the certificate.json of a plan's release holds.

    `plan_sha256` is of the plan's text; `plan` is what was asked for, as JSON, the place of the
    data withheld, and None in format 1. No query truncates rows where `rows_per_entity` is None.
    `population` holds besides, against somebody who knows the list of members and nobody who was
    drawn; the target and everything else is the floor then, which holds against everybody.
    """

    SCHEMA: ClassVar[str] = "schema.json"
    EARLIER: ClassVar[tuple[str, ...]] = (FORMAT_1, "deniable-certificate/2")
    KEYS: ClassVar[tuple[str, ...]] = (
        "format", "created", "plan_sha256", "unit", "adversary", "target", "guarantee",
        "derivation", "population", "limits", "queries", "assumptions", "not_covered", "versions",
        "plan",
    )  # fmt: skip
    FILES: ClassVar[tuple[str, ...]] = (
        "plan.toml", "report.html", "results.csv", "results.parquet",
    )  # fmt: skip
    LIBRARIES: ClassVar[Mapping[str, str]] = {
        "opendp": "opendp", "duckdb": "duckdb", "ibis": "ibis-framework",
    }  # fmt: skip

    plan_sha256: str
    unit: model.Unit
    adversary: BoundedPriors
    rows_per_entity: int | None
    queries: tuple[CertifiedQuery, ...]
    plan: Mapping[str, Any] | None = None
    population: "PopulationStatement | None" = None
    format: str = FORMAT

    @property
    def group_prior(self) -> float:
        """The belief from which those about one of a group start."""
        return _USUAL_PRIOR if self.adversary.high == 1.0 else self.adversary.high

    @property
    def group_beliefs(self) -> "tuple[Together, ...]":
        """The largest beliefs about one of several entities that are all in or all out.

        None under replace-one, nor with keys that nobody knew beforehand. With δ each has the
        exception of the guarantee. What holds of one alone is the certificate's own statement.
        """
        stated = self.guarantee
        of_one = stated.of_one
        if self.unit.adjacency is not Adjacency.ADD_REMOVE or of_one is None:
            return ()
        groups = tuple(together.beliefs_of_groups(of_one, self.group_prior, stated.exceedance))
        if stated.household is not None:
            return groups
        alone = posterior_upper(stated.loss, self.group_prior)
        return (attrs.evolve(groups[0], posterior=alone), *groups[1:])

    @property
    def record_beliefs(self) -> "tuple[Together, ...]":
        """The same if the records of the others, too, depend on whether one of them is there.

        One comes or goes, and each of k − 1 others exchanges one record for another.
        """
        groups, stated = self.group_beliefs, self.guarantee
        if not groups or (of_one := stated.of_one) is None:
            return ()
        sizes = [2 * each.size - 1 for each in groups[1:]]
        tied = together.beliefs_of_groups(of_one, self.group_prior, stated.exceedance, sizes)
        return (groups[0], *tied)

    @property
    def file_names(self) -> tuple[str, ...]:
        """Name the files, with the synthetic rows where a crosstab has some."""
        shares = any(query.parameters.get("rows_to_share") for query in self.queries)
        return (*self.FILES, "rows.csv", "rows.parquet") if shares else self.FILES

    @property
    def title(self) -> str:
        """What the results are, in one line."""
        return "Published numbers with noise"

    @property
    def limits(self) -> dict[str, Any]:
        """What was limited or cut before it was counted: rows of an entity, values, sums."""
        return {
            "rows_per_entity": self.rows_per_entity,
            "queries": {query.name: query.limits for query in self.queries},
        }

    @property
    def parts(self) -> list[model.CertifiedPart]:
        """Those of all queries."""
        return [part for query in self.queries for part in query.parts]

    @property
    def is_continued(self) -> bool:
        """Whether it counts without an end."""
        return any(query.statistic == "running_count" for query in self.queries)

    def further_cautions(self) -> list[str]:
        """List the queries that say nothing of few rows."""
        of_each = (
            query_cautions(each.name, each.statistic, each.parameters.get("bounds"), each.widths)
            for each in self.queries
        )
        return [caution for cautions in of_each for caution in cautions]

    def own(self) -> dict[str, Any]:
        """The plan and its queries."""
        rare = ("margins", "threshold", "partition")  # keys that few queries have
        queries = [attrs.asdict(query) for query in self.queries]
        values = {
            "plan_sha256": self.plan_sha256,
            "limits": {"rows_per_entity": self.rows_per_entity},
            "queries": [
                {name: each[name] for name in each if each[name] is not None or name not in rare}
                for each in queries
            ],
        }
        if self.population is not None:
            values["population"] = self.population.as_json()
        return values if self.plan is None else values | {"plan": self.plan}

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """The certificate that a JSON object holds; refused where it does not fit the schema."""
        parts = model.read(document, cls.SCHEMA)
        listed = parts.get("population")
        made = cls(
            **model.common(parts),
            plan_sha256=parts["plan_sha256"],
            unit=model.structure(model.Unit, parts["unit"]),
            adversary=BoundedPriors(*parts["adversary"]["prior"]),
            rows_per_entity=parts["limits"]["rows_per_entity"],
            queries=tuple(
                _query(query, f"/queries/{place}") for place, query in enumerate(parts["queries"])
            ),
            plan=document.get("plan"),
            population=listed and population.PopulationStatement.from_json(listed),
            format=parts["format"],
        )
        if not made.is_first and {*made.files} != {*made.file_names}:
            raise InvalidArgument(
                f"Expected digests of {', '.join(sorted(made.file_names))}, got others [at /files]."
            )
        return made


def _query(parts: dict[str, Any], place: str) -> CertifiedQuery:
    query = model.structure(CertifiedQuery, parts)
    has_keys = all(group.keys for group in query.group_by)
    if query.threshold is None and not (has_keys and query.cells):
        empty = f"{place}/{'cells' if has_keys else 'group_by'}"
        raise InvalidArgument(
            f"Expected public cells where there is no threshold, got none [at {empty}]."
        )
    return query


_MANY = 1e6
"""Rows; noise as large as what so many rows can add is larger than in most tables there are."""

_DIGITS = 2  # significant digits of a number of rows in a caution, which is advice and no statistic
_LARGE = 1e15
"""Numbers of rows are told with so few digits, rounded down; from here on as a power of ten."""

_IN_ROWS = ("quantile", "variance", "regression")
"""Statistics with bounds whose noise is known in rows."""


def query_cautions(
    name: str,
    statistic: str,
    bounds: tuple[float, float] | None,
    widths: Mapping[str, float | None],
) -> list[str]:
    """Say below how many rows a query says nothing, where these are many.

    `widths` are 95 % half-widths by part, in rows or in the column's unit, where they are known.
    """
    rows = _rows_of_noise(statistic, bounds, widths)
    if rows < _MANY:
        return []
    if math.isinf(rows):
        return [f"“{name}” has an error beyond all numbers. Take smaller bounds."]
    step = 10.0 ** (math.floor(math.log10(rows)) - _DIGITS + 1)
    down = math.floor(rows / step) * step
    least = f"{down:,.0f}" if rows < _LARGE else f"{down:.0e}".replace("e+", " · 10^")
    return [
        f"“{name}” says nothing of fewer than {least} rows: its noise is as large as what they "
        "can add."
    ]


def _rows_of_noise(
    statistic: str, bounds: tuple[float, float] | None, widths: Mapping[str, float | None]
) -> float:
    """The number of rows whose contribution is as large as the noise."""
    known = {label: width for label, width in widths.items() if width is not None}
    if bounds is None or statistic in _IN_ROWS:
        return max(known.values(), default=0.0)
    (low, high), of_sum = bounds, known.get("sum", 0.0)
    if statistic == "sum":
        return of_sum / max(abs(low), abs(high))
    # The error of a mean is (s + c R/2) / (N − c), and at N = s/R + 3c/2 it is the whole range R.
    return of_sum / (high - low) + 1.5 * known.get("count", 0.0)
