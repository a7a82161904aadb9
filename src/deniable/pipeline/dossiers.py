"""A regime's questions, each with the statements that answer it; and a written dossier compared."""

import functools
import html
import importlib.metadata
import json
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any

import attrs

from deniable.certificate.json_documents import MOST_BYTES, read_bytes, read_document
from deniable.certificate.leaves import differences
from deniable.certificate.model import Certificate
from deniable.errors import InvalidArgument, validate
from deniable.errors.public_names import nearest
from deniable.ledger.dataset import Dataset
from deniable.numerics.answer import Answer
from deniable.pipeline.certified import of_certificate
from deniable.pipeline.checked import Check, Checked, Verified, failed, one_line
from deniable.pipeline.statements import Statement, Status, of_budget, weakest

FORMAT = "deniable-dossier/1"
"""What the JSON calls itself."""

_MOST_BASELINES = 100
"""Of one dossier: a page shows no more, and each takes up to half a second."""

_LONGEST = 120
"""Characters of a value in a finding."""

META = "deniable-dossier"
"""Name of the element by which a page says what was asked for."""

_REQUEST = re.compile(rf'<meta name="{META}" content="([^"]*)">')
_KEYS = {"for", "baselines", "candidates", "dataset"}
_LEDGER = "deniable-ledger"
"""The kind of what is no certificate."""

_OTHERS = {
    "sp-800-226": "nist", "800-226": "nist", "0070": "ema", "policy-0070": "ema",
    "health-canada": "ema", "prci": "ema", "edpb": "gdpr", "eu": "gdpr", "wp216": "gdpr",
    "hhs": "hipaa", "164.514": "hipaa", "registry": "dp-registry", "opendp": "dp-registry",
}  # fmt: skip
"""Words of others for the regimes."""


# --- Regimes: their questions in their own words, and which statements answer them.


@attrs.frozen
class Question:
    """One question of a regime.

    Parameters
    ----------
    place : str
        Section, paragraph or key of the source.
    words : str
        The source's own.
    statements : tuple of str
        By which it is answered.
    otherwise : str
        Why not, where nothing answers it.
    remark : str
        What the figures are not.
    kinds : tuple of str
        Of releases that it is asked of; of all where there are none.
    """

    place: str
    words: str
    statements: tuple[str, ...] = attrs.field(converter=tuple)
    otherwise: str = ""
    remark: str = ""
    kinds: tuple[str, ...] = attrs.field(default=(), converter=tuple)


@attrs.frozen
class Regime:
    """Whose questions, from which source, and what of it was read.

    Parameters
    ----------
    key : str
        How the command line calls it.
    name, title, issuer, date, address : str
        Of the source.
    source : str
        What of it was read, and what is from memory.
    questions : tuple of Question
        In the order of the source.
    """

    key: str
    name: str
    title: str
    issuer: str
    date: str
    address: str
    source: str
    questions: tuple[Question, ...]


@functools.cache
def regimes() -> Mapping[str, Regime]:
    """All regimes by key; data, and no more."""
    text = resources.files("deniable.pipeline").joinpath("regimes.json").read_text("utf-8")
    return {
        key: Regime(
            key, **each | {"questions": tuple(Question(**one) for one in each["questions"])}
        )
        for key, each in json.loads(text).items()
    }


def regime_called(key: Any) -> Regime:
    """The regime of a key.

    Raises
    ------
    InvalidArgument
        If there is none, with the nearest.

    Examples
    --------
    >>> regime_called("NIST").name
    'NIST SP 800-226'
    """
    known = regimes()
    plain = key.strip().lower() if isinstance(key, str) else key
    if plain in known:
        return known[plain]
    near = nearest(key, known, _OTHERS) if isinstance(key, str) else None
    advice = f" Did you mean {near}?" if near else ""
    raise InvalidArgument(f"Expected one of {', '.join(known)}, got {key!r}.{advice}")


# --- A dossier: the questions, answered from one table of statements.


@attrs.frozen
class Subject:
    """What is spoken of.

    Parameters
    ----------
    kind : str
        The name of its format, without the number.
    title : str
        What was published, in one line.
    date : str or None
        Of a certificate.
    digest : str or None
        SHA-256 of what a certificate states.
    unit : str
        What is protected.
    """

    kind: str
    title: str
    date: str | None
    digest: str | None
    unit: str


@attrs.frozen
class Answered:
    """A question, its statements, and what they are worth together: as much as the weakest."""

    question: Question
    statements: tuple[str, ...]
    status: Status

    def as_json(self) -> dict[str, Any]:
        """Every field under its name; what is empty is left out."""
        question = self.question
        more = {"remark": question.remark, "otherwise": self.otherwise}
        return {
            "place": question.place,
            "words": question.words,
            "status": str(self.status),
            "statements": list(self.statements),
        } | {key: value for key, value in more.items() if value}

    @property
    def otherwise(self) -> str:
        """Why nothing answers it; empty where something does."""
        if self.statements:
            return ""
        return self.question.otherwise or "Nothing here says anything about it."


@attrs.frozen(repr=False)
class Dossier(Answer):
    """A regime's questions in its own words, with what can be said of each, and what cannot.

    Parameters
    ----------
    regime : Regime
        Whose questions.
    subject : Subject
        What they are asked of.
    table : mapping
        Every statement, by name; the same for all regimes.
    baselines : tuple of float, or None
        Successes of an attack without the release; None for the usual ones.
    candidates : int or None
        Of how many equally likely values an attribute is one.
    dataset : str or None
        Of a ledger.
    version : str
        Of Deniable.
    """

    regime: Regime
    subject: Subject
    table: Mapping[str, Statement]
    baselines: tuple[float, ...] | None = None
    candidates: int | None = None
    dataset: str | None = None
    version: str = attrs.field(factory=lambda: importlib.metadata.version("deniable"))

    @property
    def answers(self) -> tuple[Answered, ...]:
        """Each question that is asked of this kind of release."""
        return tuple(
            self._answered(each)
            for each in self.regime.questions
            if not each.kinds or self.subject.kind in each.kinds
        )

    def _answered(self, question: Question) -> Answered:
        names = tuple(name for name in question.statements if name in self.table)
        return Answered(question, names, weakest(self.table[name] for name in names))

    @property
    def counts(self) -> dict[str, int]:
        """How many questions are computed, on trust and not covered."""
        statuses = [each.status for each in self.answers]
        return {str(status): statuses.count(status) for status in reversed(Status)}

    @property
    def request(self) -> dict[str, Any]:
        """What has to be given for the same dossier to be made again."""
        return {
            "for": self.regime.key,
            "baselines": None if self.baselines is None else list(self.baselines),
            "candidates": self.candidates,
            "dataset": self.dataset,
        }

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable dossier` prints; a statement stands once."""
        answers, regime = self.answers, self.regime
        used = dict.fromkeys(name for each in answers for name in each.statements)
        return {
            "format": FORMAT,
            "asked": self.request,
            "regime": regime.name,
            "title": regime.title,
            "date": regime.date,
            "of": attrs.asdict(self.subject),
            "version": self.version,
            "counts": self.counts,
            "questions": [each.as_json() for each in answers],
            "statements": [{"statement": name} | self.table[name].as_json() for name in used],
        }


def checked_numbers(
    baselines: Sequence[float] | None, candidates: int | None
) -> tuple[tuple[float, ...] | None, int | None]:
    """The numbers that attacks are asked about.

    Raises
    ------
    InvalidArgument
        If a baseline is no probability, or there are fewer than two candidates.
    """
    given = None
    if candidates is not None:
        candidates = validate.integer(candidates, "candidates", least=2)
    if baselines is not None:
        given = tuple(validate.probability(each, "baseline") for each in baselines)
        if not 0 < len(given) <= _MOST_BASELINES:
            raise InvalidArgument(
                f"Expected 1 to {_MOST_BASELINES} baselines, got {len(given)}. Name some, such "
                "as 0.1."
            )
    return given, candidates


def dossier_of(
    about: Certificate | Dataset,
    regime: Regime,
    baselines: Sequence[float] | None = None,
    candidates: int | None = None,
) -> Dossier:
    """The dossier of a certificate that holds, or of everything that a dataset's budget pays for.

    It is a function of these arguments, so that whoever has the certificate makes the same one.

    Raises
    ------
    InvalidArgument
        If a baseline is no probability, or there are fewer than two candidates.
    """
    baselines, candidates = checked_numbers(baselines, candidates)
    if isinstance(about, Dataset):
        table = of_budget(about, baselines, candidates)
        title = f"All that is ever published from “{about.name}”"
        subject = Subject(_LEDGER, title, None, None, table["unit"].says[0])
        return Dossier(regime, subject, table, baselines, candidates, about.name)
    kind = about.format.rpartition("/")[0]
    subject = Subject(kind, about.title, about.created, about.statement_sha256, about.unit.sentence)
    table = of_certificate(about, baselines, candidates)
    return Dossier(regime, subject, table, baselines, candidates)


# --- A dossier that was written, beside the same one made again.


def read_request(path: Path) -> tuple[Any, Any]:
    """What a written dossier says was wanted, and its content: an object, or the bytes of a page.

    Raises
    ------
    InvalidArgument
        If it is no dossier, or a file that no program should read.
    """
    raw = read_bytes(path, MOST_BYTES, "a dossier")
    page = _REQUEST.search(raw.decode("utf-8", "replace"))
    content: Any = raw
    if page is None and raw.lstrip().startswith(b"{"):
        content = read_document(path, "a dossier")
    try:
        request = content["asked"] if page is None else json.loads(html.unescape(page[1]))
        if set(request) != _KEYS or not isinstance(request["for"], str):
            raise ValueError
        if not isinstance(request["baselines"], list | None):
            raise ValueError
        if not isinstance(request["dataset"], str | None):
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InvalidArgument(
            "Expected a dossier, JSON or a page as deniable dossier writes it, got another file "
            f"at {path}."
        ) from None
    return request, content


def check_written(
    path: Path, about: Certificate | Dataset, page_of: Callable[[Dossier], str]
) -> Checked:
    """Make a written dossier again, and compare every word and figure.

    Parameters
    ----------
    path : Path
        The dossier: JSON, or a page.
    about : Certificate or Dataset
        A certificate that holds, or what a ledger has fixed.
    page_of : callable
        Of a dossier: its page.
    """
    request, content = read_request(path)
    name = one_line(path.name, 100)
    try:
        regime = regime_called(request["for"])
        again = dossier_of(about, regime, request["baselines"], request["candidates"])
    except InvalidArgument as error:
        return Checked((failed(name, error),))
    if finding := _difference(content, again, page_of):
        return Checked((Check(name, False, one_line(finding)),))
    how = "made again: every word and figure is the same"
    return Checked((Check(name, True),), (Verified(name, how),))


def _difference(content: Any, again: Dossier, page_of: Callable[[Dossier], str]) -> str:
    remedy = f"Make it again; this is Deniable {again.version}."
    if isinstance(content, bytes):
        same = content == page_of(again).encode("utf-8")
        return "" if same else f"Expected the page that follows from it, got another. {remedy}"
    for place, got, wanted in islice(differences(content, again.as_json()), 1):
        return f"Expected {shortened(wanted)}, got {shortened(got)} at {place}. {remedy}"
    return ""


def shortened(value: object) -> str:
    """A value of a finding, on part of a line."""
    return one_line(repr(value), _LONGEST)
