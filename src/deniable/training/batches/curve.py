"""What follows from a training whose batches were drawn in a stated way, from both sides."""

from __future__ import annotations

import math
from typing import Literal

import attrs

from deniable.errors import validate
from deniable.notions.training import Phase
from deniable.numerics.bound import Bound
from deniable.numerics.rounding import directed, upper
from deniable.training.batches.batched import BatchedTraining
from deniable.training.batches.laws import Fineness
from deniable.training.batches.sides import CurveSide, GaussianSide, Side
from deniable.training.batches.ways import GAP, enclose
from deniable.training.noisy_gradients.curve import (
    Direction,
    TwoSidedCurve,
    directions,
    falls_to,
    interval_of,
    least_passed_loss,
)
from deniable.training.noisy_gradients.sums import least_value

ATOMS = 800
"""Atoms of a law to begin with: ε within a thousandth after ten epochs of a hundred steps."""
_APART = 0.05
"""Share of an advantage by which sides differ that more atoms bring closer; others are apart."""
_RARE = 1e-5
"""Share of δ that may be rounded away in the tails of a law."""
_USUAL = 1e-6
"""δ for which tails are kept where none is asked for."""
_LEAST_DELTA = 1e-250
"""Least δ that laws of floats are made for."""
_CLOSE = 1e-7
"""Relative tolerance of a search for ε: far finer than the two sides are apart."""
_NOTHING = GaussianSide(0.0, is_above=False)
_EVERYTHING = GaussianSide(1e3, is_above=True)
"""Sides of a curve of which only the other end is asked for."""


@attrs.frozen
class BatchCurve(TwoSidedCurve):
    """All that follows for one record, or one person, each number enclosed from both sides.

    Upper ends hold for every trainer that draws batches so. Lower ends are reached by an attack on
    a trainer that does. Where the two are far apart, nobody knows which is the truth.
    """

    training: BatchedTraining
    atoms: int | None = None
    """The curve of each law; None for as many as the advantage asks for."""
    end: Literal["lower", "upper"] | None = None
    """The only end that is asked for, in a search; nothing is made for the other."""
    _sides: dict[tuple[int, float], tuple[Side, Side]] = attrs.field(
        factory=dict, init=False, eq=False, repr=False
    )
    _atoms: list[int] = attrs.field(factory=list, init=False, eq=False, repr=False)

    @property
    def schedule(self) -> tuple[Phase, ...]:
        """Its steps, with the share of the records that one looks at."""
        return self.training.schedule

    def delta(self, epsilon: float, direction: Direction | None = None) -> Bound:
        """The least δ of (ε, δ)-DP, in the worse of the two directions or in the one named."""
        epsilon = validate.non_negative(epsilon, "epsilon")
        intervals = [self._delta(epsilon, each) for each in directions(direction)]
        return interval_of(max(low for low, _ in intervals), max(high for _, high in intervals))

    def fnr(self, fpr: float) -> Bound:
        """The least false-negative rate of an attack with this false-positive rate.

        Positive is "is in the data". The promise is the lower end.
        """
        fpr = validate.open_probability(fpr, "fpr")
        low = self.fnr_at_least(fpr)
        return interval_of(low, max(min(self._at(_USUAL)[1].misses(fpr), 1 - fpr), low))

    def fnr_at_least(self, fpr: float) -> float:
        """The lower end of `fnr` alone: the promise."""
        return max(self._at(_USUAL)[0].misses(validate.open_probability(fpr, "fpr")), 0.0)

    def exceedance(self, loss: float) -> Bound:
        """How probable it is at most, over all priors, that the privacy loss passes `loss`."""
        loss = validate.non_negative(loss, "loss")
        return interval_of(
            self.delta(loss).lower, max(self._passes(loss, each) for each in Direction)
        )

    def loss(self, exceedance: float) -> Bound:
        """The least loss that is passed with at most this probability, whatever the prior."""
        exceedance = validate.probability(exceedance, "exceedance")
        return interval_of(self.epsilon(exceedance).lower, self.loss_at_most(exceedance))

    def _delta(self, epsilon: float, direction: Direction) -> tuple[float, float]:
        kept = _USUAL
        while True:
            above, below = self._at(kept)
            low, high = below.delta(epsilon, direction), above.delta(epsilon, direction)
            if (
                (high if self.end == "upper" else low) >= kept
                or high <= _LEAST_DELTA
                or kept <= _LEAST_DELTA
            ):
                return low, max(low, high)
            kept = max(min(low, kept / 100), _LEAST_DELTA)  # tails of what is as rare as δ

    def _search_epsilon(self, delta: float, direction: Direction) -> tuple[float, float]:
        if delta == 0:
            return self._once(self._search_epsilon, _LEAST_DELTA, direction)[0], math.inf
        above, below = self._at(delta)
        if isinstance(above, CurveSide) and isinstance(below, CurveSide):  # they search faster
            low = below.curve.epsilon(delta, direction).lower
            return low, max(low, above.curve.epsilon(delta, direction).upper)
        low = falls_to(lambda e: below.delta(e, direction), delta, 1.0, tolerance=_CLOSE)[0]
        high = falls_to(lambda e: above.delta(e, direction), delta, low, tolerance=_CLOSE)[1]
        return low, max(low, high)

    def _passes(self, loss: float, direction: Direction) -> float:
        """inf over e < ℓ of δ(e)/(1 − e^(e−ℓ)): tails that survive averaging."""
        if loss == 0:
            return 1.0
        kept = _USUAL
        while True:
            above = self._at(kept)[0]

            def bound(log_gap: float, above: Side = above) -> float:
                epsilon = max(loss - math.exp(log_gap), 0.0)
                with directed() as r:
                    most = above.delta(epsilon, direction)
                    return upper(r(most) / -r.expm1(r(epsilon) - r(loss)))

            # The least ℓ − e of a tail bound, as a share of ℓ.
            least = least_value(bound, math.log(1e-4 * loss), math.log(loss))
            if least >= kept or kept <= _LEAST_DELTA:
                return min(least, 1.0)
            kept = max(kept / 1e4, _LEAST_DELTA)

    def _passed_loss(self, exceedance: float, direction: Direction) -> float:
        """inf over e with δ(e) < X of e − ln(1 − δ(e)/X)."""
        above = self._at(exceedance / 4)[0]
        if isinstance(above, CurveSide):
            return above.curve.loss_at_most(exceedance)

        def delta(epsilon: float) -> float:
            return above.delta(epsilon, direction)

        start = falls_to(delta, exceedance * (1 - _CLOSE), 1.0, tolerance=_CLOSE)[1]
        return least_passed_loss(delta, start, exceedance)

    def _at(self, delta: float) -> tuple[Side, Side]:
        """Both sides, with tails for this δ, as fine as the first advantage asks for."""
        rare = _kept_tails(delta)
        if not self._atoms:
            self._atoms.append(self.atoms or self._fine_enough())
        key = (self._atoms[0], rare)
        if key not in self._sides:
            above, below = enclose(self.training, Fineness(*key))
            if self.end is not None:
                above, below = (above, _NOTHING) if self.end == "upper" else (_EVERYTHING, below)
            self._sides[key] = above, below
        return self._sides[key]

    def _fine_enough(self) -> int:
        """Atoms for an advantage that is known to twice `GAP`, if more of them are of any use."""
        atoms, before, rare = ATOMS, _APART, _kept_tails(_USUAL)
        while True:
            above, below = self._sides[atoms, rare] = enclose(self.training, Fineness(atoms, rare))
            low, high = below.delta(0.0, Direction.REMOVE), above.delta(0.0, Direction.REMOVE)
            wide = (high - low) / low if low > 0 else math.inf
            if wide <= 2 * GAP or wide > before or 2 * atoms > 3200:  # More would take seconds.
                return atoms
            atoms, before = 2 * atoms, wide / 2


def _kept_tails(delta: float) -> float:
    """What may be rounded away for this δ: a power of 100, so that few laws are made."""
    return float(100.0 ** math.floor(math.log(max(delta, _LEAST_DELTA) * _RARE, 100)))
