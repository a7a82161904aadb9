r"""The same attacks, weighed by the list instead of counted.

Let A be an event of the release alone and ρ = f_in/f_out the ratio of the joint densities of
release and hidden list. Draw the world by a fair coin; then

.. math:: P_\mathrm{in}(A) - e^\epsilon P_\mathrm{out}(A)
          = E\Bigl[ 2 \frac{\rho - e^\epsilon}{\rho + 1} 1_A \Bigr],

a mean of bounded numbers with a far smaller spread than counts have. A wager against its being
at most δ gives a lower limit of ε that may be looked at whenever one likes. The truth is in the
list, yet nothing is thresholded but the release: the attack is real, only its success is measured
with more than the attacker knows.
"""

import math

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from deniable.population.vector_sums.wager import SMALL

_CAUTION = 0.9
"""Largest stake, as a share of that at which one bad draw would take all of the capital."""
_FACTORS = (1.0, 4.0)
"""The stake that the pilot finds best, and a bolder one for when time runs out."""
_SHARES = (0.6, 0.2, 0.2)
"""Of the capital: most on the best stake, the rest on the two bolder ones."""
_ROUNDING = 1e-9
"""Error of ln ratio that is allowed for, against the claim."""
_HALVINGS = 50
"""Halvings of the interval of ε: to 2^−50 of it."""


@attrs.frozen
class WeighedThreshold:
    """An attack that fires where sign·score > cut, and what is bet on it.

    Parameters
    ----------
    sign, cut : float
        The event A; with sign −1 it speaks for the "out" world.
    delta : float
        δ.
    stakes, shares : tuple of float
        λ_j ≥ 0 with λ_j (2 e^most + δ) < 1, and how the capital is shared among them; fixed
        before the draws.
    most : float
        The largest ε that can be reported.
    """

    sign: float
    cut: float
    delta: float
    stakes: tuple[float, ...]
    shares: tuple[float, ...]
    most: float

    @classmethod
    def planned(
        cls,
        ratios: tuple[NDArray[np.float64], NDArray[np.float64]],
        scores: tuple[NDArray[np.float64], NDArray[np.float64]],
        sign: float,
        delta: float,
        precision: float,
    ) -> "WeighedThreshold":
        """The best cut and stake, judged from pilot draws of both worlds.

        `ratios` hold ln ρ = ln f_in/f_out in both worlds.
        """
        reached, cut = max(
            (_reach(ratios, scores, sign, float(c), delta), float(c))
            for c in np.quantile(sign * scores[0 if sign > 0 else 1], np.linspace(0.05, 0.995, 80))
        )
        most = 1.1 * reached + 0.1
        aim = max(reached - precision * max(reached, SMALL), 0.0)
        draft = cls(sign, cut, delta, (), (), most)
        gains = draft.gains(ratios, scores, aim)
        edge = max(float(gains.mean()) - delta, delta / 100)
        spread = max(float(gains.var()), delta * delta)
        boldest = _CAUTION / (2 * math.exp(most) + delta)
        stakes = [min(edge / spread * factor, boldest) for factor in _FACTORS]
        return attrs.evolve(draft, stakes=(*stakes, boldest), shares=_SHARES)

    def gains(
        self,
        ratios: tuple[NDArray[np.float64], NDArray[np.float64]],
        scores: tuple[NDArray[np.float64], NDArray[np.float64]],
        epsilon: float,
    ) -> NDArray[np.float64]:
        """One number for each draw of "in" with its draw of "out"; their mean is the advantage."""
        # 2 (ρ − e^ε)/(ρ + 1) over a fair coin: one draw of each world, 1_A (π − e^ε (1 − π)) from
        # each, π = ρ/(ρ + 1) for "in".
        factor = math.exp(epsilon)
        total = np.zeros(min(len(ratios[0]), len(ratios[1])))
        for ratio, score in zip(ratios, scores, strict=True):
            short = slice(0, len(total))
            fires = self.sign * score[short] > self.cut
            own = expit(self.sign * ratio[short][fires] - _ROUNDING)
            total[fires] += own - factor * (1 - own)
        return total

    def largest_epsilon(
        self,
        ratios: tuple[NDArray[np.float64], NDArray[np.float64]],
        scores: tuple[NDArray[np.float64], NDArray[np.float64]],
        alpha: float,
    ) -> float:
        """The largest ε that the draws refute at level α; 0 if none."""
        enough = math.log(1 / alpha)

        def refuted(epsilon: float) -> bool:
            gains = self.gains(ratios, scores, epsilon) - self.delta
            won = [float(np.log1p(stake * gains).sum()) for stake in self.stakes]
            return float(np.logaddexp.reduce(np.log(self.shares) + won)) >= enough

        low, high = 0.0, self.most
        if not refuted(low):
            return 0.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if refuted(middle):
                low = middle
            else:
                high = middle
        return low


def _reach(
    ratios: tuple[NDArray[np.float64], NDArray[np.float64]],
    scores: tuple[NDArray[np.float64], NDArray[np.float64]],
    sign: float,
    cut: float,
    delta: float,
) -> float:
    """The ε at which the attack's advantage falls to δ: an estimate, at least 0."""
    own, other = 0.0, 0.0
    for ratio, score in zip(ratios, scores, strict=True):
        share = expit(sign * ratio[sign * score > cut])
        own += float(share.sum()) / len(ratio)
        other += float((1 - share).sum()) / len(ratio)
    return max(math.log((own - delta) / other), 0.0) if own > delta and other > 0 else 0.0
