import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP, BayesianDP, KAnonymity, PureDP, SamplingDP
from deniable.theorems import adjacency as theorems
from tests.cases.refusals import refuses
from tests.cases.theorem_tables import agree, edges, refusals

OUT = Adjacency.ADD_REMOVE

sampled, lower_rate = theorems.approx_dp_to_sampling_dp, theorems.sampling_dp_to_lower_rate
everyone, k_anonymity = theorems.sampling_dp_to_approx_dp, theorems.k_anonymity_to_sampling_dp
to_bayesian, from_bayesian = theorems.pure_dp_to_bayesian_dp, theorems.bayesian_dp_to_pure_dp


@edges(
    (sampled, ApproxDP(math.log(3), 0.5, OUT), 0.25, SamplingDP(0.25, math.log(1.5), 0.125)),
    (sampled, ApproxDP(0.7, 1e-6, OUT), 1.0, SamplingDP(1.0, 0.7, 1e-6)),
    (lower_rate, SamplingDP(0.5, math.log(3), 0.5), 0.25, SamplingDP(0.25, math.log(2), 0.25)),
    (lower_rate, SamplingDP(0.5, 1.0, 0.1), 0.5, SamplingDP(0.5, 1.0, 0.1)),
    (lower_rate, SamplingDP(0.5, 0.0), 0.1, SamplingDP(0.1, 0.0)),
    (lower_rate, SamplingDP(0.5, math.inf), 0.1, SamplingDP(0.1, math.inf)),
    (everyone, SamplingDP(1.0, 0.5, 1e-6), ApproxDP(0.5, 1e-6, OUT)),
    # k = 1: one entity in a group, kept with probability β, is published
    (k_anonymity, KAnonymity(1), 0.25, 1.0, SamplingDP(0.25, 1.0, 0.25)),
    *((to_bayesian, PureDP(0.2, a), BayesianDP(0.2, a, independent=True)) for a in Adjacency),
    *(
        (from_bayesian, BayesianDP(0.2, a, independent), PureDP(0.2, a))
        for a in Adjacency
        for independent in (False, True)
    ),
)
def test_edges(theorem, given, expected):
    assert agree(theorem(*given), expected)


@pytest.mark.parametrize(
    ("k", "beta", "epsilon", "delta"), [(5, 0.1, 1.0, 1.765e-4), (20, 0.2, 1.0, 6.033e-9)]
)
def test_the_table_of_the_paper(k, beta, epsilon, delta):
    found = k_anonymity(KAnonymity(k), beta, epsilon)
    assert (found.beta, found.epsilon) == (beta, epsilon)
    assert found.delta == pytest.approx(delta, rel=1e-3)


def test_a_rate_near_one_still_ends():
    assert 0.9 < k_anonymity(KAnonymity(5), 0.999, 7.0).delta <= 1.0


def test_the_least_epsilon_of_a_rate_is_enough():
    assert k_anonymity(KAnonymity(5), 0.5, math.log(2) * 1.001).delta < 1


@refusals(
    (
        sampled,
        ApproxDP(1.0, 0.0),
        0.5,
        NotApplicable,
        "guarantee-with-neighbours: _ | replace-one",
    ),
    (lower_rate, SamplingDP(0.5, 1.0), 0.6, NotApplicable, "sampling-more-amplifies-less"),
    (everyone, SamplingDP(0.5, 0.5), NotApplicable, "beta-1"),
    (k_anonymity, KAnonymity(5), 0.5, 0.69, NotApplicable, "epsilon-at-least-ln-1-rate"),
    (k_anonymity, KAnonymity(5), 1.0, 5.0, NotApplicable, "epsilon-at-least-ln-1-rate"),
)
def test_refusals(theorem, given, error, message):
    with refuses(error, message):
        theorem(*given)
