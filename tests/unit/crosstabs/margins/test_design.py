import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.crosstabs.margins import (
    LEAST_MULTIPLIER,
    balance,
    close_downwards,
    count_design,
    residual_design,
    rounded_root,
    sensitivity,
    weigh,
)
from deniable.errors import InvalidArgument
from deniable.notions import Adjacency
from tests.cases.effort import usual
from tests.cases.exact_margins import variance
from tests.cases.refusals import refuses
from tests.oracles.margins import optimum

TWO_WAY = close_downwards((2, 3, 5), [(0, 1), (1, 2)])


def spent(margins, noise):
    """Σ p_B/σ_B², which is 2ρ."""
    return sum(
        math.prod(1 - 1 / margins.sizes[i] for i in block) / value for block, value in noise.items()
    )


def variances(margins, noise):
    """By the covariance of section 2, written as it stands there."""
    return {
        margin: sum(
            value
            * math.prod(1 - 1 / margins.sizes[i] for i in block)
            * math.prod(margins.sizes[i] ** -2 for i in margin if i not in block)
            for block, value in noise.items()
            if set(block) <= set(margin)
        )
        for margin in margins.margins
    }


@pytest.mark.parametrize("public_total", [False, True])
def test_no_other_split_of_the_budget_has_a_smaller_weighted_sum(public_total):
    weights = weigh(TWO_WAY, {(0, 1): 3})
    noise, reached, smallest = optimum(TWO_WAY, weights, 0.3, public_total=public_total)
    assert spent(TWO_WAY, noise) == pytest.approx(0.6)
    assert reached == pytest.approx(variances(TWO_WAY, noise))
    least = sum(float(weights[margin]) * value for margin, value in reached.items())
    assert smallest == pytest.approx(least)
    for block, factor in itertools.product(noise, (0.5, 0.9, 1.1, 2.0)):
        other = noise | {block: noise[block] * factor}
        share = spent(TWO_WAY, other) / 0.6
        worse = variances(TWO_WAY, {name: value * share for name, value in other.items()})
        assert sum(float(weights[a]) * value for a, value in worse.items()) > least


def test_weights_are_cells_times_importance():
    weights = weigh(TWO_WAY, {(0, 1): 0.5})
    assert (weights[0, 1], weights[1, 2], weights[()]) == (3, 15, 1)


@pytest.mark.parametrize(
    ("importance", "message"),
    [
        ({(0, 1): 0.0}, "positive-weight-of-margin"),
        ({(0,): -1.0}, "below-least: _ | 0"),
    ],
)
def test_importance_that_means_nothing_is_refused(importance, message):
    with refuses(InvalidArgument, message):
        weigh(TWO_WAY, importance)


@pytest.mark.parametrize("public_total", [False, True])
def test_the_largest_variance_is_nearly_least(public_total):
    margins = close_downwards((2, 3, 5), [(0, 1, 2)])
    best = balance(margins, public_total=public_total)
    _, reached, bound = optimum(margins, best, 0.5, public_total=public_total)
    assert sum(best.values()) == pytest.approx(1)  # so that no weights go below the bound
    assert bound <= max(reached.values()) * (1 + 1e-12)
    assert max(reached.values()) <= (1 + 1e-3) * bound
    _, other, _ = optimum(margins, weigh(margins), 0.5, public_total=public_total)
    assert max(other.values()) > 1.01 * max(reached.values())
    assert balance(margins, public_total=public_total) == best


@settings(max_examples=usual(17, 50))
@given(st.integers(0, 2**60), st.integers(1, 2**20), st.sampled_from([3, 4]))
def test_roots_are_rounded_exactly(numerator, denominator, root):
    power = Fraction(numerator, denominator)
    half = rounded_root(power, root)  # of (2x)^root = power: |x − half| <= 1/2
    assert max(2 * half - 1, 0) ** root <= power < (2 * half + 1) ** root


@pytest.mark.parametrize("sizes", [(2, 3), (2, 40, 300), (17, 2, 2)])
def test_whole_multipliers_lose_less_than_half_a_percent(sizes):
    margins = close_downwards(sizes, itertools.combinations(range(len(sizes)), 2))
    weights = weigh(margins)
    design = residual_design(margins, weights)
    assert min(design.multipliers) >= LEAST_MULTIPLIER
    squared = sensitivity(design, Adjacency.ADD_REMOVE).squared_l2
    # At ρ = ½ the scale is the sensitivity.
    reached = sum(weights[a] * variance(design, a, squared) for a in margins.margins)
    _, _, best = optimum(margins, weights, 0.5)
    assert best * (1 - 1e-9) <= reached <= best * 1.005


def test_a_public_total_takes_no_multiplier():
    assert residual_design(TWO_WAY, weigh(TWO_WAY), public_total=True).multipliers[0] == 0
    assert count_design(TWO_WAY, weigh(TWO_WAY), public_total=True).multipliers[0] == 0


def test_counts_are_multiplied_by_cube_roots():
    margins = close_downwards((8, 27), [(0,), (1,)])
    first, second, third = count_design(margins, weigh(margins)).multipliers
    assert (first, second, third) == (341, 683, 1024)
