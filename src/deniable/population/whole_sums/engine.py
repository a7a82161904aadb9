"""The door of whole sums: a question in, an interval a record out."""

import numpy as np
from numpy.typing import NDArray

from deniable.bounds import Evidence
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.bounds import epsilon_at
from deniable.population.question import Ones, Question, Summands, only_column, whole_numbers
from deniable.population.whole_sums.analysis import lattice
from deniable.population.whole_sums.counting import count
from deniable.population.whole_sums.release import Noise
from deniable.population.work.effort import Effort
from deniable.population.work.time_limit import OutOfTime, limited


def bracket(
    question: Question[Summands] | Question[Ones], noise: Noise, effort: Effort
) -> RecordBounds:
    """ε̃ of a sum of whole numbers, or of a count, plus whole noise; an enclosure.

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

    Examples
    --------
    >>> from deniable.mechanisms import DiscreteLaplace
    >>> bracket(Question(Ones(1, 2), 1), DiscreteLaplace(1.0), Effort()).method
    'hypergeometric'
    """
    data, size, delta = question.data, question.size, question.delta
    if isinstance(data, Ones):
        found = _counted(data, size, noise, delta, effort)
        return (
            found if isinstance(question.records, str) else _of_each(data, found, question.targets)
        )
    column = whole_numbers(only_column(data.values, noise.name), noise.name)
    found = lattice(column, size, noise, delta, records=question.records, effort=effort)
    return found.by("lattice" if _looked_at_sums(found) else "noise-alone")


def _looked_at_sums(found: RecordBounds) -> bool:
    """Noise alone shows no lower end, and an upper one for records that differ."""
    return bool(found.lower.any() or not found.upper.any())


def _counted(data: Ones, size: int, noise: Noise, delta: float, effort: Effort) -> RecordBounds:
    try:
        with limited(effort.time_limit):
            found = count(data.ones, data.population, size, noise, delta)
    except OutOfTime:
        kinds = [0] if data.constant else [0, data.ones]
        most = np.full(len(kinds), epsilon_at(noise, 1, delta))
        found = RecordBounds(kinds, np.zeros(len(kinds)), most, Evidence.ENCLOSURE)
    return found.by("hypergeometric")


def _of_each(data: Ones, found: RecordBounds, records: NDArray[np.int64]) -> RecordBounds:
    """The ones come first."""
    at = np.where(records < data.ones, 0, len(found.records) - 1)
    ends = found.lower[at], found.upper[at]
    return RecordBounds(records, *ends, found.evidence).by(found.method)
