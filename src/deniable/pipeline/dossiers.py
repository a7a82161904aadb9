"""A regime's questions, each with the statements that answer it; and a written dossier compared."""

import functools
import html
import importlib.metadata
import json
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import attrs

from deniable.certificate.json_documents import MOST_BYTES, read_bytes, read_document
from deniable.certificate.leaves import differences
from deniable.certificate.model import Certificate
from deniable.errors import InvalidArgument, validate
from deniable.ledger.dataset import Dataset
from deniable.numerics.answer import Answer
from deniable.pipeline.certified import of_certificate
from deniable.pipeline.checked import (
    Check,
    Checked,
    Verified,
    difference,
    failed,
    known_word,
    one_line,
)
from deniable.pipeline.statements import Statement, Status, of_budget, weakest

FORMAT = "deniable-dossier/1"
"""What the JSON calls itself."""

_MOST_BASELINES = 100
"""The most baselines of one dossier: a page shows no more, and each takes half a second."""

_LONGEST = 120  # characters of a value in a finding

META = "deniable-dossier"  # name of the element by which a page says what was asked for

_REQUEST = re.compile(rf'<meta name="{META}" content="([^"]*)">')

_OTHERS = {
    "sp-800-226": "nist", "800-226": "nist", "0070": "ema", "policy-0070": "ema",
    "health-canada": "ema", "prci": "ema", "edpb": "gdpr", "eu": "gdpr", "wp216": "gdpr",
    "hhs": "hipaa", "164.514": "hipaa", "registry": "dp-registry", "opendp": "dp-registry",
}  # fmt: skip
"""Words of others for the regimes."""


@attrs.frozen
class Question:
    """One question of a regime, in the source's own words, and what answers it.

    `otherwise` says why nothing does, `remark` what the figures are not; it is asked of all kinds
    of releases where `kinds` names none.
    """

    place: str
    words: str
    statements: tuple[str, ...] = attrs.field(converter=tuple)
    otherwise: str = ""
    remark: str = ""
    kinds: tuple[str, ...] = attrs.field(default=(), converter=tuple)


@attrs.frozen
class Regime:
    """The regime whose questions are answered, and what of its source was read."""

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
        key: Regime(key, questions=tuple(Question(**one) for one in each.pop("questions")), **each)
        for key, each in json.loads(text).items()
    }


def regime_called(key: Any) -> Regime:
    """The regime of a key, in any spelling; refused with the nearest where there is none.

    >>> regime_called("NIST").name
    'NIST SP 800-226'
    """
    return known_word(key.strip().lower() if isinstance(key, str) else key, regimes(), _OTHERS, key)


@attrs.frozen
class Subject:
    """What is spoken of: a kind of release, or a ledger, which has neither date nor digest.

    `kind` is the name of its format without the number, `digest` the SHA-256 of what is stated.
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

    `table` holds every statement by name, the same for all regimes. `baselines` are successes of an
    attack without the release, None for the usual ones; an attribute is one of `candidates` equally
    likely values; `dataset` is that of a ledger.
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
        answers = []
        for each in self.regime.questions:
            if not each.kinds or self.subject.kind in each.kinds:
                names = tuple(name for name in each.statements if name in self.table)
                answers.append(Answered(each, names, weakest(self.table[name] for name in names)))
        return tuple(answers)

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
    """The numbers that attacks are asked about; refused where they are none."""
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

    It is a function of these arguments, so that everybody with the certificate makes the same one.
    """
    baselines, candidates = checked_numbers(baselines, candidates)
    if isinstance(about, Dataset):
        table = of_budget(about, baselines, candidates)
        title = f"All that is ever published from “{about.name}”"
        subject = Subject("deniable-ledger", title, None, None, table["unit"].says[0])
        return Dossier(regime, subject, table, baselines, candidates, about.name)
    kind = about.format.rpartition("/")[0]
    subject = Subject(kind, about.title, about.created, about.statement_sha256, about.unit.sentence)
    table = of_certificate(about, baselines, candidates)
    return Dossier(regime, subject, table, baselines, candidates)


def read_request(path: Path) -> tuple[Any, Any]:
    """What a written dossier says was wanted, and its content: an object, or a page's bytes."""
    raw = read_bytes(path, MOST_BYTES, "a dossier")
    page = _REQUEST.search(raw.decode("utf-8", "replace"))
    content: Any = raw
    if page is None and raw.lstrip().startswith(b"{"):
        content = read_document(path, "a dossier")
    try:
        request = content["asked"] if page is None else json.loads(html.unescape(page[1]))
        types = {"for": str, "baselines": list | None, "dataset": str | None, "candidates": object}
        if request.keys() != types.keys() or not all(
            isinstance(request[key], types[key]) for key in types
        ):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        expected = "a dossier, JSON or a page as deniable dossier writes it"
        raise InvalidArgument(f"Expected {expected}, got another file at {path}.") from None
    return request, content


def check_written(
    path: Path, about: Certificate | Dataset, page_of: Callable[[Dossier], str]
) -> Checked:
    """Make a written dossier, JSON or a page, again, and compare every word and figure."""
    request, content = read_request(path)
    name = one_line(path.name, 100)
    try:
        regime = regime_called(request["for"])
        again = dossier_of(about, regime, request["baselines"], request["candidates"])
    except InvalidArgument as error:
        return Checked((failed(name, error),))
    finding = ""
    if not isinstance(content, bytes):
        other = next(differences(content, again.as_json()), None)
        finding = "" if other is None else difference(*other, _LONGEST)
    elif content != page_of(again).encode("utf-8"):
        finding = "Expected the page that Deniable makes again, got another."
    if finding:
        finding = f"{finding} Make it again; this is Deniable {again.version}."
        return Checked((Check(name, False, one_line(finding)),))
    how = "made again: every word and figure is the same"
    return Checked((Check(name, True),), (Verified(name, how),))
