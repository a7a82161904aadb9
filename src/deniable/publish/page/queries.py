"""What a query publishes, in words, from its public parameters."""

import math
from typing import Any

from deniable.certificate.limits import limits, number, quantile
from deniable.certificate.tables import CertifiedQuery, TableCertificate
from deniable.report.html import Html, element, forbid_breaks, join, name, text

_OPERATORS = {"==": "=", "!=": "≠", ">=": "≥", "<=": "≤", "in": "in", "not in": "not in"}


def scalar(value: Any) -> str:
    """A public key as text.

    Examples
    --------
    >>> scalar(True), scalar(25), scalar("")
    ('true', '25', '(empty text)')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return number(value).replace(",", "")  # a key stands as the plan writes it
    return str(value) or "(empty text)"


def description(query: CertifiedQuery, certificate: TableCertificate) -> Html:
    """One paragraph: what is computed, of which rows, and what it is limited by."""
    sentences = [Html(f"{_subject(query, certificate)}{_cells(query)}{_condition(query)}.")]
    if query.statistic == "mean" and not query.parameters.get("size_is_public"):
        sentences.append(text("The number of rows behind a mean has noise of its own."))
    if phrases := limits(query, certificate.unit, certificate.rows_per_entity):
        sentences.append(Html(f"{element('b', 'Limits:')} {forbid_breaks('; '.join(phrases))}."))
    return element("p", join(sentences, " "), class_="what")


def _subject(query: CertifiedQuery, certificate: TableCertificate) -> Html:
    column, rows = name(query.column or ""), "The number of rows"
    match query.statistic:
        case "count":
            return Html(rows)
        case "entities":
            owner = certificate.unit.entity
            return Html(f"The number of different values of {name(owner)}" if owner else rows)
        case "removed":
            return _describe_removed(query, certificate)
        case "histogram":
            return Html(f"{rows} by {column}, in {len(_edges(query)) - 1} bins")
        case "sum":
            return Html(f"The sum of {column}")
        case "mean":
            return Html(f"The mean of {column}")
        case "quantile":
            return _quantile(query, column)
        case _:
            number, categories = query.parameters["number"], len(query.parameters["categories"])
            return Html(f"The {number} most frequent of {categories} values of {column}, in order")


def _quantile(query: CertifiedQuery, column: Html) -> Html:
    what = quantile(query.parameters.get("quantile", 0.5))
    candidates = query.parameters.get("candidates")
    points = f", one of {candidates:,} points" if candidates else ""
    return Html(f"The {text(what)} of {column}{points}")


def _describe_removed(query: CertifiedQuery, certificate: TableCertificate) -> Html:
    limit, most = certificate.rows_per_entity, query.parameters.get("most_rows")
    owner = name(certificate.unit.entity or "")
    if most is None:
        return Html(
            f"The number of different values of {owner} with at most {limit:,} rows, which are "
            f"whole, and with more rows, which are cut to {limit:,}"
        )
    return Html(
        f"The number of rows that the limit kept, {limit:,} for each value of {owner}, and that it "
        f"removed, with no more than {most:,} rows counted of each"
    )


def _edges(query: CertifiedQuery) -> tuple[float, ...]:
    return tuple(query.parameters["edges"])


def _cells(query: CertifiedQuery) -> Html:
    if not query.group_by:
        return Html("")
    columns = join((name(group.column) for group in query.group_by), " and ")
    groups = math.prod(len(group.keys) for group in query.group_by)
    return Html(f", by {columns} ({groups:,} {'group' if groups == 1 else 'groups'})")


def _condition(query: CertifiedQuery) -> Html:
    if not query.where:
        return Html("")
    conditions = (
        f"{name(column)} {text(_OPERATORS.get(operator, operator))} {_right(value)}"
        for column, operator, value in query.where
    )
    return Html(f", of rows where {join(conditions, ' and ')}")


def _right(value: Any) -> Html:
    values = value if isinstance(value, list | tuple) else [value]
    return join((name(scalar(each)) for each in values), ", ")
