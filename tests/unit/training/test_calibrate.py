import functools

import pytest

import deniable
from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.notions import Adjacency, ApproxDP
from deniable.notions.adversaries import BoundedPriors
from deniable.notions.notation import parse
from deniable.theorems.analysis import EpsilonTarget, posterior_ranges
from deniable.theorems.catalogue import named
from deniable.training.calibrate import _settle, find_met_requirement
from deniable.training.certify import derive_guarantees
from deniable.training.explain import DEFAULT_DELTA, GAP
from deniable.training.noisy_gradients import Phase, privacy_curve
from tests.cases.effort import usual
from tests.cases.refusals import refuses

RUN = {"sample_rate": 0.125, "steps": 16, "delta": 1e-5}

TARGETS = {
    "gamma": ({"gamma": 3.0}, lambda a: a.gamma <= 3.0),
    "max_posterior": (
        {"max_posterior": 0.3, "prior": (0.0, 0.1)},
        # The target is of rises; `posterior` counts rises and falls in delta.
        lambda a: posterior_ranges(a.loss.upper, [0.1])[0].upper <= 0.3,
    ),
    "attack_success": ({"attack_success": 0.6}, lambda a: a.attack_success.upper <= 0.6),
    "advantage": ({"advantage": 0.15}, lambda a: a.advantage.upper <= 0.15),
    "identifiability": ({"identifiability": 0.5, "worlds": 4}, lambda a: a.epsilon.upper < 0.55),
    "epsilon": ({"epsilon": 1.0}, lambda a: a.epsilon.upper <= 1.0),
    "fnr": ({"fnr": 0.8, "fpr": 0.05}, lambda a: a.fpr == 0.05 and a.fnr.lower >= 0.8),
}


@pytest.fixture(scope="module")
def calibrated():
    """The answer to one of the targets, by its name; computed once."""
    return functools.cache(lambda name: deniable.calibrate_training(**RUN, **TARGETS[name][0]))


# The others are met by a tail of losses, or an advantage, as one of these is.
@pytest.mark.parametrize(
    "name", usual(["identifiability", "advantage", "epsilon", "fnr"], [*TARGETS])
)
def test_noise_that_is_enough_explains_and_certifies_as_such(calibrated, name):
    answer, (_, kept) = calibrated(name), TARGETS[name]
    assert kept(answer.explanation)
    assert float(answer) == answer.noise_multiplier
    if answer.noise_multiplier_lower is not None:
        assert answer.noise_multiplier_lower <= answer.noise_multiplier
    told = answer.explanation
    rest = told.delta, told.adversary, told.fpr, answer.target
    assert derive_guarantees(told.history, *rest).stated.derivation == answer.derivation
    less = Phase(0.8 * answer.noise_multiplier, RUN["sample_rate"], RUN["steps"])
    assert (
        find_met_requirement(privacy_curve([less]), answer.target, told.adversary, told.delta)
        is None
    )
    for step in answer.derivation:
        check_step(step)


OF_THE_TARGET = {
    "privacy_curve_to_approx_dp": ("epsilon",),
    "privacy_curve_to_privacy_loss_tail": ("exceedance",),
    "privacy_curve_to_false_negative_rate": ("fpr",),
    "approx_dp_to_privacy_loss_tail": ("exceedance",),
    "privacy_loss_tail_to_max_posterior": ("prior",),
    "privacy_loss_tail_to_identifiability": ("worlds",),
    "privacy_loss_tail_to_positive_membership": ("adversary",),
}
SMALLER_IS_STRONGER = (
    "epsilon", "delta", "exceedance", "gamma", "posterior", "probability", "value", "rho",
)  # fmt: skip


def check_step(step):
    """What a step says follows from its source by its theorem, but for rounding."""
    source, target = parse(step.source), parse(step.target)
    name = step.theorem.partition(" (")[0]
    given = {key: getattr(target, key) for key in OF_THE_TARGET.get(name, ())}
    proved = named(name).implication(source, **given)
    assert type(proved) is type(target)
    compared = [key for key in SMALLER_IS_STRONGER if hasattr(target, key)]
    assert compared or hasattr(target, "fnr")
    for key in compared:
        assert getattr(proved, key) <= getattr(target, key) * (1 + 1e-9)
    if hasattr(target, "fnr"):
        assert proved.fnr >= target.fnr * (1 - 1e-9)


def test_without_a_delta_it_is_the_documented_one(calibrated):
    run = {key: value for key, value in RUN.items() if key != "delta"}
    answer = deniable.calibrate_training(**run, **TARGETS["advantage"][0])
    assert answer.explanation.delta == DEFAULT_DELTA == 1e-6
    other = calibrated("advantage")
    assert answer.noise_multiplier == other.noise_multiplier
    assert answer.explanation.epsilon.upper > other.explanation.epsilon.upper


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({}, "exactly-one-target"),
        ({"gamma": 2.0, "epsilon": 1.0}, "one-target"),
        ({"sample_rate": 1.5, "gamma": 2.0}, "0-below-sample-rate-at-most-1"),
        ({"sample_rate": 0.0, "gamma": 2.0}, "0-below-sample-rate-at-most-1"),
        ({"sample_rate": float("nan"), "gamma": 2.0}, "not-a-number: sample_rate"),
        ({"sample_rate": 1e-13, "gamma": 2.0}, "sample-rate-at-least"),
        ({"sample_rate": True, "gamma": 2.0}, "not-a-number: sample_rate"),
        ({"steps": 0, "gamma": 2.0}, "below-least: steps"),
        ({"steps": 10**11, "gamma": 2.0}, "steps-in-all"),
        ({"steps": 1.5, "gamma": 2.0}, "not-whole: steps"),
        ({"steps": "9", "gamma": 2.0}, "not-a-number: steps"),
        ({"delta": 0, "gamma": 2.0}, "not-between-0-and-1: delta"),
        ({"fnr": 0.5}, "fpr-with-fnr"),
    ],
)
def test_wrong_arguments_are_one_sentence(changed, word):
    with refuses(InvalidArgument, word):
        deniable.calibrate_training(**(RUN | changed))


@pytest.mark.parametrize(
    "asked",
    [
        {"fnr": 0.95, "fpr": 0.05},
        {"fnr": 0.9999, "fpr": 0.5},
        {"max_posterior": 0.1, "prior": (0.0, 0.1)},
        {"gamma": 1.0},
        {"attack_success": 0.5},
        {"identifiability": 0.25, "worlds": 4},
    ],
)
def test_what_no_noise_meets_is_refused(asked):
    with pytest.raises(InfeasibleTarget):
        deniable.calibrate_training(**RUN, **asked)


def test_a_delta_near_what_a_lattice_rounds_away_is_met_by_a_little_more_noise():
    needed = ApproxDP(1.0, 1e-15, Adjacency.ADD_REMOVE)
    least = 0.33048854572809283  # what the search finds for one step of one record in 10^12
    answer = _settle(
        [(least, 0.0, needed)],
        lambda noise: privacy_curve([Phase(noise, 1e-12, 1)], gap=GAP),
        (EpsilonTarget(1.0), BoundedPriors(), 1e-15, 0.01),
    )
    assert answer.explanation.epsilon.upper <= 1.0
    assert least < answer.noise_multiplier < 1.2 * least
