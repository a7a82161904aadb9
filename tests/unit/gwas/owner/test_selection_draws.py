import numpy as np
import pytest
from scipy.stats import chi2

from deniable.errors import InvalidArgument
from deniable.gwas.owner.selection_draws import selection_draws
from deniable.mechanisms import NoisyTopK

NOISES = pytest.mark.parametrize("noise", ["exponential", "gumbel"])


def misfit(law, drawn):
    """Pearson's statistic over the orders expected five times or more, and its far quantile."""
    orders = list(law)
    base = 1 + max(max(order) for order in orders)
    weights = base ** np.arange(len(orders[0]))
    seen = np.bincount(drawn @ weights, minlength=base ** len(orders[0]))
    expected = np.array([law[order] for order in orders]) * len(drawn)
    counts = seen[np.array(orders) @ weights]
    often = expected >= 5
    pooled = np.append(expected[often], expected[~often].sum() + 1e-9)
    found = np.append(counts[often], counts[~often].sum())
    return ((found - pooled) ** 2 / pooled).sum(), chi2.isf(1e-9, len(pooled) - 1)


@NOISES
@pytest.mark.parametrize("scores", [[5, 3, 0, -1, -2, -9], [0, 0, 0, -8, -8], [40, 1, 0, 0, 0, -1]])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_draws_follow_the_law(scores, number, noise):
    select = NoisyTopK(2.0, number, noise)
    rng = np.random.default_rng(7)
    drawn = selection_draws(scores, select, rng, 60_000)
    found, limit = misfit(select.law(scores), drawn)
    assert found < limit
    other = NoisyTopK(2.0, number, "gumbel" if noise == "exponential" else "exponential")
    if len(set(scores)) > 2 and scores[0] < 40:
        found, limit = misfit(other.law(scores), drawn)
        assert found > limit


@NOISES
def test_blocks_and_shapes(noise):
    """A block holds some two million cells, so that these are three."""
    select, size = NoisyTopK(1.0, 2, noise), 50_000
    drawn = selection_draws(np.arange(100), select, np.random.default_rng(0), size)
    assert (drawn.shape, drawn.dtype) == ((size, 2), np.int64)
    assert (drawn[:, 0] != drawn[:, 1]).all()
    assert selection_draws([0, 1], select, np.random.default_rng(0), 0).shape == (0, 2)


@NOISES
def test_far_scores_do_not_overflow(noise):
    scores = np.array([2**60, 0, -(2**60), 5])
    drawn = selection_draws(scores, NoisyTopK(1.0, 2, noise), np.random.default_rng(0), 50)
    assert np.isin(drawn, [0, 1, 3]).all()
    assert (drawn[:, 0] == 0).all()


def test_too_few_variants():
    with pytest.raises(InvalidArgument, match="at least number=3 variants, got 2"):
        selection_draws([0, 1], NoisyTopK(1.0, 3, "gumbel"), np.random.default_rng(0), 1)
