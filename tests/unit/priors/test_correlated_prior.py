import pytest

from deniable.priors.correlated_prior import CorrelatedPrior


def test_suffixes():
    assert CorrelatedPrior().suffix == "@correlated"
    assert CorrelatedPrior(downward_scalable=True).suffix == "@correlated-scalable"


def test_scalability_is_a_truth_value():
    with pytest.raises(TypeError):
        CorrelatedPrior("yes")
