"""Enclosures by balls of python-flint: a comparison is true only where it is proved."""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from flint import arb, arb_poly, ctx, fmpq

ctx.prec = 300
Exact = Any
"""A whole number, a float or a fraction, which are exact, or a ball."""
SLACK = Fraction(1, 2**50)
"""By how much, relatively, a number may lie on its safe side: rounding, and no more."""
LARGEST_SUM = 5_000
"""Scale times cells up to which laws of numbers that add up to zero are summed: seconds."""
NEAR = Fraction(1, 2**30)
"""By how much the largest number that a target allows may be missed by whoever searched it."""


def ball(x: Exact) -> Any:
    """An exact number as a ball; a ball is one."""
    if isinstance(x, arb):
        return x
    x = Fraction(x)
    return arb(fmpq(x.numerator, x.denominator))


def claims(claim: Exact, truth: Any) -> bool:
    """Whether a claimed upper bound holds and is no larger than rounding makes it."""
    return bool(ball(claim) >= truth) and bool(ball(claim) <= truth * ball(1 + SLACK))


def applies(used: Exact, truth: Any, slack: Fraction = SLACK) -> bool:
    """Whether a number that is applied does not pass its limit, and is no smaller than rounded."""
    return bool(ball(used) <= truth) and bool(ball(used) >= truth * ball(1 - slack))


def factor(epsilon: Exact, low: Exact, high: Exact) -> Any:
    """The γ of a privacy loss for beliefs in [low, high] (Tramèr et al. 2015, Theorem 2)."""
    e = ball(epsilon).exp()
    up = (e - 1) * ball(high) + 1
    down = e / ((e - 1) * ball(low) + 1)
    return up.max(down)


def belief(epsilon: Exact, prior: Exact) -> Any:
    """What a belief may become: e^ε p / ((e^ε − 1) p + 1)."""
    e, p = ball(epsilon).exp(), ball(prior)
    return e * p / ((e - 1) * p + 1)


def loss_for(kind: str, value: Exact, prior: tuple[Exact, Exact], worlds: int | None) -> Any:
    """The largest ε that a target allows, for noise without a δ; ``None`` where there is none."""
    v, low, high = Fraction(value), Fraction(prior[0]), Fraction(prior[1])
    if kind == "epsilon":
        return ball(v) if v > 0 else None
    odds = v / (1 - v) if v < 1 else Fraction(0)
    bounds = [Fraction(0)]
    if kind == "gamma" and v > 1:
        bounds = [(v - 1) / high + 1] if high > 0 else []
        bounds += [v * (1 - low) / (1 - v * low)] if v * low < 1 else []
    elif kind == "max_posterior" and high > 0:
        bounds = [odds * (1 - high) / high]
    elif kind == "attack_success":
        bounds = [odds]
    elif kind == "advantage":
        bounds = [2 * odds + 1]
    elif kind == "identifiability" and worlds:
        bounds = [odds * (worlds - 1)]
    return ball(min(bounds)).log() if min(bounds, default=0) > 1 else None


def least(function: Callable[[Any], Any], high: Exact) -> Any:
    """The smallest value between 0 and a bound, of a function that falls and then rises."""
    golden, low, top = (arb(5).sqrt() - 1) / 2, arb(0), ball(high)
    for _ in range(150):
        step = golden * (top - low)
        left, right = (top - step).mid(), (low + step).mid()
        low, top = (low, right) if function(left).mid() <= function(right).mid() else (left, top)
    return function(((low + top) / 2).mid())


def normal(x: Any) -> Any:
    """The normal distribution's probability below x."""
    return (-x / arb(2).sqrt()).erfc() / 2


class Spent(NamedTuple):
    """ρ; the slack √κ where all noise is Gaussian; the exposure where keys are unknown."""

    rho: Exact
    slack: Any = None
    exposure: Exact = 0

    def exceeds(self, epsilon: Exact) -> Any:
        """With what probability at most the privacy loss passes ε, by the best route."""
        rho, e, d = ball(self.rho), ball(epsilon), ball(self.exposure)
        if not e > rho:
            return arb(1)

        def tail(x: Any) -> Any:
            gap = (x - rho).max(arb(0))
            return (-(gap * gap) / (4 * rho)).exp()

        if self.exposure:
            return least(lambda n: (1 - d) * tail(e - n) - d / (-n).expm1(), epsilon)
        if self.slack is None:
            return tail(e)
        mu = (2 * rho).sqrt()
        shift = mu * self.slack

        def gaussian(x: Any) -> Any:
            below = normal(-mu / 2 - x / mu - shift)
            return (normal(mu / 2 - x / mu + shift) - x.exp() * below) / -(x - e).expm1()

        return tail(e).min(least(gaussian, epsilon))

    def advantage(self) -> Any:
        """No attack has more: Pinsker, Bretagnolle and Huber, or the Gaussian curve."""
        r, d = ball(self.rho), ball(self.exposure)
        most = (r / 2).sqrt().min((1 - (-r).exp()).sqrt())
        if self.slack is not None and not self.exposure:
            mu = (2 * r).sqrt()
            most = most.min(2 * normal(mu / 2 + mu * self.slack) - 1)
        return d + (1 - d) * most


def half_width_fits(
    half_width: Exact, step: Exact, scale: Exact, pure: bool, rare: Fraction = Fraction(1, 20)
) -> bool:
    """Whether noise passes it in 5 of 100 cases at most, and a step less more often.

    Gaussian noise of 1,000 steps and more by the integral from k + ½, below which the sum over
    j > k lies, as the density is convex there; one step more than the least is let pass.
    """
    steps, sigma = Fraction(half_width) / Fraction(step), Fraction(scale) / Fraction(step)
    if steps.denominator != 1 or steps < 0 or sigma <= 0:
        return False
    k, limit = int(steps), ball(rare)
    if pure:
        rate = 1 / ball(sigma)
        first = 2 / (1 + (-rate).exp())
        passed = [first * (-rate * (k + 1)).exp(), first * (-rate * k).exp()]
    elif sigma < 1000:
        tails = gaussian_tails(sigma)
        passed = [2 * each for each in reversed(tails[k : k + 2])]
    else:
        passed = [((k + arb(half)) / (ball(sigma) * arb(2).sqrt())).erfc() for half in (0.5, -1.5)]
    return len(passed) == 2 and bool(passed[0] <= limit) and (k == 0 or bool(passed[1] > limit))


@lru_cache(64)
def gaussian_tails(sigma: Fraction) -> list[Any]:
    """The probabilities that discrete Gaussian noise is 0 or more, 1 or more, and so on."""
    rate = (-1 / (2 * ball(sigma) * ball(sigma))).exp()
    weight, ratio, weights = arb(1), rate, [arb(1)]
    for _ in range(int(20 * sigma) + 20):
        weight, ratio = weight * ratio, ratio * rate * rate
        weights.append(weight)
    rest = arb(0, 1) * (4 * weight * ball(sigma * sigma + 1))
    tails = [rest]
    for each in reversed(weights):
        tails.append(tails[-1] + each)
    everything = 2 * tails[-1] - 1
    return [each / everything for each in reversed(tails)]


def zero_sum_half_width_fits(half_width: Exact, scale: Exact, cells: int) -> bool:
    """The same of one of so many Laplace numbers that add up to zero.

    The cell has t with probability α^|t| f(t) over their sum, f the law of the other m cells'
    sum: a difference of two negative binomial numbers, of which n has C(m + n − 1, n) αⁿ, but for a
    factor. Beyond some n both fall off faster than a geometric series.
    """
    h, m = Fraction(half_width), cells - 1
    if h.denominator != 1 or h < 0 or not 0 < scale * cells <= LARGEST_SUM:
        return False
    alpha = (-1 / ball(scale)).exp()
    last = int((2 * m + 100) * max(scale, 1))
    weights = [arb(1)]
    for n in range(1, last + 1):
        weights.append(weights[-1] * alpha * (m + n - 1) / n)
    ratio = alpha * (m + last) / (last + 1)
    beyond = weights[-1] * ratio / (1 - ratio) * (1 - alpha) ** -m * arb(0.5, 0.5)
    others = (arb_poly(weights) * arb_poly(weights[::-1])).coeffs()
    masses = [alpha**t * (others[last + t] + beyond) for t in range(last + 1)]
    total = 2 * sum(masses[1:], arb(0)) + masses[0] + beyond
    allowed, outside = ball(Fraction(1, 20)) * total, total
    passed = []
    for t in range(int(h) + 1):  # more than t − 1, then more than t
        outside = outside - masses[t] * (2 if t else 1)
        passed.append(outside)
    return bool(passed[-1] <= allowed) and (h == 0 or bool(passed[-2] > allowed))


def choice_half_width(
    half_width: Exact, scale: Exact, candidates: int, number: int, gumbel: bool
) -> bool:
    """Whether each chosen score is so near to the best one left, in 95 of 100 choices of all.

    Where all scores are equal, the worst case, the chosen one of ``n`` has the largest noise. A
    rival that is better by t is missed with a probability that is known in closed form; each of
    ``number`` choices gets 1/20/number. The one comparison here that allows rounding on both sides.
    """
    rivals, miss, near = candidates - 1, ball(Fraction(1, 20 * number)), ball(Fraction(1, 2**40))

    def missed(t: Any) -> Any:
        a = (-t / ball(scale)).exp()
        if gumbel:
            return rivals / (rivals + 1 / a)
        return 1 - (1 - (1 - a) ** candidates) / (candidates * a)

    if rivals < 1:
        return bool(half_width == 0)
    t = ball(half_width)
    return bool(missed(t * (1 + near)) <= miss) and bool(missed(t * (1 - near)) >= miss)
