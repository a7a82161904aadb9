"""Recompute everything that a table's certificate claims, without the data."""

from collections.abc import Mapping
from fractions import Fraction
from math import isfinite
from typing import Any

import attrs

from deniable.analysis.calibrate import Calibration
from deniable.certificate import Certificate, CertifiedQuery
from deniable.certificate.leaves import ON_TRUST, WITHOUT_FILES, WITHOUT_PLAN
from deniable.errors import DeniableError, InvalidArgument
from deniable.pipeline.checked import Check, Checked, compared, failed, one_line, sealed, standing
from deniable.publish.certify import Origin, stated
from deniable.publish.plan.plan import MOST_QUERIES, PublicPlan, public_plan
from deniable.publish.prepare import PreparedQuery, calibrated_plan
from deniable.publish.statistics import STATISTICS
from deniable.publish.statistics.protocol import Statistic
from deniable.publish.statistics.query import Query
from deniable.publish.statistics.scope import Condition, Grouping

SCHEMA = "schema.json"

_NAMES = {"not_covered": "sentences", "assumptions": "sentences"}
_TAKEN = ("format", "created", "plan_sha256", "plan", "versions", "files", "statement_sha256")
"""What the recomputed certificate takes over; the statement's digest has a check of its own."""


@attrs.frozen
class Recomputed:
    """A table's certificate beside what its plan gives.

    Parameters
    ----------
    certificate : Certificate
        As it is claimed.
    queries : tuple of PreparedQuery
        As its plan gives them.
    """

    certificate: Certificate
    queries: tuple[PreparedQuery, ...]


def check_certificate(
    document: Mapping[str, Any], *, files_beside: bool = False
) -> tuple[Checked, Recomputed | None]:
    """Recompute a certificate's derivation, guarantee, shares, scales and sentences.

    Parameters
    ----------
    document : mapping
        The JSON of a certificate.
    files_beside : bool
        Whether the caller compares the digests of files.

    Returns
    -------
    Checked, Recomputed or None
        What was found, and what the release's other files are compared with; None where the
        certificate cannot be recomputed.
    """
    try:
        certificate = Certificate.from_json(document)
    except DeniableError as error:
        return Checked((failed("schema", error),)), None
    schema = Check("schema", True)
    try:
        plan = _plan(certificate)
        calibration, queries = calibrated_plan(plan)
    except DeniableError as error:
        return Checked((schema, failed("derivation", error))), None
    origin = Origin(certificate.created, certificate.plan_sha256, certificate.versions)
    expected = stated(plan, calibration, queries, origin).document()
    checks = (schema, *_compared(dict(document), expected, certificate, calibration))
    keywords = [ON_TRUST]
    keywords += [] if files_beside else [WITHOUT_FILES]
    if certificate.plan is None:
        keywords.append(WITHOUT_PLAN)
    else:
        checks += (sealed(document),)
    return (
        Checked(checks, *standing(SCHEMA, keywords, document)),
        Recomputed(certificate, queries),
    )


def _compared(
    claimed: dict[str, Any],
    expected: dict[str, Any],
    certificate: Certificate,
    calibration: Calibration,
) -> list[Check]:
    parts = [
        {key: value for key, value in document.items() if key not in (*_TAKEN, "queries")}
        for document in (claimed, expected)
    ]
    found = {check.name: check for check in compared(_NAMES, *parts)}
    first = [found.pop("derivation"), found.pop("guarantee"), _shares(certificate, calibration)]
    return [*first, *_queries(claimed["queries"], expected["queries"]), *found.values()]


def _queries(claimed: list[Any], expected: list[Any]) -> list[Check]:
    if len(claimed) != len(expected):
        told = f"Expected {len(expected)} queries, as in the plan, got {len(claimed)}."
        return [Check("queries", False, told)]
    checks = []
    for index, (one, other) in enumerate(zip(claimed, expected, strict=True)):
        name = one_line(f"query {one['name']}", 100)
        places = compared({str(index): name}, {str(index): one}, {str(index): other})
        checks += places
    return checks


def _plan(certificate: Certificate) -> PublicPlan:
    """What was asked for: the plan in the certificate, or (format 1) what the claims say of it."""
    if certificate.plan is not None:
        return public_plan(certificate.plan)
    if len(certificate.queries) > MOST_QUERIES:
        raise InvalidArgument(
            f"Expected at most {MOST_QUERIES} queries, got {len(certificate.queries)}."
        )
    return PublicPlan(
        entity=certificate.unit.entity,
        unit=certificate.unit.word,
        adjacency=certificate.unit.adjacency,
        adversary=certificate.adversary,
        target=certificate.target,
        delta=certificate.guarantee.delta or None,
        rows_per_entity=certificate.rows_per_entity,
        queries=tuple(_query(each) for each in certificate.queries),
    )


def _query(claimed: CertifiedQuery) -> Query:
    return Query(
        name=claimed.name,
        statistic=_statistic(claimed),
        grouping=Grouping(
            tuple(group.column for group in claimed.group_by),
            tuple(group.keys for group in claimed.group_by),
        ),
        where=tuple(Condition(*condition) for condition in claimed.where),
        max_contribution=claimed.max_contribution,
        weight=claimed.weight,
    )


def _statistic(claimed: CertifiedQuery) -> Statistic:
    parameters = dict(claimed.parameters)
    if claimed.column is not None:
        parameters["column"] = claimed.column
    try:
        return STATISTICS[claimed.statistic](**parameters)
    except TypeError:
        raise InvalidArgument(
            f"Expected the parameters of {claimed.statistic}, got "
            f"{', '.join(parameters) or 'none'} [at query {claimed.name!r}]."
        ) from None


def _shares(certificate: Certificate, calibration: Calibration) -> Check:
    """Whether the parts' shares add up to no more than the budget, in exact fractions."""
    kind = "epsilon" if calibration.composition is None else "rho"
    limit = getattr(certificate.guarantee, kind)
    parts = [part for query in certificate.queries for part in query.parts]
    spent = [getattr(part, kind) for part in parts if part.mechanism is not None]
    if any(amount is None or not isfinite(amount) for amount in (limit, *spent)):
        return Check("sum of shares", False, f"Expected every share in {kind}, finite, got others.")
    total = sum(map(Fraction, spent), Fraction(0))
    if total > Fraction(limit):
        return Check("sum of shares", False, f"Expected at most {limit}, got more.")
    return Check("sum of shares", True)
