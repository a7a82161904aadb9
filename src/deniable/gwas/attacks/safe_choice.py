"""Which variants may be published together: as many as keep beliefs within a limit."""

import math
from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from deniable.gwas.attacks.evidence import Lattice, Laws, Sum
from deniable.gwas.attacks.safe_questions import Questions

_TILTS = np.geomspace(1 / 4, 4, 5)
"""Tilts for which an order is tried, as multiples of the normal law's."""
_LEAST_TILT = 1e-3
"""Where an order is by the mean: the tilt for no deviations."""
_FITS = 4.0
"""Standard deviations of sums, in those of the limit, for which its lattice is wide enough."""
_FAR = 16.0
"""Standard deviations, in those of the limit, that no sum within the limit has."""

Order = NDArray[np.intp]


@attrs.frozen
class Limit:
    """How far evidence may go.

    Parameters
    ----------
    gain : float
        Log odds between the belief before and the limit, > 0.
    deviations : float
        z: the share Φ(−z) of members may pass it.
    """

    gain: float
    deviations: float

    @property
    def spread(self) -> float:
        r"""The standard deviation at which a normal law meets it: s²/2 + z s = gain."""
        # The positive root in the form that does not cancel.
        z = self.deviations
        return 2 * self.gain / (z + math.sqrt(z * z + 2 * self.gain))

    @property
    def allowed(self) -> float:
        """Share of members that may pass it."""
        return float(ndtr(-self.deviations))


class Choice:
    """Sums of evidence of the first variants of an order, for every question.

    Parameters
    ----------
    questions : Questions
        What is asked, of which variants.
    limit : Limit
        How far evidence may go.
    """

    def __init__(self, questions: Questions, limit: Limit) -> None:
        self._questions, self._limit = questions, limit
        self._laws = questions.laws(Lattice.of_deviation(limit.spread))
        self._moments = questions.moments()

    def least_telling(self) -> tuple[Order, int]:
        """The order of which most variants keep the limit, and how many do."""
        tried = ((order, self.longest(order)) for order in self._orders())
        return max(tried, key=lambda attempt: attempt[1])

    def longest(self, order: Order) -> int:
        """How many variants from the order's beginning keep the limit."""
        low, high = 0, self._possible(order)
        while low < high:
            middle = (low + high + 1) // 2
            if self._is_within(order[:middle]):
                low = middle
            else:
                high = middle - 1
        return low

    def totals(self, which: Order) -> dict[str, Sum]:
        """The law of these variants' evidence about each question."""
        numbers = self._questions.kinds.numbers(which)
        return {name: law.total(numbers) for name, law in self._wide(which).items()}

    def powers(self, which: Order, fpr: float) -> dict[str, float]:
        """Share of those of whom each question's answer is yes that are recognised."""
        numbers = self._questions.kinds.numbers(which)
        return {name: law.power(numbers, fpr) for name, law in self._wide(which).items()}

    def _wide(self, which: Order) -> dict[str, Laws]:
        """Laws on a lattice that holds the sums of these variants."""
        mean, variance = self._moments[self._questions.kinds.of[which]].sum(axis=0)
        wide = math.sqrt(max(variance, 2 * mean, 0.0))
        if wide <= _FITS * self._limit.spread:
            return self._laws
        return self._questions.laws(Lattice.of_deviation(wide))

    def _is_within(self, which: Order) -> bool:
        numbers = self._questions.kinds.numbers(which)
        return all(self._is_met(laws, numbers) for laws in self._laws.values())

    def _is_met(self, laws: Laws, numbers: NDArray[np.int64]) -> bool:
        return laws.total(numbers).beyond(self._limit.gain) <= self._limit.allowed

    def _possible(self, order: Order) -> int:
        """A length that no order within the limit passes; up to it, sums fit the lattice."""
        moments = np.cumsum(self._moments[self._questions.kinds.of[order]], axis=0)
        far = _FAR * self._limit.spread
        fits = (moments[:, 0] <= far + self._limit.gain) & (moments[:, 1] <= far * far)
        return int(np.count_nonzero(fits))

    def _orders(self) -> Iterator[Order]:
        """Orders by least evidence, for several tilts.

        The share that passes the limit c is about exp(Σ K(t) − t c), K(t) = log E exp(t L), at the
        tilt t of the choice. So the best choice of any number of variants is the first of them by
        K(t). For a normal law K(t) = t μ + t² v / 2 and t = z / √Σv. More evidence than c counts as
        c: it passes anyway.
        """
        limit, seen = self._limit, set[bytes]()
        for tilt in [_LEAST_TILT, *(_TILTS * limit.deviations / limit.spread).tolist()]:
            growths = self._questions.growths(max(tilt, _LEAST_TILT), limit.gain)
            order = np.argsort(growths[self._questions.kinds.of], kind="stable")
            if order.tobytes() not in seen:
                seen.add(order.tobytes())
                yield order
