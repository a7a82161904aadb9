"""Models that leak are found out, those that keep their word are not, and bad ones are told of."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

import deniable
from deniable.errors import InvalidArgument, NotApplicable
from tests.cases.effort import usual
from tests.cases.noisy_training import (
    NOISE,
    RATE,
    STEPS,
    logistic_losses,
    noisy_training,
    people,
)
from tests.cases.refusals import refuses

X, Y = people()
DELTA = 1e-5
RNG = np.random.default_rng(4)
NOISY = (RNG.normal(size=(50, 6)), RNG.integers(0, 2, 50))
"""Labels without a reason: whoever knows them has learnt them by heart."""


def certified() -> str:
    """What `training certify` would promise of the sound training, as a claim."""
    epsilon = deniable.explain_training([(NOISE, RATE, STEPS)], delta=DELTA).epsilon.upper
    return f"approx-dp:{epsilon!r},{DELTA}@add-remove"


@pytest.mark.parametrize(
    ("forgotten", "verdict"),
    [({}, "consistent"), ({"noise": 0.0}, "violated"), ({"clip": np.inf}, "violated")],
    ids=["nothing", "noise", "clipping"],
)
def test_a_noisy_training_keeps_what_is_certified_unless_something_is_forgotten(forgotten, verdict):
    fit = noisy_training(**forgotten)
    found = deniable.audit(
        fit, (X, Y), losses=logistic_losses, claimed=certified(), runs=usual(600, 2000)
    )
    assert found.verdict == verdict
    assert (found.delta, found.adjacency) == (DELTA, "add-remove")
    if "clip" in forgotten:  # the one who is far away
        assert found.worst[0].record == 0


def test_who_learns_by_heart_lets_one_believe_more_than_who_holds_back():
    tree = deniable.audit(DecisionTreeClassifier(), NOISY, runs=usual(200, 300))
    held = deniable.audit(LogisticRegression(C=0.001), NOISY, runs=usual(200, 300))
    sure, unsure = tree.worst[0], held.worst[0]
    assert tree.belief_found > 0.75 > 0.65 > held.belief_found
    assert sure.right / sure.guesses > 0.85 > unsure.right / unsure.guesses
    assert {tree.verdict, held.verdict} == {"inconclusive"}  # nothing was claimed


def test_trainings_that_tell_nothing_are_rarely_accused():
    """25 audits at 95 %, or 100: as many false alarms as a binomial passes once in 1,000."""
    alarms, audits = 0, usual(25, 100)
    for seed in range(audits):
        found = deniable.audit(
            lambda *_, seed: np.random.default_rng(seed),
            (np.zeros((4, 1)), np.zeros(4)),
            losses=lambda model, *_: model.random(4),
            runs=60,
            effort=deniable.Effort(seed=seed, time_limit=1e6),
        )
        alarms += found.found.lower > 0
    assert alarms <= binom.isf(1e-3, audits, 0.05)


def with_losses(losses):
    return {"losses": lambda *given: losses(len(given[2]))}


def returns_nothing(features, labels):
    del features, labels


class FailsAtTheSeventh:
    """A training that breaks once, and says something about a record when it does."""

    def __init__(self):
        self.runs = 0

    def __call__(self, features, labels):
        del features
        self.runs += 1
        if self.runs >= 7:
            raise ValueError(f"the label of Anna is {labels[0]}")


@pytest.mark.parametrize(
    ("fit", "how", "message"),
    [
        (lambda *_: None, with_losses(lambda n: np.full(n, np.nan)), "so-many-of: 50 | 50"),
        (lambda *_: None, with_losses(lambda n: np.zeros(n - 1)), "records-shape: _ | (49,)"),
        (lambda *_: None, with_losses(lambda n: np.zeros((n, 2))), "records-shape: _ | (50, 2)"),
        (
            lambda *given: given[1].sum(),
            {"losses": lambda m, *_: np.zeros(50 + int(m) % 2)},
            "records-shape: 50",
        ),
        (FailsAtTheSeventh(), with_losses(np.zeros), "valueerror-in-run-7"),
        (returns_nothing, {}, "model-with-losses: NoneType"),
        (LogisticRegression, {}, "model-to-train-class-logisticregression: LogisticRegression"),
    ],
    ids=["NaN", "short", "wide", "changing", "raises", "no model", "class"],
)
def test_a_bad_target_is_told_of_and_shows_nothing_of_the_data(fit, how, message):
    with refuses(InvalidArgument, message) as caught:
        deniable.audit(fit, NOISY, runs=100, **how)
    assert "Anna" not in str(caught.value)


def test_a_loss_that_ignores_the_data_is_consistent_and_said_to_be_always_the_same():
    found = deniable.audit(
        lambda *_: None, NOISY, losses=lambda *_: np.zeros(50), claimed="pure-dp:1@add-remove"
    )
    assert (found.verdict, found.found.lower) == ("consistent", 0.0)
    assert [each.name for each in found.findings] == ["same-losses"]


@pytest.mark.parametrize("claimed", ["population:1.0", "population:0.1,1e-5"])
def test_claims_about_samples_of_a_fixed_size_are_refused_for_one_training(claimed):
    with pytest.raises(NotApplicable):
        deniable.audit(LogisticRegression(), NOISY, claimed=claimed, runs=1)


def test_one_training_is_an_audit_of_its_own():
    features = np.arange(400.0)[:, None]
    found = deniable.audit(
        DecisionTreeClassifier(),
        (features, np.arange(400) % 2),
        runs=1,
        claimed="pure-dp:1@add-remove",
    )
    assert (found.subject, found.runs, found.verdict) == ("one training run", 1, "violated")


def test_the_model_that_is_handed_over_stays_untrained():
    model = DecisionTreeClassifier()
    deniable.audit(model, NOISY, runs=20)
    with pytest.raises(Exception, match="not fitted"):
        check_is_fitted(model)
