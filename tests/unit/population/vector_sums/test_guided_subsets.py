"""The sampler's law, exactly: every subset's probability, its frequency, and the partner's."""

import itertools

import numpy as np
import pytest
from scipy.stats import chi2

from deniable.population.vector_sums.guide import Guide
from deniable.population.vector_sums.guided_subsets import (
    Hidden,
    guided_subsets,
    uniform_subsets,
)

POINTS = np.random.default_rng(1).normal(size=(6, 2))
GUIDE = Guide.towards(POINTS, 0.5, np.eye(2))
SIZES = (2, 3)
TARGETS = np.array([[0.7, 0.2], [-0.4, 0.9]])  # coordinates × rows
FALSE_ALARM = 1e-9


def every(size):
    """All subsets of a size as columns."""
    columns = list(itertools.combinations(range(len(POINTS)), size))
    members = np.zeros((len(POINTS), len(columns)), bool)
    for column, subset in enumerate(columns):
        members[list(subset), column] = True
    return members


def targets(columns):
    return np.repeat(TARGETS[:, :, None], columns, axis=2)


def probabilities(row):
    """The sampler's own account of every subset's probability, by hiding each of them."""
    members = every(SIZES[row])
    hidden, rng = Hidden(row, members), np.random.default_rng(0)
    drawn = guided_subsets(rng, GUIDE, targets(members.shape[1]), SIZES, hidden=hidden)
    return np.exp(-drawn.log_shares[row]) / members.shape[1]


def counts(members, size):
    """How often each subset occurs."""
    all_of_them = every(size)
    code = 1 << np.arange(len(POINTS))
    position = {int(c): i for i, c in enumerate(code @ all_of_them)}
    found = [position[int(c)] for c in code @ members]
    return np.bincount(found, minlength=all_of_them.shape[1])


def agrees(observed, expected):
    statistic = ((observed - expected) ** 2 / expected).sum()
    return statistic < chi2.isf(FALSE_ALARM, len(expected) - 1)


@pytest.mark.parametrize("row", [0, 1])
def test_probabilities_add_up_to_one(row):
    found = probabilities(row)
    assert found.min() > 0
    assert found.sum() == pytest.approx(1, rel=1e-12)
    assert found.max() / found.min() > 5  # it does lean


@pytest.mark.parametrize("row", [0, 1])
def test_subsets_come_as_often_as_their_probability_says(row):
    n_draws = 40_000
    drawn = guided_subsets(np.random.default_rng(3), GUIDE, targets(n_draws), SIZES, keep=True)
    expected = n_draws * probabilities(row)
    observed = counts(drawn.members[:, row], SIZES[row])
    assert agrees(observed, expected)
    assert not agrees(observed, np.full(len(expected), n_draws / len(expected)))


@pytest.mark.parametrize("row", [0, 1])
def test_the_partner_of_a_hidden_subset_follows_its_own_law(row):
    """Hide what the sampler would have drawn: the pair must be as if nothing was hidden."""
    n_draws, rng = 40_000, np.random.default_rng(4)
    truth = guided_subsets(rng, GUIDE, targets(n_draws), SIZES, keep=True).members[:, row]
    drawn = guided_subsets(
        rng, GUIDE, targets(n_draws), SIZES, hidden=Hidden(row, truth), keep=True
    )
    assert np.array_equal(drawn.members[:, row], truth)
    assert agrees(
        counts(drawn.members[:, 1 - row], SIZES[1 - row]), n_draws * probabilities(1 - row)
    )
    alike = (drawn.members[:, 0] & drawn.members[:, 1]).sum(axis=0).mean()
    assert alike > 1.5  # of 2; independent ones would share about 1


def test_only_the_first_columns_are_hidden():
    members = every(2)[:, :4]
    drawn = guided_subsets(
        np.random.default_rng(0), GUIDE, targets(9), SIZES, hidden=Hidden(0, members), keep=True
    )
    assert np.array_equal(drawn.members[:, 0, :4], members)
    assert drawn.members[:, 0].sum(axis=0).tolist() == [2] * 9
    assert drawn.members[:, 1].sum(axis=0).tolist() == [3] * 9


def test_what_is_missing_and_the_mean_weight_is_the_density():
    n_draws = 20_000
    drawn = guided_subsets(np.random.default_rng(5), GUIDE, targets(n_draws), SIZES, keep=True)
    for row, size in enumerate(SIZES):
        missing = TARGETS[:, [row]] - POINTS.T @ drawn.members[:, row]
        assert drawn.missing[:, row] == pytest.approx(missing, abs=1e-12)
        exact = np.exp(-((TARGETS[:, [row]] - POINTS.T @ every(size)) ** 2).sum(axis=0) / 2).mean()
        weights = np.exp(drawn.log_weights()[row])
        error = weights.std() / np.sqrt(n_draws)
        assert abs(weights.mean() - exact) < 6.2 * error  # false alarm 1e-9
        assert error < exact / 50


def test_extreme_targets_leave_every_subset_possible():
    far = np.full((2, 1, 15), 1e6)
    hidden = Hidden(0, every(2))
    drawn = guided_subsets(np.random.default_rng(0), GUIDE, far, (2,), hidden=hidden)
    assert np.all(np.isfinite(drawn.log_shares))


def test_an_empty_and_a_full_row():
    drawn = guided_subsets(np.random.default_rng(0), GUIDE, targets(4), (0, 6), keep=True)
    assert drawn.members[:, 0].sum() == 0
    assert drawn.members[:, 1].all()
    assert drawn.log_shares == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("size", [1, 3, 6])
def test_uniform_subsets_are_uniform(size):
    members = uniform_subsets(np.random.default_rng(6), 6, size, 20_000)
    number = every(size).shape[1]
    observed = counts(members, size)
    assert number == 1 or agrees(observed, np.full(number, 20_000 / number))


def test_no_record_at_all():
    assert uniform_subsets(np.random.default_rng(0), 4, 0, 3).sum() == 0
