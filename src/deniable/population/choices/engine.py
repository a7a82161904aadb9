"""The doors of choices: a question in, an interval a record out."""

from typing import Any

import attrs
import numpy as np

from deniable import _validate
from deniable.bounds import Evidence
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.answer.success import optimal_success
from deniable.population.choices import costs, finite_bounds, finite_sampling
from deniable.population.choices.enumeration import enumerated as enumerated_laws
from deniable.population.choices.loss_function import MOST_CALLS, OwnLoss, sampled_losses
from deniable.population.choices.scores import Scores
from deniable.population.question import Question
from deniable.population.work.effort import Effort
from deniable.population.work.time_limit import OutOfTime


def _epsilon(value: Any) -> float:
    return _validate.positive(value, "epsilon")


@attrs.frozen
class Exponential:
    """The exponential mechanism at a worst-case ε > 0.

    Its scale is Δ/ε times 2, and Δ is in the scores; ε itself is kept, as 1/(1/ε) need not be ε.
    """

    epsilon: float = attrs.field(converter=_epsilon)


def enumerated(
    question: Question[Scores] | Question[OwnLoss], noise: Exponential, effort: Effort
) -> RecordBounds:
    """From the laws over all samples; from the mean over exchanges where time is over.

    Examples
    --------
    >>> scores = Scores(np.array([[0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0]]), 0.0, 6.0)
    >>> found = enumerated(Question(scores, 2), Exponential(1.0), Effort())
    >>> found.subsets, round(found.guaranteed_upper(), 4)
    (6, 1.3105)
    """
    data = question.data
    if isinstance(data, OwnLoss):
        laws = data.listed_losses().laws(data.rate(noise.epsilon))
    else:
        try:
            laws = enumerated_laws(data.table * noise.epsilon, question.size, effort=effort)
        except OutOfTime:
            return exchanged(question, noise, effort)  # type: ignore[arg-type]
    best = optimal_success(laws.log_in, laws.log_out, question.share, laws.error)
    found = attrs.evolve(laws.population_epsilon(), subsets=laws.subsets, bayes_optimal=best)
    return found.by("enumerate").only(question.records)


def sampled(
    question: Question[Scores] | Question[OwnLoss], noise: Exponential, effort: Effort
) -> RecordBounds:
    """From random samples, with confidence."""
    data = question.data
    if isinstance(data, OwnLoss):
        rate = data.rate(noise.epsilon)
        found = sampled_losses(data.function, rate, noise.epsilon, effort)
    else:
        found = finite_sampling.sampled(data.table * noise.epsilon, question.size, effort=effort)
    return found.by("sample").only(question.records)


def exchanged(question: Question[Scores], noise: Exponential, _: Effort) -> RecordBounds:
    """Upper ends by the mean over exchanges, for any number of records; lower ends 0."""
    found = finite_bounds.exchange_bounds(question.data.table * noise.epsilon, question.size)
    return found.by("exchange").only(question.records)


def worst_case(question: Question[Any], noise: Exponential, _: Effort) -> RecordBounds:
    """What differential privacy alone gives: from 0 to ε, whatever the loss."""
    records = question.targets
    most = np.full(len(records), noise.epsilon)
    found = RecordBounds(records, np.zeros(len(records)), most, Evidence.ENCLOSURE)
    return found.by("worst-case")


def few_samples(
    question: Question[Scores] | Question[OwnLoss], epsilon: float, effort: Effort, times: int
) -> bool:
    """Whether all samples can be listed, so many times."""
    data = question.data
    if isinstance(data, OwnLoss):
        return data.function.calls <= MOST_CALLS
    spread = float(np.ptp(data.table * epsilon, axis=0).max())
    once = costs.enumeration(question.population, question.size, len(data.table), spread=spread)
    return once * times <= costs.allowed(effort.time_limit)
