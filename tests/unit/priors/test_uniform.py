import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.priors import ProductPrior, UniformPrior
from deniable.priors.universe import subsets
from tests.cases.refusals import refuses


def test_the_definition():
    assert np.exp(UniformPrior(5).log_prob(subsets(5))) == pytest.approx(1 / 32, rel=1e-15)


def test_what_is_learned_about_one_says_nothing_about_others():
    assert UniformPrior(3).given(1, member=True) == ProductPrior([0.5, 1.0, 0.5])
    assert UniformPrior(3).scaled(0, 0.1) == ProductPrior([0.1, 0.5, 0.5])


def test_wrong_numbers():
    with refuses(InvalidArgument, "below-least: n_entities | 1 | n_entities=0"):
        UniformPrior(0)
