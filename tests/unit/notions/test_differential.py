import pytest

from deniable.errors import InvalidArgument
from deniable.notions import (
    Adjacency,
    ApproxDP,
    BayesianDP,
    KAnonymity,
    OneSidedDP,
    PureDP,
    SamplingDP,
    Side,
)
from tests.cases.refusals import refuses


@pytest.mark.parametrize(
    ("notion", "spec"),
    [
        (PureDP(1, "add-remove", 3), "pure-dp:1.0@add-remove@records-3"),
        (ApproxDP(1, 0.5, records=1), "approx-dp:1.0,0.5@records-1"),
        (OneSidedDP(1), "one-sided-dp:1.0@positive"),
        (OneSidedDP(1, "negative"), "one-sided-dp:1.0@negative"),
        (SamplingDP(0.1, 1), "sampling-dp:0.1,1.0"),
        (SamplingDP(1, 1, 1e-6), "sampling-dp:1.0,1.0,1e-06"),
        (KAnonymity(5), "k-anonymity:5"),
        (BayesianDP(1), "bayesian-dp:1.0"),
        (BayesianDP(1, Adjacency.ADD_REMOVE, True), "bayesian-dp:1.0@add-remove@independent"),
    ],
    ids=str,
)
def test_specs(notion, spec):
    assert notion.spec == spec


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: OneSidedDP(-1), "epsilon-at-least-0-epsilon"),
        (lambda: SamplingDP(0, 1), "0-below-beta-at-most-1"),
        (lambda: SamplingDP(0.5, 1, 2), "not-from-0-to-1: delta"),
        (lambda: KAnonymity(0), "below-least: k | 1"),
    ],
)
def test_wrong_parameters(make, message):
    with refuses(InvalidArgument, message):
        make()


def test_independence_is_a_truth_value():
    with refuses(InvalidArgument, "field-as: independent | bool | str"):
        BayesianDP(1, independent="yes")


def test_a_side_is_one_of_two():
    assert OneSidedDP(1, "positive").side is Side.POSITIVE
    with pytest.raises(ValueError, match="both"):
        OneSidedDP(1, "both")
