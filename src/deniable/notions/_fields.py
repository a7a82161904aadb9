"""What the notions' fields may hold, and the words that say under which reading."""

import enum
from typing import TYPE_CHECKING, Any

from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late

if TYPE_CHECKING:
    from deniable.priors import households as laws
    from deniable.priors.households import Households
else:  # for people who belong together
    laws = late("deniable.priors.households")


class Adjacency(enum.StrEnum):
    """Which pairs of data sets count as neighbours."""

    REPLACE_ONE = "replace-one"
    """One entity is exchanged for another; the number of entities is public."""
    ADD_REMOVE = "add-remove"
    """One entity is there or not; even the number of entities is secret."""

    @property
    def suffix(self) -> str:
        """What a notion's spec ends in."""
        return "" if self is Adjacency.REPLACE_ONE else f"@{self}"


class Setting(enum.StrEnum):
    """How an attacked data set may have come about."""

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


class Side(enum.StrEnum):
    """Which way a likelihood may change when an entity joins."""

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
    result = validate.number(value, "epsilon")
    if result < 0:
        raise InvalidArgument(f"Expected epsilon >= 0, got epsilon={result}.")
    return result + 0.0  # -0.0 becomes 0.0


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


def records_suffix(records: int | None) -> str:
    """What the spec of a guarantee ends in that covers data of so many records only."""
    return "" if records is None else f"@records-{records}"


def interval_suffix(low: float, high: float) -> str:
    """What the spec of a guarantee for beliefs in [low, high] ends in; none for every belief."""
    return "" if (low, high) == (0, 1) else f"@{decimal(low)}-{decimal(high)}"


def decimal(value: float) -> str:
    """The shortest decimal that is read as the same float, without a fraction of zero."""
    return repr(value).removesuffix(".0")


def numbers(*values: float | int | None) -> str:
    """Numbers in a row, the way a spec writes them; trailing ones may be left out."""
    return ",".join(repr(value) for value in values if value is not None)


def households(guarantee: Any, _field: object, value: object) -> None:
    """Refuse what does not say how people come together, and any where their number is public."""
    if value is None:
        return
    if not isinstance(value, laws.Households):
        raise TypeError(f"Expected households, got {type(value).__name__}.")
    adjacency = getattr(guarantee, "setting", guarantee).adjacency
    if adjacency is not Adjacency.ADD_REMOVE:
        raise InvalidArgument(
            f"Expected add-remove with {value}, got {adjacency}. Where the number of people is "
            "public, households of different sizes are many exchanges apart."
        )


def households_suffix(households: "Households | None") -> str:
    """What a notion's spec ends in."""
    return "" if households is None else households.suffix


def dimension(value: object) -> int:
    """How many coordinates a gradient has."""
    return count(value, "dimension")


def batch(value: object) -> int:
    """How many records one average is of."""
    return count(value, "batch")


def clip(value: object) -> float:
    """The largest norm of one gradient."""
    return validate.positive(value, "clip")


def noise(value: object) -> float:
    """The standard deviation added to each coordinate."""
    return validate.non_negative(value, "noise")


def susceptibility(value: object) -> float:
    """The squared Mahalanobis norm of the most exposed gradient."""
    return validate.non_negative(value, "susceptibility")
