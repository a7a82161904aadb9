"""Enclosures of what certificates claim: every comparison is proved, or it is not made.

Arguments are floats, whole numbers or fractions, and exact. ``arb`` is a ball of python-flint: a
comparison is true only where it is true of every number in it.
"""

from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

ctx.prec = 300
Exact = int | float | Fraction
SLACK = Fraction(1, 2**50)
"""By how much, relatively, a number may lie on its safe side: rounding, and no more."""


def ball(x: Exact) -> Any:
    """An exact number as a ball."""
    x = Fraction(x)
    return arb(fmpq(x.numerator, x.denominator))


def claims(claim: Exact, truth: Any) -> bool:
    """Whether a claimed upper bound holds and is no larger than rounding makes it."""
    return bool(ball(claim) >= truth) and bool(ball(claim) <= truth * ball(1 + SLACK))


def applies(used: Exact, truth: Any) -> bool:
    """Whether a number that is applied does not pass its limit, and is no smaller than rounded."""
    return bool(ball(used) <= truth) and bool(ball(used) >= truth * ball(1 - SLACK))


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


def identified(epsilon: Exact, worlds: int) -> Any:
    """The ρ of differential identifiability among so many worlds."""
    return 1 / (1 + (worlds - 1) * (-ball(epsilon)).exp())


def loss_for(kind: str, value: Exact, prior: tuple[Exact, Exact], worlds: int | None) -> Any:
    """The largest ε that a target allows, for noise without a δ; ``None`` where there is none."""
    v = Fraction(value)
    low, high = Fraction(prior[0]), Fraction(prior[1])
    if kind == "epsilon":
        return ball(v) if v > 0 else None
    bounds: list[Fraction] = []
    if kind == "gamma" and v > 1:
        if high > 0:
            bounds.append((v - 1) / high + 1)
        if v * low < 1:
            bounds.append(v * (1 - low) / (1 - v * low))
    elif kind == "max_posterior" and 0 < high < v < 1:
        bounds.append(v * (1 - high) / ((1 - v) * high))
    elif kind == "attack_success" and Fraction(1, 2) < v < 1:
        bounds.append(v / (1 - v))
    elif kind == "advantage" and 0 < v < 1:
        bounds.append((1 + v) / (1 - v))
    elif kind == "identifiability" and worlds and Fraction(1, worlds) < v < 1:
        bounds.append(v * (worlds - 1) / (1 - v))
    if not bounds or min(bounds) <= 1:
        return None
    return ball(min(bounds)).log()


def rho_for(epsilon: Exact, exceedance: Exact) -> Any:
    """The ρ whose loss passes ε with a probability of at most e^(−(ε − ρ)²/(4ρ))."""
    odds = -ball(exceedance).log()
    root = (ball(epsilon) + odds).sqrt() - odds.sqrt()
    return root * root


def exceeds(rho: Exact, epsilon: Exact) -> Any:
    """With what probability at most the loss of ρ-zCDP passes ε."""
    if Fraction(rho) <= 0:
        return arb(0)
    gap = ball(epsilon) - ball(rho)
    return (-(gap * gap) / (4 * ball(rho))).exp() if gap > 0 else arb(1)


def advantage(rho: Exact) -> Any:
    """No attack on ρ-zCDP has more: the least of Pinsker's bound and Bretagnolle and Huber's."""
    r = ball(rho)
    return (r / 2).sqrt().min((1 - (-r).exp()).sqrt())


def laplace_half_width(half_width: Exact, step: Exact, scale: Exact) -> bool:
    """Whether discrete Laplace noise passes it in 5 of 100, and a step less more often."""
    steps = Fraction(half_width) / Fraction(step)
    if steps.denominator != 1 or steps < 0:
        return False
    rate = ball(Fraction(step) / Fraction(scale))
    q = (-rate).exp()

    def passed(k: Fraction) -> Any:
        return 2 * (-rate * ball(k + 1)).exp() / (1 + q) if k >= 0 else arb(1)

    limit = ball(Fraction(1, 20))
    return bool(passed(steps) <= limit) and bool(passed(steps - 1) > limit)


def gaussian_half_width(half_width: Exact, step: Exact, scale: Exact) -> bool:
    """The same for discrete Gaussian noise, by sums where they are short and else by integrals.

    Beyond its standard deviation the density is convex, so that a sum over j > k lies below the
    integral from k + ½, and above that from k + 1 and half of the first term. There one step more
    than the least is let pass.
    """
    steps = Fraction(half_width) / Fraction(step)
    if steps.denominator != 1 or steps < 0:
        return False
    sigma = Fraction(scale) / Fraction(step)
    if sigma < 1000:
        if steps > 100_000:
            return False
        return _gaussian_summed(int(steps), sigma)
    if steps < sigma + 1:
        return False
    s = ball(sigma)
    everything = s * (2 * arb.pi()).sqrt()

    def integral(x: Fraction) -> Any:
        return (arb.pi() / 2).sqrt() * s * (ball(x) / (s * arb(2).sqrt())).erfc()

    def passed(k: Fraction) -> tuple[Any, Any]:
        first = (-ball((k + 1) ** 2) / (2 * s * s)).exp()
        lower = (integral(k + 1) + first / 2) * 2 / (everything * ball(1 + SLACK))
        return lower, integral(k + Fraction(1, 2)) * 2 / everything

    limit = ball(Fraction(1, 20))
    return bool(passed(steps)[1] <= limit) and bool(passed(steps - 2)[0] > limit)


def _gaussian_summed(k: int, sigma: Fraction) -> bool:
    rate = 1 / (2 * ball(sigma) * ball(sigma))

    def weight(j: int) -> Any:
        return (-rate * (j * j)).exp()

    last = int(20 * sigma) + 20
    middle = weight(0) + 2 * sum((weight(j) for j in range(1, min(k, last))), arb(0))
    at_k = 2 * weight(k) if k else arb(0)
    rest = 2 * sum((weight(j) for j in range(k + 1, last)), arb(0))
    rest += arb(0, 1) * (4 * weight(last) * ball(sigma * sigma + 1))
    limit = ball(Fraction(1, 20))
    everything = middle + at_k + rest
    if k == 0:
        return bool(rest / everything <= limit)
    return bool(rest / everything <= limit) and bool((rest + at_k) / everything > limit)


def choice_half_width(
    half_width: Exact, scale: Exact, candidates: int, number: int, gumbel: bool
) -> bool:
    """Whether each chosen score is so near to the best one left, in 95 of 100 choices of all.

    Where all scores are equal, the worst case, the chosen one of ``n`` has the largest noise. A
    rival that is better by t is missed with a probability that is known in closed form; each of
    ``number`` choices gets 1/20/number. The one comparison here that allows rounding on both sides.
    """
    rivals = candidates - 1
    if rivals < 1:
        return half_width == 0
    miss = Fraction(1, 20 * number)

    def missed(t: Fraction) -> Any:
        a = (-ball(t / Fraction(scale))).exp()
        if gumbel:
            return rivals / (rivals + 1 / a)
        return 1 - (1 - (1 - a) ** (rivals + 1)) / ((rivals + 1) * a)

    t, rounding = Fraction(half_width), Fraction(1, 2**40)
    return bool(missed(t * (1 + rounding)) <= ball(miss)) and bool(
        missed(t * (1 - rounding)) >= ball(miss)
    )
