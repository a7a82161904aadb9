"""What a guarantee for one person says of a household, against formulas written out here."""

import math

import pytest
from scipy.special import ndtr

from deniable import explain_guarantee, explain_households
from deniable.errors import InvalidArgument
from deniable.notions import PureDP
from tests.cases.refusals import refuses


def odds_times(belief, factor):
    return factor * belief / ((factor - 1) * belief + 1)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
def test_people_who_are_all_in_or_all_out_multiply_the_odds(epsilon):
    answer = explain_households(epsilon, 4, prior=(0.05, 0.1))
    assert [each.people for each in answer.together] == [1, 2, 3, 5, 10]
    for each in answer.together:
        expected = odds_times(0.1, math.exp(each.people * epsilon))
        assert expected <= each.posterior <= expected * (1 + 1e-12)
    assert answer.loss == answer.loss_without_model == pytest.approx(4 * epsilon)
    low, high = answer.posterior
    assert low.prior, high.prior == (0.05, 0.1)
    assert low.lower == pytest.approx(odds_times(0.05, math.exp(-4 * epsilon)))


def test_a_model_says_less_and_what_holds_without_it():
    answer = explain_households("pure-dp:0.5@add-remove", 4, icc=0.2)
    assert answer.loss < answer.loss_without_model == 2
    assert answer.posterior[-1].upper == pytest.approx(0.21343, abs=1e-5)
    assert answer.as_json()["icc"] == 0.2


@pytest.mark.parametrize(
    ("rho", "households"),
    [(0.08104, {}), (0.01156, {"size": 4, "odds_ratio": 4 ** (1 / 3)}), (0.00507, {"size": 4})],
)
def test_odds_times_9_of_rho_but_for_one_output_in_a_million(rho, households):
    def loss(budget):
        households.setdefault("size", 1)
        return explain_households(f"zcdp:{budget!r}@add-remove", exceedance=1e-6, **households).loss

    assert loss(rho * 0.998) <= math.log(9) <= loss(rho * 1.002)


def test_a_gaussian_for_one_person_is_a_wider_one_for_three():
    mu, exceedance = 0.2, 1e-4
    loss = explain_households(f"gaussian-dp:{mu}@add-remove", 3, exceedance=exceedance).loss
    wide = explain_guarantee(f"gaussian-dp:{3 * mu}@add-remove", exceedance=exceedance).loss
    assert loss == pytest.approx(wide, rel=1e-12)
    # The mass above a loss ℓ between two fixed neighbours, Φ(3μ/2 − ℓ/(3μ)), bounds no average.
    assert ndtr(1.5 * mu - loss / (3 * mu)) < exceedance


def test_an_approximate_guarantee_of_two_people_has_the_delta_of_both():
    one = explain_households("approx-dp:0.5,1e-8@add-remove", 1, exceedance=1e-6).loss
    two = explain_households("approx-dp:0.5,1e-8@add-remove", 2, exceedance=1e-6).loss
    share = 1e-8 * (1 + math.exp(0.5)) / 1e-6
    assert one == pytest.approx(0.5 - math.log(1 - 1e-2), rel=1e-9)
    assert two == pytest.approx(1.0 - math.log(1 - share), rel=1e-9)


@pytest.mark.parametrize(
    ("guarantee", "more", "remedy"),
    [
        (PureDP(0.5), {}, "add-remove-if-person"),
        ("zcdp:0.1@add-remove", {"icc": 0.2}, "give-odds-ratio-or-leave"),
        ("approx-dp:1,1e-6@add-remove", {"difference": 0.2}, "give-odds-ratio-or-leave"),
        ("max-posterior:0.5@add-remove@0-0.1", {}, "pure-dp-approx-dp"),
        ("pure-dp:1@add-remove@records-5", {}, "every-size-without-slack"),
        ("pure-dp:1@add-remove", {"exceedance": 0.1}, "no-exceedance"),
        ("pure-dp:1@add-remove", {"icc": 0.1, "odds_ratio": 2}, "one-model"),
        (-1.0, {}, "below-least: epsilon"),
    ],
)
def test_what_has_no_bound_is_refused_with_what_to_do(guarantee, more, remedy):
    with refuses(InvalidArgument, remedy):
        explain_households(guarantee, 3, **more)
