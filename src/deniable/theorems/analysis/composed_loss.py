"""The least privacy loss that several releases together pass with at most a given probability.

Each guarantee that has a worst mechanism (ε: randomised response; μ: Gaussian noise; δ: everything
is revealed with probability δ) is replaced by it, and the worst mechanisms are composed. Each
guarantee that bounds Rényi divergences adds them up. Either way one more release never lowers the
loss.
"""

import functools
import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

from deniable.notions import ZCDP, ApproxDP, GaussianDP, Notion, PureDP, RenyiDP
from deniable.numerics.rounding import Ball, Directed, directed, upper
from deniable.theorems.pure_and_approximate import approx_dp_to_pure_dp
from deniable.theorems.renyi import pure_dp_to_renyi_dp, renyi_dp_to_lower_order, zcdp_to_renyi_dp

_PLACES = 2**15
"""Losses of randomised responses on a lattice: 100 different ε are rounded up by 0.3 % at most."""
_PLACES_BESIDE_NOISE = 2**11
"""The same beside Gaussian noise, whose curve each place takes, in tenths of a millisecond."""
_BITS = 128
"""Bits of balls, of which products of a thousand laws leave more than a float64 has."""
_GOLDEN = (math.sqrt(5) - 1) / 2
"""The golden section: a search for a minimum divides what is left of its interval there."""
_STEPS = 80
"""Steps of that search: the interval shrinks to 2e-17 of its length; any point of it is a bound."""
_LOG_ORDERS = (-12.0, 30.0)
"""Logarithms of Rényi orders above 1 that are searched: losses of 1e5 to 1e-12."""


def composed_loss(parts: Sequence[Notion], exceedance: float) -> tuple[float, str]:
    """Return a loss that is passed with at most that probability, rounded up, and the reason."""
    alike = [
        approx_dp_to_pure_dp(each) if isinstance(each, ApproxDP) and not each.delta else each
        for each in parts
    ]
    return min(
        (_loss_of_curve(alike, exceedance), "worst mechanisms (kairouz-oh-viswanath-2015)"),
        (_loss_of_orders(alike, exceedance), "Rényi divergences (mironov-2017, Proposition 1)"),
    )


@attrs.frozen(eq=False)
class _Worst:
    """The worst mechanisms of all parts, composed.

    With the chance `places[j]` in the data's world randomised responses lose
    (2j − len(places) + 1) `unit`. `mu` is of all Gaussian noise together, and `revealed` the
    probability that everything is revealed.
    """

    unit: float
    places: tuple[Ball, ...]
    mu: float
    revealed: Ball

    @property
    def losses(self) -> NDArray[np.float64]:
        count = len(self.places)
        return self.unit * np.arange(1 - count, count, 2, dtype=np.float64)

    def delta(self, r: Directed, epsilon: float) -> Ball:
        r"""1 − (1 − δ₀)(1 − Σ_j p_j δ_μ(ε − l_j)), the curve of all at ε."""
        rest, last = r(0), len(self.places) - 1
        for j, chance in enumerate(self.places):
            apart = r(epsilon) - r(2 * j - last) * r(self.unit)
            if self.mu:
                rest += chance * r.gaussian_delta(apart, r(self.mu))
            elif apart < 0:
                rest -= chance * r.expm1(apart)
        return 1 - (1 - self.revealed) * (1 - rest)


def _loss_of_curve(parts: Sequence[Notion], exceedance: float) -> float:
    """The least ε − ln(1 − δ(ε)/X) over ε, as in `approx_dp_to_privacy_loss_tail`."""
    if not all(isinstance(each, PureDP | ApproxDP | GaussianDP) for each in parts):
        return math.inf
    if any(math.isinf(getattr(each, "epsilon", 0.0)) for each in parts):
        return math.inf
    worst = _compose_worst(tuple(parts))
    epsilon = _best_epsilon(worst, exceedance)
    with directed(_BITS) as r:
        share = worst.delta(r, epsilon) / r(exceedance)
        return upper(r(epsilon) - r.log(1 - share)) if share < 1 else math.inf


@functools.lru_cache(maxsize=8)
def _compose_worst(parts: tuple[Notion, ...]) -> _Worst:
    budgets = [each for each in parts if isinstance(each, PureDP | ApproxDP)]
    noises = [each.mu for each in parts if isinstance(each, GaussianDP)]
    epsilons = Counter(each.epsilon for each in budgets if each.epsilon)
    most = _PLACES_BESIDE_NOISE if noises else _PLACES
    # Every ε is rounded up to a multiple of a unit: ε itself where there is one only, otherwise a
    # power of two, which never falls as releases are added.
    unit = next(iter(epsilons), 1.0)
    if len(epsilons) > 1 or epsilons.total() >= most:
        lost = sum(each * times for each, times in epsilons.items())
        unit = 2.0 ** math.ceil(math.log2(lost / most))
    with directed(_BITS) as r:
        mu = upper(r.sqrt(sum((r(each) ** 2 for each in noises), r(0))))
        revealed = r(1)
        for each in budgets:
            revealed *= 1 - r(getattr(each, "delta", 0.0))
        laws: list[list[Ball | int]] = []
        for epsilon, times in epsilons.items():
            steps = math.ceil(Fraction(epsilon) / Fraction(unit))
            likely = 1 / (1 + r.exp(-r(steps) * r(unit)))
            laws += [[1 - likely, *[0] * (steps - 1), likely]] * times
        while len(laws) > 1:  # in pairs of like lengths
            laws = [
                [*r.product(*laws[at : at + 2])] if at + 1 < len(laws) else laws[at]
                for at in range(0, len(laws), 2)
            ]
        places = tuple(r(each) if isinstance(each, int) else each for each in (laws or [[1]])[0])
    return _Worst(unit, places, mu, 1 - revealed)


def _best_epsilon(worst: _Worst, exceedance: float) -> float:
    """Return the ε at which the loss is read: in floats, since every ε gives a bound."""
    losses, revealed = worst.losses, float(worst.revealed)
    chances = np.array([float(each) for each in worst.places])

    def loss(epsilon: float, rest: float) -> float:
        share = (1 - (1 - revealed) * (1 - rest)) / exceedance
        return epsilon - math.log1p(-share) if share < 1 else math.inf

    def loss_beside_noise(epsilon: float) -> float:
        apart = epsilon - losses
        flagged = ndtr(worst.mu / 2 - apart / worst.mu)
        wrongly = np.exp(apart + log_ndtr(-worst.mu / 2 - apart / worst.mu))
        return loss(epsilon, float(np.dot(chances, np.maximum(flagged - wrongly, 0.0))))

    if worst.mu:
        far = float(losses[-1]) + worst.mu**2 / 2 + 40 * worst.mu
        return _least_place(loss_beside_noise, 0.0, far)
    # δ is straight in e^ε between losses: Σ p_j (1 − e^(ε − l_j)) over l_j > ε, from above.
    best, least = float(losses[-1]), loss(float(losses[-1]), 0.0)
    flagged = wrongly = 0.0
    for epsilon, above, chance in zip(
        [*losses[-2::-1].tolist(), -1.0], losses[::-1].tolist(), chances[::-1].tolist(), strict=True
    ):
        if above <= 0:
            break
        step = max(epsilon, 0.0)
        flagged, wrongly = flagged + chance, (wrongly + chance) * math.exp(step - above)
        if (value := loss(step, max(flagged - wrongly, 0.0))) < least:
            best, least = step, value
    return best


def _least_place(value: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function that falls and then rises is least, by golden sections."""
    for _ in range(_STEPS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        first, second = value(left), value(right)
        if first < second or (first == second and math.isfinite(first)):
            high = right
        else:
            low = left
    return high


def _loss_of_orders(parts: Sequence[Notion], exceedance: float) -> float:
    """The least Σ ε_a − ln(X)/(a − 1) over orders a: Chernoff's bound."""
    if not all(isinstance(each, PureDP | ZCDP | GaussianDP | RenyiDP) for each in parts):
        return math.inf
    known = [[order for order, _ in each.points] for each in parts if isinstance(each, RenyiDP)]
    groups, highest = Counter(parts), min((max(orders) for orders in known), default=math.inf)
    steps = sorted({order for orders in known for order in orders if order <= highest})
    places = [_LOG_ORDERS[0], *(math.log(order - 1) for order in steps)]
    if not known:
        places.append(_LOG_ORDERS[1])

    def at(place: float) -> float:
        # The bound at one order in floats, for the search.
        order = min(1 + math.exp(place), highest)
        lost = -math.log(exceedance) / (order - 1)
        for each, times in groups.items():
            match each:
                case PureDP(epsilon=e):
                    moment = math.log1p(math.exp((1 - 2 * order) * e)) - math.log1p(math.exp(-e))
                    lost += times * min(max(e + moment / (order - 1), 0.0), e)
                case ZCDP(rho=rho):
                    lost += times * rho * order
                case GaussianDP(mu=mu):
                    lost += times * mu**2 / 2 * order
                case RenyiDP():
                    lost += times * min(e for above, e in each.points if above >= order)
        return lost

    # Between two orders that are known a Rényi guarantee is a constant.
    orders = [
        order
        for low, high in itertools.pairwise(places)
        for order in (1 + math.exp(_least_place(at, low, high)), 1 + math.exp(high))
    ]
    return min(_sum_at(groups, min(order, highest), exceedance) for order in {*orders, *steps})


def _sum_at(groups: Counter[Notion], order: float, exceedance: float) -> float:
    """The bound at one order, rounded up once."""
    with directed() as r:
        lost = -r.log(r(exceedance)) / (r(order) - 1)
        for each, times in groups.items():
            match each:
                case PureDP():
                    lost += times * r(pure_dp_to_renyi_dp(each, order).epsilon)
                case ZCDP():
                    lost += times * r(zcdp_to_renyi_dp(each, order).epsilon)
                case GaussianDP():
                    lost += times * r(order) * r(each.mu) ** 2 / 2
                case RenyiDP():
                    lost += times * r(renyi_dp_to_lower_order(each, order).epsilon)
        return max(upper(lost), 0.0)
