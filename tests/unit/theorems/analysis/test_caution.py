import pytest

from deniable import calibrate, explain
from deniable.theorems.analysis import belief_cautions, posterior_upper


def first(cautions) -> list[str]:
    return [each.split(":")[0] for each in cautions]


@pytest.mark.parametrize("epsilon", [12.0, 100.0, 1e6])
def test_a_budget_that_hides_nobody_says_so(epsilon):
    assert posterior_upper(epsilon, 0.001) >= 0.99
    assert first(explain(epsilon).cautions) == ["This protects nobody"]
    assert tuple(explain(epsilon).as_json()["cautions"]) == explain(epsilon).cautions


@pytest.mark.parametrize("epsilon", [1e-9, 1.0, 11.0])
def test_a_budget_that_hides_somebody_does_not(epsilon):
    assert posterior_upper(epsilon, 0.001) < 0.99
    assert explain(epsilon).cautions == ()


def test_a_factor_beyond_all_beliefs_is_told():
    assert first(calibrate(gamma=1e300).cautions) == ["This protects nobody"]
    assert calibrate(gamma=2.0).as_json()["cautions"] == []


def test_with_delta_a_large_loss_that_is_rare_is_no_caution():
    assert calibrate(advantage=0.1, delta=1e-6).cautions == ()


def test_an_exception_that_is_not_rare_is_told():
    assert first(explain(1.0, 0.01, exceedance=0.5).cautions) == ["This promises little"]
    assert belief_cautions(1.0, 0.7, 0.0099) == ()
