import itertools
import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.priors import ProductPrior, SizeConditionedPrior
from deniable.priors.size_conditioned import odds
from deniable.priors.universe import subsets
from tests.cases.refusals import refuses


def by_definition(weights, k):
    """Products of weights over all k-subsets; infinite weights must be in."""
    law = {}
    for chosen in itertools.combinations(range(len(weights)), k):
        certain = {i for i, w in enumerate(weights) if math.isinf(w)}
        if certain <= set(chosen):
            row = sum(1 << i for i in chosen)
            law[row] = math.prod(weights[i] for i in set(chosen) - certain)
    total = math.fsum(law.values())
    return np.array([law.get(row, 0.0) / total for row in range(2 ** len(weights))])


@pytest.mark.parametrize("k", range(2, 5))
def test_the_definition(k):
    weights = [0.5, math.inf, 3.0, 0.0, 1.0, 7.0]
    found = np.exp(SizeConditionedPrior(weights, k).log_prob(subsets(6)))
    assert found == pytest.approx(by_definition(weights, k), rel=1e-13, abs=1e-300)


def test_it_is_the_product_given_its_size():
    p = [0.2, 0.7, 0.5, 1.0, 0.0]
    rows = subsets(5)
    law = np.exp(ProductPrior(p).log_prob(rows)) * (rows.sum(axis=1) == 2)
    prior = SizeConditionedPrior(odds(p), 2)
    assert np.exp(prior.log_prob(rows)) == pytest.approx(law / law.sum())


def test_only_ratios_matter():
    one, two = (SizeConditionedPrior([c, 2 * c, 5 * c], 2) for c in (1.0, 1e100))
    assert one.log_prob(subsets(3)) == pytest.approx(two.log_prob(subsets(3)))


@pytest.mark.parametrize("n_members", [0, 2])
def test_one_subset_only(n_members):
    prior = SizeConditionedPrior([3.0, 1.0], n_members)
    member = n_members == 2
    assert prior.marginals.tolist() == [float(member)] * 2
    assert prior.draws(np.random.default_rng(0), 2).tolist() == [[member] * 2] * 2
    assert prior.log_prob(np.full((1, 2), member)).tolist() == [0.0]
    assert prior.scaled(0, float(member)) is prior
    with refuses(InvalidArgument, "entity-0-in-out-never"):
        prior.scaled(0, 0.5)
    with refuses(InvalidArgument, "entity-0-in-out-never"):
        prior.given(0, member=not member)


def test_one_subset_of_thousands():
    """Halves to the power of thousands would be 0."""
    everyone = SizeConditionedPrior(np.ones(5000), 5000)
    assert everyone.draws(np.random.default_rng(0), 1).all()
    assert everyone.log_prob(np.ones((1, 5000), dtype=bool)).tolist() == [0.0]


def test_scaling_is_exact_where_marginals_round_to_certainty():
    prior = SizeConditionedPrior([1e200, 1.0, 2.0], 1)
    assert prior.marginals[0] == 1.0
    scaled = prior.scaled(0, 0.5)
    assert scaled.weights == pytest.approx([3.0, 1.0, 2.0])
    with refuses(InvalidArgument, "probability-whose-weight-float: 1e-150"):
        SizeConditionedPrior([1e-200, 1e-200], 1).scaled(0, 1e-150)


def test_ten_thousand_entities():
    rng = np.random.default_rng(3)
    weights = rng.lognormal(0, 2, 10_000)
    prior = SizeConditionedPrior(weights, 4000)
    assert prior.marginals.sum() == pytest.approx(4000, rel=1e-13)
    drawn = prior.draws(rng, 100)
    assert (drawn.sum(axis=1) == 4000).all()
    # Moving one membership from j to i multiplies the probability by w_i/w_j.
    i, j = int(np.flatnonzero(~drawn[0])[0]), int(np.flatnonzero(drawn[0])[0])
    moved = drawn[:1].copy()
    moved[0, [i, j]] = True, False
    change = prior.log_prob(moved) - prior.log_prob(drawn[:1])
    assert change == pytest.approx(math.log(weights[i] / weights[j]), abs=1e-9)


@pytest.mark.parametrize(
    ("weights", "n_members", "message"),
    [
        ([-1.0], 0, "weights-at-least-0: -1.0"),
        ([1.0], 2, "n-members-between-and-numbers: 0 | 1 | 2"),
        ([math.inf, math.inf, 1.0], 1, "n-members-between-and-numbers: 2 | 3 | 1"),
        ([0.0, 1.0], 2, "n-members-between-and-numbers: 0 | 1 | 2"),
        ([math.nan], 0, "weights-to-numbers-nan"),
        ([1.0], 0.5, "not-whole: n_members"),
    ],
)
def test_wrong_arguments(weights, n_members, message):
    with refuses(InvalidArgument, message):
        SizeConditionedPrior(weights, n_members)


def test_odds():
    assert odds([0.0, 0.5, 1.0]).tolist() == [0.0, 1.0, math.inf]
