import itertools
import math

import pytest

from deniable import calibrate
from deniable.errors import InfeasibleTarget, InvalidArgument, NotApplicable
from deniable.notions import Adjacency, ApproxDP
from deniable.priors import BoundedPriors
from deniable.theorems.analysis import EpsilonTarget, GammaTarget, calibrated, claimed
from deniable.theorems.attacks import approx_dp_to_advantage
from deniable.theorems.catalogue import CATALOGUE
from deniable.theorems.derive import derive
from tests.cases.refusals import refuses
from tests.oracles import privacy_curves as curves

TARGETS = {
    "gamma": {"gamma": 2.0, "prior": (0.3, 0.7)},
    "max_posterior": {"max_posterior": 0.6, "prior": (0.1, 0.3)},
    "attack_success": {"attack_success": 0.6},
    "advantage": {"advantage": 0.15},
    "identifiability": {"identifiability": 0.3, "worlds": 8},
}
EXACT = {
    "gamma": math.log(1.7 / 0.7),
    "max_posterior": math.log(0.6 / 0.4) - math.log(0.3 / 0.7),
    "attack_success": math.log(1.5),
    "advantage": math.log(1.15 / 0.85),
    "identifiability": math.log(3),
}
ADJACENCIES = ["replace-one", "add-remove"]


def nearby(kind, adjacency):
    """ε in the adjacency asked for: identifiability speaks of replace-one only."""
    return EXACT[kind] / (2 if kind == "identifiability" and adjacency == "add-remove" else 1)


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("kind", TARGETS)
def test_a_pure_budget(kind, adjacency):
    answer = calibrate(**TARGETS[kind], adjacency=adjacency)
    assert answer.epsilon == pytest.approx(nearby(kind, adjacency), abs=1e-6)
    assert str(answer.adjacency) == adjacency
    assert (answer.delta, answer.exceedance) == (0.0, 0.0)
    assert answer.loss == answer.epsilon
    assert answer.noise_multiplier is answer.composition is None
    e, (a, b) = math.exp(answer.epsilon), TARGETS[kind].get("prior", (0.0, 1.0))
    assert answer.gamma == pytest.approx(max((e - 1) * b + 1, e / ((e - 1) * a + 1)))
    assert answer.gamma_outside == pytest.approx(e)
    assert answer.attack_success == pytest.approx(e / (e + 1))
    assert answer.advantage == pytest.approx((e - 1) / (e + 1))
    check_chain(answer)


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("kind", TARGETS)
def test_a_budget_with_delta_meets_its_target(kind, adjacency):
    delta = 1e-5
    answer = calibrate(**TARGETS[kind], adjacency=adjacency, delta=delta)
    rho = answer.composition.rho
    assert (answer.delta, answer.exceedance) == (delta, delta)
    assert str(answer.adjacency) == str(answer.composition.adjacency) == adjacency
    far = 4 * rho if kind == "identifiability" and adjacency == "add-remove" else rho
    for share, meets in ((1 - 1e-9, True), (1.001, False)):
        mu = math.sqrt(2 * far * share)
        if kind == "attack_success":
            assert (0.5 + curves.gaussian_advantage(mu) / 2 <= 0.6) is meets
        elif kind == "advantage":
            assert (curves.gaussian_advantage(mu) <= 0.15) is meets
        else:
            assert (curves.gaussian_tail(mu, EXACT[kind]) <= delta) is meets
    mu = math.sqrt(2 * rho)
    assert curves.gaussian_tail(mu, answer.loss * (1 + 1e-9)) <= delta
    assert curves.gaussian_tail(mu, answer.loss * 0.999) > delta
    assert answer.noise_multiplier * mu == pytest.approx(1)
    assert answer.advantage == pytest.approx(curves.gaussian_advantage(mu))
    assert answer.attack_success == pytest.approx(0.5 + answer.advantage / 2)
    assert answer.gamma_outside == pytest.approx(math.exp(answer.loss))
    check_chain(answer)


def check_chain(answer):
    """Every step is a catalogued theorem and begins where the last one ended."""
    titles = {theorem.title for theorem in CATALOGUE}
    assert {step.theorem for step in answer.derivation} <= titles
    for one, other in zip(answer.derivation, answer.derivation[1:], strict=False):
        assert one.target == other.source


def test_identifiability_against_add_remove_goes_through_replace_one():
    chain = calibrate(identifiability=0.3, worlds=8, adjacency="add-remove").derivation
    assert [step.theorem.split()[0] for step in chain] == [
        "add_remove_dp_to_replace_one_dp",
        "replace_one_dp_to_identifiability",
    ]
    assert chain[0].source.endswith("@add-remove")


@pytest.mark.parametrize("kind", ["gamma", "max_posterior", "identifiability"])
def test_gamma_kept_within_the_target(kind):
    for delta in (None, 1e-6):
        answer = calibrate(**TARGETS[kind], delta=delta)
        if kind == "gamma":
            assert answer.gamma <= 2.0
        assert answer.loss <= EXACT[kind] + 1e-6


def test_a_budget_given_outright_is_what_is_claimed():
    adversary = BoundedPriors(0.1, 0.5)
    target = EpsilonTarget(1.0)
    pure = calibrated(target, adversary, Adjacency.REPLACE_ONE)
    assert (pure.epsilon, pure.derivation) == (1.0, ())
    assert claimed(target, adversary, Adjacency.REPLACE_ONE) is None
    answer = calibrated(target, adversary, Adjacency.REPLACE_ONE, 1e-6)
    mu = math.sqrt(2 * answer.composition.rho)
    assert curves.gaussian_delta(mu * (1 - 1e-9), 1.0) <= 1e-6
    assert curves.gaussian_delta(mu * 1.001, 1.0) > 1e-6
    assert (answer.epsilon, answer.delta) == (1.0, 1e-6)
    assert answer.exceedance == pytest.approx(1e-4)
    assert answer.loss == pytest.approx(1 - math.log(0.99))
    assert answer.gamma_outside == pytest.approx(math.exp(answer.loss))


def test_a_budget_given_outright_with_a_large_delta():
    answer = calibrated(EpsilonTarget(1.0), BoundedPriors(0.0, 1.0), Adjacency.REPLACE_ONE, 0.9)
    assert 0.9 < answer.exceedance < 1


@pytest.mark.parametrize("slack", [None, 0.05])
def test_slack_and_selections_cost_something(slack):
    where = BoundedPriors(0.0, 1.0), Adjacency.REPLACE_ONE, 1e-6
    best = calibrated(GammaTarget(2.0), *where)
    other = calibrated(GammaTarget(2.0), *where, slack)
    assert other.composition.rho < best.composition.rho
    assert (other.noise_multiplier is None) == (slack is None)
    assert other.gamma <= 2.0


@pytest.mark.parametrize(
    ("prior", "ratio"),
    [
        ((0.0, 0.0), 2.0),
        ((1.0, 1.0), 2.0),
        ((0.0, 1.0), 2.0),
        ((0.25, 0.25), 3.0),  # (1-a)γ/(1-aγ) = 3 and (γ+b-1)/b = 5
        ((0.5, 0.5), 3.0),  # aγ = 1
        ((0.75, 0.75), 7 / 3),
    ],
)
def test_a_point_prior(prior, ratio):
    answer = calibrate(gamma=2.0, prior=prior)
    assert answer.epsilon == pytest.approx(math.log(ratio), rel=1e-15)
    assert answer.epsilon <= math.log(ratio) * (1 + 1e-15)
    assert answer.gamma == 2.0


@pytest.mark.parametrize("delta", [None, 1e-6])
@pytest.mark.parametrize(
    "target",
    [
        {"gamma": 1.0},
        {"advantage": 0.0},
        {"attack_success": 0.5},
        {"attack_success": 0.3},
        {"max_posterior": 0.4, "prior": (0.1, 0.4)},
        {"max_posterior": 0.3, "prior": (0.1, 0.4)},
        {"max_posterior": 0.99},
        {"identifiability": 0.25, "worlds": 4},
        {"identifiability": 0.1, "worlds": 4},
    ],
    ids=str,
)
def test_what_no_noise_meets(target, delta):
    with refuses(InfeasibleTarget, "expected-got"):
        calibrate(**target, delta=delta)


def test_a_posterior_that_certain_strangers_keep_anyway():
    for delta in (None, 1e-6):
        with refuses(NotApplicable, "every-release-keeps-such-target"):
            calibrate(max_posterior=0.5, prior=(0.0, 0.0), delta=delta)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "exactly-one-target-of-none: gamma"),
        ({"gamma": 2.0, "advantage": 0.1}, "exactly-one-target-of-advantage: gamma | gamma"),
        ({"gamma": 2.0, "worlds": 3}, "only-it-with-leave-worlds"),
        ({"identifiability": 0.3}, "worlds-give-worlds"),
        ({"worlds": 3}, "exactly-one-target-of-none"),
        ({"gamma": 0.5}, "below-least: gamma | 1"),
        ({"gamma": math.nan}, "not-a-number: gamma"),
        ({"gamma": math.inf}, "not-finite: gamma"),
        ({"gamma": "2"}, "not-a-number: gamma | '2'"),
        ({"advantage": True}, "not-a-number: advantage | True"),
        ({"attack_success": 1.0}, "not-between-0-and-1: attack_success"),
        ({"max_posterior": 1.0}, "not-between-0-and-1: max_posterior"),
        ({"advantage": -0.1}, "not-between-0-and-1: advantage"),
        ({"gamma": 2.0, "delta": 0.0}, "not-between-0-and-1: delta"),
        ({"gamma": 2.0, "delta": math.nan}, "not-a-number: delta"),
        ({"gamma": 2.0, "prior": (0.7, 0.3)}, "ends-swapped"),
        ({"gamma": 2.0, "prior": (0.7,)}, "not-two-numbers: prior"),
        ({"gamma": 2.0, "prior": None}, "not-two-numbers: prior"),
        ({"gamma": 2.0, "prior": ("0", "1")}, "not-a-number: prior low"),
        ({"gamma": 2.0, "adjacency": 3}, "not-one-of: adjacency"),
    ],
)
def test_wrong_arguments(arguments, message):
    with refuses(InvalidArgument, message):
        calibrate(**arguments)


def test_json_keys():
    pure = calibrate(gamma=2.0, prior=(0.3, 0.7)).as_json()
    assert list(pure) == [
        "epsilon",
        "delta",
        "adjacency",
        "gamma",
        "gamma_outside",
        "target",
        "adversary",
        "derivation",
        "apply",
        "cautions",
    ]
    assert pure["apply"] == {"epsilon": pure["epsilon"]}
    assert pure["target"] == {"kind": "gamma", "value": 2.0, "worlds": None}
    assert pure["adversary"] == {"prior": [0.3, 0.7]}
    assert set(pure["derivation"][0]) == {"from", "to", "theorem"}
    gaussian = calibrate(gamma=2.0, delta=1e-6).as_json()
    assert set(gaussian) - set(pure) == {"noise_multiplier", "exceedance", "privacy_loss"}


@pytest.mark.parametrize("target", [{"gamma": 2.0}, {"advantage": 0.1}, {"attack_success": 0.6}])
def test_with_delta_no_epsilon_is_offered_to_apply(target):
    """Any (ε, δ)-DP mechanism at the stated loss may break the target: the noise is the budget."""
    answer = calibrate(**target, delta=1e-6)
    document = answer.as_json()
    assert set(document["apply"]) == {"noise_multiplier", "mu", "rho"}
    assert document["privacy_loss"] == {
        "bound": answer.loss,
        "passed_with_probability_at_most": 1e-6,
    }
    assert answer.noise_multiplier * answer.mu >= 1
    if "advantage" in target:
        worst = approx_dp_to_advantage(ApproxDP(answer.epsilon, 1e-6)).value
        assert worst == pytest.approx(0.563, abs=5e-4)


@pytest.mark.parametrize("gamma", [1 + 2.0**-52, 1e300])
def test_extreme_targets_stay_finite(gamma):
    for delta in (None, 1e-6):
        answer = calibrate(gamma=gamma, delta=delta)
        assert 0 < answer.epsilon < math.inf
        assert answer.gamma <= gamma


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("delta", [None, 1e-6])
@pytest.mark.parametrize("kind", TARGETS)
def test_every_step_that_is_printed_is_true_as_it_is_printed(kind, delta, adjacency):
    """What stands after "gives" follows from what stands before it, with those labels."""
    steps = calibrate(**TARGETS[kind], adjacency=adjacency, delta=delta).derivation
    assert steps
    for step in steps:
        found = derive(step.source, step.target)
        assert found.target.spec == step.target
        assert step.theorem in [link.theorem for link in found.chain]
    for step, after in itertools.pairwise(steps):
        assert step.target == after.source
    assert ("add-remove" in steps[0].source) == (adjacency is Adjacency.ADD_REMOVE)
