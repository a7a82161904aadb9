"""Rényi divergences: what they say of an attack's two error rates, and of (ε, δ).

An attack is a post-processing to one bit, so its rates (p, q), how often it flags members and
non-members, keep to the same divergence as the release. These pairs are a convex set. A claim that
is read off it is as strong as any that follows from one order.
"""

import math
from collections.abc import Callable

import attrs

from deniable.errors import NotApplicable
from deniable.notions import (
    ZCDP,
    Advantage,
    ApproxDP,
    FalseNegativeRate,
    PrivacyLossTail,
    PureDP,
    RenyiDP,
    Setting,
)
from deniable.numerics.rounding import Ball, directed, greatest, least, lower, upper
from deniable.theorems._theorem import check_every_size, theorem
from deniable.theorems.pure_and_approximate import zcdp_to_approx_dp

Rates = tuple[float, float]
"""How often an attack says one thing and the other; each by itself, for 1 − 1e-20 is 1."""


def _log_moment(order: float, one: Rates, other: Rates) -> float:
    """ln(p^a q^(1−a) + (1−p)^a (1−q)^(1−a)), in floats."""
    if any(p > 0 and q == 0 for p, q in zip(one, other, strict=True)):
        return math.inf
    terms = [
        order * math.log(p) + (1 - order) * math.log(q)
        for p, q in zip(one, other, strict=True)
        if p > 0
    ]
    largest = max(terms)
    return largest + math.log(sum(math.exp(term - largest) for term in terms))


def is_excluded(order: float, divergence: Ball, level: Ball, power: Ball) -> bool:
    """Whether no test has these rates: its divergence is certainly larger, either way round."""
    with directed() as r:
        a, limit = r(order), (r(order) - 1) * divergence
        others, members = (level, 1 - level), (power, 1 - power)
        return any(
            bool(r.log(one[0] ** a * two[0] ** (1 - a) + one[1] ** a * two[1] ** (1 - a)) > limit)
            for one, two in ((members, others), (others, members))
        )


def least_misses(order: float, divergence: float, fpr: float) -> float:
    """The share of members whom an attack misses at least, rounded down, by one order."""
    # Both directions of the divergence are within `divergence`. Fewer misses have more of it, so a
    # bisection finds the border, and ball arithmetic sees that what is returned is beyond it.
    others = (fpr, 1 - fpr)

    def is_beyond(fnr: float) -> bool:
        members = (1 - fnr, fnr)
        limit = (order - 1) * divergence
        return (
            _log_moment(order, members, others) > limit
            or _log_moment(order, others, members) > limit
        )

    high = math.nextafter(1 - fpr, 0.0)
    fnr = greatest(is_beyond, 0.0, high)
    step = max(fnr, 1e-9) * 2.0**-50
    while fnr > 0:
        with directed() as r:
            if fnr < 1 and is_excluded(order, r(divergence), r(fpr), 1 - r(fnr)):
                return fnr
        fnr, step = fnr - step, 4 * step
    return 0.0


_LOW, _HIGH = math.log(1e-5), math.log(1e4)
"""ln(a − 1) of the orders a that are searched; divergences of fewer or more say the same."""
_GOLDEN = (math.sqrt(5) - 1) / 2
"""The golden section, which keeps one of two inner points from step to step."""
_PLACES = 10
"""Steps between the places that are looked at first: two units of ln(a − 1), or a few."""


def best_order(
    worth: Callable[[float], float], steps: int = 30, within: tuple[float, float] = (_LOW, _HIGH)
) -> float:
    """The order a at which `worth` is largest, over ln(a − 1) `within` bounds."""
    # The best of a few places, and a golden section between its neighbours: where two directions of
    # a divergence count, there may be two hills. Every order gives a true claim, so that only the
    # strength of a claim rests on the search.
    low, high = within
    apart = (high - low) / _PLACES
    best = max(range(_PLACES + 1), key=lambda place: worth(1 + math.exp(low + place * apart)))
    low, high = low + (best - 1) * apart, low + (best + 1) * apart
    points = [high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)]
    values = [worth(1 + math.exp(point)) for point in points]
    for _ in range(steps):
        if values[0] >= values[1]:
            high = points[1]
            points = [high - _GOLDEN * (high - low), points[0]]
            values = [worth(1 + math.exp(points[0])), values[0]]
        else:
            low = points[0]
            points = [points[1], low + _GOLDEN * (high - low)]
            values = [values[1], worth(1 + math.exp(points[1]))]
    return 1 + math.exp(points[0] if values[0] >= values[1] else points[1])


def least_delta(order: float, divergence: float, epsilon: float) -> float:
    r"""The least δ of (ε, δ)-DP that follows from one order, rounded up.

    The moment of a pair of rates is convex, so it lies above its tangents: for all x > y >= 0

    .. math:: e^{(a-1)D} \ge a(x^{a-1} - y^{a-1})p - (a-1)(x^a - y^a)q + ay^{a-1} - (a-1)y^a

    and each x, y bound p − e^ε q. At y = 0 that is canonne-kamath-steinke-2020, Proposition 12; the
    best y is searched, x is where the slope is e^ε. This is the optimum over all pairs of laws with
    this divergence one way round; that the other way round it is no larger either is not used.
    """
    if divergence == 0:  # the laws are equal
        return 0.0
    if math.isinf(divergence) or epsilon > _STEEPEST:
        return 1.0
    # The first term alone gives q >= (p^a e^(−(a−1)D))^(1/(a−1)); then p − e^ε q is concave in p,
    # and still grows at p = 1 if e^(ε − D) a/(a − 1) <= 1: flagging all members is best.
    with directed() as r:
        share = r.exp(r(epsilon) - r(divergence))
        if share * r(order) / (r(order) - 1) <= 1:
            return min(upper(1 - share), 1.0)

    def delta(y: float) -> float:
        x = _steeper(order, y)
        ratio = (y / x) ** (order - 1)
        moment = (order - 1) * (divergence - math.log(x) - epsilon)
        grown = math.exp(min(moment, 700.0))
        rest = ratio * (order - (order - 1) * y * math.exp(epsilon))
        return (grown - rest) / (order * (1 - ratio)) if ratio < 1 else math.inf

    low, high = 0.0, 1.0
    for _ in range(_SECTIONS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        low, high = (low, right) if delta(left) <= delta(right) else (left, high)
    return min(_delta_of(order, divergence, epsilon, y) for y in (0.0, low))


_STEEPEST = 300.0
"""ε beyond which e^ε leaves the range of a float's sums; no such δ is of use."""
_SECTIONS = 40
"""Golden sections: the tangent is known to 0.618^40 = 5e-9, its δ to the square of that."""
_BACK = 1 - 1e-12
"""A factor that certainly puts the slope of a tangent below the wanted one."""


def _steeper(order: float, y: float) -> float:
    """The x > 1, in units of e^ε like y, with which the tangent's slope is e^ε; by Newton."""

    def height(z: float) -> float:
        return ((order - 1) * z - order) * z ** (order - 1) if z else 0.0

    x, level = order / (order - 1), height(y)
    for _ in range(60):
        slope = order * (order - 1) * (x - 1) * x ** (order - 2)
        below = x - (height(x) - level) / slope if slope > 0 else x
        if not 1 < below < x:
            break
        x = below
    return x


def _delta_of(order: float, divergence: float, epsilon: float, y: float) -> float:
    """δ by one tangent, rounded up; 1 where the tangent is too steep."""
    x = _steeper(order, y) * _BACK
    if not x > 1 > y:
        return 1.0
    with directed() as r:
        a, scale = r(order), r.exp(r(epsilon))
        high, low = r(x) * scale, r(y) * scale
        rise = a * (high ** (a - 1) - low ** (a - 1))
        run = (a - 1) * (high**a - low**a)
        if not run <= rise * scale:
            return 1.0
        rest = a * low ** (a - 1) - (a - 1) * low**a
        return max(0.0, min(upper((r.exp((a - 1) * r(divergence)) - rest) / rise), 1.0))


_LEAST_RHO = 1e-12
"""ρ below which floats lose the divergence of low orders: it is read as this, which is weaker."""


@theorem(
    "data processing at every Rényi order",
    states="β is the largest that some order a > 1 leaves: pairs (β, α) have divergence <= aρ.",
)
def zcdp_to_false_negative_rate(guarantee: ZCDP, fpr: float) -> FalseNegativeRate:
    r"""Zero-concentrated DP bounds what an attack misses from below, at the best order.

    Whether an attack flags is one bit of post-processing, so that its rates keep, for all a > 1,

    .. math:: (1-\beta)^a \alpha^{1-a} + \beta^a (1-\alpha)^{1-a} \le e^{(a-1)a\rho}

    and the same with α, 1 − α and 1 − β, β exchanged. No chain through (ε, δ) is stronger, whatever
    δ: its lines are those above the convex set of these pairs.
    """
    claim = FalseNegativeRate(0.0, fpr, guarantee.adjacency)
    if guarantee.rho == 0:
        with directed() as r:
            return attrs.evolve(claim, fnr=lower(1 - r(claim.fpr)))
    rho = max(guarantee.rho, _LEAST_RHO)
    order = best_order(lambda a: least_misses(a, _times(a, rho), claim.fpr))
    return attrs.evolve(claim, fnr=least_misses(order, _times(order, rho), claim.fpr))


def _times(order: float, rho: float) -> float:
    with directed() as r:
        return upper(r(order) * r(rho))


_RARE = 1e-5
"""δ below which all of an order's lines together say no more than one of them."""


_LARGEST_SPREAD = 700.0
"""Log odds beyond which a coin tells its side to the last digit of a float."""


def _fair_spread(rho: float) -> tuple[float, float]:
    """Bound the log odds λ of two mirrored coins with λ tanh(λ/2) = ρ from both sides."""
    if rho > _LARGEST_SPREAD:
        return _LARGEST_SPREAD, math.inf

    def divergence(spread: float) -> Ball:
        with directed() as r:
            grown = r.exp(spread)
            return r(spread) * (grown - 1) / (grown + 1)

    above = least(lambda x: bool(divergence(x) >= rho), 0.0, 2 * _LARGEST_SPREAD)
    below = greatest(lambda x: bool(divergence(x) <= rho), 0.0, above)
    return below, above


@theorem(
    "data processing; proof in the docstring",
    states="δ is the largest p − e^ε q of coins p, q whose divergence of order a is at most aρ, at "
    "the best a; where e^ε <= sinh(λ)/λ, (e^λ − e^ε)/(e^λ + 1) with λ tanh(λ/2) = ρ.",
)
def zcdp_to_approx_dp_by_orders(guarantee: ZCDP, epsilon: float) -> ApproxDP:
    r"""The (ε, δ) curve of zero-concentrated DP: the least δ that all such mechanisms have.

    Proof. An event turns two laws into two coins (p, q) that keep to ρ, and two such coins are a
    mechanism that does. So the least δ is the maximum of p − e^ε q over the convex set C of coins
    with :math:`D_a(p\|q) \le a\rho` and :math:`D_a(q\|p) \le a\rho` for all orders a >= 1. Let
    :math:`h(a) = \ln(p^a q^{1-a} + (1-p)^a(1-q)^{1-a}) - \rho a(a-1)`. Both kinds of constraints
    say that h <= 0 outside [0, 1], the second at 1 − a. The first term is a cumulant
    function of two values, whose second derivative, the variance of a coin whose log odds are
    linear in a, rises and then falls. So h″ has at most two zeros and h at most four, counted by
    their order. Two are 0 and 1; a constraint that is active at an order beyond 1 is a double
    zero more, and one of order 1 makes 0 or 1 a double zero. Hence at a maximum one
    constraint alone is active, or both of order 1. In the first case it alone decides: towards a
    better pair of coins that keep to it all others would hold for a while (C is convex, and orders
    near it hold there too). It is one of D_a(p‖q), which is what `least_delta` takes: with ε >= 0
    the maximum has p + q <= 1, as the mirrored coins (1 − q, 1 − p) are in C too, while one of
    D_a(q‖p) is active only where p + q > 1. For a > 1 Rolle's theorem puts the zeros of h″ on both
    sides of a place below ½, at which the first term's coin is fair; for a = 1 it would have to be
    the larger of the two Kullback–Leibler divergences.

    In the second case the Kullback–Leibler divergences are equal, so that p + q = 1; with
    p = e^λ/(e^λ + 1) they are λ tanh(λ/2) = ρ. There h has double zeros at 0 and 1 and no others,
    and is negative outside, so that the coins are in C. Their gradients are (2λ, −2 sinh λ) and
    (2 sinh λ, −2λ) up to a factor, between which (1, −e^ε) is where e^ε <= sinh(λ)/λ: so long
    these coins are best. ∎

    Never above `zcdp_to_approx_dp`, which takes one line for each order where this takes all: a
    sixth less where δ is a tenth, 1e-4 of δ where it is 1e-5, and below that it is that line's. The
    best order is searched around (ε + ρ)/2ρ, or below 1.4 where that is next to 1.
    """
    one_line = zcdp_to_approx_dp(guarantee, epsilon)
    rho = max(guarantee.rho, _LEAST_RHO)
    below, above = _fair_spread(rho)
    with directed() as r:
        spread, e = r(below), r.exp(epsilon)
        # Two mirrored coins are best.
        if below != 0 and 2 * spread * e <= r.exp(spread) - r.exp(-spread):
            grown = r.exp(above)
            fair = min(max(upper((grown - e) / (grown + 1)), 0.0), 1.0)
            return attrs.evolve(one_line, delta=min(fair, one_line.delta))
    above = (epsilon - rho) / (2 * rho)
    if one_line.delta < _RARE or not above < math.exp(_HIGH) / 2:
        return one_line
    low = max(math.log(above) - 0.5 if above > 0 else _LOW, _LOW)
    within = (low, math.log(max(above, 0.2)) + 0.7)
    order = best_order(lambda a: -least_delta(a, _times(a, rho), epsilon), 12, within)
    delta = least_delta(order, _times(order, rho), epsilon)
    return attrs.evolve(one_line, delta=min(delta, one_line.delta))


@theorem(
    "data processing; proof of the (ε, δ) curve",
    states="No attack has an advantage above the A with A ln((1 + A)/(1 − A)) = ρ, rounded up; a "
    "mechanism has it.",
)
def zcdp_to_advantage_by_orders(guarantee: ZCDP) -> Advantage:
    """Zero-concentrated DP bounds the membership advantage: the δ of (0, δ)-DP, A = tanh(λ/2)."""
    setting = Setting(guarantee.adjacency)
    if guarantee.rho == 0:
        return Advantage(0.0, setting)
    _, above = _fair_spread(guarantee.rho)
    with directed() as r:
        grown = r.exp(above)
        return Advantage(min(upper((grown - 1) / (grown + 1)), 1.0), setting)


@theorem("bun-steinke-2016, definition", states="ρ-zCDP gives ε = aρ at every order a, rounded up.")
def zcdp_to_renyi_dp(guarantee: ZCDP, order: float) -> RenyiDP:
    """Zero-concentrated DP is Rényi DP of every order."""
    return RenyiDP(order, _times(order, guarantee.rho), guarantee.adjacency)


@theorem(
    "convexity; attained by randomised response",
    states="ε-DP gives ln((e^(aε) + e^(−(a−1)ε))/(1 + e^ε))/(a − 1) at every order a, rounded up.",
)
def pure_dp_to_renyi_dp(guarantee: PureDP, order: float) -> RenyiDP:
    r"""Pure DP is Rényi DP of every order.

    The moment :math:`\sum Q(x) (P(x)/Q(x))^a` is convex in the ratio, which lies in
    :math:`[e^{-\epsilon}, e^\epsilon]` with mean 1: the ends alone have the largest.
    """
    check_every_size(guarantee)
    claim = RenyiDP(order, guarantee.epsilon, guarantee.adjacency)
    if math.isinf(guarantee.epsilon) or guarantee.epsilon == 0:
        return claim
    with directed() as r:
        a, e = r(claim.order), r(guarantee.epsilon)
        moment = (r.exp(a * e) + r.exp((1 - a) * e)) / (1 + r.exp(e))
        bound = upper(r.log(moment) / (a - 1))
    return attrs.evolve(claim, epsilon=min(max(bound, 0.0), guarantee.epsilon))


@theorem(
    "Rényi divergences grow with their order",
    states="The ε of an order also holds at every lower order; the least known one counts.",
)
def renyi_dp_to_lower_order(guarantee: RenyiDP, order: float) -> RenyiDP:
    """Rényi DP of one order is Rényi DP of the orders below it."""
    known = [epsilon for above, epsilon in guarantee.points if above >= order]
    if not known:
        raise NotApplicable(
            f"Expected an order >= {order:g}, got {guarantee.points[-1][0]:g} at most."
        )
    return RenyiDP(order, min(known), guarantee.adjacency)


@theorem(
    "data processing; at y = 0 canonne-kamath-steinke-2020, Proposition 12",
    states="δ is the largest p − e^ε q of all coins p, q with that divergence of p from q; at the "
    "best order.",
)
def renyi_dp_to_approx_dp(guarantee: RenyiDP, epsilon: float) -> ApproxDP:
    """The (ε, δ) curve of Rényi DP: for each order the best of one direction of its divergence."""
    delta = min(least_delta(order, bound, epsilon) for order, bound in guarantee.points)
    return ApproxDP(epsilon, delta, guarantee.adjacency)


@theorem(
    "Chernoff's bound",
    states="The loss exceeds ε with probability at most e^((a−1)(ε_a − ε)), rounded up; at the "
    "best order.",
)
def renyi_dp_to_privacy_loss_tail(guarantee: RenyiDP, epsilon: float) -> PrivacyLossTail:
    """Rényi DP says how often a belief may move further than ε.

    Rényi divergences are quasi-convex, so averaging over a prior does not raise them.
    """
    if any(bound == 0 for _, bound in guarantee.points):
        return PrivacyLossTail(epsilon, 0.0, guarantee.adjacency)  # the laws are equal
    with directed() as r:
        tails = [
            upper(r.exp((r(order) - 1) * (r(bound) - r(epsilon))))
            for order, bound in guarantee.points
            if bound < math.inf
        ]
    return PrivacyLossTail(epsilon, min([1.0, *tails]), guarantee.adjacency)


@theorem("data processing", states="β is the largest that some known order leaves, as from ρ-zCDP.")
def renyi_dp_to_false_negative_rate(guarantee: RenyiDP, fpr: float) -> FalseNegativeRate:
    """Rényi DP bounds what an attack misses from below; see `zcdp_to_false_negative_rate`."""
    claim = FalseNegativeRate(0.0, fpr, guarantee.adjacency)
    misses = [
        least_misses(order, bound, claim.fpr) if bound < math.inf else 0.0
        for order, bound in guarantee.points
    ]
    return attrs.evolve(claim, fnr=max(misses))


@theorem(
    "data processing",
    states="No attack has an advantage above the δ of (0, δ)-DP, rounded up; at the best order.",
)
def renyi_dp_to_advantage(guarantee: RenyiDP) -> Advantage:
    """Rényi DP bounds the membership advantage."""
    advantage = renyi_dp_to_approx_dp(guarantee, 0.0).delta
    return Advantage(advantage, Setting(guarantee.adjacency))
