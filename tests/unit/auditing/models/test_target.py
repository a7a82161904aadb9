"""Coins decide who is trained on; the losses are of everybody."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from deniable.auditing.models import model_target
from deniable.auditing.runs import TargetFailed, made
from deniable.errors import InvalidArgument
from deniable.numerics.effort import Effort
from tests.cases.refusals import refuses

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 3))
Y = (X[:, 0] > 0).astype(int)
BITS = RNG.integers(0, 2, size=(5, 20)).astype(bool)


def told_seed(features, labels, seed):
    del features, labels
    return seed


def test_a_run_is_a_training_on_its_members_and_the_losses_of_all():
    found = model_target(Ridge(), (X, X[:, 1] + X[:, 2])).draw(BITS, np.random.default_rng(0))
    y = X[:, 1] + X[:, 2]
    for row, bits in zip(found[:, :, 0], BITS, strict=True):
        off = Ridge().fit(X[bits], y[bits]).predict(X) - y
        assert row == pytest.approx(off**2 / (2 * y.var()))


def test_a_training_is_given_another_seed_in_every_run_and_the_same_by_the_same_generator():
    target = model_target(told_seed, (X, Y), losses=lambda model, *_: np.full(20, model))
    first, again = (target.draw(BITS, np.random.default_rng(7)) for _ in range(2))
    assert np.array_equal(first, again)
    assert len(np.unique(first)) == 5


@pytest.mark.parametrize(
    ("bits", "what"), [(Y == 1, "one-class-only"), (np.arange(20) < 0, "fewer-two")]
)
def test_members_on_which_nothing_can_be_trained_are_told_of_without_their_label(bits, what):
    labels = np.where(Y, "healthy", "ill")
    target = model_target(LogisticRegression(), (X, labels))
    with refuses(InvalidArgument, what) as caught:
        target.draw(bits[None, :], np.random.default_rng(0))
    assert "healthy" not in str(caught.value)


def test_other_failures_are_those_of_the_training():
    def fit(*_):
        raise ZeroDivisionError

    with pytest.raises(TargetFailed) as caught:
        model_target(fit, (X, Y)).draw(BITS, np.random.default_rng(0))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_loss_that_ignores_the_data_is_a_target_like_any():
    target = model_target(lambda *_: None, (X, Y), losses=lambda *given: np.zeros(len(given[2])))
    assert not target.draw(BITS, np.random.default_rng(0)).any()


def test_targets_of_other_people_or_models_have_other_names():
    targets = [
        model_target(Ridge(), (X, Y)),
        model_target(Ridge(), (X, 1 - Y)),
        model_target(Ridge(2.0), (X, Y)),
    ]
    assert len({target.key for target in targets}) == 3


def test_kept_trainings_are_those_of_a_loss_that_says_the_same(tmp_path):
    def seen(loss):
        target = model_target(Ridge(), (X, Y), losses=lambda *_: np.full(20, loss))
        runs = made(target, 20, Effort(checkpoint=tmp_path))
        return np.concatenate([each.signals for each in runs])

    assert (seen(0.5) == 0.5).all()
    assert (seen(0.25) == 0.25).all()


def test_a_training_with_randomness_of_its_own_is_not_shared_among_workers(tmp_path):
    held = np.random.default_rng(3)
    target = model_target(lambda *_: held.random(), (X, Y), losses=lambda m, *_: np.full(20, m))
    assert len(list(made(target, 20, Effort()))) > 1
    with refuses(InvalidArgument, "from-same-random-numbers"):
        list(made(target, 20, Effort(checkpoint=tmp_path)))


def test_a_model_of_labels_that_are_all_alike_has_losses():
    target = model_target(
        lambda *_: SimpleNamespace(predict=lambda _: np.zeros(20)), (X, np.ones(20))
    )
    assert (target.draw(BITS, np.random.default_rng(0)) == 1).all()


def test_a_word_for_losses_is_refused():
    with refuses(InvalidArgument, "losses-model-x-y"):
        model_target(Ridge(), (X, Y), losses="mse")


def test_what_a_training_or_a_loss_does_to_its_arguments_changes_no_other_run():
    def fit(features, labels):
        features *= 0.0
        labels[:] = 0
        return 0

    def spoils(_, features, labels):
        loss = features.sum(axis=1) + labels
        features += 1.0
        labels[:] = 7
        return loss

    before = X.copy(), Y.copy()
    found = model_target(fit, (X, Y), losses=spoils).draw(BITS, np.random.default_rng(0))
    assert (found == found[:1]).all()
    assert np.array_equal(X, before[0])
    assert np.array_equal(Y, before[1])
