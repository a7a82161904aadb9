import attrs
import pytest

from deniable.errors import InvalidArgument
from deniable.theorems.analysis import posterior_lower, posterior_ranges, posterior_upper
from tests.cases.refusals import refuses


def test_certainty_stays():
    for epsilon in (0.0, 1.0, 1e4):
        assert posterior_upper(epsilon, 0.0) == posterior_lower(epsilon, 0.0) == 0.0
        assert posterior_upper(epsilon, 1.0) == posterior_lower(epsilon, 1.0) == 1.0


def test_without_loss_nothing_is_learned():
    assert posterior_upper(0.0, 0.3) == posterior_lower(0.0, 0.3) == 0.3


def test_a_huge_loss_tells_all():
    assert posterior_upper(1e4, 1e-9) == 1.0
    assert posterior_lower(1e4, 1 - 1e-9) == 0.0


def test_rising_and_falling_mirror_each_other():
    for prior in (0.01, 0.2, 0.5):
        up, down = posterior_upper(0.7, prior), posterior_lower(0.7, 1 - prior)
        assert up + down == pytest.approx(1)
        assert posterior_lower(0.7, prior) < prior < up


def test_ranges_keep_order_and_are_frozen():
    found = posterior_ranges(0.5, [0.9, 0.1])
    assert [each.prior for each in found] == [0.9, 0.1]
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        found[0].upper = 1.0


@pytest.mark.parametrize("prior", [-0.1, 1.1, float("nan"), "0.5", True])
def test_a_prior_is_a_probability(prior):
    with refuses(InvalidArgument, "prior-at-most-at-most"):
        posterior_ranges(0.5, [prior])


def test_a_loss_is_not_negative():
    with refuses(InvalidArgument, "epsilon-at-least-0-epsilon: -1"):
        posterior_upper(-1.0, 0.5)
