"""What the notions' fields may hold, and the words that say under which reading."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late
from deniable.errors.validate import in_full
from deniable.notions.adversaries import BoundedPriors, SampledPriors

if TYPE_CHECKING:
    from deniable.notions import households as laws
else:  # for people who belong together
    laws = late("deniable.notions.households")


class Adjacency(validate.Choice, argument="adjacency"):
    """Which pairs of data sets count as neighbours."""

    REPLACE_ONE = "replace-one"
    """One entity is exchanged for another; the number of entities is public."""
    ADD_REMOVE = "add-remove"
    """One entity is there or not; even the number of entities is secret."""

    @property
    def suffix(self) -> str:
        """What a notion's spec ends in."""
        return "" if self is Adjacency.REPLACE_ONE else f"@{self}"


class Setting(validate.Choice, argument="setting"):
    """The possible origins of an attacked data set."""

    REPLACE_ONE = "replace-one"
    """Any independent memberships given the number of entities: what replace-one DP covers."""
    ADD_REMOVE = "add-remove"
    """Any independent memberships: what add-remove DP covers."""
    POPULATION = "population"
    """A uniform subset, of known size, of a known parent set."""

    @property
    def suffix(self) -> str:
        """What a notion's spec ends in."""
        return "" if self is Setting.REPLACE_ONE else f"@{self}"

    @property
    def adjacency(self) -> Adjacency:
        """Return the neighbours that DP covers; a subset of known size changes by an exchange."""
        return Adjacency.ADD_REMOVE if self is Setting.ADD_REMOVE else Adjacency.REPLACE_ONE


class Side(validate.Choice, argument="side"):
    """The direction in which a likelihood may change if an entity joins."""

    POSITIVE = "positive"
    """Pr[S | T and t] <= e^ε Pr[S | T]: presence is hard to prove."""
    NEGATIVE = "negative"
    """Pr[S | T] <= e^ε Pr[S | T and t]: absence is hard to prove."""

    @property
    def suffix(self) -> str:
        """What a notion's spec ends in."""
        return f"@{self}"


def epsilon(value: Any) -> float:
    """A number >= 0; infinity stands for "no bound"."""
    return validate.at_least_zero(value, "epsilon")


def delta(value: Any) -> float:
    """A probability."""
    return validate.probability(value, "delta")


def exceedance(value: Any) -> float:
    """A probability."""
    return validate.probability(value, "exceedance")


def share(value: Any) -> float:
    """A probability, a belief or a difference of two."""
    return validate.probability(value, "the bound")


def half(value: Any) -> float:
    """A number in [0, ½]."""
    result = validate.probability(value, "the bound")
    if result > 0.5:
        raise InvalidArgument(f"Expected the bound <= 0.5, got {result}.")
    return result


def spread(value: Any) -> float:
    """A finite number >= 0."""
    return validate.non_negative(value, "the bound")


def gamma(value: Any) -> float:
    """A factor >= 1; infinity stands for "no bound"."""
    return validate.at_least_one(value, "gamma")


def rate(value: Any) -> float:
    """A sampling probability in (0, 1]."""
    result = validate.probability(value, "beta")
    if result == 0:
        raise InvalidArgument("Expected 0 < beta <= 1, got beta=0.0.")
    return result


def fpr(value: Any) -> float:
    """A false-positive rate strictly between 0 and 1."""
    return validate.open_probability(value, "fpr")


def count(value: Any, what: str) -> int:
    """A whole number >= 1."""
    return validate.integer(value, what, least=1)


def worlds(value: Any) -> int:
    """A whole number >= 2."""
    return validate.integer(value, "worlds", least=2)


def optional_count(value: Any, what: str) -> int | None:
    """A whole number >= 1, or nothing."""
    return None if value is None else count(value, what)


def numbers(*values: float | int | None) -> str:
    """Numbers in a row, the way a spec writes them; trailing ones may be left out."""
    return ",".join(repr(value) for value in values if value is not None)


def households(guarantee: Any, _field: object, value: object) -> None:
    """Refuse what does not say how people belong together, and any where their number is public."""
    if value is None:
        return
    if not isinstance(value, laws.Households):
        raise InvalidArgument(f"Expected households, got {type(value).__name__}.")
    value.refuse_replace_one(getattr(guarantee, "setting", guarantee).adjacency)


def _interval(low: float, high: float) -> str:
    return "" if (low, high) == (0, 1) else f"@{in_full(low)}-{in_full(high)}"


def _family(adversary: Any) -> str:
    if isinstance(adversary, BoundedPriors):
        return _interval(adversary.low, adversary.high)
    return str(adversary.suffix)


def _rows(word: str, rows: Iterable[Iterable[float]]) -> str:
    texts = "/".join(numbers(*row) for row in rows)
    return f"@{word}-{texts}" if texts else ""


_LABELS: Mapping[str, Callable[[Any], str]] = {
    "setting": lambda setting: setting.suffix,
    "side": lambda side: side.suffix,
    "adjacency": lambda adjacency: adjacency.suffix,
    "adversary": _family,
    "prior": lambda prior: _interval(0.0, prior),
    "also": lambda rows: _rows("also", rows),
    "then": lambda phases: _rows(
        "then", ((each.sample_rate, each.noise_multiplier, each.steps) for each in phases)
    ),
    "candidates": lambda count: f"@candidates-{count}",
    "records": lambda count: f"@records-{count}",
    "independent": lambda holds: "@independent" if holds else "",
    "every_parent_set": lambda holds: "@every-parent-set" if holds else "",
    "households": lambda households: str(households.suffix),
}
"""What of a notion's fields stands after @, in this order, and how; nothing for None."""


@attrs.frozen
class Written:
    """A notion that is written as its word, its numbers, and labels that say what they depend on.

    `FORM` has the word and the numbers' names; those in brackets are left out where they are 0 or
    None.
    """

    FORM: ClassVar[str]

    @classmethod
    def word_and_numbers(cls) -> tuple[str, list[str], list[str]]:
        """The word, the names of numbers that are always written, and those of others."""
        word, _, names = cls.FORM.partition(":")
        always, _, sometimes = names.rstrip("]").partition("[,")
        return word, always.split(","), sometimes.split(",") if sometimes else []

    @property
    def spec(self) -> str:
        """The guarantee as the command line writes it; it has a label where that matters."""
        word, always, sometimes = self.word_and_numbers()
        values = [getattr(self, name) for name in always]
        values += [getattr(self, name) or None for name in sometimes]
        unsaid = [*sometimes]
        if isinstance(getattr(self, "adversary", None), SampledPriors):
            unsaid.append("adjacency")  # the family has one only
        labels = (
            label(value)
            for name, label in _LABELS.items()
            if name not in unsaid and (value := getattr(self, name, None)) is not None
        )
        return f"{word}:{numbers(*values)}{''.join(labels)}"
