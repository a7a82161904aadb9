"""Each attack finds what it is for, and survives columns that say nothing."""

import numpy as np
import pytest

from deniable.auditing.attacks import (
    BLACK_BOX,
    Classifier,
    ExactValues,
    LikelihoodRatio,
    LowBits,
    low_bits_finding,
)
from deniable.auditing.runs import Runs
from deniable.auditing.statistics import Cut, counted, lower_limit
from deniable.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
)


def found(attack, answer, runs=20_000, seed=1):
    """The limit on half of the runs; a quarter to learn, a quarter for the cut."""
    rng = np.random.default_rng(seed)
    members = rng.random((runs, 1)) < 0.5
    signals = np.asarray(answer(members, rng), np.float64).reshape(runs, 1, -1)
    a, b = runs // 4, runs // 2
    score = attack.fit(Runs(members[:a], signals[:a]))
    pilot, test = score(signals[a:b]), score(signals[b:])
    assert pilot.shape == (b - a, 1)
    assert not np.isnan(test).any()
    cut = Cut.select(pilot[:, 0], members[a:b, 0])
    return lower_limit(runs - b, *counted(cut, test[:, 0], members[b:, 0]))


def shifted(noise, size=1.0):
    return lambda members, rng: size * members[:, 0] + noise.draws(rng, len(members))


def log_ratio_of(noise):
    """ln p(y − 1) − ln p(y), the ratio of two neighbours whose answers are 1 and 0."""
    law = noise.log_pdf if hasattr(noise, "log_pdf") else lambda y: noise.log_pmf(y.astype(int))
    return lambda outputs: law(outputs[:, 0] - 1) - law(outputs[:, 0])


KNOWN = [
    (Laplace(1.0), 1.0),
    (Gaussian(1.0), 2.0),
    (DiscreteLaplace(1.0), 1.0),
    (DiscreteGaussian(1.0), 2.0),
]


@pytest.mark.parametrize(("noise", "least"), KNOWN, ids=lambda x: getattr(x, "name", str(x)))
def test_the_exact_ratio_and_the_classifier_come_near_what_is_there(noise, least):
    exact = LikelihoodRatio(log_ratio_of(noise))
    assert found(exact, shifted(noise)) > 0.9 * least
    assert found(Classifier(), shifted(noise)) > 0.9 * least


def test_an_output_that_no_law_has_tells_nothing():
    score = LikelihoodRatio(lambda outputs: np.full(len(outputs), np.nan)).fit(None)
    assert score(np.array([[[2.0]]])).tolist() == [[0.0]]


def test_one_column_of_a_thousand_is_found():
    def answer(members, rng):
        columns = rng.normal(size=(len(members), 1000))
        columns[:, 777] += 4 * members[:, 0]
        return columns

    assert found(Classifier(), answer, runs=2000) > 2


def test_an_output_that_one_law_alone_has_is_found_among_its_values():
    def answer(members, rng):
        rare = members[:, 0] & (rng.random(len(members)) < 0.01)
        return np.where(rare, 2.5, rng.integers(0, 6, len(members)))

    assert found(ExactValues(), answer) > 2.5


def test_values_of_many_columns_are_counted_one_by_one():
    def answer(members, rng):
        coin = np.where(members[:, 0] == (rng.random(len(members)) < 0.9), 2.0, 3.0)
        return np.stack([coin, rng.normal(size=len(members))], axis=1)

    assert found(ExactValues(), answer) > 1.9


def test_floating_point_noise_is_found_by_its_last_bits():
    def naive(members, rng):
        return members[:, 0] + rng.laplace(size=len(members))

    limit = found(LowBits(), naive)
    assert limit > 4
    finding = low_bits_finding("low-bits", limit, 1.0)
    assert finding is not None
    assert finding.breaks
    assert low_bits_finding("low-bits", 0.9, 1.0) is None
    assert low_bits_finding("classifier", limit, 1.0) is None


@pytest.mark.parametrize(
    "answer",
    [
        shifted(DiscreteLaplace(1.0)),
        lambda members, rng: shifted(DiscreteLaplace(3.0))(members, rng) / 1024,
        lambda members, rng: np.where(members[:, 0], 0.1, 0.7) + 0 * rng.random(),
        lambda members, rng: 100 * members[:, 0] + rng.random(len(members)) * 2.0**-30,
    ],
    ids=["whole numbers", "a grid", "two values", "far apart"],
)
def test_values_alone_are_no_last_bits(answer):
    assert found(LowBits(), answer) < 1.5


def odd_columns(members, rng):
    n = len(members)
    return np.stack(
        [
            np.full(n, 3.0),
            np.full(n, np.inf),
            np.where(rng.random(n) < 0.5, -np.inf, np.inf),
            np.full(n, np.nan),
            np.where(rng.random(n) < 0.5, np.nan, 1e308),
            rng.choice([5e-324, -1e308, 0.0], n),
            members[:, 0] + rng.laplace(size=n),
        ],
        axis=1,
    )


@pytest.mark.parametrize("attack", BLACK_BOX, ids=lambda attack: attack.name)
def test_columns_that_say_nothing_do_no_harm(attack):
    limit = found(attack, odd_columns)
    assert limit > {"classifier": 0.8, "low-bits": 3}.get(attack.name, -1)


def test_infinity_that_tells_is_told():
    def answer(members, rng):
        return np.where(members[:, 0] == (rng.random(len(members)) < 0.9), np.inf, 0.0)

    assert found(Classifier(), answer) > 1.9


@pytest.mark.parametrize("attack", BLACK_BOX, ids=lambda attack: attack.name)
def test_several_records_have_a_score_each(attack):
    rng = np.random.default_rng(1)
    members = rng.random((200, 3)) < 0.5
    signals = (members + rng.laplace(size=members.shape))[..., None]
    score = attack.fit(Runs(members, signals))
    assert score(signals[:10]).shape == (10, 3)
    assert score(signals[:0]).shape == (0, 3)
