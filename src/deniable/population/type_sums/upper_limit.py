r"""An upper confidence limit of ε from bounded draws, by betting.

D(ε) = E X(ε) with X(ε) = (a − e^ε b)_+ falls with ε, and 0 <= X(ε) <= B for all ε >= ε_0. If
D(ε) >= δ, then the gains δ − X(ε) are to be bet on (`numerics/betting.py`), with stakes
0 <= λ < 1/(B − δ). The capital rises with ε, so one ε decides, as in `vector_sums/betting.py`.
"""

import math

import attrs
import numpy as np

from deniable.numerics.betting import WEIGHTS, best_stakes, log_capital
from deniable.numerics.search import bisect
from deniable.population.question import Floats
from deniable.population.vector_sums import HALVINGS

_BOLDEST = 0.95
"""Largest stake, as a share of that at which the worst draw would take all of the capital."""
_ROUNDING = 1e-8
"""Relative error of a and b that is allowed for: that of some 10^4 rounded terms in logarithms."""
_LARGEST = 600.0
"""ε beyond which no estimate is looked for: e^ε stays a float."""
_SLACK = 1e-10
"""Error of ln a/b that is allowed for: that of a posterior mean near π, some units."""


@attrs.frozen(eq=False)
class UpperLimit:
    """Bets against D(ε) >= δ for every ε >= `least`.

    Parameters
    ----------
    delta : float
        δ, less what the draws leave out.
    least : float
        ε_0, a lower bound that holds for certain: no smaller limit is of use.
    stakes : tuple of float
        λ_j, fixed before the draws they are bet on.
    """

    delta: float
    least: float
    stakes: tuple[float, ...]

    @classmethod
    def from_pilot(
        cls, pilot: tuple[Floats, Floats], delta: float, least: float, bound: float, aim: float
    ) -> "UpperLimit":
        """Stakes that would refute `aim` with the fewest draws; `bound` is the largest X(least)."""
        draws = excess(pilot, max(aim, least + 1e-9))
        mean = max(delta - float(draws.mean()), delta / 100)
        spread = max(float(draws.var()), delta * delta)
        most = _BOLDEST / max(bound * (1 + _ROUNDING) - delta, delta / 100)
        return cls(delta, least, best_stakes(mean, spread, most))

    def at(self, draws: tuple[Floats, Floats], alpha: float, most: float) -> float:
        """The largest ε from `least` to `most` that is not refuted at level α; infinite if all."""
        enough = math.log(1 / alpha)

        def stands(epsilon: float) -> bool:
            gains = self.delta - excess(draws, epsilon) * (1 + _ROUNDING)
            # A capital that is no number refutes nothing.
            return not log_capital(gains, self.stakes, WEIGHTS) >= enough

        if not stands(self.least):
            return self.least
        if stands(most):
            return math.inf
        return bisect(stands, self.least, most, halvings=HALVINGS)[1] + _SLACK


def excess(draws: tuple[Floats, Floats], epsilon: float) -> Floats:
    """X(ε) of each draw."""
    return np.asarray(np.maximum(draws[0] - math.exp(epsilon) * draws[1], 0.0))


def estimate_epsilon(draws: tuple[Floats, Floats], delta: float, least: float) -> float:
    """Where the mean of X falls to δ, at least `least`: an estimate, no bound."""
    most = max(2 * least, 1e-6)
    while float(excess(draws, most).mean()) > delta and most < _LARGEST / 2:
        most *= 2

    def above(epsilon: float) -> bool:
        return float(excess(draws, epsilon).mean()) > delta

    return bisect(above, least, most, halvings=HALVINGS)[1]
