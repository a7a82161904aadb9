"""Both bounds of a training's curve, in each direction by itself, down to δ = 1e-300.

The truth is in closed form for one step, and for steps that every record enters; two steps are
integrated to hundreds of digits.
"""

import math

import numpy as np
import pytest
from flint import arb

from deniable.training.noisy_gradients import Phase, privacy_curve
from deniable.training.noisy_gradients.curve import Direction
from deniable.training.noisy_gradients.sums import TiltedSum
from tests.cases.effort import one_in
from tests.oracles import sampled_gaussian as slow

EPSILONS = one_in(2, (0.0, 1e-4, 0.02, 0.3, 1.1513, 2.0, 5.0, 12.0, 100.0))
DELTAS = one_in(2, (0.3, 1e-5, 1e-20, 1e-27, 1e-45, 1e-150, 1e-300))
BITS = 1500
"""Of the truth: δ = 1e-300 takes a thousand, and differences of tails some more."""


def check_curve(phase, truth, epsilons=EPSILONS, deltas=DELTAS, slack=1e-60, precision=BITS):
    """`truth(e^ε, removed)` is δ; its own error is below the slack, as a share of it."""
    curve = privacy_curve([phase])
    for direction in Direction:
        removed = direction is Direction.REMOVE

        def delta(epsilon, removed=removed):
            return truth(arb(epsilon).exp(), removed)

        for epsilon in epsilons:
            found = curve.delta(epsilon, direction)
            with slow.bits(precision):
                exact = delta(epsilon)
                assert arb(found.lower) * (1 - slack) <= exact.upper()
                assert exact.lower() * (1 - slack) <= arb(found.upper)
        for rare in deltas:
            found = curve.epsilon(rare, direction)
            with slow.bits(precision):
                if found.lower > 0:
                    assert delta(found.lower).upper() * (1 + slack) >= rare
                if math.isfinite(found.upper):
                    assert delta(found.upper).lower() * (1 - slack) <= rare


@pytest.mark.parametrize(
    ("q", "sigma"), [(0.9, 10.0), (0.01, 1e4), (0.3, 100.0), (1 - 2**-53, 1.0), (0.999999, 3.0)]
)
def test_one_step(q, sigma):
    check_curve(
        Phase(sigma, q, 1),
        lambda ratio, removed: slow.one_step(ratio, q, sigma, removed=removed),
    )


@pytest.mark.parametrize(("sigma", "steps"), [(3.0, 1), (1.0, 30), (100.0, 10_000)])
def test_steps_that_every_record_enters(sigma, steps):
    check_curve(Phase(sigma, 1.0, steps), lambda ratio, _: slow.every_record(ratio, sigma, steps))


@pytest.mark.parametrize(("q", "sigma", "steps"), [(0.9, 10.0, 2), (0.999, 5.0, 2)])
def test_few_steps(q, sigma, steps):
    def truth(ratio, removed):
        return slow.several_steps(ratio, q, sigma, steps, removed=removed)

    check_curve(Phase(sigma, q, steps), truth, (0.3, 1.1, 3.5), (1e-5, 1e-40), 1e-9, 600)


@pytest.mark.parametrize(("q", "sigma", "steps"), [(0.9, 10.0, 1), (0.999, 5.0, 2)])
def test_a_record_that_is_added_is_known_far_below_where_doubles_end(q, sigma, steps):
    """Masses near the least ratio, 1 − q, to their own digits: a tilt multiplies their errors."""
    curve = privacy_curve([Phase(sigma, q, steps)])
    for epsilon in (0.3, 1.0, 1.1513):
        found = curve.delta(epsilon, Direction.ADD)
        with slow.bits(700):
            exact = slow.several_steps(arb(epsilon).exp(), q, sigma, steps, removed=False)
            assert exact.lower() <= found.upper <= 3 * exact


@pytest.mark.parametrize("seed", range(30))
def test_bounds_of_a_sum_hold_wherever_its_lattice_begins(seed):
    """A law that is known exactly, of atoms far from 0: δ(ε) by adding up its definition."""
    rng = np.random.default_rng(seed)
    width = float(rng.integers(8, 16)) * 2.0 ** int(rng.integers(-30, -3))
    law = np.zeros(64)
    law[rng.integers(0, 64, 3)] = 1 / 4
    anchor, steps = float(rng.uniform(-1, 1)), int(rng.integers(1, 10**6))
    theta = float(10 ** rng.uniform(-2, 4))
    first = int(rng.integers(-(10**6), 10**6))
    scale = theta * (anchor * steps + width * (first + 32))  # so that δ is no power of e^θ
    summed = TiltedSum(
        law, first, width, anchors=((anchor, steps),), scales=((scale, 1),), theta=theta,
        infinite=0.0, rounding=0.0, outside=0.0, drift=0.0,
    )  # fmt: skip
    with slow.bits(400):
        losses = [arb(anchor) * steps + arb(width) * (first + k) for k in range(64)]
        for place in rng.uniform(-1, 64, 20):
            epsilon = float(losses[0].mid()) + place * width
            for near in (epsilon, math.nextafter(epsilon, math.inf)):
                exact = sum(
                    (
                        arb(float(mass))
                        * (scale - arb(theta) * loss).exp()
                        * -(near - loss).expm1()
                        for mass, loss in zip(law, losses, strict=True)
                        if mass and loss > near
                    ),
                    arb(0),
                )
                assert arb(summed.delta_at_least(near)) <= exact.upper()
                most = summed.delta_at_most(near)
                assert most == 1 or exact.lower() <= arb(most)
