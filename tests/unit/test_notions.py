import math

import attrs
import pytest

from deniable.errors import InvalidArgument
from deniable.notions import (
    ZCDP,
    Adjacency,
    Advantage,
    ApproxDP,
    ApproxZCDP,
    AttackSuccess,
    BaselineRisk,
    FalseNegativeRate,
    GaussianDP,
    Identifiability,
    KAnonymity,
    MaxPosterior,
    MembershipInference,
    NoisyGradient,
    PopulationPosterior,
    PositiveMembership,
    PredictiveValue,
    PrivacyCurve,
    PrivacyLossTail,
    PureDP,
    RenyiDP,
    SamplingDP,
    TradeOffCurve,
)
from deniable.notions.notation import FORMS
from deniable.priors import BoundedPriors
from tests.cases.refusals import refuses

ALL = [form.notion for form in FORMS]


@pytest.mark.parametrize(
    ("notion", "spec"),
    [
        (PureDP(1), "pure-dp:1.0"),
        (PureDP(1.0, Adjacency.ADD_REMOVE), "pure-dp:1.0@add-remove"),
        (PureDP(1.0, "add-remove"), "pure-dp:1.0@add-remove"),
        (ApproxDP(1.0, 1e-6), "approx-dp:1.0,1e-06"),
        (ZCDP(0.5), "zcdp:0.5"),
        (ApproxZCDP(0.5, 1e-6), "approx-zcdp:0.5,1e-06"),
        (GaussianDP(1.0), "gaussian-dp:1.0"),
        (GaussianDP(1.0, "add-remove", 0.25), "gaussian-dp:1.0,0.25@add-remove"),
        (PrivacyLossTail(1.0, 1e-6), "privacy-loss-tail:1.0,1e-06"),
        (MaxPosterior(0.6, 0.3), "max-posterior:0.6@0-0.3"),
        (Identifiability(0.1, 100), "identifiability:0.1,100"),
        (AttackSuccess(0.6), "attack-success:0.6"),
        (Advantage(0.1), "advantage:0.1"),
        (TradeOffCurve([(1, 0), (0, 0.5)], "add-remove"), "trade-off:0.0,0.5/1.0,0.0@add-remove"),
    ],
    ids=str,
)
def test_specs_are_written_like_the_command_line(notion, spec):
    assert notion.spec == spec


def test_positive_membership_begins_with_gamma():
    assert PositiveMembership(2.0).spec.startswith("positive-membership:2.0")
    assert PositiveMembership(2.0).adversary == BoundedPriors()


REST = {
    Identifiability: {"worlds": 3},
    MaxPosterior: {"prior": 0.1},
    ApproxDP: {"delta": 0.1},
    ApproxZCDP: {"delta": 0.1},
    PrivacyLossTail: {"exceedance": 0.1},
    SamplingDP: {"epsilon": 0.1},
    PopulationPosterior: {"delta": 0.1, "share": 0.5},
    PredictiveValue: {"fpr": 0.1, "nonmembers": 1},
    FalseNegativeRate: {"fpr": 0.1},
    BaselineRisk: {"baseline": 0.1},
    RenyiDP: {"epsilon": 1},
    PrivacyCurve: {"noise_multiplier": 1, "steps": 1},
    NoisyGradient: {"batch": 1, "clip": 1, "noise": 1, "susceptibility": 1},
}


@pytest.mark.parametrize("notion", ALL)
def test_every_notion_is_frozen_and_compares_by_value(notion):
    arguments = REST.get(notion, {})
    first = next(iter(attrs.fields(notion))).name
    if notion is TradeOffCurve:  # of rows of numbers
        assert notion(((0, 1), (1, 0))) == notion([[0.0, 1.0], (1.0, 0.0)])
        assert hash(notion(((0, 1), (1, 0))))
        return
    value = {MembershipInference: 0, RenyiDP: 2}.get(notion, 1)
    one, other = notion(value, **arguments), notion(float(value), **arguments)
    assert one == other
    assert hash(one) == hash(other)
    whole = {KAnonymity, NoisyGradient}
    assert type(getattr(one, first)) is (int if notion in whole else float)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        setattr(one, first, 0.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PureDP(-1.0), "epsilon-at-least-0-epsilon: -1.0"),
        (lambda: PureDP(math.nan), "not-a-number: epsilon"),
        (lambda: ApproxDP(1.0, 1.5), "not-from-0-to-1: delta"),
        (lambda: PrivacyLossTail(1.0, -0.1), "not-from-0-to-1: exceedance"),
        (lambda: ZCDP(-1.0), "below-least: _ | 0"),
        (lambda: ZCDP(math.inf), "not-finite"),
        (lambda: GaussianDP(1.0, slack=-1.0), "below-least: _ | 0"),
        (lambda: PositiveMembership(0.9), "below-least: gamma | 1"),
        (lambda: MaxPosterior(1.1, 0.5), "not-from-0-to-1"),
        (lambda: Identifiability(0.1, 1), "below-least: worlds | 2"),
        (lambda: Identifiability(0.1, 2.5), "not-whole: worlds"),
        (lambda: AttackSuccess(True), "not-a-number"),
        (lambda: Advantage("0.5"), "not-a-number"),
    ],
)
def test_wrong_parameters(make, message):
    with refuses(InvalidArgument, message):
        make()


def test_no_bound_is_infinite():
    assert PureDP(math.inf).epsilon == PositiveMembership(math.inf).gamma == math.inf


def test_negative_zero_is_zero():
    assert PureDP(-0.0).spec == "pure-dp:0.0"


def test_adjacency_words():
    assert [str(each) for each in Adjacency] == ["replace-one", "add-remove"]
    assert [each.suffix for each in Adjacency] == ["", "@add-remove"]
