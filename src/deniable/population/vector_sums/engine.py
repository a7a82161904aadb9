"""The doors of vector sums: a question in, an interval a record out.

Upper ends are by the crowd, or by Proposition 12 of [lowy-2024] where that is smaller. Lower ends
are by projection to one column, or by an attack on fresh draws where that shows more.
"""

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.bounds import Evidence
from deniable.mechanisms.gaussian import Gaussian
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.question import Question, SampleFunction, Summands
from deniable.population.vector_sums.ceiling import upper_ends
from deniable.population.vector_sums.query_release import QueryRelease
from deniable.population.vector_sums.running_bounds import RunningBounds
from deniable.population.vector_sums.running_interval import FailureProbability
from deniable.population.vector_sums.search import intervals, nothing_drawn, quiet
from deniable.population.vector_sums.sum_release import SumRelease
from deniable.work.effort import Effort
from deniable.work.time_limit import OutOfTime, late, left, limited

_GROUP = 8
"""Records bracketed at once where each is asked for: their rounds share the workers, and the time
that is left is shared out anew after each group."""
_LEADERS_SHARE = 0.5
"""Of the time that is left, for the records that may be the worst."""
_LEAST_SECONDS = 0.1
"""For any group: in less not even a pilot ends."""


def bracket(
    question: Question[Summands] | Question[SampleFunction], noise: Gaussian, effort: Effort
) -> RecordBounds:
    """ε̃ of a sum of vectors, or of any function of the sample, plus Gaussian noise; by the crowd.

    Asked for the worst, the few records that may be it are bracketed and the others shown to stay
    below. Only the largest upper end has to hold then, so that each has the whole failure
    probability; it is every record's. Asked for each, half of the failure probability is for the
    few, all of it where there are no others, and the rest for the others, which are bracketed
    too. What time does not allow keeps its pairwise bound.

    Parameters
    ----------
    question : Question
        δ in (0, 1).
    noise : Gaussian
        On every coordinate of the sum, or of what the function gives.
    effort : Effort
        Confidence that all intervals cover; gap, time limit, seed and workers.

    Examples
    --------
    >>> question = Question(Summands([[0.0, 1.0], [2.0, 0.5], [1.0, 1.0], [0.5, 3.0]]), 2, 0.1)
    >>> bracket(question, Gaussian(4.0), Effort(gap=0.9)).method in ("crowd", "pairwise")
    True
    """
    if isinstance(question.data, SampleFunction):
        return _of_function(question, question.data, noise, effort)
    if question.data.constant:
        return _nothing(question).by("crowd")
    with limited(effort.time_limit):
        bounds = RunningBounds.without_draws(question, noise.scale, effort)
        if not late():
            _draw(bounds, effort)
    effort.progress(1.0)
    return bounds.record_bounds(effort).only(question.records)


def pairwise(question: Question[Summands], noise: Gaussian, effort: Effort) -> RecordBounds:
    """The same without draws: upper ends by Proposition 12, lower ends by projection."""
    if question.data.constant:
        return _nothing(question).by("pairwise")
    with limited(effort.time_limit):
        bounds = RunningBounds.without_draws(question, noise.scale, effort)
    effort.progress(1.0)
    return bounds.record_bounds().only(question.records)


def _nothing(question: Question[Summands]) -> RecordBounds:
    """Where all records are the same nothing can be learnt."""
    none = np.zeros(len(question.targets))
    return RecordBounds(question.targets, none, none, Evidence.EXACT)


def _of_function(
    question: Question[SampleFunction], data: SampleFunction, noise: Gaussian, effort: Effort
) -> RecordBounds:
    """Every record that is asked for, without a bound beside the crowd's."""
    with limited(effort.time_limit):
        try:
            release = QueryRelease.of(data, question.size, noise.scale, effort)
        except OutOfTime:
            return nothing_drawn(question.targets, effort)
        return intervals(release, question.targets, question.delta, effort)


def _draw(bounds: RunningBounds, effort: Effort) -> None:
    """Narrow the bounds by draws, as far as the time allows."""
    question, alpha = bounds.question, 1 - effort.confidence
    release = SumRelease.of(question.data.values, question.size, bounds.sigma)
    share = _LEADERS_SHARE if len(bounds.others) else 1.0
    if question.records == "worst":
        given = bool(bounds.lower[bounds.leaders].all())
        work = _part(effort, alpha, left() * share)
        bounds.take(_intervals(release, bounds, bounds.leaders, work, largest=True))
        effort.progress(0.5)
        upper = FailureProbability.of(effort, 1, lower_given=given).upper
        _keep_others_below(release, bounds, effort, upper)
        bounds.level()
        return
    first = alpha / 2 if len(bounds.others) else alpha
    work = _part(effort, first, left() * share)
    bounds.take(_intervals(release, bounds, bounds.leaders, work))
    effort.progress(0.5)
    _bracket_others(release, bounds, effort, alpha / 2)


def _bracket_others(
    release: SumRelease, bounds: RunningBounds, effort: Effort, alpha: float
) -> None:
    """An interval for every other record, in groups that share the failure probability equally."""
    others = bounds.others
    for start in range(0, len(others), _GROUP):
        if late():
            break
        group = others[start : start + _GROUP]
        bounds.project(group, effort)
        seconds = left() * len(group) / (len(others) - start)
        work = _part(effort, alpha * len(group) / len(others), seconds)
        bounds.take(_intervals(release, bounds, group, work))
        effort.progress(0.5 + 0.5 * (start + len(group)) / len(others))


def _keep_others_below(
    release: SumRelease, bounds: RunningBounds, effort: Effort, alpha: float
) -> None:
    """Upper ends for those others that may still pass the leaders'."""
    ceiling = float(bounds.upper[bounds.leaders].max())
    above = bounds.others[bounds.upper[bounds.others] > ceiling]
    if not len(above):
        return
    # What time does not allow keeps its pairwise bound: the largest of them come first.
    above = above[np.argsort(-bounds.upper[above], kind="stable")]
    work = attrs.evolve(
        effort,
        confidence=1 - alpha,
        progress=lambda share: effort.progress(0.5 + 0.5 * share),
    )
    bounds.take(upper_ends(release, above, bounds.question.delta, ceiling, work))


def _intervals(
    release: SumRelease,
    bounds: RunningBounds,
    records: NDArray[np.int64],
    effort: Effort,
    *,
    largest: bool = False,
) -> RecordBounds:
    """From draws; of upper ends alone where all lower ends are known."""
    known = bounds.lower[records]
    lower = known if known.all() else None
    return intervals(release, records, bounds.question.delta, effort, lower=lower, largest=largest)


def _part(effort: Effort, alpha: float, seconds: float) -> Effort:
    """For some records: their share of the failure probability and of the time."""
    limit = max(seconds, _LEAST_SECONDS)
    return attrs.evolve(quiet(effort), confidence=1 - alpha, time_limit=limit)
