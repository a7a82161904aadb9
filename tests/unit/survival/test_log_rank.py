"""The log-rank test beside R's numbers, and its derivative beside differences in fractions."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from deniable.survival.curve import RULES
from deniable.survival.log_rank import log_rank
from deniable.survival.table import Group, Layout

TWO = [Group((2, 1, 0, 0), (0, 0, 0, 1), 0), Group((0, 1, 1, 1), (1, 1, 0, 0), 1)]
"""The ten people of test_curve by the groups 1 1 2 1 2 2 2 1 2 2."""
THREE = [Group((3, 1), (1, 2), 4), Group((1, 2), (0, 3), 2), Group((0, 4), (2, 1), 3)]


def differences(groups, rule):
    """U of any numbers of people, by its definition."""
    bins, result = len(groups[0][0]), [Fraction(0) for _ in groups]
    for k in range(bins):
        at_risk = [
            sum(d[k:]) + sum(c[k:]) + b - (c[k] / 2 if rule == "half" else 0) for d, c, b in groups
        ]
        events = sum(d[k] for d, _, _ in groups)
        for g, (d, _, _) in enumerate(groups):
            result[g] += d[k] - at_risk[g] / sum(at_risk) * events
    return result


def as_fractions(groups):
    return [
        [[*map(Fraction, g.events)], [*map(Fraction, g.censored)], Fraction(g.beyond)]
        for g in groups
    ]


def derivative(groups, rule):
    """J, column by column."""
    bins, by, columns = len(groups[0].events), Fraction(1, 10**6), [[0.0] * len(groups)]
    for group in range(len(groups)):
        for cell in range(2 * bins + 1):
            sides = []
            for step in (by, -by):
                people = as_fractions(groups)
                if cell < bins:
                    people[group][0][cell] += step
                elif cell == bins:
                    people[group][2] += step
                else:
                    people[group][1][2 * bins - cell] += step
                sides.append(differences(people, rule))
            columns.append([float((up - down) / (2 * by)) for up, down in zip(*sides, strict=True)])
    return np.array(columns).T


@pytest.mark.parametrize(
    ("rule", "u", "v", "chi_squared"),
    [("end", 1.045238, 1.176525, 0.928601), ("half", 1.092510, 1.126252, 1.059780)],
)
def test_the_ten_people(rule, u, v, chi_squared):
    """R prints six decimals."""
    test = log_rank(Layout(2, 4), TWO, rule, [0.0] * 19)
    assert [round(float(each), 6) for each in test.differences] == [u, -u]
    assert round(float(test.by_sampling[0][0]), 6) == v
    assert abs(test.chi_squared - chi_squared) < 2e-6


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("groups", [TWO, THREE])
def test_noise_counts_by_the_derivative(groups, rule):
    layout = Layout(len(groups), len(groups[0].events))
    around = [5.0, *[-0.5 / (1 + min(h, layout.cells - h)) for h in range(1, layout.cells)]]
    test = log_rank(layout, groups, rule, around)
    cells = range(layout.cells)
    matrix = np.array([[around[abs(i - j)] for j in cells] for i in cells])
    j = derivative(groups, rule)
    assert np.allclose(test.by_noise, j @ matrix @ j.T, rtol=1e-8, atol=1e-9)
    v = np.array([[float(each) for each in row] for row in test.by_sampling])
    u = np.array([float(each) for each in test.differences])
    total = (v + np.array(test.by_noise))[:-1, :-1]
    assert np.isclose(test.chi_squared, u[:-1] @ np.linalg.solve(total, u[:-1]))


@pytest.mark.parametrize("rule", RULES)
def test_any_group_may_be_left_out(rule):
    found = {
        round(log_rank(Layout(3, 2), each, rule, [2.0, *[0.0] * 15]).chi_squared, 9)
        for each in itertools.permutations(THREE)
    }
    assert len(found) == 1


@pytest.mark.parametrize("rule", RULES)
def test_groups_without_people_or_events_are_not_compared(rule):
    nobody = Group((0, 0), (0, 0), 0)
    alone = log_rank(Layout(2, 2), [nobody, nobody], rule, [0.0] * 11)
    assert (alone.chi_squared, alone.p_value) == (None, None)
    still = log_rank(Layout(2, 2), [Group((0, 0), (1, 0), 3)] * 2, rule, [0.0] * 11)
    assert (still.chi_squared, still.p_value) == (None, None)
    noisy = log_rank(Layout(2, 2), [Group((0, 0), (1, 0), 3)] * 2, rule, [1.0, *[0.0] * 10])
    assert noisy.chi_squared == 0
    assert noisy.p_value == 1


@pytest.mark.parametrize("rule", RULES)
def test_where_nobody_is_left_the_rest_adds_nothing(rule):
    short = [Group((2, 0, 0), (1, 0, 0), 0), Group((1, 0, 0), (2, 0, 0), 0)]
    cut = [Group(g.events[:1], g.censored[:1], 0) for g in short]
    long = log_rank(Layout(2, 3), short, rule, [0.0] * 15)
    assert long.differences == log_rank(Layout(2, 1), cut, rule, [0.0] * 7).differences
