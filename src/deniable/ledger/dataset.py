"""A dataset: the people whose privacy is spent, and what may be believed of them after all."""

import re
import shlex
import unicodedata
from enum import StrEnum
from fractions import Fraction
from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.ledger import units
from deniable.notions import Adjacency
from deniable.numerics.answer import fields_of
from deniable.theorems.analysis import BoundedPriors, Households, Target

_DIGEST = re.compile("[0-9a-f]{64}")
_LONGEST = 200
"""Characters of a word: a line of a page, and no place to hide a table in."""

HOUSEHOLD = "household"
"""The word for one entity where the entity is a household, in the words of plans."""
_MOST_PEOPLE = 1_000
"""People of one household: a whole institution, and sums over its members take no second."""
_SHORTENED = 100
"""Characters of a text that nobody chose as a label: half a line."""


def word(value: Any, what: str) -> str:
    """One line of text that prints as it is: no control characters, no ends that are blank."""
    if not isinstance(value, str):
        raise InvalidArgument(f"Expected {what} to be text, got {type(value).__name__}.")
    if not 0 < len(value) <= _LONGEST:
        raise InvalidArgument(
            f"Expected {what} of 1 to {_LONGEST} characters, got {len(value)}. Shorten it."
            if value
            else f"Expected {what}, got an empty text. Write at least one character."
        )
    if not value.isprintable() or value != value.strip():
        raise InvalidArgument(
            f"Expected {what} in one line of printable characters, got {value!a}. Remove what "
            "cannot be seen."
        )
    return value


def line(*texts: str | None, instead: str) -> str:
    """The first of these that can be shown, shortened to a line; `instead` where none can."""
    for each in texts:
        marks = (mark if mark.isprintable() else " " for mark in each or "")
        if printable := " ".join("".join(marks).split()):
            return printable[:_SHORTENED].strip()
    return instead


def read_aloud(name: str) -> str:
    """A name as people hear it: small letters, one spelling of each sign, single blanks."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def optional_word(value: Any, what: str) -> str | None:
    """A word, or None."""
    return None if value is None else word(value, what)


def digest(value: Any, what: str) -> str:
    """A SHA-256 in 64 hexadecimal digits, in small letters."""
    if not isinstance(value, str) or not _DIGEST.fullmatch(value):
        raise InvalidArgument(f"Expected {what} to be 64 hexadecimal digits, got {value!a}.")
    return value


def optional_digest(value: Any, what: str) -> str | None:
    """A digest, or None."""
    return None if value is None else digest(value, what)


def check_household_size(size: int) -> None:
    """Refuse so many people of one household that no ledger reads what follows for one of them."""
    if size > _MOST_PEOPLE:
        raise InvalidArgument(
            f"Expected at most {_MOST_PEOPLE:,} people of one household, got more. Keep the ledger "
            "by a larger entity."
        )


class Measure(StrEnum):
    """What adds up over the releases of a dataset."""

    EPSILON = "epsilon"
    RHO = "rho"


def exposure_units(value: Any) -> int | None:
    """A checked number of units of exposure; None where there is no budget of it."""
    return None if value is None else units.check_units(value)


def _exceedance(value: Any) -> float:
    return validate.open_probability(value, "delta") if value else 0.0


@attrs.frozen
class Dataset:
    """The same people in all tables that hold them, and the budget that their releases share.

    All of it is fixed when the dataset is made. A plan with another entity, word or adjacency is
    about other people, or protects them otherwise.

    `name` is how plans and certificates call it, and is published. `entity` is the column that
    names a person, None where one row is one; `unit` is a word for one of them, such as "patient".
    The adversary is what somebody may believe before the first release, the target what they may
    believe at most after the last, except for outputs of probability `exceedance`, in [0, 1): 0 for
    pure releases of listed keys only. The measure is ρ where Gaussian noise is admitted; `budget`
    is all that may be spent, in units of 2⁻⁴⁰ of it. `exposure`, in units of 2⁻⁵⁰, is what may be
    spent besides on keys that nobody knows: the probability that some appear which one entity alone
    has; None where all keys have to be listed.

    `households` says who belongs together. The target is then about one person of such a household,
    unless it is an ε. With `by_household` the entity is the household itself: one column of fixed
    membership, all in or all out, of at most `households.size` people.
    """

    name: str
    entity: str | None
    unit: str | None
    adjacency: Adjacency = attrs.field(converter=Adjacency)
    adversary: BoundedPriors
    target: Target
    exceedance: float = attrs.field(converter=_exceedance)
    measure: Measure = attrs.field(converter=Measure)
    budget: int = attrs.field(converter=units.check_units)
    exposure: int | None = attrs.field(default=None, converter=exposure_units)
    households: Households | None = None
    by_household: bool = False

    def __attrs_post_init__(self) -> None:
        """Check the words, and what concerns several fields."""
        word(self.name, "the dataset's name")
        optional_word(self.entity, "the entity")
        optional_word(self.unit, "the word for one entity")
        self._check_households()
        never_fails = self.measure is Measure.EPSILON and self.exposure is None
        if never_fails == bool(self.exceedance):
            raise InvalidArgument(
                "Expected an exceedance with a budget in rho or of exposure, and none with one in "
                f"epsilon alone, got measure={self.measure}, exceedance={self.exceedance}."
            )
        if self.exposure is not None and not (
            self.exposure > 0 and units.exposure(self.exposure) < Fraction(self.exceedance)
        ):
            raise InvalidArgument(
                "Expected a budget of exposure of at least a unit, and below the exceedance "
                f"{self.exceedance}, got {self.exposure} units."
            )
        if not 0 < self.budget <= units.MOST:
            raise InvalidArgument(
                f"Expected the budget to be 1 to {units.MOST} units, got {self.budget}."
            )

    def _check_households(self) -> None:
        if self.households is None:
            if self.by_household:
                raise InvalidArgument("Expected the most people of one household, got none.")
            return
        check_household_size(self.households.size)
        self.households.refuse_replace_one(self.adjacency)
        if self.by_household and (self.entity is None or self.households.model is not None):
            raise InvalidArgument(
                "Expected the column of households as the entity, and no model of a tie, where the "
                "entity is the household. Give entity (--entity) alone."
            )
        if not self.by_household and self.exposure is not None:
            raise InvalidArgument(
                "Expected listed keys with households, got a budget of exposure: a key that nobody "
                "knew can show a whole household at once. Leave exposure out."
            )

    def as_json(self) -> dict[str, Any]:
        """Every field under its name; what the chain of entries begins with.

        No exposure where there is no budget of it, and no household where none is stated.
        """
        exposure = {} if self.exposure is None else {"exposure": self.exposure}
        households = {} if self.households is None else {"household": self.household_as_json()}
        return (
            exposure
            | households
            | {
                **fields_of(self, "name", "entity", "unit"),
                "adjacency": str(self.adjacency),
                "prior": [self.adversary.low, self.adversary.high],
                "target": self.target.as_json(),
                "exceedance": self.exceedance,
                "measure": str(self.measure),
                "budget": self.budget,
            }
        )

    def household_as_json(self) -> dict[str, Any] | None:
        """Return who belongs together, plain values only; None where that is not stated."""
        if self.households is None:
            return None
        model, value = self.households.model or (None, None)
        size = self.households.size
        return {"size": size, "model": model, "value": value, "is_entity": self.by_household}

    @property
    def spending(self) -> units.Spending:
        """All that may be spent."""
        return units.Spending(self.budget, self.exposure or 0)


@attrs.frozen
class People:
    """The people whom a release is about: what a dataset fixes when it is made.

    Without an entity each row is by itself; `unit` is a word for one of them. A household that is
    the entity has `members`: a change within it replaces one household by another.
    """

    entity: str | None
    unit: str | None
    adjacency: Adjacency
    members: bool = False

    @property
    def options(self) -> str:
        """What `deniable ledger new` takes for a dataset of these people."""
        options = {"entity": self.entity, "unit": self.unit, "adjacency": str(self.adjacency)}
        given = {name: value for name, value in options.items() if value is not None}
        words = "".join(f" --{name} {shlex.quote(value)}" for name, value in given.items())
        return words + (" --by-household --household K" if self.members else "")

    def __str__(self) -> str:
        named = "each row by itself" if self.entity is None else f"entity {self.entity!r}"
        word = "" if self.unit is None else f", unit {self.unit!r}"
        return f"{named}{word}, {self.adjacency}{', by household' if self.members else ''}"


def check_people(dataset: Dataset, people: People) -> None:
    """Refuse a release about other people than the dataset's, or under other neighbours."""
    wanted = People(dataset.entity, dataset.unit, dataset.adjacency, dataset.by_household)
    if dataset.by_household and people.entity != dataset.entity:
        raise InvalidArgument(
            f"Expected a release whose entity is {dataset.entity!r}, the households of "
            f"{dataset.name!r}, got {people.entity!r}. A ledger keeps one column of households: "
            "people whose household differs between columns count in several, and what two "
            "releases reveal of them is more than the sum in the ledger. Enter a release about "
            "single persons by hand, which counts it once for each person of a household: "
            'deniable.ledger.charge_guarantee(…, of="person").'
        )
    if dataset.by_household:  # a plan may call the column its entity
        people = attrs.evolve(people, unit=people.unit or dataset.unit, members=True)
    elif people.adjacency is Adjacency.REPLACE_ONE:  # what changes within a household is exchanged
        people = attrs.evolve(people, members=False)
    if wanted != people:
        raise InvalidArgument(
            f"Expected a release about the people of {dataset.name!r} ({wanted}), got one about "
            f"others ({people}). Charge it to a dataset of its own: deniable ledger new … "
            f"--dataset NAME{people.options} and a limit. Datasets do not add up: if both have the "
            "same people, enter it by hand in this one: deniable.ledger.charge_guarantee."
        )
