"""The certificate: what holds, why, and for whom, as frozen values that mirror its JSON.

What is never published has no field here: digest, size and path of the data, how many rows it has
(and how many entities, under add-remove), salt, state of the noise, values before the noise, how
many rows were dropped or empty, and durations. The schema in the package admits no further key.
"""

import abc
import tomllib
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, get_args, get_origin

import attrs

from deniable.certificate import json_documents
from deniable.certificate.json_documents import check_values, statement_sha256
from deniable.errors import InvalidArgument, NotApplicable
from deniable.errors.late import late
from deniable.notions import ZCDP, Adjacency, ApproxDP, GaussianDP, PureDP
from deniable.numerics.answer import fields_of, plain, round_outwards
from deniable.numerics.rounding import UNIT, directed, lower
from deniable.theorems.analysis import (
    BoundedPriors,
    HouseholdLoss,
    Step,
    Target,
    belief_cautions,
    target_of,
)

if TYPE_CHECKING:
    from deniable.notions import Notion
    from deniable.theorems import gaussian as gaussian_theorems
    from deniable.theorems import households as tied
    from deniable.theorems import pure_and_approximate
else:  # of no use to pure noise
    gaussian_theorems = late("deniable.theorems.gaussian")
    pure_and_approximate = late("deniable.theorems.pure_and_approximate")
    tied = late("deniable.theorems.households")

_CROWD = 100_000
"""People each of whom may have a key of their own, such as a rare product or an address."""


class Topic(StrEnum):
    """What a sentence of a certificate is about, for those who answer a question by it."""

    BELIEFS = "what the adversary believes before"
    CHOICES = "what was chosen by looking at the data"
    CONTRIBUTION = "how much one unit adds"
    EVERYBODY = "what is true of everybody"
    FLOATING_POINT = "last digits of noise"
    NOISE = "source of randomness"
    OTHER_RELEASES = "other releases"
    PUBLIC = "what has no protection"
    TOGETHER = "units that belong together"
    UNKNOWN_KEYS = "keys that nobody knew beforehand"

    def says(self, words: str) -> "Sentence":
        """A sentence about this."""
        sentence = Sentence(words)
        sentence.about = self
        return sentence


class Sentence(str):
    """A sentence of a certificate, with what it is about; the JSON holds its words alone.

    One that was read is a plain text: `check_certificate` states it again from what it follows
    from.
    """

    about: Topic

    def format(self, *args: object, **kwargs: object) -> "Sentence":
        """Return it with words in place of those in braces, about the same."""
        return self.about.says(super().format(*args, **kwargs))


def read_sentences(module: str) -> Any:
    """Return the table `sentences.toml` beside a module's file: lists as tuples, lines joined.

    A table with `says` is a sentence, under the topic that it is `about` if it names one.
    """

    def read(entry: Any) -> Any:
        if isinstance(entry, str):
            return " ".join(entry.split()) if "\n" in entry else entry
        if isinstance(entry, list):
            return tuple(map(read, entry))
        if "says" in entry:
            words = read(entry["says"])
            return Topic(entry["about"]).says(words) if "about" in entry else words
        return {name: read(each) for name, each in entry.items()}

    return read(tomllib.loads(Path(module).with_name("sentences.toml").read_text("utf-8")))


@attrs.frozen
class Charged:
    """One charge: public numbers, and a digest that says nothing to who does not hold the ledger.

    How many releases, attempts or voids there were before is not here: that a charge was voided
    may depend on somebody's record. `measure` is "epsilon" or "rho", what adds up over releases.
    `entry` is the SHA-256 of the ledger's entry, which has a random number of 122 bits in it and
    the digest of the one before: who holds the ledger finds it there with all that stands before
    it, and in no copy that went another way; nobody else can guess it. Without exposure all keys
    are public.
    """

    dataset: str
    measure: str
    budget: float
    charged: float
    entry: str
    exposure: float | None = None
    exposure_budget: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Every field under its name; no exposure where none was charged."""
        return attrs.asdict(self, filter=lambda _, value: value is not None)


@attrs.frozen
class Unit:
    """What is protected: an entity that may own rows, by its column, or (None) each row by itself.

    `sentence` is the report's first line, `word` the plan's for one entity, such as "person-year".
    A household has `members`, and all limits on beliefs hold of each of them.
    """

    entity: str | None
    adjacency: Adjacency = attrs.field(converter=Adjacency)
    sentence: str
    word: str | None = None
    members: bool = False

    @property
    def one(self) -> str:
        """The word for one of it: the plan's, or the entity's column, or a row."""
        return self.word or ("row" if self.entity is None else f"“{self.entity}”")

    @property
    def claim(self) -> str:
        """What an adversary believes or not, to be put after "that"."""
        return f"a given {'member of a ' if self.members else ''}{self.one} is in the data"

    def as_json(self) -> dict[str, Any]:
        """Every field under its name; whether it has members only if it has."""
        return attrs.asdict(self, filter=lambda _, value: value is not False)


def _household(value: Any) -> HouseholdLoss | None:
    """Return the value, or what its JSON holds."""
    return HouseholdLoss(**value) if isinstance(value, Mapping) else value


@attrs.frozen
class Guarantee:
    """What the whole release satisfies; every number is rounded to the safe side.

    With `delta` 0 the first is ε-DP. With `delta` > 0, `gamma`, `gamma_outside` and every
    statement about posteriors hold of each entity by itself, except for outputs of probability at
    most `exceedance`, over the noise and what the adversary does not know.

    `epsilon` is infinite where nothing bounds it; `rho` is the total zero-concentrated budget,
    where one was split. `gamma` is within the adversary's [a, b], `gamma_outside` for any prior.
    `attack_success` is the largest with prior ½, `advantage` true minus false positive rate.
    `exposure` is how much of δ or of the exceedance is for keys that nobody knew beforehand: the
    probability that some appear which one entity alone has. 0 where all keys are public.

    With a `household` everything but ε, δ and ρ is about any member of one.
    """

    epsilon: float
    delta: float
    exceedance: float
    rho: float | None
    gamma: float
    gamma_outside: float
    attack_success: float
    advantage: float
    exposure: float = attrs.field(default=0.0, kw_only=True)
    household: HouseholdLoss | None = attrs.field(default=None, kw_only=True, converter=_household)

    def __attrs_post_init__(self) -> None:
        if self.exceedance < self.delta:
            raise InvalidArgument(
                f"Expected exceedance >= delta, got exceedance={self.exceedance}, "
                f"delta={self.delta}. State how often beliefs may move further."
            )

    def as_json(self) -> dict[str, Any]:
        """Every field under its name; no exposure where all keys are public, and no household."""
        values, tied = attrs.asdict(self), self.household
        if not self.exposure:
            del values["exposure"]
        del values["household"]
        return values if tied is None else values | {"household": tied.as_json()}

    @property
    def of_one(self) -> PureDP | ZCDP | None:
        """What holds of one entity and adds up; None where neither ε alone nor ρ says it."""
        if self.delta == 0:
            return PureDP(self.epsilon, Adjacency.ADD_REMOVE)
        if self.rho is None or self.exposure:
            return None
        return ZCDP(self.rho, Adjacency.ADD_REMOVE)

    @property
    def loss(self) -> float:
        """The privacy loss ℓ that beliefs are read at; with a household that of a member.

        With exceedance = δ the certificate states a tail, so ℓ = ε; above it (ε, δ)-DP is what
        holds, and ℓ = ε − ln(1 − δ/X), rounded up.
        """
        if self.household is not None:
            return self.household.loss
        if self.exceedance == self.delta or self.delta == 0:
            return self.epsilon
        budget = ApproxDP(self.epsilon, self.delta)
        return pure_and_approximate.approx_dp_to_privacy_loss_tail(budget, self.exceedance).epsilon


@attrs.frozen
class NamedUnit:
    """What is protected, where a kind of release says it in words of its own.

    An adversary believes `claim`, to be put after "that", which is true of `members` and not of
    `others`; `sentence` is the report's first line.
    """

    adjacency: str
    sentence: str
    claim: str
    members: str
    others: str

    one: ClassVar[str] = "person"
    """The word for what each exception is counted of."""

    def as_json(self) -> dict[str, Any]:
        """Every field under its name."""
        return attrs.asdict(self)


@attrs.frozen
class Sensitivity:
    """How far neighbours lie apart, in whole steps.

    `norm` is "l1", "l2", or "linf-sum" (the sum over the cells of the largest change of any score);
    `monotone` says of selections whether all scores move the same way.
    """

    norm: str
    value: float
    monotone: bool | None = None


@attrs.frozen
class CertifiedPart:
    """One noisy vector or selection of a query.

    A part that is public under the adjacency takes no noise: `mechanism` is None and so is
    everything after it. `step` is in published units, that one whole step stands for, and so are
    `scale` and `half_width_95` (of selections in ranks or rows), the latter where it is known
    before the data is read. A noisy part has exactly one share of the budget, ε or ρ.
    """

    label: str
    mechanism: str | None = None
    step: float | None = None
    scale: float | None = None
    sensitivity: Sensitivity | None = None
    epsilon: float | None = None
    rho: float | None = None
    half_width_95: float | None = None


_NEIGHBOURS = {
    "replace-one": Adjacency.REPLACE_ONE,
    "add-remove": Adjacency.ADD_REMOVE,
    "genotype": Adjacency.REPLACE_ONE,  # of a genome study: one genome is exchanged
}
"""The adjacencies, in certificates' words, by which one record's value changes."""

GAUSSIAN = "discrete-gaussian"  # what parts call their noise for which μ adds up


@attrs.frozen(kw_only=True)
class Certificate(abc.ABC):
    """What a certificate of every kind holds; a kind of release adds what is its own.

    `created` is an ISO date, `derivation` leads from the guarantee of the noise to the target,
    `versions` are by the name of a program, and `files` are the SHA-256 of the other published
    files by name, empty before they are written.
    """

    SCHEMA: ClassVar[json_documents.Schema]
    """Its schema, or the name of one in the package."""

    KEYS: ClassVar[tuple[str, ...]]
    """Return the fields of its JSON in order; the blocks of `own` and the seal follow."""

    FILES: ClassVar[tuple[str, ...]]
    """Names of the other files that every release of the kind publishes."""

    LIBRARIES: ClassVar[Mapping[str, str]]
    """Programs whose versions it states besides ours and Python's, each by its distribution."""

    EARLIER: ClassVar[tuple[str, ...]] = ()
    """Formats whose sentences have earlier words, by `certificate.wording`."""

    created: str
    target: Target
    guarantee: Guarantee
    derivation: tuple[Step, ...]
    assumptions: tuple[str, ...]
    not_covered: tuple[str, ...]
    versions: Mapping[str, str]
    files: Mapping[str, str] = attrs.field(factory=dict)
    ledger: Charged | None = None

    @property
    @abc.abstractmethod
    def format(self) -> str:
        """What the JSON calls itself."""

    @property
    @abc.abstractmethod
    def unit(self) -> Unit | NamedUnit:
        """What is protected."""

    @property
    @abc.abstractmethod
    def adversary(self) -> BoundedPriors:
        """What the adversary may believe before, [a, b]."""

    @property
    @abc.abstractmethod
    def title(self) -> str:
        """What the results are, in one line."""

    @property
    @abc.abstractmethod
    def limits(self) -> Mapping[str, Any]:
        """What was limited or cut before it was counted."""

    @property
    @abc.abstractmethod
    def parts(self) -> Sequence[CertifiedPart]:
        """Everything that has a share of the budget, or is public."""

    @property
    def is_continued(self) -> bool:
        """Whether later releases go on with this one's noise, on data that may follow from it."""
        return False

    @property
    def notions(self) -> "tuple[Notion, ...]":
        """What is stated of everything released together, of which all are true.

        (ε, δ); ρ where one was split and all keys are public; and μ where all noise is Gaussian,
        which follows from the stated scales and sensitivities alone. With a household it is what
        holds of tests on a member's presence. NotApplicable where
        neighbours differ otherwise than in one record's value, or nothing is private.
        """
        adjacency = _NEIGHBOURS.get(str(self.unit.adjacency))
        if adjacency is None:
            raise NotApplicable(
                "Expected a release whose neighbours differ in one record's value, got adjacency "
                f"{self.unit.adjacency!r}: two people exchange what is secret about them."
            )
        stated = self.guarantee
        if stated.epsilon == float("inf"):
            raise NotApplicable(
                "Expected a release that is differentially private, got one of population privacy "
                "alone, which speaks of who was drawn from a list and of no other secret."
            )
        given: list[Notion] = [ApproxDP(stated.epsilon, stated.delta, adjacency)]
        if stated.household is not None:
            # Tests on a member's presence: of the loss, and of all changes of a household.
            given = [ApproxDP(stated.loss, stated.exceedance, adjacency)]
            if stated.rho is not None:
                spent = ZCDP(stated.rho, adjacency)
                given.append(tied.of_group(spent, stated.household.households.size))
        elif stated.rho is not None and not stated.exposure:
            given.append(ZCDP(stated.rho, adjacency))
            if not self.is_continued and (gaussian := _gaussian_dp(self.parts, adjacency)):
                given.append(gaussian)
        return tuple(given)

    @property
    def cautions(self) -> tuple[str, ...]:
        """Warnings for the first lines of a report, none where all is well."""
        stated = self.guarantee
        beliefs = belief_cautions(stated.loss, stated.attack_success, stated.exceedance)
        return (*beliefs, *key_cautions(stated.exposure), *self.further_cautions())

    def further_cautions(self) -> Sequence[str]:
        """What a kind of release warns of besides, from public numbers only."""
        return ()

    @abc.abstractmethod
    def own(self) -> Mapping[str, Any]:
        """The values of `KEYS` that this kind alone has, or says otherwise."""

    @classmethod
    @abc.abstractmethod
    def from_json(cls, document: Any) -> Self:
        """The certificate that a JSON object holds; refused where it does not fit the schema."""

    def says_of(self, *topics: Topic) -> tuple[str, ...]:
        """What it rests on and does not cover, of what is about one of these."""
        sentences = (*self.assumptions, *self.not_covered)
        return tuple(
            each for each in sentences if isinstance(each, Sentence) and each.about in topics
        )

    @property
    def file_names(self) -> tuple[str, ...]:
        """Names of the other published files of this release."""
        return self.FILES

    @property
    def has_target(self) -> bool:
        """Whether the target was asked for, and is not just what came out."""
        return True

    @property
    def is_first(self) -> bool:
        """Whether it has the first format, without digests, which is no longer made."""
        return self.format.endswith("/1")

    @property
    def statement_sha256(self) -> str:
        """SHA-256 of everything but the digests of files; results and report carry it."""
        return statement_sha256(self.document())

    def as_json(self) -> dict[str, Any]:
        """The object of certificate.json; infinity is the text "inf", NaN is refused.

        So is what does not fit its own schema, or is more than is read.
        """
        result = self.document()
        check_values(result, "the certificate")
        json_documents.check(result, self.SCHEMA)
        return result

    def document(self) -> dict[str, Any]:
        """The same object, not compared with the schema."""
        values = {
            **fields_of(self, "format", "created", "unit"),
            "adversary": {"prior": [self.adversary.low, self.adversary.high]},
            **fields_of(self, "target", "guarantee", "derivation"),
            **fields_of(self, "assumptions", "not_covered", "versions"),
        }
        values |= {} if self.ledger is None else {"ledger": self.ledger}
        values |= self.own()
        result: dict[str, Any] = {
            key: plain(values[key]) for key in (*self.KEYS, *json_documents.BLOCKS) if key in values
        }
        if not self.is_first:
            result |= {"statement_sha256": statement_sha256(result), "files": {**self.files}}
        return result


def _gaussian_dp(parts: Sequence[CertifiedPart], adjacency: Adjacency) -> GaussianDP | None:
    """μ of everything together, rounded up; None with other noise, or where it is too little."""
    noise = []
    for each in parts:
        if each.mechanism is None:  # public
            continue
        if each.mechanism != GAUSSIAN or each.sensitivity is None or not each.step:
            return None
        with directed() as r:  # a scale in published units may have been rounded up
            scale = lower(r(each.scale or 0.0) / r(each.step) * (1 - 2 * r(UNIT)))
        noise.append((scale, each.sensitivity.value))
    try:
        return gaussian_theorems.discrete_gaussian_to_gaussian_dp_by_rounding(noise, adjacency)
    except NotApplicable:
        return None


def read(document: Any, schema: json_documents.Schema) -> dict[str, Any]:
    """The JSON of a certificate, infinities as numbers; refused if it does not fit its schema."""
    json_documents.check(document, schema)
    result: dict[str, Any] = json_documents.unbounded(document)
    return result


Made = TypeVar("Made")


def structure(kind: type[Made], value: Any) -> Made:
    """A value as its JSON holds it, made by the types of the fields of its class."""
    made: Any = value
    inner = get_args(kind)
    if value is not None and get_origin(kind) is tuple:
        made = tuple(value if inner[0] is Any else (structure(inner[0], each) for each in value))
    elif value is not None and NoneType in inner:
        made = structure(next(each for each in inner if each is not NoneType), value)
    elif attrs.has(kind):
        types = {each.name: each.type for each in attrs.fields(attrs.resolve_types(kind))}
        made = kind(**{name: structure(types[name], each) for name, each in value.items()})
    return made  # type: ignore[no-any-return]


def common(
    parts: Mapping[str, Any], guarantee: Callable[..., Guarantee] = Guarantee
) -> dict[str, Any]:
    """What `read` gave, as arguments of `Certificate`; `guarantee` makes the kind's own."""
    return {
        "created": parts["created"],
        "target": target_of(**parts["target"]),
        "guarantee": guarantee(**parts["guarantee"]),
        "derivation": tuple(
            Step(step["from"], step["to"], step["theorem"]) for step in parts["derivation"]
        ),
        "assumptions": tuple(parts["assumptions"]),
        "not_covered": tuple(parts["not_covered"]),
        "versions": parts["versions"],
        "files": parts.get("files", {}),
        "ledger": Charged(**parts["ledger"]) if "ledger" in parts else None,
    }


def key_cautions(exposure: float) -> list[str]:
    """Whether keys of one entity appear too often, where nobody knew the keys beforehand.

    >>> key_cautions(1e-7), len(key_cautions(1e-4))
    ([], 1)
    """
    if exposure * _CROWD < 1:
        return []
    named = float(round_outwards(exposure * _CROWD, 2))
    return [
        f"Of {_CROWD:,} people who each have a key of their own, {named:g} may be "
        "named by it, for certain. Choose delta far below 1 over the number of people."
    ]
