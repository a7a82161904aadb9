"""Curves beside R's numbers and beside derivatives in fractions."""

import random
from fractions import Fraction

import numpy as np
import pytest

from deniable.survival.curve import (
    RULES,
    Spread,
    cumulative_hazard,
    first_time,
    quadratic_form,
    restricted_mean,
    survival,
    twice_at_risk,
)
from deniable.survival.table import Group

TEN = Group((2, 2, 1, 1), (1, 1, 0, 1), 1)
"""Times 1 2 2 3 3 4 5 7 8 9 with events 1 1 0 1 1 0 1 0 1 0, by the grid 2, 4, 6, 8."""
LUNG = Group((37, 50, 30, 21, 10, 10), (2, 21, 18, 8, 7, 0), 14)
"""The NCCTG lung study by 120 days, as R's package survival has it."""


def rational(events, censored, beyond, rule):
    """S by its definition, of numbers of people that need not be whole."""
    value, result = Fraction(1), []
    for k, (d, c) in enumerate(zip(events, censored, strict=True)):
        observed = sum(events[k:]) + sum(censored[k:]) + beyond
        value *= 1 - d / (observed - (c / 2 if rule == "half" else 0))
        result.append(value)
    return result


def moved(group, cell, by, rule):
    """S with so many more people in a cell, in the order of the layout."""
    bins = len(group.events)
    events, censored = [*map(Fraction, group.events)], [*map(Fraction, group.censored)]
    beyond = Fraction(group.beyond)
    if cell < bins:
        events[cell] += by
    elif cell == bins:
        beyond += by
    else:
        censored[2 * bins - cell] += by
    return rational(events, censored, beyond, rule)


def some_groups():
    draw = random.Random(3)
    for _ in range(12):
        bins = draw.randint(1, 5)
        numbers = [[draw.randint(0, 9) for _ in range(bins)] for _ in range(2)]
        yield Group(tuple(numbers[0]), tuple(numbers[1]), draw.randint(2, 9))


def test_the_ten_people():
    assert TEN.observed == [10, 7, 4, 3, 1]
    assert survival(TEN, "end") == [Fraction(4, 5), Fraction(4, 7), Fraction(3, 7), Fraction(2, 7)]
    expected = [Fraction(15, 19), Fraction(135, 247), Fraction(405, 988), Fraction(243, 988)]
    assert survival(TEN, "half") == expected


def test_the_lung_study():
    curve = [round(float(each), 6) for each in survival(LUNG, "half")]
    assert curve == [0.837004, 0.602549, 0.436710, 0.297757, 0.218355, 0.127374]
    times = [120.0 * k for k in range(1, 7)]
    assert round(first_time(times, survival(LUNG, "half"), Fraction(1, 2)), 3) == 309.548


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("group", [TEN, LUNG, *some_groups()])
def test_gradients_are_derivatives(group, rule):
    spread, by = Spread.of(group, rule), Fraction(1, 10**6)
    for cell in range(2 * len(group.events) + 1):
        pairs = zip(moved(group, cell, by, rule), moved(group, cell, -by, rule), strict=True)
        slopes = [float((up - down) / (2 * by)) for up, down in pairs]
        assert np.allclose(spread.gradients[:, cell], slopes, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_without_a_share_of_one_variances_are_greenwoods(rule):
    for group in (TEN, LUNG, *some_groups()):
        spread, total = Spread.of(group, rule), Fraction(0)
        for k, (d, m) in enumerate(zip(group.events, twice_at_risk(group, rule), strict=True)):
            total += d / (Fraction(m, 2) * (Fraction(m, 2) - d))
            assert np.isclose(spread.variances[k], float(total), rtol=1e-13)
        exact = [float(each) for each in survival(group, rule)]
        assert np.allclose(spread.values, exact, rtol=1e-13)


@pytest.mark.parametrize("rule", RULES)
def test_a_group_without_events_keeps_all(rule):
    group = Group((0, 0), (3, 0), 2)
    assert survival(group, rule) == [1, 1]
    assert cumulative_hazard(group, rule) == [0, 0]
    assert Spread.of(group, rule).variances.tolist() == [0, 0]


@pytest.mark.parametrize("rule", RULES)
def test_where_all_have_the_event_nothing_is_infinite(rule):
    group = Group((1, 3, 0), (0, 0, 0), 0)
    assert survival(group, rule) == [Fraction(3, 4), 0, None]
    spread = Spread.of(group, rule)
    assert len(spread.values) == 2
    assert np.isfinite(spread.gradients).all()
    assert spread.values[-1] > 0
    assert restricted_mean([1, 2, 3], survival(group, rule), spread.covariance_with(0)) is None


def test_nobody_has_no_curve():
    nobody = Group((0, 0), (0, 0), 0)
    assert survival(nobody, "half") == cumulative_hazard(nobody, "half") == [None, None]
    assert Spread.of(nobody, "half").gradients.shape == (0, 5)


def test_the_covariance_of_the_noise_is_the_quadratic_form():
    draw = np.random.default_rng(2)
    vectors, around = draw.normal(size=(3, 5)), draw.normal(size=9)
    around = [around[min(h, 9 - h)] for h in range(9)]
    matrix = np.array([[around[(i - j) % 9] for j in range(5)] for i in range(5)])
    assert np.allclose(quadratic_form(vectors, around), vectors @ matrix @ vectors.T)


def test_the_restricted_mean_is_the_area_of_trapezoids():
    times, values = [1.0, 3.0, 4.0], [Fraction(1, 2), Fraction(1, 4), Fraction(0)]
    covariance = np.diag([1.0, 4.0, 9.0]) + 0.5
    area, deviation = restricted_mean(times, values, covariance)
    weights = np.array([1.5, 1.5, 0.5])
    assert area == 0.75 + 0.75 + 0.125
    assert np.isclose(deviation**2, weights @ covariance @ weights)
