"""A training is repeated with nothing left of the one before."""

from functools import partial

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from deniable.auditing.models import training_of, unfitted
from deniable.errors import InvalidArgument
from tests.cases.refusals import refuses

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 0, 1, 1, 0])


def one_argument(features):
    return features


def three_arguments(features, labels, rate):
    return features, labels, rate


class Lookalike:
    """What scikit-learn asks of an estimator, without scikit-learn."""

    def __init__(self, parts=()):
        self.parts = parts

    def get_params(self, deep=True):
        del deep
        return {"parts": self.parts}

    def fit(self, features, labels):
        del features
        self.seen = getattr(self, "seen", 0) + len(labels)
        return self


def test_nothing_learnt_is_left_in_a_copy():
    inner = Lookalike().fit(X, Y)
    outer = Lookalike([("inner", inner)]).fit(X, Y)
    copy = unfitted(outer)
    assert not hasattr(copy, "seen")
    assert not hasattr(copy.parts[0][1], "seen")
    training = training_of(outer)
    assert [training.model(X, Y, 0).seen for _ in range(2)] == [6, 6]


def test_warm_starts_begin_from_nothing():
    model = SGDRegressor(warm_start=True, random_state=1).fit(1e3 * X, 1e3 * Y)
    again = training_of(model).model(X / 12, Y, 0).coef_
    assert np.array_equal(again, SGDRegressor(random_state=1).fit(X / 12, Y).coef_)


@pytest.mark.parametrize(
    ("model", "seeded"),
    [
        (RandomForestClassifier(2), True),
        (RandomForestClassifier(2, random_state=0), False),
        (make_pipeline(StandardScaler(), DecisionTreeClassifier()), True),
        (BaggingClassifier(DecisionTreeClassifier(), 2, random_state=3), True),
        (StandardScaler(), False),
    ],
)
def test_a_seed_is_given_where_none_is_set(model, seeded):
    training = training_of(model)
    states = [
        {k: v for k, v in training.model(X, Y, seed).get_params().items() if "random_state" in k}
        for seed in (5, 6)
    ]
    assert (states[0] != states[1]) is seeded


@pytest.mark.parametrize("keyword", ["seed", "random_state"])
def test_a_function_that_takes_a_seed_is_given_it(keyword):
    names: dict = {}
    exec(f"def fit(X, y, *, {keyword}): return {keyword}", names)
    assert training_of(names["fit"]).model(X, Y, 17) == 17


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (LogisticRegression, "model-to-train-class-logisticregression: LogisticRegression"),
        (3, "estimator-with-fit"),
        (one_argument, "features-and-labels"),
        (three_arguments, "features-and-labels"),
    ],
)
def test_what_cannot_be_trained_is_refused(source, message):
    with refuses(InvalidArgument, message):
        training_of(source)


def test_trainings_of_other_names_or_parameters_have_other_keys():
    sources = [
        lambda features, labels: (features, labels),
        partial(three_arguments, rate=1),
        LogisticRegression(C=1),
        LogisticRegression(C=2),
    ]
    keys = [training_of(each).key() for each in sources]
    assert len(set(keys)) == len(keys)
    assert training_of(LogisticRegression(C=1)).key() == keys[2]
