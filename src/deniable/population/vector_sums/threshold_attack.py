r"""Lower confidence limits of ε by a real attack: it looks at the release alone.

Let A be an event of the release alone and ρ = f_in/f_out the ratio of the joint densities of
release and hidden list. Draw the world by a fair coin; then

.. math:: P_\mathrm{in}(A) - e^\epsilon P_\mathrm{out}(A)
          = E\Bigl[ 2 \frac{\rho - e^\epsilon}{\rho + 1} 1_A \Bigr],

a mean of bounded numbers with a far smaller variance than counts of A have. Bets against its being
at most δ give a lower limit of ε that may be looked at whenever one likes. The truth is in the
list, yet nothing is thresholded but the release: the attack is real, only its success is measured
with more than the attacker knows.
"""

import math

import attrs
import numpy as np
from scipy.special import expit

from deniable.numerics.betting import WEIGHTS, best_stakes, log_capital
from deniable.numerics.search import bisect
from deniable.population.question import Floats
from deniable.population.vector_sums.betting import (
    HALVINGS,
    LEAST_SCALE,
    ROUNDING,
)
from deniable.population.vector_sums.lists import Worlds

_BOLDEST = 0.9
"""Largest stake, as a share of that at which one bad draw would take all of the capital."""
_CUTS = np.linspace(0.05, 0.995, 80)
"""Quantiles of the score at which a cut is tried on the pilot."""


@attrs.frozen
class ThresholdAttack:
    """An attack that fires where sign·score > cut, and what is bet on its success.

    Parameters
    ----------
    sign, cut : float
        The event A; with sign −1 it speaks for the "out" world.
    delta : float
        δ.
    stakes, weights : tuple of float
        λ_j ≥ 0 with λ_j (2 e^most + δ) < 1, and how the capital is shared among them; fixed
        before the draws.
    most : float
        The largest ε that can be reported: gains reach down to −2e^ε, and bets must cover that.
    """

    sign: float
    cut: float
    delta: float
    stakes: tuple[float, ...]
    weights: tuple[float, ...]
    most: float

    @classmethod
    def from_pilot(
        cls, ratios: Worlds, scores: Worlds, sign: float, delta: float, precision: float
    ) -> "ThresholdAttack":
        """The best cut and stakes, judged from pilot draws of both worlds.

        `ratios` hold ln ρ = ln f_in/f_out in both worlds.
        """
        own = sign * scores[0 if sign > 0 else 1]
        estimate, cut = max(
            (_estimate_epsilon(ratios, scores, sign, float(c), delta), float(c))
            for c in np.quantile(own, _CUTS)
        )
        most = 1.1 * estimate + 0.1
        aim = max(estimate - precision * max(estimate, LEAST_SCALE), 0.0)
        attack = cls(sign, cut, delta, (), (), most)
        gains = attack.gains(ratios, scores, aim)
        mean = max(float(gains.mean()) - delta, delta / 100)
        variance = max(float(gains.var()), delta * delta)
        largest = _BOLDEST / (2 * math.exp(most) + delta)
        return attrs.evolve(attack, stakes=best_stakes(mean, variance, largest), weights=WEIGHTS)

    def gains(self, ratios: Worlds, scores: Worlds, epsilon: float) -> Floats:
        """One number for each draw of "in" with its draw of "out"; their mean is the advantage."""
        # 2 (ρ − e^ε)/(ρ + 1) over a fair coin: one draw of each world, 1_A (π − e^ε (1 − π)) from
        # each, π = ρ/(ρ + 1) for "in".
        factor = math.exp(epsilon)
        total = np.zeros(min(len(ratios[0]), len(ratios[1])))
        for ratio, score in zip(ratios, scores, strict=True):
            short = slice(0, len(total))
            fires = self.sign * score[short] > self.cut
            posterior = expit(self.sign * ratio[short][fires] - ROUNDING)
            total[fires] += posterior - factor * (1 - posterior)
        return total

    def lower_limit(self, ratios: Worlds, scores: Worlds, alpha: float) -> float:
        """The largest ε that the draws refute at level α; 0 if none."""
        enough = math.log(1 / alpha)

        def refuted(epsilon: float) -> bool:
            gains = self.gains(ratios, scores, epsilon) - self.delta
            return log_capital(gains, self.stakes, self.weights) >= enough

        return bisect(refuted, 0.0, self.most, halvings=HALVINGS)[0] if refuted(0.0) else 0.0


def _estimate_epsilon(
    ratios: Worlds, scores: Worlds, sign: float, cut: float, delta: float
) -> float:
    """The ε at which the attack's advantage falls to δ: an estimate, at least 0."""
    own, other = 0.0, 0.0
    for ratio, score in zip(ratios, scores, strict=True):
        posterior = expit(sign * ratio[sign * score > cut])
        own += float(posterior.sum()) / len(ratio)
        other += float((1 - posterior).sum()) / len(ratio)
    return max(math.log((own - delta) / other), 0.0) if own > delta and other > 0 else 0.0
