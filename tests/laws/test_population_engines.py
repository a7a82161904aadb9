"""Every engine has one shape, and its intervals hold the truth, late or not."""

import functools
import inspect

import numpy as np
import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from deniable.numerics.effort import Effort
from deniable.population import choices, integer_sums, real_sums, vector_sums
from deniable.population.question import Ones, Question, SampleFunction, Summands
from tests.cases.effort import some_pairs
from tests.oracles import population as oracle
from tests.oracles.samples import samples

COLUMN, SIZE, DELTA = [0, 3, 3, 5, 9, 1], 2, 0.05
TABLE = np.random.default_rng(4).uniform(size=(3, 6))
SUM, COUNT = Summands(COLUMN), Ones(2, 6)
FUNCTION = SampleFunction(lambda rows: [rows.sum()], COLUMN)
SCORES = choices.Scores(TABLE, 0.0, 2.0)
ALL_RECORDS, SLACK = range(6), 1e-6


def gaussian(record):
    return oracle.gaussian_epsilon(COLUMN, SIZE, 4.0, DELTA, record)


def laplace(record):
    return oracle.laplace_epsilon(COLUMN, SIZE, 4.0, record, points=20_001)


def whole(values, noise):
    return lambda record: oracle.whole_epsilon(values, SIZE, noise.log_pmf, DELTA, record, 120)


def choice(record):
    def law(some):
        weights = np.exp(-np.array([TABLE[:, list(sample)].sum(axis=1) for sample in some]))
        return (weights / weights.sum(axis=1, keepdims=True)).mean(axis=0)

    inside, outside = (law(some) for some in samples(6, SIZE, record))
    return float(np.abs(np.log(inside / outside)).max())


D_LAPLACE, D_GAUSSIAN, ONES = DiscreteLaplace(4.0), DiscreteGaussian(4.0), [1, 1, 0, 0, 0, 0]
ENGINES = {
    "fourier": (real_sums.bracket, SUM, DELTA, Gaussian(4.0), gaussian),
    "fourier, pure": (real_sums.bracket, SUM, 0.0, Laplace(4.0), laplace),
    "lattice": (integer_sums.bracket, SUM, DELTA, D_LAPLACE, whole(COLUMN, D_LAPLACE)),
    "lattice, gaussian": (integer_sums.bracket, SUM, DELTA, D_GAUSSIAN, whole(COLUMN, D_GAUSSIAN)),
    "count": (integer_sums.bracket, COUNT, DELTA, D_LAPLACE, whole(ONES, D_LAPLACE)),
    "crowd": (vector_sums.bracket, SUM, DELTA, Gaussian(4.0), gaussian),
    "crowd of a function": (vector_sums.bracket, FUNCTION, DELTA, Gaussian(4.0), gaussian),
    "pairwise": (vector_sums.pairwise, SUM, DELTA, Gaussian(4.0), gaussian),
    "all samples": (choices.by_enumeration, SCORES, 0.0, 1.0, choice),
    "random samples": (choices.by_sampling, SCORES, 0.0, 1.0, choice),
    "exchange": (choices.by_exchange, SCORES, 0.0, 1.0, choice),
}


@pytest.mark.parametrize("name", ENGINES)
def test_a_question_the_noise_and_the_effort(name):
    engine = ENGINES[name][0]
    question, noise, effort = inspect.signature(engine).parameters.values()
    assert question.name == "question"
    assert noise.name in ("noise", "epsilon")
    assert effort.name in ("effort", "_")
    assert {each.default for each in (question, noise, effort)} == {inspect.Parameter.empty}


@functools.cache
def truths(name):
    """What one record's exact laws tell, for each record."""
    return {record: ENGINES[name][-1](record) for record in ALL_RECORDS}


@pytest.mark.parametrize(("records", "seconds"), some_pairs(["worst", "all", (4, 0)], [2.0, 1e-9]))
@pytest.mark.parametrize("name", ENGINES)
def test_every_interval_holds_the_truth(name, records, seconds):
    engine, data, delta, noise, _ = ENGINES[name]
    effort = Effort(time_limit=seconds, gap=0.9, confidence=1 - 1e-6)
    found = engine(Question(data, SIZE, delta, records), noise, effort)
    exact = truths(name)
    room = 2e-3 if isinstance(noise, Gaussian | Laplace) else SLACK
    bound = found.maximum()
    meant = ALL_RECORDS if isinstance(records, str) else records
    top = max(exact[record] for record in meant)
    assert bound.lower - room <= top <= bound.upper + room
    if records != "worst":
        for record, low, high in zip(found.records, found.lower, found.upper, strict=True):
            assert low - room <= exact[record] <= high + room
    if isinstance(records, tuple):
        assert found.records.tolist() == list(records)
    assert len(found.lower_methods) == len(found.upper_methods) == len(found.records)
    assert found.method in found.upper_methods
