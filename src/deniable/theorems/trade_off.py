"""Trade-off curves: what is read off one, where two hold, and from lines that lie below one.

Every curve here is the highest of straight lines β >= c − mα that no test passes below. Numbers are
read off its corners in exact fractions, and rounded once.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

import attrs

from deniable.errors import NotApplicable
from deniable.notions import (
    ZCDP,
    Adjacency,
    Advantage,
    ApproxDP,
    BaselineRisk,
    FalseNegativeRate,
    GaussianDP,
    PrivacyLossTail,
    PureDP,
    RenyiDP,
    Setting,
    TradeOffCurve,
)
from deniable.notions.trade_off import Corner, height, lower_hull
from deniable.numerics.rounding import UNIT, Ball, directed, lower, upper
from deniable.theorems._theorem import check_every_size, check_neighbours, theorem
from deniable.theorems.baseline_risk import attack_of
from deniable.theorems.gaussian import gaussian_dp_to_approx_dp
from deniable.theorems.renyi import renyi_dp_to_approx_dp, zcdp_to_approx_dp_by_orders

Line: TypeAlias = tuple[Fraction, Fraction]
"""c and m of β >= c − mα."""


def _lines(corners: Sequence[Corner]) -> list[Line]:
    slopes = [(u, a, (u - v) / (b - a)) for (a, u), (b, v) in itertools.pairwise(corners)]
    return [(u + m * a, m) for u, a, m in slopes]


def _highest(lines: Iterable[Line]) -> list[Line]:
    """Those that are highest somewhere in [0, 1] where they are above 0, the steepest first."""
    highest: list[Line] = []
    for c, m in sorted(lines, key=lambda line: (-line[1], line[0])):
        while highest and highest[-1][0] <= c:
            highest.pop()
        while len(highest) > 1 and _meet(highest[-2], highest[-1]) >= _meet(highest[-1], (c, m)):
            highest.pop()
        highest.append((c, m))
    return [
        line
        for place, line in enumerate(highest)
        # of two lines that meet at or below 0 the flatter one is of no use
        if place == 0 or line[0] > line[1] * _meet(highest[place - 1], line)
    ]


def _meet(steep: Line, flat: Line) -> Fraction:
    return (steep[0] - flat[0]) / (steep[1] - flat[1])


def _corners(lines: Iterable[Line]) -> list[Corner]:
    """Return the corners of the highest of lines, and 0."""
    highest = _highest(line for line in lines if line[0] > 0)
    if not highest:
        return [(Fraction(0), Fraction(0))]
    rates = [Fraction(0), *(_meet(*pair) for pair in itertools.pairwise(highest))]
    corners = [(rate, c - m * rate) for rate, (c, m) in zip(rates, highest, strict=True)]
    c, m = highest[-1]
    return [*corners, (c / m, Fraction(0))]


def _curve_below(lines: Sequence[tuple[Ball, Ball]], adjacency: Adjacency) -> TradeOffCurve:
    """A curve of floats below the highest of lines that are known as balls."""
    # Which lines, and where they meet, is seen in floats. Each corner is put below both lines that
    # meet there, so that what joins two corners is below one line at both ends.
    nearly = {
        (Fraction(float(c.mid())), Fraction(float(m.mid()))): (c, m)
        for c, m in lines
        if math.isfinite(float(c.mid())) and math.isfinite(float(m.mid()))  # no float is so steep
    }
    highest = _highest(line for line in nearly if line[0] > 0)
    if not highest or not lower(nearly[highest[0]][0]) > 0:
        return TradeOffCurve([(0.0, 0.0)], adjacency)
    with directed() as r:
        points = [(0.0, lower(nearly[highest[0]][0]))]
        for steep, flat in itertools.pairwise(highest):
            (c, m), (d, n) = nearly[steep], nearly[flat]
            # A little to the left, where it is next to nothing by which the flat line is lower.
            rate = float(_meet(steep, flat)) * (1 - 4 * UNIT)
            fnr = min(lower(c - m * r(rate)), lower(d - n * r(rate)))
            if fnr <= 0:
                break
            points.append((rate, fnr))
        c, m = nearly[highest[len(points) - 1]]
        end = max(lower(c / m), 0.0)
    return TradeOffCurve([*((min(rate, end), fnr) for rate, fnr in points), (end, 0.0)], adjacency)


def _exactly(lines: Iterable[Line]) -> list[tuple[Ball, Ball]]:
    with directed() as r:
        return [(r(c), r(m)) for c, m in lines]


def _known(guarantee: TradeOffCurve) -> list[Line]:
    """All lines that no test passes below: of replace-one those of the mirrored curve too."""
    lines = _lines(guarantee.corners)
    if guarantee.adjacency is Adjacency.REPLACE_ONE:
        lines += _lines(guarantee.mirrored.corners)
    return lines


@functools.lru_cache(maxsize=64)
def _both_ways(guarantee: TradeOffCurve) -> list[list[Corner]]:
    """The corners that limit tests of either data set against the other."""
    corners = _corners(_known(guarantee))
    if guarantee.adjacency is Adjacency.REPLACE_ONE:
        return [corners]
    return [corners, [(fnr, fpr) for fpr, fnr in reversed(corners)]]


@theorem(
    "dong-roth-su-2022",
    states="f(α) = max(0, 1 − δ − e^ε α, e^−ε(1 − δ − α)); corners rounded so that no line rises.",
    checked=("catalogue.v:approx_dp_to_false_negative_rate",),
)
def approx_dp_to_trade_off(guarantee: ApproxDP) -> TradeOffCurve:
    """(ε, δ)-DP is the trade-off curve of two straight lines, and the other way round."""
    # dong-roth-su-2022, Proposition 2.5.
    check_every_size(guarantee)
    return _curve_below(_lines_of(guarantee), guarantee.adjacency)


def _lines_of(guarantee: ApproxDP) -> list[tuple[Ball, Ball]]:
    """The steep line and the flat one of (ε, δ)."""
    if math.isinf(guarantee.epsilon):
        raise NotApplicable("Expected a finite epsilon, got inf.")
    with directed() as r:
        rest, e = 1 - r(guarantee.delta), r.exp(guarantee.epsilon)
        return [(rest, e), (rest / e, 1 / e)]


_RAREST = 1e-6
"""δ of the steepest line that touches a curve; it does so at some hundredth of that rate."""
_STEEPEST = 64.0
"""ε of lines that are tried at most; e^64 is beyond what a rate of alarms can be seen at."""
_GENTLEST = 2.0**-20
"""ε from which the steepest is searched upwards."""
_SHORTER = 7 / 8
"""Steps back from there, so that few tangents are where nothing is left to see."""


def by_tangents(curve: Callable[[float], ApproxDP], tangents: int) -> TradeOffCurve:
    """The highest of the lines of (ε, δ), at ε from 0 to where δ is next to nothing."""
    far = _GENTLEST
    while far < _STEEPEST and curve(far).delta > _RAREST:
        far *= 2
    while curve(far * _SHORTER).delta <= _RAREST < curve(0.0).delta:
        far *= _SHORTER
    pairs = [curve(far * place / tangents) for place in range(tangents + 1)]
    lines = [line for each in pairs for line in _lines_of(each)]
    return _curve_below(lines, pairs[0].adjacency)


@theorem(
    "balle-wang-2018, Theorem 8, and dong-roth-su-2022",
    states="The highest of lines that touch G_μ from below, at slopes e^ε and e^−ε.",
)
def gaussian_dp_to_trade_off(guarantee: GaussianDP, tangents: int) -> TradeOffCurve:
    """A polygon below the curve of Gaussian DP; a convex curve is the highest of its tangents."""
    # dong-roth-su-2022, Corollary 2.13.
    return by_tangents(lambda epsilon: gaussian_dp_to_approx_dp(guarantee, epsilon), tangents)


@theorem(
    "data processing at every Rényi order",
    states="The highest of the lines of (ε, δ), each at its best order.",
)
def zcdp_to_trade_off(guarantee: ZCDP, tangents: int) -> TradeOffCurve:
    """A polygon below every trade-off function that zero-concentrated DP admits."""
    return by_tangents(lambda epsilon: zcdp_to_approx_dp_by_orders(guarantee, epsilon), tangents)


@theorem("data processing", states="The highest of the lines of (ε, δ), at the best known order.")
def renyi_dp_to_trade_off(guarantee: RenyiDP, tangents: int) -> TradeOffCurve:
    """A polygon below every trade-off function that Rényi DP of some orders admits."""
    return by_tangents(lambda epsilon: renyi_dp_to_approx_dp(guarantee, epsilon), tangents)


@theorem(
    "definition; maxima of convex functions are convex",
    states="A release with both f₁ and f₂ has max(f₁, f₂), which is convex: no hull is needed.",
)
def two_trade_offs_to_trade_off(first: TradeOffCurve, second: TradeOffCurve) -> TradeOffCurve:
    r"""Two guarantees of one release, together: the pointwise maximum of their curves.

    For every test :math:`\beta \ge f_1(\alpha)` and :math:`\beta \ge f_2(\alpha)`, so
    :math:`\beta \ge \max(f_1, f_2)(\alpha)`. A maximum of convex functions is convex, so that no
    hull is needed. No larger curve follows: there are two laws whose trade-off function is the
    maximum (dong-roth-su-2022, Proposition 2.2), and they keep to both. δ at an ε
    between is below the smaller of the two; what is read at one rate is the better of the two.
    """
    _check_same_neighbours(first, second, "two guarantees of")
    for one, other in ((first, second), (second, first)):
        if one.is_above(other):
            return one
    return _curve_below(_exactly([*_known(first), *_known(second)]), first.adjacency)


def _check_same_neighbours(first: TradeOffCurve, second: TradeOffCurve, what: str) -> None:
    if first.adjacency is not second.adjacency:
        raise NotApplicable(
            f"Expected {what} the same neighbours, got {first.adjacency} and {second.adjacency}."
        )


@theorem(
    "definition; lower convex hulls",
    states="f₁ for the people of one fixed group and f₂ for all others give the lower convex hull "
    "of min(f₁, f₂) for everybody.",
)
def groups_of_two_trade_offs_to_trade_off(
    first: TradeOffCurve, second: TradeOffCurve
) -> TradeOffCurve:
    r"""Two guarantees, each for people of its own: the hull of the smaller of their curves.

    Who is in which group is fixed without the data, as where each group has a release of its own. A
    test of somebody's presence then has :math:`\beta \ge f_1(\alpha)` or :math:`\beta \ge
    f_2(\alpha)`, so :math:`\beta \ge \min(f_1, f_2)(\alpha)`. That is no convex function. Its lower
    hull is what holds too where it is not known which group somebody is in: with the weights
    :math:`w_i`, rates :math:`\alpha_i` and misses :math:`\beta_i \ge f_i(\alpha_i)`, the pair
    :math:`(\sum w_i \alpha_i, \sum w_i \beta_i)` is a mixture of points above the hull, hence above
    it; and every corner of the hull is attained by one weight being 1, every line between two
    corners by mixing them. With replace-one adjacency a record is exchanged for one of the same
    group; an exchange across groups is two changes. Source: dong-roth-su-2022, Proposition 2.2
    (what is a trade-off function).
    """
    _check_same_neighbours(first, second, "two guarantees of")
    corners = [_both_ways(each)[0] for each in (first, second)]
    widths = [each[-1][0] for each in corners]
    # The hull of a minimum is that of all corners: between them both functions are straight.
    least: dict[Fraction, Fraction] = {}
    for rate, fnr in sorted((point for each in corners for point in each), reverse=True):
        least[rate] = fnr  # of two corners at one rate the lower one comes last
    rows = sorted((rate, fnr) for rate, fnr in least.items() if rate <= min(widths))
    return _curve_below(_exactly(_lines(lower_hull(rows))), first.adjacency)


@theorem(
    "dong-roth-su-2022, Theorem 2.14",
    states="f under add-remove gives f(1 − f⁻¹(α)) under replace-one.",
)
def add_remove_trade_off_to_replace_one_trade_off(guarantee: TradeOffCurve) -> TradeOffCurve:
    r"""Exchanging one entity is one removal and one addition: what is caught of one is level again.

    A test of level α flags without the entity with probability at most :math:`1 - f^{-1}(\alpha)`,
    which is its level against the data with the other one.
    """
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    forth, back = guarantee.corners, guarantee.mirrored.corners
    # The composition bends where f⁻¹ does and where 1 − f⁻¹(α) = a is a corner of f: α = f(1 − a).
    rates = {rate for rate, _ in back} | {height(forth, 1 - rate) for rate, _ in forth}
    points = [(rate, height(forth, 1 - height(back, rate))) for rate in sorted(rates)]
    last = next((place for place, (_, fnr) in enumerate(points) if fnr == 0), len(points) - 1)
    lines = _lines(lower_hull(points[: last + 1]))
    return _curve_below(_exactly(lines), Adjacency.REPLACE_ONE)


_MOST_LINES = 64
"""The most lines of a product; so many are within 1e-3 of the highest of all of them."""


def compose_trade_offs(first: TradeOffCurve, second: TradeOffCurve) -> TradeOffCurve:
    """f ⊗ g: what two releases about the same people keep to together, rounded down."""
    # A polygon f is the trade-off function of two laws with one output a segment, whose
    # probabilities are by how much α grows and β falls on it; one more is seen with members alone,
    # with 1 − f(0), and one without them alone. Of both releases together probabilities multiply,
    # and the outputs that members make likeliest are flagged first. An adversary who chooses the
    # second release by the first has no better tests (dong-roth-su-2022, Definition 3.1 and
    # Theorem 3.2).
    # Of very many lines some are left out: the highest of the others is no higher.
    _check_same_neighbours(first, second, "releases with")
    outputs = [
        (without * also_without, with_ * also_with)
        for without, with_ in _outputs(first)
        for also_without, also_with in _outputs(second)
    ]
    ratios: dict[Fraction | None, tuple[Fraction, Fraction]] = {}
    for without, with_ in outputs:
        if without or with_:
            ratio = with_ / without if without else None
            others = ratios.get(ratio, (Fraction(0), Fraction(0)))
            ratios[ratio] = (others[0] + without, others[1] + with_)
    corner = (Fraction(0), 1 - ratios.pop(None, (Fraction(0), Fraction(0)))[1])
    corners = [corner]
    for ratio in sorted((each for each in ratios if each), reverse=True):
        without, with_ = ratios[ratio]
        corner = (corner[0] + without, corner[1] - with_)
        corners.append(corner)
    lines = _lines(corners)
    every = -(-len(lines) // _MOST_LINES)
    thinned = [*lines[:: max(every, 1)], *lines[-1:]]
    return _curve_below(_exactly(thinned), first.adjacency)


def _outputs(guarantee: TradeOffCurve) -> list[tuple[Fraction, Fraction]]:
    """Probabilities without and with the members, of a pair of laws with this curve."""
    corners = _both_ways(guarantee)[0]
    segments = [(b - a, u - v) for (a, u), (b, v) in itertools.pairwise(corners)]
    return [(Fraction(0), 1 - corners[0][1]), *segments, (1 - corners[-1][0], Fraction(0))]


@theorem("definition", states="β = f(α), rounded down; of replace-one also that of the mirrored f.")
def trade_off_to_false_negative_rate(guarantee: TradeOffCurve, fpr: float) -> FalseNegativeRate:
    """What an attack misses at least that flags so many non-members: the curve at that rate."""
    claim = FalseNegativeRate(0.0, fpr, guarantee.adjacency)
    missed = height(_both_ways(guarantee)[0], Fraction(claim.fpr))
    with directed() as r:
        return attrs.evolve(claim, fnr=lower(r(missed)))


@theorem(
    "dong-roth-su-2022, Proposition 2.12",
    states="δ = max over corners of 1 − β − e^ε α, and with add-remove of 1 − α − e^ε β.",
)
def trade_off_to_approx_dp(guarantee: TradeOffCurve, epsilon: float) -> ApproxDP:
    r"""The (ε, δ) curve of a trade-off curve, its convex conjugate; the two say the same.

    :math:`\delta(\epsilon) = \sup_\alpha 1 - f(\alpha) - e^\epsilon \alpha`; on a straight line
    that is largest at an end.
    """
    claim = ApproxDP(epsilon, 1.0, guarantee.adjacency)
    if math.isinf(claim.epsilon):
        return attrs.evolve(claim, delta=_certain(guarantee))
    with directed() as r:
        ratio = r.exp(claim.epsilon)
        corners = [corner for way in _both_ways(guarantee) for corner in way]
        delta = max(upper(1 - r(fnr) - ratio * r(fpr)) for fpr, fnr in corners)
        return attrs.evolve(claim, delta=min(max(delta, 0.0), 1.0))


def _certain(guarantee: TradeOffCurve) -> float:
    """How often at most an attack is right that is never wrong."""
    with directed() as r:
        return upper(r(max(1 - way[0][1] for way in _both_ways(guarantee))))


@theorem(
    "dong-roth-su-2022, Proposition 2.12",
    states="ε is the logarithm of the steepest slope either way, where f is from (0, 1) to (1, 0).",
)
def trade_off_to_pure_dp(guarantee: TradeOffCurve) -> PureDP:
    """A curve that runs from (0, 1) to (1, 0) is pure DP."""
    if _certain(guarantee):
        raise NotApplicable("Expected a curve from (0, 1) to (1, 0), got one that ends elsewhere.")
    steepest = max(m for way in _both_ways(guarantee) for _, m in _lines(way))
    with directed() as r:
        return PureDP(max(upper(r.log(r(steepest))), 0.0), guarantee.adjacency)


@theorem(
    "dong-roth-su-2022, Proposition 2.12, and the hockey-stick tail",
    states="The loss exceeds ε with probability at most inf over e < ε of δ(e)/(1 − e^(e−ε)).",
)
def trade_off_to_privacy_loss_tail(guarantee: TradeOffCurve, epsilon: float) -> PrivacyLossTail:
    """A trade-off curve says how often a belief may move further than ε, whatever the prior.

    δ is straight in :math:`z = e^e` between the slopes of the curve, so that the ratio is least at
    z = 1 or at a slope. As in `approx_dp_to_privacy_loss_tail`, δ survives averaging over a prior.
    """
    claim = PrivacyLossTail(epsilon, 1.0, guarantee.adjacency)
    if math.isinf(claim.epsilon):
        return attrs.evolve(claim, exceedance=_certain(guarantee))
    tails = [_tail(corners, claim.epsilon) for corners in _both_ways(guarantee)]
    return attrs.evolve(claim, exceedance=max(tails))


def _tail(corners: Sequence[Corner], epsilon: float) -> float:
    """The least δ(e)/(1 − e^(e−ε)) over e < ε, rounded up; 1 where there is none."""
    slopes = {Fraction(1), *(m for _, m in _lines(corners) if m > 1)}
    with directed() as r:
        limit = r.exp(epsilon)
        tails = [1.0]
        for z in slopes:
            delta = max(1 - fnr - z * fpr for fpr, fnr in corners)
            if delta <= 0 and r(z) <= limit:
                tails.append(0.0)
            elif r(z) < limit:
                tails.append(upper(r(delta) / (1 - r(z) / limit)))
    return min(tails)


@theorem(
    "definition",
    states="No attack has an advantage above the largest 1 − α − f(α).",
    checked=("trade_off.v:trade_off_advantage",),
)
def trade_off_to_advantage(guarantee: TradeOffCurve) -> Advantage:
    """The advantage of an attack is what its two errors leave of 1: largest at a corner."""
    largest = max(1 - fpr - fnr for fpr, fnr in _both_ways(guarantee)[0])
    with directed() as r:
        return Advantage(max(upper(r(largest)), 0.0), Setting(guarantee.adjacency))


@theorem(
    "kulynych-2025; docs: risk at a baseline",
    states="@add-remove s = 1 − f(b); else the least over lines c − mα below f of "
    "(ω(1 − c) + mb)/(1 − b + mb), ω = 1 or 1 − 1/K.",
)
def trade_off_to_baseline_risk(
    guarantee: TradeOffCurve, baseline: float, candidates: int | None = None
) -> BaselineRisk:
    """A trade-off curve bounds what an adversary with some success without the release has with it.

    Each of its straight lines is that of some (ε, δ), with c = 1 − δ and m = e^ε, in one direction.
    """
    claim = BaselineRisk(1.0, baseline, guarantee.adjacency, candidates)
    attack = attack_of(claim)
    b = attack.baseline
    if b == 1:
        return claim
    success = Fraction(1)
    for c, m in _known(guarantee):
        if attack.different is None:
            success = min(success, 1 - c + m * b)
        else:
            success = min(success, (attack.different * (1 - c) + m * b) / (1 - b + m * b))
    with directed() as r:
        return attrs.evolve(claim, success=upper(r(max(success, b))))
