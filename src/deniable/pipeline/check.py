"""`deniable check`: recompute what a release of any kind claims, without the data."""

import os
from collections.abc import Mapping
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import attrs

from deniable.certificate.files import CERTIFICATE, other_files
from deniable.certificate.json_documents import read_document
from deniable.certificate.leaves import ON_TRUST, WITHOUT_FILES, WITHOUT_PLAN
from deniable.certificate.model import Certificate
from deniable.errors import DataError, DeniableError, InvalidArgument, validate
from deniable.errors.late import NotInstalled, late
from deniable.pipeline.checked import (
    Check,
    Checked,
    Trusted,
    Verified,
    compare_documents,
    failed,
    has_valid_digest,
    name_some,
    one_line,
    standing,
)
from deniable.pipeline.kind import AnyKind, Origin, kind_of

if TYPE_CHECKING:
    from deniable.certificate import wording
    from deniable.ledger import summary
    from deniable.pipeline import (
        charging,
        check_files,
        dossier_page,
        dossiers,
        exports,
        risk,
        signatures,
    )
else:  # for earlier words, a ledger, the files of a folder or of others, and signed releases
    charging = late("deniable.pipeline.charging")
    check_files = late("deniable.pipeline.check_files")
    dossier_page = late("deniable.pipeline.dossier_page")
    dossiers = late("deniable.pipeline.dossiers")
    exports = late("deniable.pipeline.exports")
    risk = late("deniable.pipeline.risk")
    summary = late("deniable.ledger.summary")
    signatures = late("deniable.pipeline.signatures")
    wording = late("deniable.certificate.wording")

_ACCEPTED = ("format", "created", "plan_sha256", "plan", "versions", "files", "statement_sha256")
"""What the recomputed certificate takes over; the statement's digest has a check of its own."""

_SHARES, _LIST, _COVERED = "sum of shares", "list of members", "signed files"
_OF_LIST = ("/population/members", "/population/population_epsilon/upper")
"""What is compared with the list. The rest of what is said of it stays the releaser's word: how
many of it were drawn, the noise that was drawn, and by which way the upper end was found."""

_ROUNDING = 1 + 1e-9  # the relative difference between processors: sums of a few thousand terms


@attrs.frozen
class Recomputed:
    """A certificate beside what was settled again from it."""

    certificate: Any
    prepared: Any


def check(
    path: str | os.PathLike[str],
    *,
    population: str | os.PathLike[str] | None = None,
    signed_by: str | os.PathLike[str] | None = None,
    dossier: str | os.PathLike[str] | None = None,
    export: str | os.PathLike[str] | None = None,
    charts: bool = False,
) -> Checked:
    """Recompute what a release claims, and compare its files with one another.

    Parameters
    ----------
    path : path
        The certificate.json of a release, or the release's folder.
    population : path, optional
        The list of members that the release was made with: what depends on it is recomputed too.
    signed_by : path, optional
        Whose signature the certificate must have: a file of allowed signers as OpenSSH reads it, or
        of public keys. One signature by one of these keys suffices; each other one has to be of
        this certificate, too. The folder may hold no file that the certificate does not name.
    dossier : path, optional
        A dossier of this release, as `dossier` writes it, JSON or a page: it is made again, and
        every word and figure compared. With it `path` may be a ledger; then nothing else of that
        is checked.
    export : path, optional
        A file of this release that `export` has written: each of its values is compared.
    charts : bool
        Whether the charts of a folder's report are drawn again, which takes longer than all else.
        Without, the report's text is compared, of charts only titles and descriptions.

    Returns
    -------
    Checked
        One check for the schema, each part of the certificate and each query; given the folder,
        one a file too. What was verified and what is taken on trust, by name.

    Raises
    ------
    InvalidArgument
        If there is no such file, it cannot be a certificate, it names no list, `signed_by` holds
        no public keys, there is no ssh-keygen to verify signatures with, or `dossier` or `export`
        is none; or if a package is not installed that the certificate needs.
    """
    place = validate.path(path, "a certificate's file, or a release's folder")
    written = None if dossier is None else validate.path(dossier, "a dossier's file")
    request = None if written is None else dossiers.read_request(written)[0]
    if written is not None and request is not None and risk.is_ledger(os.fspath(path)):
        if (population, signed_by, export) != (None, None, None):
            raise InvalidArgument("Expected a ledger with `dossier` only, got more.")
        # What was fixed when a ledger's dataset was made.
        dataset = summary.one_dataset(summary.ledger_of(os.fspath(path)), request["dataset"])
        return dossiers.check_written(written, dataset, dossier_page.dossier_page)
    folder = place if place.is_dir() else None
    certificate = place if folder is None else folder / CERTIFICATE
    keys = None if signed_by is None else signatures.read_keys(Path(signed_by))
    if folder is not None and not os.path.lexists(certificate):
        _refuse_other_folder(folder)
    document = read_document(certificate)
    kind = kind_of(document)
    answer, recomputed = check_certificate(kind, document, files_beside=folder is not None)
    if population is not None and recomputed is not None and answer.holds:
        answer = _with_list(answer, kind, recomputed, Path(population))
    release = recomputed if answer.holds else None
    if folder is not None and release is None:
        untold = Check("files", False, "Expected a certificate that holds, got one that does not.")
        answer = attrs.evolve(answer, checks=(*answer.checks, untold))
    elif folder is not None and release is not None:
        own = release.certificate, release.prepared
        answer = answer.joined(check_files.check_files(folder, kind, *own, charts=charts))
    exported = None if export is None else validate.path(export, "an exported file")
    if release is not None and answer.holds:
        about = release.certificate
        if written is not None:
            page = dossier_page.dossier_page
            answer = answer.joined(dossiers.check_written(written, about, page))
        if exported is not None:
            tables = exports.CheckedRelease.of(place, about)
            answer = answer.joined(exports.check_exported(exported, tables))
    else:
        finding = "Expected a release that holds, got one that does not."
        names = [one_line(each.name, 100) for each in (written, exported) if each is not None]
        answer = answer.joined(Checked(tuple(Check(name, False, finding) for name in names)))
    if keys is None:
        why = "a signature; by whom is not checked without their public key (--signed-by KEYS)"
        places = signatures.signature_files(certificate)
        others = (Trusted(one_line(each.name, 100), why) for each in places)
        return answer.joined(Checked((), (), tuple(others)))
    return _with_signers(answer, certificate, keys, None if folder is None else recomputed)


_MOST_FOLDERS = 3  # folders that an error names, of those that may be meant


def _refuse_other_folder(folder: Path) -> NoReturn:
    """Say that a folder is no release, and which of those in it are."""
    releases = sorted(each.parent.name for each in folder.glob(f"*/{CERTIFICATE}"))
    remedy = "Name the folder that a release wrote."
    if releases:
        remedy = f"Name one of the releases in it: {name_some(releases[:_MOST_FOLDERS])}."
    raise InvalidArgument(
        f'Expected the folder of a release, got "{folder}" without {CERTIFICATE}. {remedy}'
    )


def _with_signers(
    answer: Checked, certificate: Path, keys: str, release: Recomputed | None
) -> Checked:
    """The answer with who signed; of a folder also whether the signature covers all of it."""
    signed = signatures.verify(certificate, keys)
    if release is None:
        return answer.joined(signed)
    if release.certificate.is_first:
        finding = "Expected a certificate that names its files, got one of the first format."
    else:
        others = other_files(certificate.parent, release.certificate.files)
        finding = f"Expected no other files, got {name_some(others)}." if others else ""
    covered = Check(_COVERED, not finding, finding)
    if signed.signers:  # that it is the one which was released is no longer the reader's to compare
        on_trust = tuple(each for each in answer.on_trust if each.what != CERTIFICATE)
        answer = attrs.evolve(answer, on_trust=on_trust)
    return answer.joined(signed).joined(Checked((covered,)))


def _with_list(answer: Checked, kind: AnyKind, release: Recomputed, members: Path) -> Checked:
    """The answer with what the list of members decides; an error where the list cannot be read."""
    try:
        most = kind.listed(release.prepared, members)
    except (InvalidArgument, DataError) as error:
        return attrs.evolve(answer, checks=(*answer.checks, failed(_LIST, error)))
    if most is None:
        raise InvalidArgument(
            "Expected a release whose adversary knows a list of members, got another, with the "
            f"list {str(members)!r}. Leave the list out."
        )
    claimed = release.prepared.population.claim.bound.upper
    holds = most <= claimed * _ROUNDING
    finding = "" if holds else f"Expected a population epsilon of {claimed} certified, got {most}."
    on_trust = [each for each in answer.on_trust if each.what in _OF_LIST]
    verified = Verified(_LIST, "members counted; population epsilon certified again at this noise")
    return Checked(
        (*answer.checks, Check(_LIST, holds, finding)),
        (*answer.verified, verified) if holds else answer.verified,
        tuple(each for each in answer.on_trust if not (holds and each in on_trust)),
    )


def check_certificate(
    kind: AnyKind, document: Mapping[str, Any], *, files_beside: bool = False
) -> tuple[Checked, Recomputed | None]:
    """Recompute a certificate's derivation, guarantee, shares, scales and sentences.

    `files_beside` says whether the caller compares the digests of files. The second value is what
    the release's other files are compared with; None where the certificate cannot be recomputed.
    """
    try:
        certificate = kind.certificate.from_json(document)
    except DeniableError as error:
        return Checked((failed("schema", error),)), None
    schema, step = Check("schema", True), "derivation"
    try:
        prepared = kind.again(certificate)
        expected = kind.certified(prepared, Origin(certificate.created, certificate.versions))
        step = "ledger"
        if (dataset := kind.dataset(prepared)) is not None:
            block = charging.recompute_charge(certificate.ledger, dataset, kind.spent(expected))
            expected = attrs.evolve(expected, ledger=block)
    except NotInstalled:  # of no certificate that does not hold
        raise
    except DeniableError as error:
        return Checked((schema, failed(step, error))), None
    except OverflowError:
        large = "Expected numbers whose noise is within all floats, got larger ones."
        return Checked((schema, Check(step, False, large))), None
    if certificate.format in certificate.EARLIER:
        expected = wording.in_earlier_words(expected)
    compared = _compare_documents(kind, document, expected.document(), certificate, expected)
    checks = [schema, *compared]
    keywords = [ON_TRUST] if files_beside else [ON_TRUST, WITHOUT_FILES]
    if certificate.is_first:
        keywords.append(WITHOUT_PLAN)
    else:
        checks.append(has_valid_digest(document))
    answer = Checked(tuple(checks), *standing(kind.certificate.SCHEMA, keywords, document))
    sentences = {"assumptions": expected.assumptions, "not_covered": expected.not_covered}
    return answer, Recomputed(attrs.evolve(certificate, **sentences), prepared)


def _compare_documents(
    kind: AnyKind,
    claimed: Mapping[str, Any],
    expected: Mapping[str, Any],
    certificate: Certificate,
    recomputed: Certificate,
) -> list[Check]:
    """A check a key, and one for each entry of those whose entries have names."""
    apart = {*_ACCEPTED, *kind.each}
    parts = [{key: each[key] for key in each if key not in apart} for each in (claimed, expected)]
    rest = {check.name: check for check in compare_documents(kind.names, *parts)}
    first = [rest.pop(name) for name in (rest.copy() if kind.first is None else kind.first)]
    entries = list[Check]()
    for key, word in kind.each.items():
        got, wanted = claimed[key], expected[key]
        if len(got) != len(wanted):
            finding = f"Expected {len(wanted)} {key}, as in the plan, got {len(got)}."
            entries.append(Check(key, False, finding))
            continue
        for index, (one, other) in enumerate(zip(got, wanted, strict=True)):
            name = one_line(f"{word} {one['name']}", 100)
            documents = {str(index): one}, {str(index): other}
            entries += compare_documents({str(index): name}, *documents)
    shares = [_shares(certificate, recomputed)] if recomputed.parts else []
    return [*first, *shares, *entries, *rest.values()]


def _shares(certificate: Certificate, recomputed: Certificate) -> Check:
    """Whether the parts' shares add up to no more than the budget, in exact fractions."""
    kind = "epsilon" if recomputed.guarantee.rho is None else "rho"
    limit = getattr(certificate.guarantee, kind)
    spent = [getattr(part, kind) for part in certificate.parts if part.mechanism is not None]
    if any(amount is None or not isfinite(amount) for amount in (limit, *spent)):
        return Check(_SHARES, False, f"Expected every share in {kind}, finite, got others.")
    if sum(map(Fraction, spent), Fraction(0)) > Fraction(limit):
        return Check(_SHARES, False, f"Expected at most {limit}, got more.")
    return Check(_SHARES, True)
