"""The door of whole sums: a question in, an interval a record out."""

import numpy as np

from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.numerics.time_limit import OutOfTime, limited
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.bounds import epsilon_at
from deniable.population.integer_sums.enclosure import enclose
from deniable.population.integer_sums.multiset import multiset
from deniable.population.integer_sums.ones import one_and_zero
from deniable.population.integer_sums.release import Noise
from deniable.population.question import Ones, Question, Summands, as_integers, only_column


def bracket(
    question: Question[Summands] | Question[Ones], noise: Noise, effort: Effort
) -> RecordBounds:
    """ε̃ of a sum of whole numbers, or of a count, plus whole noise; an enclosure.

    Of a count, record 0 is a one, where there are any, and record K a zero; time and memory grow
    as √N. For a sum see docs/explanation/how-whole-sums-are-enclosed.md, with the cost of each
    method.

    Parameters
    ----------
    question : Question
        About one column of whole numbers, or about zeros and ones.
    noise : DiscreteLaplace or DiscreteGaussian
        What is added to the *sum*.
    effort : Effort
        Workers, checkpoint, progress and time limit; when it is over, records that are not
        reached get what the noise alone gives.

    Raises
    ------
    InvalidArgument
        If there is more than one column, a number is not whole, or the sums range so widely that
        their probabilities do not fit into memory.

    References
    ----------
    lowy-2024, Definition 2.

    Examples
    --------
    >>> from deniable.mechanisms import DiscreteLaplace
    >>> found = bracket(Question(Summands([0, 1, 5, 2]), 2), DiscreteLaplace(2.0), Effort())
    >>> found.worst(), round(found.maximum().upper, 6), found.method
    (2, 2.0, 'lattice')
    >>> half = Question(Ones(5_000_000, 10_000_000), 5_000_000)
    >>> bracket(half, DiscreteLaplace(1.0), Effort()).upper.round(4).tolist()
    [0.5, 0.5]
    """
    with limited(effort.time_limit):
        if isinstance(question.data, Ones):
            return _of_ones(question, noise)
        return _of_sum(question, noise, effort)


def _of_sum(question: Question[Summands], noise: Noise, effort: Effort) -> RecordBounds:
    column = as_integers(only_column(question.data.values, noise.name), noise.name)
    problem, places = multiset(column, question.size)
    targets, at = np.unique(places[question.targets], return_inverse=True)
    losses = enclose(problem, targets, noise, question.delta, effort)
    methods = np.where(losses.reached, "lattice", "noise-alone")[at].tolist()
    every = RecordBounds(
        question.targets,
        losses.lower[at],
        losses.upper[at],
        Evidence.ENCLOSURE,
        lower_methods=methods,
        upper_methods=methods,
    )
    if question.records != "worst":
        return every
    worst = [every.worst()], [every.lower.max()], [every.upper.max()]
    return RecordBounds(*worst, every.evidence).by(every.method)


def _of_ones(question: Question[Ones], noise: Noise) -> RecordBounds:
    data = question.data
    if isinstance(question.records, str):  # the first one and the first zero
        records = np.unique([0, data.ones])
        records = records[records < data.population]
    else:
        records = question.targets
    try:
        lower, upper = one_and_zero(data, question.size, noise, question.delta)
    except OutOfTime:
        lower, upper = np.zeros(2), np.full(2, epsilon_at(noise, 1, question.delta))
    at = (records >= data.ones).astype(np.int64)
    bounds = RecordBounds(records, lower[at], upper[at], Evidence.ENCLOSURE)
    return bounds.by("hypergeometric")
