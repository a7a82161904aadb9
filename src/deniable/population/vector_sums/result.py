"""What the crowd found, and what was spent on it."""

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.bounds import Evidence
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.work.effort import Effort


@attrs.frozen(eq=False)
class CrowdResult:
    """Brackets of ε̃ with the lists, draws and failure probabilities behind them.

    Parameters
    ----------
    bounds : RecordBounds
        One bracket a record; all of them cover with probability `bounds.confidence`.
    candidates : int
        The longest list, K.
    draws : int
        Releases drawn for the ends, with their lists or without; pilots not counted.
    alpha_upper, alpha_lower : float
        Failure probability that each record's upper and lower end may use, over all its tests.
    """

    bounds: RecordBounds
    candidates: int
    draws: int
    alpha_upper: float
    alpha_lower: float


@attrs.frozen
class Budget:
    """How 1 − confidence is shared: three quarters for upper ends, unless lower ends are given.

    The two directions of one end share nothing: the largest of two limits falls below the truth
    only if the limit of the direction that attains it does.
    """

    upper: float
    lower: float

    @classmethod
    def of(cls, effort: Effort, *, lower_given: bool) -> "Budget":
        """Of the whole analysis.

        Examples
        --------
        >>> budget = Budget.of(Effort(confidence=0.9), lower_given=False)
        >>> round(budget.upper, 3), round(budget.lower, 3)
        (0.075, 0.025)
        """
        alpha = (1 - effort.confidence) * (1 - 1e-12)
        return cls(alpha, 0.0) if lower_given else cls(0.75 * alpha, 0.25 * alpha)

    def split(self, ways: int) -> "Budget":
        """An equal share of it."""
        return Budget(self.upper / ways, self.lower / ways)


def bracket(
    records: NDArray[np.int64],
    ends: tuple[NDArray[np.float64], NDArray[np.float64]],
    fallback: NDArray[np.float64] | None,
    effort: Effort,
    draws: int,
) -> RecordBounds:
    """Ends as one value: never above a known upper end, never crossed.

    Lower ends pass upper ends only where one of them failed, which the confidence allows for.
    """
    lower, upper = ends
    if fallback is not None:
        upper = np.minimum(upper, fallback)
    return RecordBounds(
        records,
        np.minimum(lower, upper),
        upper,
        Evidence.CONFIDENCE,
        confidence=effort.confidence,
        draws=draws,
        seed=effort.seed,
    )
