"""A number that an analysis found, with what it rests on.

Four kinds of evidence, from strongest to weakest. Combining takes the weakest; an estimate can
be shown and can never be turned into a guarantee.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

import attrs

from deniable.errors import InvalidArgument, NotApplicable, validate
from deniable.errors.late import late
from deniable.numerics.rounding import directed, lower, upper

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = late("numpy")


class Evidence(enum.IntEnum):
    """What a bound rests on; a smaller member is stronger."""

    EXACT = 0
    """Computed exactly up to a stated rounding."""
    ENCLOSURE = 1
    """The truth lies inside, by proof."""
    CONFIDENCE = 2
    """The truth lies inside except with probability 1 - confidence over the seed."""
    ESTIMATE = 3
    """Nothing is claimed."""

    @property
    def word(self) -> str:
        """The name used in JSON."""
        return self.name.lower()


def _as_bound(value: Any) -> float:
    return validate.number(value, "a bound")


def _optional_confidence(value: Any) -> float | None:
    return None if value is None else validate.open_probability(value, "confidence")


@attrs.frozen
class Bound:
    """An interval that contains the true value, lower <= value <= upper, and its evidence.

    Parameters
    ----------
    lower, upper : float
        Ends of the interval, in the unit of the number bounded; infinite where unbounded.
    evidence : Evidence
        What the claim rests on.
    confidence : float, optional
        Probability of coverage, in (0, 1); needed for, and only for, `Evidence.CONFIDENCE`.
    draws, seed : int, optional
        How many random draws were used and the seed that reproduces them.

    Raises
    ------
    InvalidArgument
        If lower > upper, or confidence is missing or out of place.

    Examples
    --------
    >>> a = Bound(1.0, 1.5, Evidence.ENCLOSURE)
    >>> b = Bound(2.0, 2.0, Evidence.CONFIDENCE, confidence=0.95)
    >>> (a + b).evidence.word, (a + b).upper
    ('confidence', 3.5)
    """

    lower: float = attrs.field(converter=_as_bound)
    upper: float = attrs.field(converter=_as_bound)
    evidence: Evidence = attrs.field(validator=validate.is_of(Evidence))
    confidence: float | None = attrs.field(default=None, converter=_optional_confidence)
    draws: int | None = None
    seed: int | None = None

    def __attrs_post_init__(self) -> None:
        if self.lower > self.upper:
            raise InvalidArgument(f"Expected lower <= upper, got [{self.lower}, {self.upper}].")
        if (self.evidence is Evidence.CONFIDENCE) != (self.confidence is not None):
            raise InvalidArgument(
                f"Expected a confidence exactly when the evidence is confidence, got "
                f"evidence={self.evidence.word}, confidence={self.confidence}."
            )

    @classmethod
    def exact(cls, value: float) -> Bound:
        """A number known exactly."""
        return cls(value, value, Evidence.EXACT)

    def __add__(self, other: Bound) -> Bound:
        """Sum, rounded outwards; the weakest evidence, failures added (union bound)."""
        with directed() as r:
            low, high = r(self.lower) + r(other.lower), r(self.upper) + r(other.upper)
            return self._combine(other, lower(low), upper(high))

    def maximum(self, other: Bound) -> Bound:
        """The larger of two bounded numbers."""
        return self._combine(other, max(self.lower, other.lower), max(self.upper, other.upper))

    def guaranteed_upper(self) -> float:
        """The upper bound as a claim.

        Raises
        ------
        NotApplicable
            If the evidence is an estimate.
        """
        if self.evidence is Evidence.ESTIMATE:
            raise NotApplicable(
                "Expected exact, enclosure or confidence evidence for a guarantee, got an "
                "estimate. Use a method that bounds its error."
            )
        return self.upper

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints for a bound."""
        result: dict[str, Any] = {
            "lower": self.lower,
            "upper": self.upper,
            "evidence": self.evidence.word,
        }
        if self.evidence is Evidence.CONFIDENCE:
            result |= {"confidence": self.confidence, "draws": self.draws, "seed": self.seed}
        return result

    def _combine(self, other: Bound, lower: float, upper: float) -> Bound:
        evidence = max(self.evidence, other.evidence)
        if evidence is Evidence.EXACT and lower != upper:
            evidence = Evidence.ENCLOSURE
        confidence = None
        if evidence is Evidence.CONFIDENCE:
            failures = sum(1 - c for c in (self.confidence, other.confidence) if c is not None)
            confidence = 1 - failures
            if confidence <= 0:
                raise NotApplicable(
                    f"Expected failure probabilities that add up to less than 1, got {failures}."
                )
        return Bound(lower, upper, evidence, confidence=confidence)


_ROUNDINGS = 2.0**-30
"""The relative gap that two enclosures may show: far more than their rounding."""


def pair_bounds(
    lowers: NDArray[np.float64], uppers: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lower bounds, none above its upper bound, and the upper bounds."""
    # Both are proved, so that one that passes the other by more than a rounding shows that one
    # proof or its code is wrong. Nothing is claimed then: to cut one off at the other would hide
    # it.
    if np.any(lowers > uppers + _ROUNDINGS * np.maximum(np.abs(uppers), 1.0)):
        raise AssertionError("a lower bound passes its upper bound: one of the two proofs is wrong")
    return np.minimum(lowers, uppers), uppers
