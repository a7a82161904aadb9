import pytest

import deniable
from deniable.errors import InfeasibleTarget, InvalidArgument

RUN = {"sample_rate": 0.125, "steps": 16, "delta": 1e-5}

TARGETS = {
    "gamma": ({"gamma": 3.0}, lambda a: a.gamma <= 3.0),
    "max_posterior": (
        {"max_posterior": 0.3, "prior": (0.0, 0.1)},
        lambda a: a.posterior[1].upper <= 0.3,
    ),
    "attack_success": ({"attack_success": 0.6}, lambda a: a.attack_success.upper <= 0.6),
    "advantage": ({"advantage": 0.15}, lambda a: a.advantage.upper <= 0.15),
    "identifiability": ({"identifiability": 0.5, "worlds": 4}, lambda a: a.epsilon.upper < 0.55),
    "epsilon": ({"epsilon": 1.0}, lambda a: a.epsilon.upper <= 1.0),
    "fnr": ({"fnr": 0.8, "fpr": 0.05}, lambda a: a.fpr == 0.05 and a.fnr.lower >= 0.8),
}


@pytest.mark.parametrize(("asked", "kept"), TARGETS.values(), ids=TARGETS)
def test_noise_that_is_enough_explains_and_certifies_as_such(tmp_path, asked, kept):
    answer = deniable.calibrate_training(**RUN, **asked)
    assert kept(answer.explanation)
    assert float(answer) == answer.noise_multiplier
    if answer.noise_multiplier_lower is not None:
        assert answer.noise_multiplier_lower <= answer.noise_multiplier
    history = [(answer.noise_multiplier, RUN["sample_rate"], RUN["steps"])]
    deniable.certify_training(history, tmp_path / "out", delta=RUN["delta"], **asked)
    less = [(0.8 * answer.noise_multiplier, RUN["sample_rate"], RUN["steps"])]
    with pytest.raises(InfeasibleTarget):
        deniable.certify_training(less, tmp_path / "less", delta=RUN["delta"], **asked)


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({}, "exactly one target"),
        ({"gamma": 2.0, "epsilon": 1.0}, "one target"),
        ({"sample_rate": 1.5, "gamma": 2.0}, "sample_rate"),
        ({"sample_rate": 0.0, "gamma": 2.0}, "sample_rate"),
        ({"sample_rate": float("nan"), "gamma": 2.0}, "sample_rate"),
        ({"sample_rate": 1e-9, "gamma": 2.0}, "sample_rate"),
        ({"sample_rate": True, "gamma": 2.0}, "sample_rate"),
        ({"steps": 0, "gamma": 2.0}, "steps"),
        ({"steps": 10**9, "gamma": 2.0}, "steps"),
        ({"steps": 1.5, "gamma": 2.0}, "steps"),
        ({"steps": "9", "gamma": 2.0}, "steps"),
        ({"delta": 0, "gamma": 2.0}, "delta"),
        ({"fnr": 0.5}, "`fpr`"),
    ],
)
def test_wrong_arguments_are_one_sentence(changed, word):
    with pytest.raises(InvalidArgument, match=word):
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
