import math

import pytest

from deniable.errors import InvalidArgument
from deniable.notions import (
    Adjacency,
    BayesianSemantic,
    MaxPosterior,
    NegativeMembership,
    PositiveMembership,
    PosteriorGain,
    PosteriorRatio,
    Semantic,
)
from deniable.priors import BoundedPriors, CorrelatedPriors, OneOutOfPriors, SampledPriors
from tests.cases.refusals import refuses

OUT = Adjacency.ADD_REMOVE


@pytest.mark.parametrize(
    ("notion", "spec"),
    [
        (PositiveMembership(2, BoundedPriors(0.3, 0.7)), "positive-membership:2.0@0.3-0.7"),
        (PositiveMembership(2, BoundedPriors(0, 1)), "positive-membership:2.0"),
        (
            NegativeMembership(2, BoundedPriors(0, 1e-5), OUT),
            "negative-membership:2.0@add-remove@0-1e-05",
        ),
        (MaxPosterior(0.5, 0.1), "max-posterior:0.5@0-0.1"),
        (MaxPosterior(0.5, 1, 1e-6, OUT), "max-posterior:0.5,1e-06@add-remove"),
        (PositiveMembership(2, adjacency=OUT), "positive-membership:2.0@add-remove"),
        (PositiveMembership(2, OneOutOfPriors(8), 1e-6), "positive-membership:2.0,1e-06@one-of-8"),
        (
            PositiveMembership(2, SampledPriors(0.1), adjacency=OUT),
            "positive-membership:2.0@sampled-0.1",
        ),
        (
            NegativeMembership(2, CorrelatedPriors(True), OUT),
            "negative-membership:2.0@add-remove@correlated-scalable",
        ),
        (NegativeMembership(2, CorrelatedPriors()), "negative-membership:2.0@correlated"),
        (Semantic(0.2), "semantic:0.2"),
        (Semantic(0.2, 1, OUT), "semantic:0.2,1@add-remove"),
        (BayesianSemantic(0.2, OUT), "bayesian-semantic:0.2@add-remove"),
        (BayesianSemantic(0.2, OUT, True), "bayesian-semantic:0.2@add-remove@independent"),
        (PosteriorRatio(2), "posterior-ratio:2.0"),
        (PosteriorGain(0.1), "posterior-gain:0.1"),
    ],
    ids=str,
)
def test_specs(notion, spec):
    assert notion.spec == spec


@pytest.mark.parametrize("notion", [PositiveMembership, NegativeMembership])
def test_a_family_has_its_adjacency(notion):
    with refuses(InvalidArgument, "with-replace-one-add-remove: replace-one | 1-out-of-"):
        notion(2, OneOutOfPriors(3), adjacency=OUT)
    with refuses(InvalidArgument, "with-replace-one-add-remove: add-remove | entities sampled"):
        notion(2, SampledPriors(0.3))
    with refuses(InvalidArgument, "not-between-0-and-1: rate"):
        notion(2, SampledPriors(1.0), adjacency=OUT)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NegativeMembership(0.9), "below-least: gamma | 1"),
        (lambda: Semantic(1.1), "not-from-0-to-1"),
        (lambda: Semantic(0.1, 0), "below-least: records | 1"),
        (lambda: BayesianSemantic(-0.1), "not-from-0-to-1"),
        (lambda: PosteriorRatio(0.9), "below-least: ratio | 1"),
        (lambda: PosteriorGain(1.1), "not-from-0-to-1"),
    ],
)
def test_wrong_parameters(make, message):
    with refuses(InvalidArgument, message):
        make()


def test_no_bound_is_infinite():
    assert PosteriorRatio(math.inf).ratio == NegativeMembership(math.inf).gamma == math.inf
