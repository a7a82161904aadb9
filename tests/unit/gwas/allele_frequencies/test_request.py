import math
from fractions import Fraction

import pytest

from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.gwas.certificates import StudySize
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from tests.cases.refusals import refuses
from tests.cases.sample_frequencies import prepared_sample, request


def test_with_delta_the_noise_is_gaussian_and_grows_with_the_root_of_the_list():
    few, many = (prepared_sample(StudySize(500, 500, m)).mechanism for m in (100, 10_000))
    assert isinstance(few, DiscreteGaussian)
    assert many.scale / few.scale == pytest.approx(10.0, rel=1e-9)


def test_without_delta_it_is_laplace_noise_that_grows_with_the_list():
    few, many = (
        prepared_sample(StudySize(500, 500, m), delta=None).mechanism for m in (100, 10_000)
    )
    assert isinstance(few, DiscreteLaplace)
    assert many.scale / few.scale == pytest.approx(100.0, rel=1e-9)


@pytest.mark.parametrize("delta", [None, 1e-6])
def test_for_a_ledger_the_whole_budget_is_whole_units(delta):
    options = {"targets": {"gamma": 2.0}, "delta": delta}
    free, charged = prepared_sample(**options), prepared_sample(**options, dataset="cohort")
    assert charged.share.amount <= free.share.amount
    assert (Fraction(charged.share.amount) * 2**40).denominator == 1


@pytest.mark.parametrize("people", [1, 2, 10])
def test_one_person_and_one_variant_are_a_study(people):
    made = prepared_sample(StudySize(people, 1, 1), of="cases", false_yes=0.01)
    assert made.half_width_95 > 2 * people  # nothing is learned of so few
    assert made.compared.people == people
    assert made.beacon.threshold > 2 * people


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"targets": {"gamma": 2.0, "epsilon": 1.0}}, "exactly-one-target-of-max-posterior"),
        ({"targets": {"gamma": None, "epsilon": None}}, "none-exactly-one-target"),
        ({"delta": 0.0}, "not-between-0-and-1: delta"),
        ({"delta": 1.0}, "not-between-0-and-1: delta"),
        ({"missing": "leave"}, "one-of-missing-refuse: refuse | major"),
        ({"false_yes": 0.0}, "not-between-0-and-1: beacon"),
        ({"of": "nobody"}, "cases-controls-everybody-both"),
        ({"prior": (0.7, 0.3)}, "ends-swapped"),
        ({"adjacency": "swap"}, "everybody-two-change-places"),
    ],
)
def test_wrong_requests_are_refused(changes, match):
    with refuses(InvalidArgument, match):
        request(**changes)


@pytest.mark.parametrize("rate", [0.5, 1e-17, 1e-300])
def test_a_beacon_that_says_yes_by_a_coin_or_next_to_never_is_refused(rate):
    with refuses(InvalidArgument, "beacon-below-0-5"):
        request(false_yes=rate)
    assert request(false_yes=1e-15).false_yes == 1e-15


def test_a_posterior_below_what_may_be_believed_before_is_out_of_reach():
    with pytest.raises(InfeasibleTarget):
        prepared_sample(targets={"max_posterior": 0.9})
    made = prepared_sample(targets={"max_posterior": 0.5}, prior=(0.0, 0.1))
    assert math.exp(made.calibration.loss) <= 9.0 * (1 + 1e-12)  # odds of 1 to 9 become even
