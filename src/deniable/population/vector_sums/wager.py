r"""Upper confidence limits by betting: for ε, from independent log-likelihood ratios.

Let X(ε) = max(0, 1 − e^ε/ratio), a number in [0, 1] whose mean D(ε) falls with ε. If
D(ε) ≥ δ, then for stakes 0 ≤ λ_j < 1/(1−δ) fixed beforehand and weights w_j that add up to 1 the
capital

.. math:: \sum_j w_j \prod_{i \le T} \bigl(1 + \lambda_j (\delta - X_i(\epsilon))\bigr)

is a nonnegative supermartingale in T that starts at 1: it ever reaches 1/α with probability at
most α (Ville). So the largest ε whose capital stays below 1/α is at least the largest ε with
D(ε) > δ, except with probability α, whenever one stops and however one decides to. No grid of ε
has to be paid for: only the ε just below the true one can fail, and the capital rises with ε.
"""

import math
from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable import _validate

SMALL = 0.03
"""Below this ε a relative precision is taken of this instead."""
_BOLDEST = 0.95
"""Largest stake, as a share of 1/(1 − δ), at which one bad draw would take all of the capital."""
_FACTORS = (1.0, 4.0)
"""The stake that the pilot finds best, and a bolder one for when time runs out."""
_SHARES = (0.6, 0.2, 0.2)
"""Of the capital: most on the best stake, the rest on the two bolder ones."""
_ROUNDING = 1e-9
"""Error of ln ratio that is allowed for, against the claim."""
_HALVINGS = 50
"""Halvings of the interval of ε: to 2^−50 of it."""


def _stakes(value: Any) -> tuple[float, ...]:
    return tuple(_validate.non_negative(each, "stake") for each in value)


@attrs.frozen
class Wager:
    """What is bet against D(ε) ≥ δ.

    Parameters
    ----------
    delta : float
        δ in (0, 1).
    stakes : sequence of float
        λ_j in [0, 1/(1−δ)), chosen without looking at the draws they are bet on.
    shares : sequence of float
        w_j ≥ 0, adding up to at most 1.

    Examples
    --------
    >>> wager = Wager(0.5, [1.0], [1.0])
    >>> round(wager.largest_epsilon(np.full(100, 1.0), 0.05), 3) # the ratio is e, always
    0.366
    """

    delta: float
    stakes: tuple[float, ...] = attrs.field(converter=_stakes)
    shares: tuple[float, ...] = attrs.field(converter=_stakes)

    @classmethod
    def planned(cls, pilot: NDArray[np.float64], delta: float, precision: float) -> "Wager":
        """Stakes that would settle ε to about a relative `precision`, judged from pilot draws.

        Two bolder ones stand beside them, for when time runs out.
        """
        # The stake λ = (δ − E X)/Var X makes E ln(1 + λ(δ − X)) largest, to second order, at the ε
        # to be refuted.
        epsilon = crossing(pilot, delta)
        losses = excess(pilot, epsilon + precision * max(epsilon, SMALL))
        edge = max(delta - float(losses.mean()), delta / 100)
        spread = max(float(losses.var()), delta * delta, 1e-300)
        most = _BOLDEST / (1 - delta)
        stakes = [min(edge / spread * factor, most) for factor in _FACTORS]
        return cls(delta, [*stakes, most], _SHARES)

    def log_capital(self, log_ratios: NDArray[np.float64], epsilon: float) -> float:
        """ln of the capital won against D(ε) ≥ δ."""
        # ln Σ_j s_j Π_i (1 + λ_j (δ − X_i)); draws without a loss win ln(1 + λδ) each.
        losses = excess(log_ratios[log_ratios > epsilon], epsilon)
        idle = len(log_ratios) - len(losses)
        won = [
            idle * math.log1p(stake * self.delta)
            + float(np.log1p(stake * (self.delta - losses)).sum())
            for stake in self.stakes
        ]
        return float(np.logaddexp.reduce(np.log(np.maximum(self.shares, 1e-300)) + won))

    def draws(self, pilot: NDArray[np.float64], alpha: float) -> int:
        """How many draws the first stake is meant for, judged from the pilot."""
        stake = self.stakes[0]
        epsilon = crossing(pilot, self.delta)
        spread = max(float(excess(pilot, epsilon).var()), self.delta * self.delta)
        return math.ceil(2 * math.log(1 / alpha) / max(stake * stake * spread, 1e-300))

    def largest_epsilon(self, log_ratios: ArrayLike, alpha: float) -> float:
        """The largest ε ≥ 0 that the draws do not refute at level α; infinite if they cannot.

        Parameters
        ----------
        log_ratios : array_like, shape (n_draws,)
            ln ratio of independent draws; +∞ allowed.
        alpha : float
            Probability of an end below the truth, in (0, 1).
        """
        # The capital rises with ε: halve for the largest ε at which it is below 1/α, and return
        # the end above.
        ratios = np.asarray(log_ratios, np.float64) + _ROUNDING
        enough = math.log(1 / alpha)
        finite = ratios[np.isfinite(ratios)]
        low, high = 0.0, max(float(finite.max(initial=0.0)), 0.0)
        if self.log_capital(ratios, high) < enough:
            return math.inf
        if self.log_capital(ratios, low) >= enough:
            return 0.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if self.log_capital(ratios, middle) < enough:
                low = middle
            else:
                high = middle
        return high


def excess(log_ratios: NDArray[np.float64], epsilon: float) -> NDArray[np.float64]:
    """max(0, 1 − e^ε/ratio) of each draw."""
    return -np.expm1(np.minimum(epsilon - log_ratios, 0.0))


def crossing(log_ratios: NDArray[np.float64], delta: float) -> float:
    """Where the mean excess falls to δ, at least 0: an estimate, no bound."""
    finite = log_ratios[np.isfinite(log_ratios)]
    low, high = 0.0, max(float(finite.max(initial=0.0)), 0.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if float(excess(log_ratios, middle).mean()) > delta:
            low = middle
        else:
            high = middle
    return high
