"""What the priors share: arrays that cannot change, positions, impossible events."""

from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate

ROUNDING = 2.0**-46
"""How far from 1 the sum of a law may lie for each of its entries: 64 units in the last place of 1,
what a logarithm and back may cost."""

ALIKE = attrs.cmp_using(eq=np.array_equal)
"""How fields that are arrays are compared."""


def floats(value: ArrayLike, what: str, *, ndim: int = 1) -> NDArray[np.float64]:
    """A read-only copy as floats without NaN, of so many axes."""
    try:
        result = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidArgument(f"Expected {what} to be numbers, got others.") from None
    if result.ndim != ndim:
        raise InvalidArgument(f"Expected {what} with {ndim} axes, got shape {result.shape}.")
    if np.isnan(result).any():
        raise InvalidArgument(f"Expected {what} to be numbers, got nan.")
    result += 0.0  # -0.0 becomes 0.0
    result.setflags(write=False)
    return result


def probabilities(value: ArrayLike, what: str, *, ndim: int = 1) -> NDArray[np.float64]:
    """A read-only copy with every entry in [0, 1]."""
    result = floats(value, what, ndim=ndim)
    outside = ~((result >= 0) & (result <= 1))
    if outside.any():
        raise InvalidArgument(
            f"Expected {what} between 0 and 1, got {float(result[outside][0])} "
            f"at {list(map(int, np.argwhere(outside)[0]))}."
        )
    return result


def law(value: ArrayLike, what: str, *, ndim: int = 1) -> NDArray[np.float64]:
    """Probabilities that sum to 1 along the last axis, but for rounding."""
    result = probabilities(value, what, ndim=ndim)
    off = np.abs(result.sum(axis=-1) - 1)
    if (off > ROUNDING * result.shape[-1]).any():
        total = float(np.atleast_1d(result.sum(axis=-1)).flat[int(np.argmax(off))])
        raise InvalidArgument(
            f"Expected {what} to sum to 1, got a sum of {validate.format_sum(total)}."
        )
    return result


def flags(value: ArrayLike, what: str, *, ndim: int = 1) -> NDArray[np.bool_]:
    """A read-only copy of truth values, of so many axes."""
    result = np.array(value)
    if result.dtype != np.bool_ and result.size:
        raise InvalidArgument(f"Expected {what} to be true or false, got {result.dtype}.")
    if result.ndim != ndim:
        raise InvalidArgument(f"Expected {what} with {ndim} axes, got shape {result.shape}.")
    result = result.astype(np.bool_)
    result.setflags(write=False)
    return result


def members_of(value: ArrayLike, n_entities: int) -> NDArray[np.bool_]:
    """Membership flags whose last axis runs over the entities."""
    result = np.asarray(value)
    if result.dtype != np.bool_:
        raise InvalidArgument(f"Expected members to be true or false, got {result.dtype}.")
    if result.ndim == 0 or result.shape[-1] != n_entities:
        raise InvalidArgument(
            f"Expected members with a last axis of {n_entities}, got shape {result.shape}."
        )
    return result


def n_entities(value: Any) -> int:
    """How many entities there are, at least 1."""
    return validate.integer(value, "n_entities", least=1)


def n_members(value: Any) -> int:
    """How many of them are in."""
    return validate.integer(value, "n_members", least=0)


def position(value: Any, n: int, what: str = "entity") -> int:
    """The position of one of so many entities, from 0."""
    result = validate.integer(value, what, least=0)
    if result >= n:
        raise InvalidArgument(f"Expected {what} < {n}, got {what}={result}.")
    return result


def positions(value: Any, what: str) -> tuple[int, ...]:
    """Distinct positions, in increasing order."""
    try:
        entities = sorted(validate.integer(entity, what, least=0) for entity in value)
    except TypeError:
        raise InvalidArgument(f"Expected {what} to be positions, got {value!r}.") from None
    if len(set(entities)) < len(entities):
        raise InvalidArgument(f"Expected {what} to be distinct, got {entities}.")
    return tuple(entities)


def replace_entry(values: NDArray[np.float64], at: int, value: float) -> NDArray[np.float64]:
    """A copy with one entry changed."""
    result = values.copy()
    result[at] = value
    return result


def impossible(entity: int, *, member: bool) -> InvalidArgument:
    """The error for conditioning on an event of probability 0."""
    return InvalidArgument(
        f"Expected an event of positive probability, got entity {entity} "
        f"{'in' if member else 'out'}, which never happens under this prior."
    )


def target(entity: int, now: float, probability: Any) -> float:
    """The probability to scale an entity to, where its conditional laws exist."""
    wanted = validate.probability(probability, "probability")
    if now in (0.0, 1.0) and wanted != now:
        raise impossible(entity, member=now == 0.0)
    return wanted


def log(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Natural logarithms, -inf at 0."""
    with np.errstate(divide="ignore"):
        return np.log(values)
