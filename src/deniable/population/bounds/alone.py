"""What holds without any work: the noise hides the exchange of any two records."""

import numpy as np

from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.bounds.sensitivity import Noise, epsilon_at, largest_change
from deniable.population.question import Question, Summands


def noise_alone(question: Question[Summands], noise: Noise, _: Effort) -> RecordBounds:
    """From 0 to ε(X), of every record.

    Parameters
    ----------
    question : Question
        About any number of columns.
    noise : Gaussian, Laplace, DiscreteLaplace or DiscreteGaussian
        What is added to the sum.
    _ : Effort
        As every engine takes one; there is no work.

    Examples
    --------
    >>> from deniable.mechanisms import Laplace
    >>> noise_alone(Question(Summands([0.0, 1.0, 5.0]), 2), Laplace(2.0), Effort()).upper.tolist()
    [2.5, 2.5, 2.5]
    """
    records = question.targets
    most = epsilon_at(noise, largest_change(question.data.values), question.delta)
    bounds = np.zeros(len(records)), np.full(len(records), most)
    return RecordBounds(records, *bounds, Evidence.ENCLOSURE).by("noise-alone")
