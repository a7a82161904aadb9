import pytest

from deniable.priors import BoundedPrior, UnrestrictedPrior


def test_it_spans_all_beliefs_and_says_so_by_its_type():
    prior = UnrestrictedPrior()
    assert (prior.low, prior.high) == (0.0, 1.0)
    assert prior == UnrestrictedPrior()
    assert prior != BoundedPrior(0.0, 1.0)


def test_it_is_frozen():
    with pytest.raises(AttributeError):
        UnrestrictedPrior().low = 0.5
