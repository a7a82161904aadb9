import itertools
import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import (
    Adjacency,
    BayesianDP,
    BayesianSemantic,
    PosteriorGain,
    PosteriorRatio,
    PureDP,
    Semantic,
)
from deniable.theorems.semantic import (
    bayesian_dp_to_bayesian_semantic,
    bayesian_dp_to_bayesian_semantic_as_published,
    bayesian_semantic_to_bayesian_dp,
    bayesian_semantic_to_bayesian_dp_as_published,
    bayesian_semantic_to_semantic,
    posterior_gain_to_pure_dp,
    posterior_ratio_to_pure_dp,
    pure_dp_to_posterior_gain,
    pure_dp_to_posterior_ratio,
    pure_dp_to_semantic,
    pure_dp_to_semantic_as_published,
    pure_dp_to_semantic_of_one_record,
    semantic_to_pure_dp,
    semantic_to_pure_dp_as_published,
)

OUT = Adjacency.ADD_REMOVE


@pytest.mark.parametrize("epsilon", [1e-300, 1e-9, 0.2, 1.0, 20.0])
def test_half_the_loss_as_a_hyperbolic_tangent(epsilon):
    for adjacency in Adjacency:
        found = pure_dp_to_semantic(PureDP(epsilon, adjacency))
        assert (found.records, found.adjacency) == (None, adjacency)
        assert found.epsilon == pytest.approx(math.tanh(epsilon / 2), rel=1e-14)


def test_edges():
    assert pure_dp_to_semantic(PureDP(0.0)) == Semantic(0.0)
    assert pure_dp_to_semantic(PureDP(math.inf)).epsilon == 1.0
    assert pure_dp_to_semantic(PureDP(1e300)).epsilon == 1.0


@pytest.mark.parametrize("epsilon", [1e-300, 1e-9, 0.2, 1.0, 20.0])
def test_a_quarter_of_the_loss(epsilon):
    found = pure_dp_to_semantic_of_one_record(PureDP(epsilon))
    assert found.records == 1
    assert found.epsilon == pytest.approx(math.tanh(epsilon / 4), rel=1e-14)


def test_edges__pure_dp_to_semantic_of_one_record():
    assert pure_dp_to_semantic_of_one_record(PureDP(0.0)) == Semantic(0.0, records=1)
    assert pure_dp_to_semantic_of_one_record(PureDP(math.inf)).epsilon == 1.0
    with pytest.raises(NotApplicable, match="got add-remove"):
        pure_dp_to_semantic_of_one_record(PureDP(1.0, Adjacency.ADD_REMOVE))


def test_it_is_weaker_and_soon_vacuous():
    for epsilon in (0.0, 0.01, 0.3):
        published = pure_dp_to_semantic_as_published(PureDP(epsilon)).epsilon
        assert published == pytest.approx(math.expm1(2 * epsilon), rel=1e-14)
        assert pure_dp_to_semantic(PureDP(epsilon)).epsilon <= published
    for epsilon in (math.log(2) / 2 * 1.0001, 5.0, math.inf):
        assert pure_dp_to_semantic_as_published(PureDP(epsilon)) == Semantic(1.0)
    assert pure_dp_to_semantic_as_published(PureDP(0.346)).epsilon < 1


@pytest.mark.parametrize("distance", [1e-300, 1e-9, 0.2, 0.9])
def test_four_times_the_inverse_tangent(distance):
    for adjacency in Adjacency:
        found = semantic_to_pure_dp(Semantic(distance, adjacency=adjacency))
        assert found.adjacency is adjacency
        assert found.epsilon == pytest.approx(4 * math.atanh(distance), rel=1e-14)


def test_edges__semantic_to_pure_dp():
    assert semantic_to_pure_dp(Semantic(0.0)) == PureDP(0.0)
    assert semantic_to_pure_dp(Semantic(1.0)) == PureDP(math.inf)


def test_it_inverts_the_bound_of_one_record():
    back = semantic_to_pure_dp(pure_dp_to_semantic_of_one_record(PureDP(0.7))).epsilon
    assert 0.7 <= back == pytest.approx(0.7, rel=1e-14)


@pytest.mark.parametrize("epsilon", [1e-9, 0.3, 2.0])
def test_the_hypothesis_of_the_paper(epsilon):
    hypothesis = Semantic(0.5 - 1 / (math.exp(epsilon) + 1))
    published = semantic_to_pure_dp_as_published(hypothesis).epsilon
    assert published == pytest.approx(epsilon, rel=1e-6)
    assert semantic_to_pure_dp(hypothesis).epsilon <= published


def test_edges__semantic_to_pure_dp_as_published():
    assert semantic_to_pure_dp_as_published(Semantic(0.0)) == PureDP(0.0)
    with pytest.raises(NotApplicable, match="below 1/2"):
        semantic_to_pure_dp_as_published(Semantic(0.5))


@pytest.mark.parametrize("epsilon", [0.0, 0.2, 3.0])
def test_correlation_costs_nothing(epsilon):
    for adjacency, independent in itertools.product(Adjacency, (False, True)):
        found = bayesian_dp_to_bayesian_semantic(BayesianDP(epsilon, adjacency, independent))
        assert (found.adjacency, found.independent) == (adjacency, independent)
        assert found.epsilon == pytest.approx(math.tanh(epsilon / 2), rel=1e-14)


def test_no_bound():
    assert bayesian_dp_to_bayesian_semantic(BayesianDP(math.inf)) == BayesianSemantic(1.0)


def test_it_is_weaker():
    for epsilon in (0.0, 0.1, 0.3, math.inf):
        published = bayesian_dp_to_bayesian_semantic_as_published(BayesianDP(epsilon))
        assert published.epsilon == pytest.approx(min(math.expm1(2 * epsilon), 1.0), rel=1e-14)
        sharp = bayesian_dp_to_bayesian_semantic(BayesianDP(epsilon))
        assert sharp.epsilon <= published.epsilon


@pytest.mark.parametrize("distance", [0.0, 1e-9, 0.2, 0.9])
def test_four_times_the_inverse_tangent__bayesian_semantic_to_bayesian_dp(distance):
    for adjacency in Adjacency:
        found = bayesian_semantic_to_bayesian_dp(BayesianSemantic(distance, adjacency))
        assert (found.adjacency, found.independent) == (adjacency, False)
        alone = BayesianSemantic(distance, adjacency, independent=True)
        assert bayesian_semantic_to_bayesian_dp(alone).independent
        assert found.epsilon == pytest.approx(4 * math.atanh(distance), rel=1e-14)


def test_no_bound__bayesian_semantic_to_bayesian_dp():
    assert bayesian_semantic_to_bayesian_dp(BayesianSemantic(1.0)) == BayesianDP(math.inf)


def test_it_is_weaker__bayesian_semantic_to_bayesian_dp_as_published():
    for distance in (0.0, 0.1, 0.4):
        published = bayesian_semantic_to_bayesian_dp_as_published(BayesianSemantic(distance))
        assert published.epsilon == pytest.approx(2 * math.atanh(2 * distance), rel=1e-14)
        sharp = bayesian_semantic_to_bayesian_dp(BayesianSemantic(distance))
        assert sharp.epsilon <= published.epsilon
    with pytest.raises(NotApplicable, match="below 1/2"):
        bayesian_semantic_to_bayesian_dp_as_published(BayesianSemantic(0.6))


def test_the_number_stays():
    for adjacency in Adjacency:
        found = bayesian_semantic_to_semantic(BayesianSemantic(0.2, adjacency))
        assert found == Semantic(0.2, adjacency=adjacency)


def test_one_step_or_two():
    assert pure_dp_to_posterior_ratio(PureDP(0.0)) == PosteriorRatio(1.0)
    assert pure_dp_to_posterior_ratio(PureDP(math.log(2))).ratio == pytest.approx(2.0)
    assert pure_dp_to_posterior_ratio(PureDP(math.log(2), OUT)).ratio == pytest.approx(4.0)
    assert pure_dp_to_posterior_ratio(PureDP(math.inf)).ratio == math.inf


@pytest.mark.parametrize("ratio", [1.0, 1.5, 9.0, math.inf])
def test_the_logarithm(ratio):
    found = posterior_ratio_to_pure_dp(PosteriorRatio(ratio))
    assert found.adjacency is Adjacency.REPLACE_ONE
    assert found.epsilon == pytest.approx(math.log(ratio), rel=1e-15)


def test_one_step_or_two__pure_dp_to_posterior_gain():
    assert pure_dp_to_posterior_gain(PureDP(0.0)) == PosteriorGain(0.0)
    assert pure_dp_to_posterior_gain(PureDP(1.0)).gain == pytest.approx(math.tanh(0.25))
    assert pure_dp_to_posterior_gain(PureDP(1.0, OUT)).gain == pytest.approx(math.tanh(0.5))
    assert pure_dp_to_posterior_gain(PureDP(math.inf)).gain == 1.0


@pytest.mark.parametrize("gain", [0.0, 0.1, 0.5])
def test_there_and_back(gain):
    found = posterior_gain_to_pure_dp(PosteriorGain(gain))
    assert found.adjacency is Adjacency.REPLACE_ONE
    back = pure_dp_to_posterior_gain(found).gain
    assert gain <= back == pytest.approx(gain, rel=1e-14)


def test_certainty_is_no_bound():
    assert posterior_gain_to_pure_dp(PosteriorGain(1.0)) == PureDP(math.inf)
