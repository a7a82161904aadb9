"""Recognise and judge every file of a folder of outputs.

A release is checked, and all releases together are held to one limit: their ε add up. Exact tables
are judged jointly, by one file of rules beside them. Nothing else passes without a person.
"""

import os
import tomllib
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import exp, inf, isfinite
from pathlib import Path
from typing import Any

import attrs

from deniable.certificate.files import CERTIFICATE, other_files
from deniable.certificate.json_documents import read_document
from deniable.errors import DeniableError, InconsistentTables, InvalidArgument, validate
from deniable.numerics.answer import Answer, display
from deniable.pipeline.check import check
from deniable.pipeline.kind import kind_of
from deniable.rules.book.judging import judge
from deniable.rules.files import CountedTable, RulesFile, read_rules
from deniable.rules.judgement import TablesJudgement
from deniable.rules.numbers import is_within, probability
from deniable.rules.worlds import Sample

ORDER = ("pass", "person", "fail")
"""Verdicts, from the best to the worst."""
_FIGURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".svg", ".pdf", ".eps", ".tif", ".tiff"})
_LARGEST_EPSILON = 700
"""The exponential of a larger number is no float."""
_ROUNDING = 1e-12
"""More than the relative error of an exponential and three operations."""
_MOST_EXCEEDANCE = 1e-5
"""A probability of exceptions below which a release's epsilon is taken as it is."""
_LARGEST = 2**20
"""Bytes of a file of rules: more than any has."""

ASSUMES = (
    "A check shows that a release is what its certificate says. That its noise was drawn, and from "
    "which data, it takes on trust, unless you give the public keys of those who release.",
    "Sizes of lists, and what was done to the numbers of exact tables, are taken from the file of "
    "rules. All tables are judged together; tables that left earlier are judged only with a book.",
    "Releases with noise are taken to be about the same people: their epsilons add up.",
)


@attrs.frozen
class GatedFile:
    """One file: what it is, whether it may leave, and why."""

    file: str
    kind: str
    verdict: str
    because: str


@attrs.frozen(repr=False)
class Gated(Answer):
    """What a gate says of a folder.

    Parameters
    ----------
    folder : str
        The folder.
    files : tuple of GatedFile
        Every file in it, by name.
    max_posterior : Fraction
        How far a belief of 50 % may rise.
    """

    folder: str
    files: tuple[GatedFile, ...]
    max_posterior: Any
    assumes: tuple[str, ...] = ASSUMES

    @property
    def verdict(self) -> str:
        """The worst verdict of any file: pass, person or fail."""
        return max((each.verdict for each in self.files), key=ORDER.index)

    def count(self, verdict: str) -> int:
        """How many files have a verdict."""
        return sum(each.verdict == verdict for each in self.files)

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        return {
            "verdict": self.verdict,
            "max_posterior": float(self.max_posterior),
            "files": [attrs.asdict(each) for each in self.files],
            "assumes": list(self.assumes),
        }

    def page(self) -> str:
        """A page for the reviewer.

        Returns
        -------
        str
            HTML that opens offline, without script; needs the extra publish.
        """
        return str(display(self, "page"))


@validate.explain_calls
def gate(
    folder: str | os.PathLike[str],
    *,
    max_posterior: Any = "0.75",
    book: str | os.PathLike[str] | None = None,
    signed_by: str | os.PathLike[str] | None = None,
) -> Gated:
    """Recognise every file of a folder of outputs, judge it, and say whether it may leave.

    Parameters
    ----------
    folder : path
        Releases with their certificates, exact tables with one file of rules beside them, figures.
    max_posterior : float or str
        How far the belief in one person's membership may rise from 50 %.
    book : path, optional
        A book of earlier tables about the same people, judged with those of the folder.
    signed_by : path, optional
        Public keys: a release without a signature by one of them fails.

    Returns
    -------
    Gated
        A verdict on each file: pass, person or fail.

    Raises
    ------
    InvalidArgument
        If there is no such folder, or nothing in it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deniable.airlock import gate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "figure.png").write_bytes(b"")
    ...     gate(folder).verdict
    'person'
    """
    limit = probability(max_posterior, "max_posterior")
    place = validate.path(folder, "a folder of outputs")
    if not place.is_dir():
        raise InvalidArgument(f"Expected a folder of outputs, got none at {place}.")
    paths = sorted(path for path in place.rglob("*") if path.is_symlink() or not path.is_dir())
    if not paths:
        raise InvalidArgument(f"Expected a folder of outputs, got nothing in {place}.")
    files: dict[Path, GatedFile] = {}

    def enter(path: Path, kind: str, verdict: str, because: str) -> None:
        name = path.relative_to(place).as_posix()
        files[path] = GatedFile(name, kind, verdict, because)

    for path in paths:
        if path.is_symlink() or not path.is_file():
            enter(path, "unknown", "person", "It is a link or no plain file, and was not read.")
    certificates = [path for path in paths if path.name == CERTIFICATE and path not in files]
    _gate_releases(certificates, limit, signed_by, enter)
    rules = [
        path for path in paths if path not in files and path.suffix == ".toml" and _has_rules(path)
    ]
    left = [path for path in paths if path not in files and path not in rules]
    _gate_tables(rules, left, limit, book, enter, apart=bool(certificates))
    for path in paths:
        if path in files:
            continue
        if path.suffix.lower() in _FIGURES:
            enter(path, "figure", "person", "Only a person can say what a figure shows.")
        else:
            enter(path, "unknown", "person", "No certificate and no file of rules covers it.")
    return Gated(str(place), tuple(files[path] for path in paths), limit)


def _gate_releases(certificates: Sequence[Path], limit: Any, signed_by: Any, enter: Any) -> None:
    """Check each release, and hold the sum of their ε to the limit."""
    results: list[tuple[list[Path], str | None, float]] = []
    of_rows = set[Path]()
    for path in certificates:
        covered, problem, epsilon = [path], None, inf
        try:
            checked = check(path.parent, signed_by=signed_by)
            document = read_document(path)
            certificate = kind_of(document).certificate.from_json(document)
            others = set(other_files(path.parent, certificate.file_names))
            covered = [each for each in path.parent.iterdir() if each.name not in others]
            epsilon = _epsilon(document)
            unit = document.get("unit")
            if isinstance(unit, dict) and unit.get("entity", "") is None:
                of_rows.update(covered)
            if not checked.holds:
                problem = "The check of its certificate does not hold: deniable check says where."
        except (DeniableError, OSError, TypeError, KeyError, ValueError):
            problem = "Its certificate cannot be read or recomputed."
        results.append((covered, problem, epsilon))
    total = sum(epsilon for _, problem, epsilon in results if problem is None)
    # Odds of 1 become at most e^ε, under both kinds of neighbours, and those of the limit are
    # limit / (1 − limit). A float of each side is off by less than 1e-12.
    is_within_limit = limit == 1 or (
        total < _LARGEST_EPSILON and exp(total) * float(1 - limit) <= float(limit) * (1 - _ROUNDING)
    )
    for covered, problem, epsilon in results:
        if problem is not None:
            verdict, because = "fail", problem
        elif of_rows.intersection(covered):
            verdict, because = "person", "It protects each row; a person who owns several, less."
        elif is_within_limit:
            verdict, because = "pass", "Its certificate holds, and all releases keep to the limit."
        elif isfinite(epsilon):
            verdict, because = (
                "person",
                "Its certificate holds, but all releases together pass the limit on beliefs.",
            )
        else:
            verdict, because = "person", "Its certificate holds, but states no epsilon."
        for each in covered:
            if each.is_file() and not each.is_symlink():
                enter(each, "release", verdict, because)


def _epsilon(document: Any) -> float:
    """The ε of the release; infinite where it has none, or holds but for much."""
    guarantee = document.get("guarantee")
    if not isinstance(guarantee, dict):
        return inf
    epsilon, rarely = guarantee.get("epsilon"), guarantee.get("delta") or 0
    rarely = max(rarely, guarantee.get("exceedance") or 0)
    if not isinstance(epsilon, int | float) or epsilon < 0 or rarely > _MOST_EXCEEDANCE:
        return inf
    return float(epsilon)


def _has_rules(path: Path) -> bool:
    """Whether a TOML file has a [rule]."""
    try:
        if path.stat().st_size > _LARGEST:
            return False
        return "rule" in tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False


def _gate_tables(
    rules: Sequence[Path], left: Sequence[Path], limit: Any, book: Any, enter: Any, *, apart: bool
) -> None:
    """Judge the tables of each file of rules, jointly; they pass only where nothing is beside."""
    for path in rules:
        try:
            read = read_rules(path)
        except DeniableError:
            enter(path, "exact-table", "fail", "The file of rules cannot be read.")
            continue
        beside = {each.stem: each for each in left if each.parent == path.parent}
        named = [(table, beside.get(table.name)) for table in read.tables if table.name]
        if not named and path.stem in beside:
            named = [(table, beside[path.stem]) for table in read.tables[:1]]
        sources = [(table, each) for table, each in named if each is not None]
        worst = ("person", "No table of the folder is named by this file of rules.")
        if sources:
            verdicts = list(_verdicts(read, sources, limit, book))
            if len(rules) > 1 or apart:
                verdicts = [_OTHERS if each[0] == "pass" else each for each in verdicts]
            for (_, source), verdict in zip(sources, verdicts, strict=True):
                enter(source, "exact-table", *verdict)
            worst = max(verdicts, key=lambda each: ORDER.index(each[0]))
        enter(path, "exact-table", *worst)


_OTHERS = (
    "person",
    "Other outputs beside these tables were judged apart, and together they may reveal more.",
)


def _verdicts(
    read: RulesFile, sources: Sequence[tuple[CountedTable, Path]], limit: Any, book: Any
) -> Iterator[tuple[str, str]]:
    """Yield a verdict on each table, jointly with all others; no error repeats what a cell says."""
    tables = tuple(table for table, _ in sources)
    most = limit if read.max_posterior is None else min(limit, read.max_posterior)
    rules = attrs.evolve(read, tables=tables, max_posterior=most)
    try:
        answer = judge(rules, *(source for _, source in sources), book=book)
    except InconsistentTables:
        yield from [("fail", "The rules cannot have made these tables.")] * len(sources)
        return
    except DeniableError:
        yield from [("fail", "The tables cannot be read by their rules.")] * len(sources)
        return
    for table in tables:
        yield _verdict(read, answer, table.lists)


def _verdict(read: RulesFile, answer: TablesJudgement, lists: Sequence[str]) -> tuple[str, str]:
    who = read.adversary
    if who is None or (not isinstance(who, Sample) and who.high < Fraction(1, 2)):
        return "person", "Its rules fear nobody who is 50 % sure before."
    if answer.is_refused:
        return "fail", "Beside earlier tables of the book it reveals more about somebody."
    named = {name for each in answer.beliefs for name in each.lists}
    beliefs = [
        each
        for each in answer.beliefs
        if not named.issuperset(lists) or not set(lists).isdisjoint(each.lists)
    ]
    met = [
        is_within(each.highest.lower, each.highest.upper, answer.max_posterior)
        for each in beliefs
        if answer.max_posterior is not None
    ]
    if False in met:
        return "fail", "An attacker can become surer of somebody than the limit allows."
    if None in met or not met:
        return "person", "The bounds of a belief lie on both sides of the limit."
    return "pass", "Judged with all tables of its file of rules, it keeps to the limit."
