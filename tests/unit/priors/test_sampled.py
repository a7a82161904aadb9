import numpy as np

from deniable.errors import InvalidArgument
from deniable.priors import ProductPrior, SampledPrior
from deniable.priors.universe import subsets
from tests.cases.refusals import refuses


def test_it_is_a_product():
    prior = SampledPrior([True, False, True], 0.25)
    same = ProductPrior([0.25, 0.0, 0.25])
    assert np.array_equal(prior.log_prob(subsets(3)), same.log_prob(subsets(3)))
    assert prior.given(0, member=True) == ProductPrior([1.0, 0.0, 0.25])
    assert prior.scaled(2, 0.5) == ProductPrior([0.25, 0.0, 0.5])
    with refuses(InvalidArgument, "entity-1-in-never"):
        prior.given(1, member=True)


def test_wrong_arguments():
    with refuses(InvalidArgument, "not-from-0-to-1: rate | rate=1.5"):
        SampledPrior([True], 1.5)
    with refuses(InvalidArgument, "candidates-to-true-or-false: int64"):
        SampledPrior([0, 2], 0.5)
