"""What a guarantee for one person says of a household, against formulas written out here."""

import math

import pytest
from scipy.special import ndtr

from deniable import explain, explain_guarantee, explain_households
from deniable.errors import InvalidArgument
from deniable.notions import PureDP
from tests.cases.refusals import refuses


def odds_times(belief, factor):
    return factor * belief / ((factor - 1) * belief + 1)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
def test_people_who_are_all_in_or_all_out_multiply_the_odds(epsilon):
    answer = explain_households(epsilon, 4, prior=(0.05, 0.1))
    assert [each.size for each in answer.tied] == [1, 2, 3, 5, 10]
    for each in answer.tied:
        expected = odds_times(0.1, math.exp(each.size * epsilon))
        assert expected <= each.posterior <= expected * (1 + 1e-12)
    assert answer.loss == answer.loss_without_model == pytest.approx(4 * epsilon)
    low, high = answer.posterior
    assert low.prior, high.prior == (0.05, 0.1)
    assert low.lower == pytest.approx(odds_times(0.05, math.exp(-4 * epsilon)))


@pytest.mark.parametrize("spec", ["pure-dp:1@add-remove", "zcdp:0.1@add-remove"])
def test_what_is_printed_of_a_household_is_not_what_holds_of_a_person_alone(spec):
    answer = explain_households(spec, 4)
    alone = answer.as_json()
    said = answer.displayed()
    assert said["gamma"] == answer.gamma > alone["gamma"]
    assert said["posterior"] == alone["households"]["posterior"]
    assert "attack_success" not in said
    assert all(alone[key] == value for key, value in said["a person alone"].items())
    lines = dict(line.split("  ", 1) for line in str(answer).splitlines() if "  " in line)
    assert float(lines["gamma"]) >= answer.gamma > float(lines["a person alone: gamma"])
    assert f"loss={answer.loss}" in repr(answer)
    assert f"gamma={alone['gamma']}" not in repr(answer)


def test_a_model_says_less_and_what_holds_without_it():
    answer = explain_households("pure-dp:0.5@add-remove", 4, icc=0.2)
    assert answer.loss < answer.loss_without_model == 2
    assert answer.posterior[-1].upper == pytest.approx(0.21343, abs=1e-5)
    assert answer.as_json()["households"]["icc"] == 0.2


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


def tied_losses(spec, prior=0.2, **more):
    answer = explain(spec, prior=(0.1, prior), **more)
    assert [each["size"] for each in answer.as_json()["tied"]] == [1, 2, 3, 5, 10]
    beliefs = [each.posterior for each in answer.tied]
    return [math.log(q * (1 - prior) / ((1 - q) * prior)) if q < 1 else math.inf for q in beliefs]


@pytest.mark.parametrize("neighbours", ["", "@add-remove"])
def test_every_explanation_says_what_holds_of_people_who_are_all_in_or_all_out(neighbours):
    sizes, near = (1, 2, 3, 5, 10), {"rel": 1e-9}
    pure = tied_losses(f"pure-dp:0.5{neighbours}")
    assert pure == pytest.approx([0.5 * k for k in sizes], **near)
    spread = tied_losses(f"zcdp:0.001{neighbours}", exceedance=1e-4)
    assert spread == pytest.approx(
        [0.001 * k**2 + 2 * k * math.sqrt(0.001 * math.log(1e4)) for k in sizes], **near
    )
    deltas = [1e-8 * math.expm1(0.5 * k) / math.expm1(0.5) for k in sizes]
    approximate = tied_losses(f"approx-dp:0.5,1e-8{neighbours}", exceedance=1e-6)
    assert approximate == pytest.approx(
        [0.5 * k - math.log1p(-d / 1e-6) if d < 1e-6 else math.inf
         for k, d in zip(sizes, deltas, strict=True)],
        **near,
    )  # fmt: skip
    assert approximate[-1] == math.inf  # the exception of ten is more frequent than allowed
    gaussian = tied_losses(f"gaussian-dp:0.1{neighbours}")
    for k, loss in [*zip(sizes, gaussian, strict=True)][2::2]:
        alone = explain(f"gaussian-dp:{0.1 * k!r}{neighbours}", prior=(0.2, 0.2)).loss
        assert loss == pytest.approx(alone, **near)


@pytest.mark.parametrize(
    "spec", ["rdp:8,0.01", "privacy-loss-tail:1,1e-3", "approx-zcdp:0.1,1e-6", "population:1,0"]
)
def test_where_no_theorem_speaks_of_several_people_their_belief_may_become_certain(spec):
    assert tied_losses(spec)[1:] == [math.inf] * 4


def test_what_equals_a_pure_guarantee_adds_up_as_it_does():
    pure = tied_losses("bayesian-dp:0.5")
    assert pure == tied_losses("pure-dp:0.5") == tied_losses(PureDP(0.5))
    assert tied_losses("pure-dp:0.5@records-9")[1:] == [math.inf] * 4  # of nine records alone
    assert tied_losses(0.5) == pure
    assert set(tied_losses(0.0)) == {0.0}
    assert tied_losses(1000.0) == [math.inf] * 5


def test_a_household_is_added_to_what_is_said_of_a_person_alone():
    alone = explain("pure-dp:0.5@add-remove", prior=(0.05, 0.1)).as_json()
    answer = explain_households(0.5, 4, odds_ratio=2, prior=(0.05, 0.1))
    added = answer.as_json()
    household = added.pop("households")
    assert added == alone
    assert (household["size"], household["odds_ratio"]) == (4, 2.0)
    assert household["model"] == str(answer.households)
    assert math.exp(answer.loss) <= household["ratio"] <= math.exp(answer.loss) * (1 + 1e-12)
    z, omega, others = math.exp(0.5), 2**3, math.exp(1.5)
    by_hand = z * ((1 + math.sqrt(omega * others)) / (omega**0.5 + others**0.5)) ** 2
    assert household["ratio"] == pytest.approx(by_hand, rel=1e-12)
    assert [each["prior"] for each in household["posterior"]] == [0.05, 0.1]
