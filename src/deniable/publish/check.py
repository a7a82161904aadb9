"""Recompute everything that a certificate claims, without the data."""

import json
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs

from deniable.analysis.calibrate import Calibration
from deniable.certificate import Certificate, CertifiedQuery
from deniable.errors import DeniableError, InvalidArgument
from deniable.publish.budget import Ask
from deniable.publish.certified_parts import guarantee
from deniable.publish.certify import certified_query
from deniable.publish.prepare import calibrated_queries
from deniable.publish.query import Condition, Grouping, Protection, Query
from deniable.publish.statistics import STATISTICS
from deniable.publish.statistics.protocol import Statistic


@attrs.frozen
class Check:
    """One thing that was recomputed, and what was found where it does not hold."""

    name: str
    holds: bool
    finding: str = ""


@attrs.frozen
class Checked:
    """All checks of a certificate."""

    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether everything holds."""
        return all(check.holds for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable check` prints."""
        return {"holds": self.holds, "checks": [attrs.asdict(check) for check in self.checks]}


def check(path: str | os.PathLike[str]) -> Checked:
    """Read a certificate and recompute its derivation, guarantee, shares and scales.

    Parameters
    ----------
    path : path
        A certificate.json.

    Returns
    -------
    Checked
        One entry for the schema, one for the derivation, one for the guarantee, one for the sum
        of the shares, and one a query for its sensitivities, shares and scales.

    Raises
    ------
    InvalidArgument
        If the file is not there or is no JSON.
    """
    document = read_document(Path(path))
    try:
        certificate = Certificate.from_json(document)
    except InvalidArgument as error:
        return Checked((Check("schema", False, str(error)),))
    schema = Check("schema", True)
    try:
        calibration, queries = _recomputed(certificate)
    except DeniableError as error:
        return Checked((schema, Check("derivation", False, str(error))))
    return Checked(
        (
            schema,
            same("derivation", certificate.derivation, calibration.derivation),
            same("guarantee", certificate.guarantee, guarantee(calibration)),
            _shares(certificate, calibration),
            *(
                same(f"query {claimed.name}", claimed, expected)
                for claimed, expected in zip(certificate.queries, queries, strict=True)
            ),
        )
    )


def read_document(path: Path) -> Any:
    """The JSON in a file.

    Raises
    ------
    InvalidArgument
        If the file is not there or is no JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise InvalidArgument(f"Expected a certificate, got no readable file at {path}.") from None
    except ValueError:
        raise InvalidArgument(f"Expected JSON in UTF-8, got something else in {path}.") from None


def _recomputed(certificate: Certificate) -> tuple[Calibration, list[CertifiedQuery]]:
    queries = [_query(each) for each in certificate.queries]
    protections = [_protection(certificate, query) for query in queries]
    ask = Ask(
        certificate.target,
        certificate.adversary,
        certificate.unit.adjacency,
        certificate.guarantee.delta or None,
    )
    calibration, prepared = calibrated_queries(ask, queries, protections)
    return calibration, [certified_query(each) for each in prepared]


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


def _protection(certificate: Certificate, query: Query) -> Protection:
    adjacency = certificate.unit.adjacency
    if query.max_contribution is not None:
        return Protection(adjacency, None, query.max_contribution)
    rows = 1 if certificate.unit.entity is None else certificate.rows_per_entity
    return Protection(adjacency, rows)


def _shares(certificate: Certificate, calibration: Calibration) -> Check:
    """Whether the parts' shares add up to no more than the budget, in exact fractions."""
    kind = "epsilon" if calibration.composition is None else "rho"
    limit = getattr(certificate.guarantee, kind)
    parts = [part for query in certificate.queries for part in query.parts]
    spent = [getattr(part, kind) for part in parts if part.mechanism is not None]
    if limit is None or any(amount is None for amount in spent):
        return Check("sum of shares", False, f"Expected every share in {kind}, got others.")
    total = sum(map(Fraction, spent), Fraction(0))
    if total > Fraction(limit):
        return Check("sum of shares", False, f"Expected at most {limit}, got {float(total)}.")
    return Check("sum of shares", True)


def same(name: str, claimed: object, expected: object) -> Check:
    """Whether a claim is what was recomputed, or the first field that differs."""
    if claimed == expected:
        return Check(name, True)
    return Check(name, False, _difference(claimed, expected))


def _difference(claimed: Any, expected: Any) -> str:
    """The first field that differs."""
    if attrs.has(type(claimed)) and type(claimed) is type(expected):
        for field in attrs.fields(type(claimed)):
            one, other = getattr(claimed, field.name), getattr(expected, field.name)
            if one != other:
                return f"{field.name}: {_difference(one, other)}"
    if isinstance(claimed, tuple) and isinstance(expected, tuple) and len(claimed) == len(expected):
        for index, (one, other) in enumerate(zip(claimed, expected, strict=True)):
            if one != other:
                return f"{index}: {_difference(one, other)}"
    return f"Expected {expected!r}, got {claimed!r}."
