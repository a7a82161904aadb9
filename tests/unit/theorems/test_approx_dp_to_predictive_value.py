import math

import pytest

from deniable.errors import InvalidArgument
from deniable.notions import ApproxDP
from deniable.theorems.approx_dp_to_predictive_value import approx_dp_to_predictive_value


def test_chance_and_certainty():
    assert approx_dp_to_predictive_value(ApproxDP(0.0, 0.0), 0.5, 3.0).value == 0.25
    limitless = approx_dp_to_predictive_value(ApproxDP(math.inf, 0.0), 0.5, 1.0)
    assert limitless.value == pytest.approx(2 / 3, rel=1e-15)
    assert approx_dp_to_predictive_value(ApproxDP(0.0, 1.0), 0.5, 1.0) == limitless


@pytest.mark.parametrize(
    ("fpr", "tpr"), [(0.01, 0.03), (0.25, 0.75), (0.5, 5 / 6), (0.9, 1 - 0.1 / 3)]
)
def test_both_legs_of_the_trade_off(fpr, tpr):
    found = approx_dp_to_predictive_value(ApproxDP(math.log(3), 0.0), fpr, 2.0)
    assert found.value == pytest.approx(tpr / (tpr + 2 * fpr), rel=1e-14)
    assert (found.fpr, found.nonmembers) == (fpr, 2.0)


def test_wrong_numbers():
    for fpr, nonmembers in ((0.0, 1.0), (1.0, 1.0), (0.5, 0.0)):
        with pytest.raises(InvalidArgument, match="Expected"):
            approx_dp_to_predictive_value(ApproxDP(1.0, 0.0), fpr, nonmembers)
