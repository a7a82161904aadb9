import math

import pytest

from deniable.errors import NotApplicable
from deniable.judge import theorems
from deniable.notions import (
    Adjacency,
    BayesianDP,
    BayesianSemantic,
    PureDP,
    Semantic,
)
from tests.cases.refusals import refuses
from tests.cases.theorem_tables import agree, edges, refusals

OUT = Adjacency.ADD_REMOVE
LOSSES = (0.0, 1e-300, 1e-9, 0.2, 1.0, 20.0, 1e300, math.inf)
SMALL = (0.0, 0.01, 0.3)
DISTANCES = (0.0, 1e-300, 1e-9, 0.2, 0.9)
BOTH_LABELS = [(a, independent) for a in Adjacency for independent in (False, True)]

sharp, of_one = theorems.pure_dp_to_semantic, theorems.pure_dp_to_semantic_of_one_record
published = theorems.pure_dp_to_semantic_as_published
back, published_back = theorems.semantic_to_pure_dp, theorems.semantic_to_pure_dp_as_published
bayesian = theorems.bayesian_dp_to_bayesian_semantic
bayesian_published = theorems.bayesian_dp_to_bayesian_semantic_as_published
bayesian_back = theorems.bayesian_semantic_to_bayesian_dp
bayesian_published_back = theorems.bayesian_semantic_to_bayesian_dp_as_published
known_others = theorems.bayesian_semantic_to_semantic


@edges(
    *(
        (sharp, PureDP(x, a), Semantic(math.tanh(x / 2), adjacency=a))
        for x in LOSSES
        for a in Adjacency
    ),
    *((of_one, PureDP(x), Semantic(math.tanh(x / 4), records=1)) for x in LOSSES),
    *((published, PureDP(x), Semantic(math.expm1(2 * x))) for x in SMALL),
    # vacuous from ε = ½ ln 2 on
    *((published, PureDP(x), Semantic(1.0)) for x in (0.3466, 5.0, math.inf)),
    *(
        (back, Semantic(d, adjacency=a), PureDP(4 * math.atanh(d), a))
        for d in DISTANCES
        for a in Adjacency
    ),
    (back, Semantic(1.0), PureDP(math.inf)),
    (published_back, Semantic(0.0), PureDP(0.0)),
    *(
        (bayesian, BayesianDP(x, *labels), BayesianSemantic(math.tanh(x / 2), *labels))
        for x in (0.0, 0.2, 3.0, math.inf)
        for labels in BOTH_LABELS
    ),
    *(
        (bayesian_published, BayesianDP(x), BayesianSemantic(min(math.expm1(2 * x), 1.0)))
        for x in (*SMALL, math.inf)
    ),
    *(
        (bayesian_back, BayesianSemantic(d, *labels), BayesianDP(4 * math.atanh(d), *labels))
        for d in DISTANCES
        for labels in BOTH_LABELS
    ),
    (bayesian_back, BayesianSemantic(1.0), BayesianDP(math.inf)),
    *(
        (bayesian_published_back, BayesianSemantic(d), BayesianDP(2 * math.atanh(2 * d)))
        for d in (0.0, 0.1, 0.4)
    ),
    *((known_others, BayesianSemantic(0.2, a), Semantic(0.2, adjacency=a)) for a in Adjacency),
)
def test_edges(theorem, given, expected):
    assert agree(theorem(*given), expected)


def test_published_constants_are_weaker():
    for x in (*SMALL, 0.1, math.inf):
        assert sharp(PureDP(x)).epsilon <= published(PureDP(x)).epsilon
        assert bayesian(BayesianDP(x)).epsilon <= bayesian_published(BayesianDP(x)).epsilon
    for d in (0.0, 0.1, 0.4):
        guarantee = BayesianSemantic(d)
        assert bayesian_back(guarantee).epsilon <= bayesian_published_back(guarantee).epsilon
    assert published(PureDP(0.346)).epsilon < 1


@pytest.mark.parametrize("epsilon", [1e-9, 0.3, 2.0])
def test_the_hypothesis_of_the_paper(epsilon):
    hypothesis = Semantic(0.5 - 1 / (math.exp(epsilon) + 1))
    found = published_back(hypothesis).epsilon
    assert found == pytest.approx(epsilon, rel=1e-6)
    assert back(hypothesis).epsilon <= found


def test_there_and_back_claims_no_more():
    assert 0.7 <= back(of_one(PureDP(0.7))).epsilon == pytest.approx(0.7, rel=1e-14)


@refusals(
    (of_one, PureDP(1.0, OUT), NotApplicable, "guarantee-with-neighbours: _ | add-remove"),
    (of_one, PureDP(1.0, records=2), NotApplicable, "data-of-one-record"),
    (published_back, Semantic(0.5), NotApplicable, "below-1-2"),
    (bayesian_published_back, BayesianSemantic(0.6), NotApplicable, "below-1-2"),
)
def test_refusals(theorem, given, error, message):
    with refuses(error, message):
        theorem(*given)
