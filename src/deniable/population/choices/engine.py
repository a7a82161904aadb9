"""The entry to choices: a question in, an interval a record out.

The exponential mechanism is known by its worst-case ε > 0: its scale is Δ/ε times 2, and Δ is in
the scores.
"""

import math
from typing import Any

import attrs
import numpy as np

from deniable.errors import validate
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort, OutOfTime
from deniable.population.answer import RecordBounds
from deniable.population.choices import sampling
from deniable.population.choices.enumeration import count_operations, enumerate_samples
from deniable.population.choices.loss_function import OwnLoss, sample_losses
from deniable.population.choices.scores import Scores
from deniable.population.question import Floats, Question


def by_enumeration(
    question: Question[Scores] | Question[OwnLoss], epsilon: float, effort: Effort
) -> RecordBounds:
    """Bound by the laws over all samples; by the mean over exchanges once time is over.

    >>> scores = Scores(np.array([[0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0]]), 0.0, 6.0)
    >>> answer = by_enumeration(Question(scores, 2), 1.0, Effort())
    >>> answer.subsets, round(answer.guaranteed_upper(), 4)
    (6, 1.3105)
    """
    data = question.data
    if isinstance(data, OwnLoss):
        laws = data.list_losses().laws(data.rate(epsilon))
    else:
        try:
            laws = enumerate_samples(data.table * epsilon, question.size, effort=effort)
        except OutOfTime:
            return by_exchange(question, epsilon, effort)  # type: ignore[arg-type]
    best = optimal_success(laws.log_in, laws.log_out, question.share, laws.error)
    bounds = attrs.evolve(laws.population_epsilon(), subsets=laws.subsets, bayes_optimal=best)
    return bounds.by("enumerate").only(question.records)


def by_sampling(
    question: Question[Scores] | Question[OwnLoss], epsilon: float, effort: Effort
) -> RecordBounds:
    """Bound by random samples, with confidence."""
    data = question.data
    if isinstance(data, OwnLoss):
        bounds = sample_losses(data.function, data.rate(epsilon), epsilon, effort)
    else:
        bounds = sampling.sample_bounds(data.table * epsilon, question.size, effort=effort)
    return bounds.by("sample").only(question.records)


def by_exchange(question: Question[Scores], epsilon: float, _: Effort) -> RecordBounds:
    """Upper bounds by the mean over exchanges, for any number of records; lower bounds 0."""
    bounds = sampling.exchange_bounds(question.data.table * epsilon, question.size)
    return bounds.by("exchange").only(question.records)


def worst_case(question: Question[Any], epsilon: float, _: Effort) -> RecordBounds:
    """What differential privacy alone gives: from 0 to ε, whatever the loss."""
    records = question.targets
    most = np.full(len(records), epsilon)
    return RecordBounds(records, np.zeros(len(records)), most, Evidence.ENCLOSURE).by("worst-case")


def enumeration_operations(question: Question[Scores], epsilon: float) -> float:
    """Counted operations of `by_enumeration`; see `allowed_operations`."""
    table = question.data.table
    spread = float(np.ptp(table * epsilon, axis=0).max())
    return count_operations(question.population, question.size, len(table), spread=spread)


def optimal_success(log_in: Floats, log_out: Floats, prior: float, error: float) -> float:
    r"""What the best attacker in truth reaches who sees one of finitely many outputs.

    .. math:: \max_x \sum_w \max\{\pi P_{in,x}(w),\; (1 - \pi) P_{out,x}(w)\}

    The logarithms of the two laws have the shape (n_records, n_outputs) and are no farther than
    `error` from the truth; the result is rounded up by as much.
    """
    share = validate.probability(prior, "prior")
    most = np.maximum(share * np.exp(log_in), (1 - share) * np.exp(log_out))
    most_right = float(most.sum(axis=1).max())
    if error >= 1:  # so little is known that guessing right always cannot be ruled out
        return 1.0
    rounding = 1 + 1e-15 * (int(log_in.shape[1]) + 16)
    return float(min(most_right * math.exp(error) * rounding, 1.0))
