"""Losses keep their digits, and what is no loss of each record is refused."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb, ctx
from sklearn.linear_model import Perceptron

from deniable.auditing.models import FARTHEST, log_odds, losses_of
from deniable.errors import InvalidArgument
from tests.cases.refusals import refuses

X = np.zeros((3, 1))
Y = np.array(["a", "b", "c"])


def classifier(probabilities, classes=("a", "b")):
    return SimpleNamespace(predict_proba=lambda _: np.array(probabilities), classes_=classes)


@pytest.mark.parametrize("rest", [0.75, 0.5, 0.3, 1e-3, 1e-15, 1e-17, 1e-200, 5e-324])
def test_log_odds_have_all_digits_where_p_itself_rounds_to_one(rest):
    model = classifier([[1 - rest, rest], [rest, 1 - rest], [0.5, 0.5]])
    loss = losses_of(model, X, Y, None, 1.0)
    ctx.prec = 2000
    exact = Fraction(rest)
    other = arb(exact.numerator) / arb(exact.denominator)
    expected = float(((1 - other) / other).log())
    assert log_odds(loss)[:2] == pytest.approx([expected] * 2, rel=1e-12, abs=1e-12)


def test_a_label_that_was_not_trained_on_has_the_largest_loss_and_a_sure_one_none():
    loss = losses_of(classifier([[1.0, 0.0], [1.0, 0.0], [0.4, 0.6]]), X, Y, None, 1.0)
    assert loss.tolist() == [0.0, FARTHEST, FARTHEST]
    assert log_odds(loss).tolist() == [FARTHEST, -FARTHEST, -FARTHEST]


def test_what_is_given_goes_before_what_the_model_has():
    model = classifier([[0.5, 0.5]] * 3)
    model.losses = lambda *given: [1, 2, len(given[1])]
    assert losses_of(model, X, Y, None, 1.0).tolist() == [1, 2, 3]
    assert losses_of(model, X, Y, lambda *_: [4, 5, 6], 1.0).tolist() == [4, 5, 6]


def test_squared_errors_of_several_outputs_are_added_and_told_in_their_unit():
    model = SimpleNamespace(predict=lambda _: np.array([[1.0, 2.0], [0, 0], [3, 3]]))
    loss = losses_of(model, X, np.array([[0.0, 0.0], [0, 0], [3, 5]]), None, 2.0)
    assert loss.tolist() == [2.5, 0.0, 2.0]


@pytest.mark.parametrize(
    ("losses", "message"),
    [
        ([1.0, 2.0], "records-shape: _ | (2,)"),
        ([[1.0], [2.0], [3.0]], "records-shape: _ | (3, 1)"),
        (0.5, "records-shape-loss-for-each"),
        ([1.0, np.nan, np.nan], "so-many-of: 2 | 3"),
        ([1.0, -np.inf, 0.0], "so-many-of: 1 | 3"),
        (["much", "little", "more"], "no-array-of-numbers"),
        (None, "records-shape-loss-for-each"),
        ([[1.0], [2.0, 3.0], 4.0], "no-array-of-numbers"),
    ],
)
def test_what_is_no_loss_of_each_record_is_refused_without_showing_one(losses, message):
    with refuses(InvalidArgument, message) as caught:
        losses_of(None, X, Y, lambda *_: losses, 1.0)
    assert "much" not in str(caught.value)


def test_a_classifier_that_tells_no_probability_is_refused():
    model = Perceptron().fit([[0.0], [1.0]], [0, 1])
    with refuses(InvalidArgument, "model-with-losses: Perceptron"):
        losses_of(model, X, np.array([0, 1, 0]), None, 1.0)


def test_probabilities_of_other_classes_than_the_model_has_are_refused():
    with refuses(InvalidArgument, "classes-and-one-label: 2"):
        losses_of(classifier([[0.2, 0.3, 0.5]] * 3), X, Y, None, 1.0)


def test_an_infinite_loss_is_the_largest_of_its_run():
    given = losses_of(None, X, Y, lambda *_: [np.inf, 2000.0, 1.0], 1.0)
    assert given.tolist() == [2000.0, 2000.0, 1.0]
    assert np.isfinite(log_odds(given)).all()


def test_losses_below_zero_keep_their_order():
    assert log_odds(np.array([-3.0, 0.0, 4.0])).tolist() == [3.0, 0.0, -4.0]


def test_a_model_whose_classes_are_other_names_is_refused_and_not_called_private():
    with refuses(InvalidArgument, "as-they-were-handed-over"):
        losses_of(classifier([[0.5, 0.5]] * 3, classes=(0, 1)), X, Y, None, 1.0)
