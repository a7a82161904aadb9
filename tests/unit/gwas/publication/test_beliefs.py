import math

import pytest

from deniable.errors import InvalidArgument
from deniable.gwas.publication.beliefs import prior_after_frequencies, study_budget
from deniable.gwas.scores.adjacency import StudyAdjacency
from deniable.priors import BoundedPriors

GENOTYPE, SWAP = StudyAdjacency


def budget(adjacency, **target):
    return study_budget(cases=1000, controls=1000, adjacency=adjacency, **target)


def test_each_adjacency_has_its_default_prior():
    assert budget(GENOTYPE, gamma=2.0).epsilon == pytest.approx(math.log(2), abs=1e-12)
    assert budget(SWAP, gamma=2.0).epsilon == pytest.approx(math.log(3), abs=1e-12)
    one_in_four = study_budget(cases=500, controls=1500, adjacency=SWAP, gamma=2.0)
    # ((1 − a)γ/(1 − aγ), (γ + b − 1)/b) = (3, 5)
    assert one_in_four.epsilon == pytest.approx(math.log(3), abs=1e-12)


def test_a_prior_of_the_owner_s_wins():
    found = budget(GENOTYPE, gamma=2.0, prior=(0.1, 0.9))
    assert found.epsilon == pytest.approx(0.747214, abs=1e-6)
    assert found.adversary == BoundedPriors(0.1, 0.9)


def test_epsilon_outright():
    found = budget(GENOTYPE, epsilon=1.0)
    assert found.epsilon == 1.0
    assert found.gamma == pytest.approx(math.e)


@pytest.mark.parametrize("target", [{}, {"gamma": 2.0, "epsilon": 1.0}])
def test_exactly_one_target(target):
    with pytest.raises(InvalidArgument, match="Expected exactly one of gamma and epsilon"):
        budget(SWAP, **target)


def test_published_frequencies_widen_the_prior():
    m, n, z = 300, 1000, 2.5
    found = prior_after_frequencies(0.2, unlinked_variants=m, pool=n, deviations=z)
    shift = m / (2 * n) + z * math.sqrt(m / n)
    for end, sign in ((found.low, -1), (found.high, 1)):
        logit = math.log(0.2 / 0.8) + sign * shift
        assert end == pytest.approx(1 / (1 + math.exp(-logit)), rel=1e-12)


def test_extremes_stay_within_0_and_1():
    everything = prior_after_frequencies(0.5, unlinked_variants=10**9, pool=1)
    assert (everything.low, everything.high) == pytest.approx((0.0, 1.0))
    assert prior_after_frequencies(0.3, unlinked_variants=0, pool=5) == BoundedPriors(0.3, 0.3)


@pytest.mark.parametrize(
    ("prior", "m", "n", "z", "match"),
    [
        (0.0, 1, 1, 1.0, "prior"),
        (0.5, -1, 1, 1.0, "unlinked_variants"),
        (0.5, 1, 0, 1.0, "pool"),
        (0.5, 1, 1, -1.0, "deviations"),
    ],
)
def test_arguments_are_checked(prior, m, n, z, match):
    with pytest.raises(InvalidArgument, match=match):
        prior_after_frequencies(prior, unlinked_variants=m, pool=n, deviations=z)
