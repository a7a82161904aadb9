"""Recognise and judge every file of a folder of outputs.

A release is checked, and all releases together are held to one limit: their losses add up. Exact
tables are judged jointly, by one file of rules beside them. Nothing else passes without a person.
"""

import itertools
import os
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from importlib.metadata import version
from math import fsum, inf, nextafter
from pathlib import Path
from typing import Any

import attrs

from deniable.certificate import Unit
from deniable.certificate.files import CERTIFICATE
from deniable.certificate.json_documents import read_document, sha256_of_file
from deniable.certificate.model import Certificate, read_sentences
from deniable.errors import (
    DeniableError,
    InconsistentTables,
    InvalidArgument,
    NotApplicable,
    validate,
)
from deniable.numerics.answer import PageAnswer
from deniable.pipeline.check import check
from deniable.pipeline.checked import one_line
from deniable.pipeline.kind import kind_of
from deniable.report.html import legible
from deniable.report.rendering import render
from deniable.rules.book.judging import judge
from deniable.rules.files import CountedTable, RulesFile, read_rules
from deniable.rules.judgement import TablesJudgement
from deniable.rules.numbers import probability
from deniable.rules.printed import read_universe
from deniable.rules.tables import TOTALS
from deniable.rules.worlds import Priors
from deniable.theorems.analysis import posterior_upper

ORDER = ("pass", "person", "fail")  # Verdicts, from the best to the worst
_FIGURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".svg", ".pdf", ".eps", ".tif", ".tiff"})
_TABLES = frozenset({".csv", ".tsv", ".txt"})
_MOST_EXCEEDANCE = 1e-5  # Of all releases: up to it losses are taken as they are
_LARGEST = 2**20  # Bytes of a file of rules: more than any has
_TOKEN = re.compile(r"""[^\s"',;|=\[\]{}]+""")
_NUMBER = re.compile(r"-?\d+(?:\.0*)?")
_LINE = re.compile(r"[-+]+")
_FURNITURE = frozenset(
    {"*", "list", "group", "n", "count", "freq", "frequency", "published", "size", "value"}.union(
        *(each.split() for each in TOTALS)
    )
)
"""Words of a table that are about nobody."""
_OTHERS = (
    "person",
    "Other outputs, or tables that its rules name, were not judged together with it. Together, "
    "they may reveal more.",
)

ASSUMES: tuple[str, ...] = read_sentences(__file__)["assumes"]


@attrs.frozen
class GatedFile:
    """One file: what it is, whether it may leave, and why."""

    file: str
    kind: str
    verdict: str
    because: str
    sha256: str | None = None


@attrs.frozen(repr=False)
class Gated(PageAnswer):
    """What a gate says of a folder.

    Parameters
    ----------
    folder : str
        The folder.
    files : tuple of GatedFile
        Every file in it, by name.
    max_posterior : Fraction
        How far a belief of 50 % may rise.
    person : tuple of str
        Columns whose values are people, or households.
    """

    folder: str
    files: tuple[GatedFile, ...]
    max_posterior: Any
    person: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ASSUMES

    @property
    def verdict(self) -> str:
        """The worst verdict of any file: pass, person or fail."""
        return max((each.verdict for each in self.files), key=ORDER.index)

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        return {
            "verdict": self.verdict,
            "max_posterior": float(self.max_posterior),
            "person": list(self.person),
            "versions": {"deniable": version("deniable")},
            "files": [attrs.asdict(each) for each in self.files],
            "assumes": list(self.assumes),
        }


def gate(
    folder: str | os.PathLike[str],
    *,
    max_posterior: Any = "0.75",
    person: Iterable[str] = (),
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
    person : iterable of str
        Columns whose values are people, or households. A release that protects the values of
        another column does not pass by itself.
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
    columns = (person,) if isinstance(person, str) else tuple(person)
    place = validate.path(folder, "a folder of outputs")
    if not place.is_dir():
        raise InvalidArgument(f"Expected a folder of outputs, got none at {place}.")
    # Everything in it, links and folders that cannot be read among it.
    every, closed = list[Path](), list[Path]()
    for root, folders, names in os.walk(place, onerror=lambda e: closed.append(Path(e.filename))):
        every += [Path(root, name) for name in names]
        every += [Path(root, name) for name in folders if os.path.islink(os.path.join(root, name))]
    paths = sorted({*every, *closed})
    if not paths:
        raise InvalidArgument(f"Expected a folder of outputs, got nothing in {place}.")
    files: dict[Path, GatedFile] = {}

    def enter(path: Path, kind: str, verdict: str, because: str) -> None:
        name = path.relative_to(place).as_posix().encode("utf-8", "backslashreplace").decode()
        digest = None
        if _is_plain(path):
            try:
                digest = sha256_of_file(path, path.stat().st_size)
            except (InvalidArgument, OSError):
                if verdict != "fail":
                    kind, verdict, because = "unknown", "person", "It cannot be read."
        files[path] = GatedFile(name, kind, verdict, because, digest)

    for path in paths:
        if not _is_plain(path):
            enter(path, "unknown", "person", "It is a link or not a plain file. It was not read.")
    certificates = [path for path in paths if path.name == CERTIFICATE and path not in files]
    _gate_releases(certificates, limit, columns, signed_by, enter)
    rules = [
        path for path in paths if path not in files and path.suffix == ".toml" and _has_rules(path)
    ]
    left = [path for path in paths if path not in files and path.suffix.lower() in _TABLES]
    _gate_tables(rules, left, limit, book, enter, apart=bool(certificates))
    for path in paths:
        if path in files:
            continue
        if path.suffix.lower() in _FIGURES:
            enter(path, "figure", "person", "Only a person can say what a figure shows.")
        else:
            enter(path, "unknown", "person", "No certificate and no file of rules covers it.")
    return Gated(str(place), tuple(files[path] for path in paths), limit, columns)


@attrs.frozen
class _Release:
    """A release, with the loss of a person that is exceeded with a probability at most so large."""

    covered: tuple[Path, ...]
    verdict: str = "fail"
    because: str = "Its certificate cannot be read or recomputed."
    loss: float = inf
    exceedance: float = 0.0


def _gate_releases(
    certificates: Sequence[Path], limit: Any, person: Collection[str], signed_by: Any, enter: Any
) -> None:
    """Check each release, and hold the sum of their losses to the limit."""
    releases = [_read_release(path, person, signed_by) for path in certificates]
    sound = [each for each in releases if each.verdict != "fail"]
    # The losses of one person add up, and so do the probabilities that one is exceeded.
    total = fsum(each.loss for each in sound)
    total = nextafter(total, inf) if len(sound) > 1 else total
    is_within_limit = bool(sound) and (
        posterior_upper(total, 0.5) <= limit
        and fsum(each.exceedance for each in sound) <= _MOST_EXCEEDANCE
    )
    for each in releases:
        verdict, because = each.verdict, each.because
        if verdict == "pass" and not is_within_limit:
            verdict = "person"
            because = "Its certificate holds, but all releases together exceed the belief limit."
        for path in each.covered:
            if _is_plain(path):
                enter(path, "release", verdict, because)


def _read_release(path: Path, person: Collection[str], signed_by: Any) -> _Release:
    """Check a release by itself: what it covers, and what a person loses by it."""
    try:
        checked = check(path.parent, signed_by=signed_by)
        document = read_document(path)
        certificate = kind_of(document).certificate.from_json(document)
    except (DeniableError, OSError, TypeError, KeyError, ValueError):
        return _Release((path,))
    # Whatever else lies there in the place of a signature was not verified.
    signatures = (each.file for each in checked.signers or ())
    covered = (path, *(path.with_name(name) for name in (*certificate.file_names, *signatures)))
    if not checked.holds:
        because = "The check of its certificate does not hold: deniable check says where."
        return _Release(covered, because=because)
    guarantee, doubt = certificate.guarantee, _doubt(certificate, person)
    tied = guarantee.household  # whose model of ties may be wrong, and more lost
    loss = max(guarantee.loss, 0.0 if tied is None else tied.loss_without_model)
    because = doubt or "Its certificate holds, and all releases together meet the limit."
    return _Release(covered, "person" if doubt else "pass", because, loss, guarantee.exceedance)


def _doubt(certificate: Certificate, person: Collection[str]) -> str | None:
    """Say why a certificate that holds may bound no belief about a person; None if it does."""
    unit = certificate.unit
    if certificate.is_first:
        return "Certificates of the first format do not name their files."
    if not certificate.parts:
        return "Deniable drew no noise for it, so it rests on the word of those who did."
    if isinstance(unit, Unit):
        if unit.entity is None:
            return "It protects each row. A person who owns several is less protected."
        if unit.entity not in person:
            return (
                f"It protects each value of “{one_line(unit.entity, 60)}”: say with --person that "
                "this is one person, or look."
            )
    try:
        _ = certificate.notions
    except NotApplicable:
        return "Its certificate bounds no belief that a person took part."
    return None


def _is_plain(path: Path) -> bool:
    """Whether it is a file and no link, as far as one may see."""
    return os.path.isfile(path) and not os.path.islink(path)


def _has_rules(path: Path) -> bool:
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
        if not named and read.tables and path.stem in beside:
            named = [(attrs.evolve(read.tables[0], name=path.stem), beside[path.stem])]
        sources = [(table, each) for table, each in named if each is not None]
        text = path.read_text(encoding="utf-8")
        verdicts = list(_verdicts(read, text, sources, limit, book))
        if len(rules) > 1 or apart or len(sources) < len(named):
            verdicts = [_OTHERS if each[0] == "pass" else each for each in verdicts]
        for (_, source), verdict in zip(sources, verdicts, strict=True):
            enter(source, "exact-table", *verdict)
        none = ("person", "No table of the folder is named by this file of rules.")
        worst = max(verdicts, key=lambda each: ORDER.index(each[0]), default=none)
        if worst[0] == "pass" and read.sizes in left:
            universe = read_universe(read.sizes)
            said = _tokens(" ".join(itertools.chain(universe.columns, *universe.sizes)))
            if not _holds_more(read.sizes, said, universe.sizes.values()):
                because = "It holds the sizes of lists, and nothing more."
                enter(read.sizes, "exact-table", "pass", because)
        if worst[0] == "pass" and ("#" in text or any(each.members for each in read.lists)):
            worst = "person", "It has remarks or names of people, which a person has to read."
        enter(path, "exact-table", *worst)


def _verdicts(
    read: RulesFile, text: str, sources: Sequence[tuple[CountedTable, Path]], limit: Any, book: Any
) -> Iterator[tuple[str, str]]:
    """Yield a verdict on each table, jointly with all others; no error repeats what a cell says."""
    most = limit if read.max_posterior is None else min(limit, read.max_posterior)
    rules = attrs.evolve(read, tables=tuple(table for table, _ in sources), max_posterior=most)
    try:
        answer = judge(rules, *(source for _, source in sources), book=book) if sources else None
    except DeniableError as error:
        refused = {
            InconsistentTables: ("fail", "The rules cannot have made these tables."),
            NotApplicable: ("person", "The gate cannot judge what these tables hold."),
        }.get(type(error), ("fail", "The tables cannot be read by their rules."))
        yield from [refused] * len(sources)
        return
    for table, source in sources:
        assert answer is not None, "there are tables"
        cells = [each.cell for each in answer.feasible if each.cell.table == table.name]
        verdict = _verdict(answer, {name for cell in cells for name in cell.lists})
        names = _tokens(" ".join(cell.name for cell in cells))
        numbers = [each.published for each in cells if isinstance(each.published, int)]
        if verdict[0] == "pass" and _holds_more(source, names, numbers, text):
            verdict = "person", "It holds words or numbers that were not judged."
        yield verdict


def _holds_more(
    source: Path, names: Collection[str], numbers: Iterable[int], rules: str = ""
) -> bool:
    """Whether a file holds anything but these numbers, names and the words of its rules."""
    tokens = _tokens(source.read_text(encoding="utf-8-sig"))
    left = Counter(int(each.partition(".")[0]) for each in tokens if _NUMBER.fullmatch(each))
    labels = [int(each.partition(".")[0]) for each in names if _NUMBER.fullmatch(each)]
    left.subtract([*numbers, *labels])
    # A name that is a number stands as often as its cells do: one more may be a count.
    if any(times > 0 or (labels and times) for times in left.values()):
        return True
    words = {each for each in tokens if not (_NUMBER.fullmatch(each) or _LINE.fullmatch(each))}
    said = (each for each in _tokens(rules) if not _NUMBER.fullmatch(each))
    return not words <= _FURNITURE.union(names, said)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.casefold())


def _verdict(answer: TablesJudgement, lists: Collection[str]) -> tuple[str, str]:
    who, half = answer.adversary, Fraction(1, 2)
    if not isinstance(who, Priors) or not who.low <= half <= who.high:
        return "person", "Its rules assume that nobody is 50 % sure beforehand."
    if answer.is_refused:
        return "fail", "Together with earlier tables of the book, it reveals more about somebody."
    named = {name for each in answer.beliefs for name in each.lists}
    beliefs = [
        each
        for each in answer.beliefs
        if not named.issuperset(lists) or not set(lists).isdisjoint(each.lists)
    ]
    met = attrs.evolve(answer, beliefs=tuple(beliefs)).is_met
    if met is False:
        return "fail", "An attacker can become surer of somebody than the limit allows."
    if met is None:
        return "person", "The bounds of a belief lie on both sides of the limit."
    return "pass", "Judged with all tables of its file of rules, it meets the limit."


def gate_page(answer: Gated) -> str:
    """Return the whole page as HTML that opens offline, without script."""
    return render(
        "airlock/gate.html",
        answer=answer,
        folder=legible(answer.folder),
        files=[
            (legible(each.file), each.kind, each.verdict, each.because)
            for each in sorted(answer.files, key=lambda each: -ORDER.index(each.verdict))
        ],
        counts={word: sum(each.verdict == word for each in answer.files) for word in ORDER},
    )
