import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from deniable.numerics.effort import Effort
from deniable.population import choices, integer_sums, real_sums, vector_sums
from deniable.population.api import engines
from deniable.population.question import Question, Summands
from tests.cases.refusals import refuses

ONE, TWO = Summands([0.0, 1.0, 2.0]), Summands([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0]])


@pytest.mark.parametrize(
    ("data", "noise", "method", "expected"),
    [
        (ONE, Laplace, "auto", ("fourier", real_sums.bracket)),
        (ONE, DiscreteLaplace, "auto", ("lattice", integer_sums.bracket)),
        (ONE, DiscreteGaussian, "auto", ("lattice", integer_sums.bracket)),
        (ONE, Gaussian, "auto", ("fourier", real_sums.bracket)),
        (TWO, Gaussian, "auto", ("crowd", vector_sums.bracket)),
        (ONE, Gaussian, "crowd", ("crowd", vector_sums.bracket)),
        (TWO, Gaussian, "pairwise", ("pairwise", vector_sums.pairwise)),
    ],
)
def test_what_is_released_decides(data, noise, method, expected):
    assert engines.of_sum(data, noise, method) == expected


@pytest.mark.parametrize(
    ("method", "message"), [("fourier", "one-column-for-method: fourier"), ("guess", "not-one-of")]
)
def test_methods_that_cannot_be(method, message):
    with refuses(InvalidArgument, message):
        engines.of_sum(TWO, Gaussian, method)


@pytest.mark.parametrize(
    ("records", "method", "expected"),
    [
        (10, "auto", choices.by_enumeration),
        (80, "auto", choices.by_sampling),
        (10, "sample", choices.by_sampling),
        (80, "enumerate", choices.by_enumeration),
    ],
)
def test_all_samples_where_they_are_few(records, method, expected):
    scores = choices.Scores(np.zeros((3, records)), 0.0, 0.0)
    question = Question(scores, records // 2)
    assert engines.of_choice(question, 1.0, method, Effort()) is expected


def nothing(_candidate, _rows):
    return 0.0


@pytest.mark.parametrize(
    ("size", "expected"), [(2, choices.by_enumeration), (10, choices.by_sampling)]
)
def test_a_loss_of_one_s_own_is_listed_where_its_calls_are_few(size, expected):
    function = choices.LossFunction(nothing, np.arange(20.0), [0, 1, 2], size)
    question = Question(choices.OwnLoss(function, 1.0), size)
    assert engines.of_choice(question, 1.0, "auto", Effort(), times=12) is expected
