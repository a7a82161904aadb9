r"""Upper confidence limits of ε by betting, from independent log-likelihood ratios.

Let X(ε) = max(0, 1 − e^ε/ratio), a number in [0, 1] whose mean D(ε) falls with ε. If D(ε) ≥ δ,
then the gains δ − X(ε) are to be bet on (`numerics/confidence_limits.py`), with stakes
0 ≤ λ_j < 1/(1−δ). So the largest ε whose capital stays below 1/α is at least the largest ε
with D(ε) > δ, except with
probability α, whenever one stops and however one decides to. No grid of ε has to be paid for: only
the ε just below the true one can fail, and the capital rises with ε.
"""

import math
from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import validate
from deniable.numerics.confidence_limits import WEIGHTS, best_stakes, log_capital
from deniable.numerics.search import bisect

LEAST_SCALE = 0.03
"""ε, below which a relative precision is taken of this instead: nobody needs 1 % of 0.001."""
ROUNDING = 1e-9
"""Error of ln ratio that is allowed for, against the claim."""
_BOLDEST = 0.95
"""Largest stake, as a share of 1/(1 − δ), at which one bad draw would take all of the capital."""
HALVINGS = 50
"""Halvings of the interval of ε: to 2^−50 of it."""


def _non_negative(value: Any) -> tuple[float, ...]:
    return tuple(validate.non_negative(each, "stake") for each in value)


@attrs.frozen
class BettingBound:
    """An upper confidence limit of the ε at which D(ε) = δ, by bets against D(ε) ≥ δ.

    Parameters
    ----------
    delta : float
        δ in (0, 1).
    stakes : sequence of float
        λ_j in [0, 1/(1−δ)), chosen without looking at the draws they are bet on.
    weights : sequence of float
        w_j ≥ 0, adding up to at most 1.

    Examples
    --------
    >>> bound = BettingBound(0.5, [1.0], [1.0])
    >>> round(bound.upper_limit(np.full(100, 1.0), 0.05), 3) # the ratio is e, always
    0.366
    """

    delta: float
    stakes: tuple[float, ...] = attrs.field(converter=_non_negative)
    weights: tuple[float, ...] = attrs.field(converter=_non_negative)

    @classmethod
    def from_pilot(
        cls, pilot: NDArray[np.float64], delta: float, precision: float
    ) -> "BettingBound":
        """Stakes that would find ε to about a relative `precision`, judged from pilot draws."""
        epsilon = estimate_epsilon(pilot, delta)
        losses = hockey_stick(pilot, epsilon + precision * max(epsilon, LEAST_SCALE))
        # The mean of δ − X, and its variance, at the ε that is to be refuted.
        mean = max(delta - float(losses.mean()), delta / 100)
        variance = max(float(losses.var()), delta * delta, 1e-300)
        return cls(delta, best_stakes(mean, variance, _BOLDEST / (1 - delta)), WEIGHTS)

    def log_capital(
        self, log_ratios: NDArray[np.float64], epsilon: float, *, harmless: int = 0
    ) -> float:
        """ln of the capital won against D(ε) ≥ δ; `harmless` more draws show no loss at ε."""
        # G_i = δ − X_i; draws without a loss win δ each.
        losses = hockey_stick(log_ratios[log_ratios > epsilon], epsilon)
        without_loss = harmless + len(log_ratios) - len(losses), self.delta
        return log_capital(self.delta - losses, self.stakes, self.weights, further=without_loss)

    def expected_draws(self, pilot: NDArray[np.float64], alpha: float) -> int:
        """How many draws the first stake is meant for, judged from the pilot."""
        # Near the true ε the capital grows by about λ²·variance/2 a draw, in logarithm.
        stake = self.stakes[0]
        epsilon = estimate_epsilon(pilot, self.delta)
        variance = max(float(hockey_stick(pilot, epsilon).var()), self.delta * self.delta)
        return math.ceil(2 * math.log(1 / alpha) / max(stake * stake * variance, 1e-300))

    def upper_limit(
        self, log_ratios: ArrayLike, alpha: float, *, least: float = 0.0, harmless: int = 0
    ) -> float:
        """The largest ε ≥ `least` that the draws do not refute at level α; infinite if they cannot.

        Parameters
        ----------
        log_ratios : array_like, shape (n_draws,)
            ln ratio of independent draws; +∞ allowed.
        alpha : float
            Probability of a limit below the truth, in (0, 1).
        least : float
            ≥ 0: what is refuted below it is not asked.
        harmless : int
            Further draws, whose ln ratio is at most `least`.
        """
        # The capital rises with ε: halve for the largest ε at which it is below 1/α, and return
        # the end above.
        ratios = np.asarray(log_ratios, np.float64) + ROUNDING
        enough = math.log(1 / alpha)
        most = max(_largest(ratios), least)

        def stands(epsilon: float) -> bool:
            return self.log_capital(ratios, epsilon, harmless=harmless) < enough

        if stands(most):
            return math.inf
        return bisect(stands, least, most, halvings=HALVINGS)[1] if stands(least) else least


def hockey_stick(log_ratios: NDArray[np.float64], epsilon: float) -> NDArray[np.float64]:
    """X(ε) = max(0, 1 − e^ε/ratio) of each draw."""
    return -np.expm1(np.minimum(epsilon - log_ratios, 0.0))


def estimate_epsilon(log_ratios: NDArray[np.float64], delta: float) -> float:
    """Where the mean of X(ε) falls to δ, at least 0: an estimate, no bound."""

    def above(epsilon: float) -> bool:
        return float(hockey_stick(log_ratios, epsilon).mean()) > delta

    return bisect(above, 0.0, _largest(log_ratios), halvings=HALVINGS)[1]


def _largest(log_ratios: NDArray[np.float64]) -> float:
    """The largest finite ln ratio, at least 0."""
    return max(float(log_ratios[np.isfinite(log_ratios)].max(initial=0.0)), 0.0)
