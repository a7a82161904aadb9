"""`deniable check`: recompute what either kind of certificate claims, without the data."""

import datetime
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

from deniable.certificate.study import FORMAT, StudyCertificate
from deniable.errors import DeniableError, InvalidArgument
from deniable.gwas.certify import certified_study
from deniable.gwas.request import Request, prepared_study
from deniable.publish.check import Check, Checked, read_document, same
from deniable.publish.check import check as check_table

_CLAIMS = (
    "unit",
    "adversary",
    "derivation",
    "guarantee",
    "selection",
    "statistics",
    "assumptions",
    "not_covered",
)


def check(path: str | os.PathLike[str]) -> Checked:
    """Read a certificate and recompute its derivation, guarantee, shares and scales.

    Parameters
    ----------
    path : path
        The certificate.json of a table's release or of a study's.

    Returns
    -------
    Checked
        For a study one entry for the schema, the sum of the shares, and each of unit, adversary,
        derivation, guarantee, selection, statistics and sentences; for a table see
        `deniable.publish.check.check`.

    Raises
    ------
    InvalidArgument
        If the file is not there or is no JSON.
    """
    document = read_document(Path(path))
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        return check_table(path)
    return _check_study(document)


def _check_study(document: Any) -> Checked:
    try:
        certificate = StudyCertificate.from_json(document)
    except InvalidArgument as error:
        return Checked((Check("schema", False, str(error)),))
    schema = Check("schema", True)
    try:
        expected = _recomputed(certificate)
    except DeniableError as error:
        return Checked((schema, Check("derivation", False, str(error))))
    claims = (
        same(name.replace("_", " "), _claim(certificate, name), _claim(expected, name))
        for name in _CLAIMS
    )
    return Checked((schema, *claims, _shares(certificate)))


def _claim(certificate: StudyCertificate, name: str) -> object:
    return certificate.believer if name == "adversary" else getattr(certificate, name)


def _recomputed(certificate: StudyCertificate) -> StudyCertificate:
    chosen, target = certificate.selection, certificate.target
    line, believer = chosen.threshold, certificate.believer
    default = believer.source == "default"
    request = Request.of(
        top=chosen.top,
        gamma=target.value if target.kind == "gamma" else None,
        epsilon=target.value if target.kind == "epsilon" else None,
        prior=None if default else (believer.prior.low, believer.prior.high),
        adjacency=certificate.unit.adjacency,
        score=chosen.score,
        threshold="bonferroni" if line is None or line.p_value is None else line.p_value,
        missing=certificate.missing,
        statistics=certificate.statistics is not None,
    )
    prepared = prepared_study(request, certificate.study)
    return certified_study(prepared, datetime.date.fromisoformat(certificate.created))


def _shares(certificate: StudyCertificate) -> Check:
    """Whether the shares add up to no more than the budget, in exact fractions."""
    parts = [certificate.selection.part, certificate.statistics]
    spent = [part.epsilon for part in parts if part is not None and part.epsilon is not None]
    total, limit = sum(map(Fraction, spent), Fraction(0)), certificate.guarantee.epsilon
    if total > Fraction(limit):
        return Check("sum of shares", False, f"Expected at most {limit}, got {float(total)}.")
    return Check("sum of shares", True)
