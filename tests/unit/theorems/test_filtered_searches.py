"""Searches that ask floats where they are clear answer what balls alone would, to the last bit."""

import math
import random

from deniable.notions import ZCDP, Adjacency, GaussianDP
from deniable.numerics.rounding import directed, upper
from deniable.theorems.gaussian import gaussian_dp_to_approx_dp, gaussian_dp_to_privacy_loss_tail
from deniable.theorems.pure_and_approximate import approx_dp_to_exceedance, zcdp_to_approx_dp
from tests.cases.effort import usual

GOLDEN = (math.sqrt(5) - 1) / 2
CASES = usual(60, 4_000)


def tail(guarantee, epsilon):
    """The same golden sections, each point by balls."""

    def exceedance(share):
        return approx_dp_to_exceedance(
            gaussian_dp_to_approx_dp(guarantee, epsilon * share), epsilon
        )

    low, high = 0.0, 1.0
    left, right = 1 - GOLDEN, GOLDEN
    seen = [exceedance(low), exceedance(left), exceedance(right)]
    at_left, at_right = seen[1:]
    for _ in range(32):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            seen.append(at_left := exceedance(left))
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            seen.append(at_right := exceedance(right))
    return min(seen)


def delta(rho, epsilon):
    """The same thirds, each order by balls."""
    with directed() as r:

        def log_delta(order):
            above, a = r(order) - 1, r(order)
            return above * (a * r(rho) - r(epsilon)) - r.log(above) + a * r.log(above / a)

        centre = (epsilon + rho) / (2 * rho)
        low, high = math.log(1e-6), min(math.log(2 * max(centre, 1.0) + 1e3), 300.0)
        for _ in range(80):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            one, other = (float(log_delta(1 + math.exp(each))) for each in (left, right))
            low, high = (low, right) if one < other else (left, high)
        return min(upper(r.exp(log_delta(1 + math.exp(low)))), 1.0)


def test_the_tail_of_gaussian_noise():
    draw = random.Random(4)
    for case in range(CASES):
        mu, slack = math.exp(draw.uniform(-9, 4)), 0.0
        epsilon = math.exp(draw.uniform(-9, 6.5))
        if case % 3:  # where the tail is small, and not nothing
            mu = math.exp(draw.uniform(-6, 3))
            epsilon = mu * mu / 2 + mu * draw.uniform(0, 30)
        if case % 2:
            slack = math.exp(draw.uniform(-12, 8 if case % 5 == 0 else 0))
        guarantee = GaussianDP(mu if case % 20 else 0.0, Adjacency.REPLACE_ONE, slack)
        exceedance = gaussian_dp_to_privacy_loss_tail(guarantee, epsilon).exceedance
        assert exceedance == tail(guarantee, epsilon)


def test_the_curve_of_zero_concentrated_dp():
    draw = random.Random(5)
    for case in range(CASES):
        rho, epsilon = math.exp(draw.uniform(-25, 12)), math.exp(draw.uniform(-12, 8))
        if case % 3:
            epsilon = rho + math.sqrt(rho) * draw.uniform(0, 9)
        assert zcdp_to_approx_dp(ZCDP(rho), epsilon).delta == delta(rho, epsilon)


def test_orders_so_large_that_balls_lose_their_digits():
    """From an order of 1e45 on the float is the better one, and the answer still that of balls."""
    cases = [
        (1e-200, 1e-150),
        (4.561246148255185e-161, 6.531169183930495e-107),
        (7e-100, 3.6e-53),
        (5e-324, 1e-270),
        (1e-300, 1e300),
    ]
    for rho, epsilon in cases:
        assert zcdp_to_approx_dp(ZCDP(rho), epsilon).delta == delta(rho, epsilon)
