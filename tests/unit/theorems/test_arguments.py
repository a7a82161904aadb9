import math

import pytest

from deniable.notions import (
    ZCDP,
    ApproxDP,
    GaussianDP,
    Identifiability,
    KAnonymity,
    OneSidedDP,
    PositiveMembership,
    PureDP,
    SamplingDP,
    Side,
)
from deniable.notions.notation import wish
from deniable.priors import BoundedPriors, OneOutOfPriors, SampledPriors
from deniable.theorems.catalogue import CATALOGUE, named
from deniable.theorems.derive import HINTS, NOTIONS, Lacking, arguments, known, premises


def test_everything_that_is_said_is_a_candidate():
    given = [Identifiability(0.1, 7), SamplingDP(0.3, 1.0)]
    family = BoundedPriors(0.1, 0.2)
    found = known(given, wish("positive-membership:2", family), family)
    assert found["adversary"] == [family, BoundedPriors(), OneOutOfPriors(7), SampledPriors(0.3)]
    assert found["worlds"] == [7]
    assert found["rate"] == [0.3]
    assert found["side"] == [Side.POSITIVE, Side.NEGATIVE]
    assert found["epsilon"] == found["exceedance"] == found["prior"] == []


def test_numbers_of_the_wish():
    found = known([ZCDP(0.1)], wish("predictive-value:?,0.01,10"), None)
    assert (found["fpr"], found["nonmembers"]) == ([0.01], [10])
    found = known([ZCDP(0.1)], wish("privacy-loss-tail:1.0,1e-6"), None)
    assert (found["epsilon"], found["exceedance"]) == ([1.0], [1e-6])
    assert known([ZCDP(0.1)], wish("approx-dp:?,1e-6"), None)["delta"] == [1e-6]
    assert known([ZCDP(0.1)], wish("max-posterior", BoundedPriors(0, 0.3)), None)["prior"] == [0.3]
    own = known([PositiveMembership(2.0, OneOutOfPriors(9))], wish("identifiability"), None)
    assert own["worlds"] == [9]


def test_the_number_of_guarantees():
    assert premises(named("one_sided_dp_to_pure_dp")) == 2
    assert premises(named("discrete_gaussian_to_gaussian_dp")) == 0
    assert {premises(each) for each in CATALOGUE} == {0, 1, 2}
    assert PureDP in NOTIONS


def rows(name, guarantee, text, family=None):
    given = known([guarantee], wish(text, family), family)
    return list(arguments(named(name), [guarantee], given))


def test_every_candidate_is_tried():
    family = BoundedPriors(0.1, 0.2)
    found = rows("pure_dp_to_positive_membership", PureDP(1.0), "positive-membership", family)
    assert found == [{"adversary": family}, {"adversary": BoundedPriors()}]
    assert rows("pure_dp_to_approx_dp", PureDP(1.0), "approx-dp") == [{}]
    assert rows("k_anonymity_to_sampling_dp", KAnonymity(5), "sampling-dp:0.1,1.0") == [
        {"rate": 0.1, "epsilon": 1.0}
    ]


@pytest.mark.parametrize(
    ("name", "guarantee", "word"),
    [
        ("replace_one_dp_to_identifiability", PureDP(1.0), "worlds"),
        ("pure_dp_to_max_posterior", PureDP(1.0), "prior"),
        ("zcdp_to_approx_dp", ZCDP(0.1), "epsilon"),
        ("approx_dp_to_privacy_loss_tail", ApproxDP(1.0, 0.1), "exceedance"),
        ("sampling_dp_to_lower_rate", ApproxDP(1.0, 0.1), "rate"),
        ("gaussian_dp_to_predictive_value", GaussianDP(1.0), "fpr"),
    ],
)
def test_what_nobody_said_is_named(name, guarantee, word):
    with pytest.raises(Lacking) as found:
        rows(name, guarantee, "advantage")
    assert str(found.value) == HINTS[word]


@pytest.mark.parametrize("guarantee", [ZCDP(0.05), GaussianDP(0.3)], ids=str)
def test_the_least_epsilon_for_a_delta(guarantee):
    name = f"{'zcdp' if isinstance(guarantee, ZCDP) else 'gaussian_dp'}_to_approx_dp"
    (row,) = rows(name, guarantee, "approx-dp:?,1e-6")
    implication = named(name).implication
    assert implication(guarantee, **row).delta <= 1e-6
    assert implication(guarantee, row["epsilon"] * (1 - 1e-9)).delta > 1e-6


def test_a_delta_that_no_epsilon_reaches():
    with pytest.raises(Lacking):
        rows("gaussian_dp_to_approx_dp", GaussianDP(1e6), "approx-dp:?,1e-6")


def test_a_half_has_a_partner_and_no_arguments():
    given = known([OneSidedDP(1.0)], wish("pure-dp@add-remove"), None)
    halves = [OneSidedDP(1.0), OneSidedDP(2.0, Side.NEGATIVE)]
    assert list(arguments(named("one_sided_dp_to_pure_dp"), halves, given)) == [{}]


def test_no_number_is_made_up():
    assert not math.isinf(rows("zcdp_to_approx_dp", ZCDP(0.05), "approx-dp:1.0,?")[0]["epsilon"])
