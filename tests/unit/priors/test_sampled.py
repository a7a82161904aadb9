import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.priors import ProductPrior, SampledPrior
from deniable.priors.universe import subsets


def test_it_is_a_product():
    prior = SampledPrior([True, False, True], 0.25)
    same = ProductPrior([0.25, 0.0, 0.25])
    assert np.array_equal(prior.log_prob(subsets(3)), same.log_prob(subsets(3)))
    assert prior.given(0, member=True) == ProductPrior([1.0, 0.0, 0.25])
    assert prior.scaled(2, 0.5) == ProductPrior([0.25, 0.0, 0.5])
    with pytest.raises(InvalidArgument, match="entity 1 in, which never"):
        prior.given(1, member=True)


def test_wrong_arguments():
    with pytest.raises(InvalidArgument, match=r"0 <= rate <= 1, got rate=1\.5"):
        SampledPrior([True], 1.5)
    with pytest.raises(InvalidArgument, match="candidates to be true or false, got int64"):
        SampledPrior([0, 2], 0.5)
