"""10,000 random guarantees: no derived risk is below an attained one, or falls as less is promised.

What is attained is that of a mechanism which keeps the guarantee, in closed form: nothing of it
comes from the package. `make test` takes a part of the cases; see `tests/cases/effort.py`.
"""

import math

import attrs
import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from deniable.notions import (
    ZCDP,
    Adjacency,
    ApproxDP,
    GaussianDP,
    PrivacyLossTail,
    PureDP,
    RenyiDP,
    TradeOffCurve,
)
from deniable.theorems.analysis.risk import risks_of
from tests.cases.effort import usual

OUT, SWAP = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
CASES = usual(100, 10_000)
SEARCHED = 1e-6
"""Relative: what numbers at the best of some orders may move by, where the order is searched."""


def corner(epsilon, delta):
    """The least misses of randomised response with an output that is certain."""
    rest = 1 - delta
    return lambda a: max(rest - math.exp(epsilon) * a, math.exp(-epsilon) * (rest - a), 0.0)


def shifted(mu):
    return lambda a: float(ndtr(-ndtri(a) - mu))


def draw_curve(rng, adjacency):
    """Steps across and down, the steepest first, in a form that has few digits."""
    count = int(rng.integers(1, 5))
    steps = sorted(rng.uniform(0.05, 1, size=(count, 2)), key=lambda step: -step[1] / step[0])
    across, down = np.array(steps).sum(axis=0)
    wide, high = rng.uniform(0.3, 1, size=2)
    points, fpr, fnr = [(0.0, high)], 0.0, high
    for right, below in steps[:-1]:
        fpr, fnr = fpr + right / across * wide, fnr - below / down * high
        points.append((fpr, fnr))
    return TradeOffCurve([*points, (wide, 0.0)], adjacency)


def straight(points):
    rates, missed = np.array(points).T
    return lambda a: np.interp(a, rates, missed, right=0.0)


def draw(rng):
    """A guarantee, and the trade-off function of a mechanism that keeps it."""
    adjacency = OUT if rng.random() < 0.5 else SWAP
    epsilon = float(10 ** rng.uniform(-2, 0.8))
    delta = float(rng.choice([0.0, 1e-6, 0.01, 0.2]))
    match rng.integers(7):
        case 0:
            return PureDP(epsilon, adjacency), corner(epsilon, 0.0)
        case 1:
            return ApproxDP(epsilon, delta, adjacency), corner(epsilon, delta)
        case 2:
            return PrivacyLossTail(epsilon, delta, adjacency), corner(epsilon, 0.0)
        case 3:
            return GaussianDP(epsilon, adjacency), shifted(epsilon)
        case 4:  # Gaussian noise has ρ = μ²/2
            return ZCDP(epsilon, adjacency), shifted(math.sqrt(2 * epsilon) * (1 - 1e-12))
        case 5:  # and the divergence aμ²/2 of order a
            order = float(1 + 10 ** rng.uniform(-0.5, 1.5))
            mu = math.sqrt(2 * epsilon / order) * (1 - 1e-12)
            return RenyiDP(order, epsilon, adjacency), shifted(mu)
        case _:
            curve = draw_curve(rng, adjacency)
            return curve, straight(curve.points)


def attained(missed, adjacency, baseline, candidates):
    """What some attack reaches on a mechanism with this trade-off function, at this baseline."""
    if adjacency is OUT:  # values in a ring, of which some next to each other are named
        return 1 - missed(baseline)
    # One of K values is named, the secret with probability s and each other one as often. Two
    # rows of that mechanism have the corner t = b(1 − s)/ω, 1 − β = (1 − b)s/ω, ω = 1 − 1/K, and
    # its mirror image: it keeps the guarantee for every s at which that is not above the curve.
    share = 1 - 1 / candidates
    low, high = baseline, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        level = baseline * (1 - middle) / share
        reached = (1 - baseline) * middle / share <= 1 - missed(level)
        low, high = (middle, high) if reached else (low, middle)
    return low


def symmetric(missed):
    """Of a curve given for exchanges the higher of it and its mirror image, on a fine grid."""
    rates = np.linspace(0, 1, 20_001)
    values = missed(rates)
    mirrored = np.interp(rates, values[::-1], rates[::-1])
    mirrored[rates > values[0]] = 0.0
    return straight(np.column_stack([rates, np.maximum(values, mirrored)]))


def ask(guarantee, baseline, candidates):
    return risks_of([guarantee], [baseline], candidates).risks[0].success


def test_no_derived_risk_is_below_an_attained_one():
    rng = np.random.default_rng(75)
    closest = {}
    for _ in range(CASES):
        guarantee, missed = draw(rng)
        candidates = int(rng.integers(2, 30))
        exchanged = guarantee.adjacency is SWAP
        baseline = 1 / candidates if exchanged else float(rng.uniform(1e-4, 0.95))
        named = candidates if exchanged else None
        if exchanged and isinstance(guarantee, TradeOffCurve):
            missed = symmetric(missed)
        reached = attained(missed, guarantee.adjacency, baseline, candidates)
        bound = ask(guarantee, baseline, named)
        loose = 2e-4 if exchanged and isinstance(guarantee, TradeOffCurve) else 1e-11
        assert reached <= bound + loose, (guarantee, baseline, named)
        kind = type(guarantee), guarantee.adjacency
        closest[kind] = min(closest.get(kind, 1.0), bound - reached)
    sharp = [
        value for (kind, _), value in closest.items() if kind not in (RenyiDP, PrivacyLossTail)
    ]
    assert len(sharp) >= 8
    assert max(sharp) < 0.02


def weaker(guarantee, rng):
    """Less is promised, in one parameter, each in its turn."""
    if isinstance(guarantee, TradeOffCurve):
        share = rng.uniform(0.5, 1)
        lower = [(fpr, fnr * share) for fpr, fnr in guarantee.points]
        return attrs.evolve(guarantee, points=lower)
    names = [x for x in ("epsilon", "delta", "exceedance", "rho", "mu", "slack")
             if hasattr(guarantee, x)]  # fmt: skip
    name = str(rng.choice(names))
    value = getattr(guarantee, name)
    if name in ("delta", "exceedance"):
        return attrs.evolve(guarantee, **{name: value + (1 - value) * rng.uniform(0, 0.5)})
    return attrs.evolve(guarantee, **{name: value * rng.uniform(1, 3) + rng.uniform(0, 0.1)})


def test_less_promised_more_known_before_or_more_values_are_no_less_risk():
    rng = np.random.default_rng(76)
    for _ in range(usual(25, 10_000)):
        guarantee, _ = draw(rng)
        named = int(rng.integers(2, 30)) if rng.random() < 0.3 else None
        baseline = float(rng.uniform(0.5 if named else 1e-4, 0.95))
        first = ask(guarantee, baseline, named)
        larger = [
            ask(weaker(guarantee, rng), baseline, named),
            ask(guarantee, baseline + (1 - baseline) * rng.uniform(0, 0.5), named),
        ]
        if guarantee.adjacency is SWAP:
            larger.append(ask(attrs.evolve(guarantee, adjacency=OUT), baseline, named))
        if named is not None:
            whole = math.floor(baseline * named) / named
            larger.append(ask(guarantee, baseline, None))
            assert ask(guarantee, whole, named) == pytest.approx(first)
        for each in larger:
            assert first <= each * (1 + SEARCHED), (guarantee, baseline, named)
