"""The entry to vector sums: a question in, an interval a record out.

Upper bounds are by the crowd, or by Proposition 12 of [lowy-2024] or the mixture bound where that
is smaller. Lower bounds are by projection to one column, or by an attack on fresh draws where that
shows more.
"""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms.gaussian import Gaussian
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.numerics.parallel import blocks
from deniable.numerics.time_limit import OutOfTime, late, limited
from deniable.population.answer import RecordBounds
from deniable.population.question import Question, SampleFunction, Summands
from deniable.population.vector_sums.betting import BettingBound
from deniable.population.vector_sums.query_release import QueryRelease
from deniable.population.vector_sums.running_bounds import RunningBounds
from deniable.population.vector_sums.running_interval import (
    CEILING,
    FailureProbability,
    IntervalTask,
    Release,
    draw,
)
from deniable.population.vector_sums.search import Budget, intervals, nothing_drawn, quiet
from deniable.population.vector_sums.shared_bounds import FEW, SharedPlan, shared_upper_bounds
from deniable.population.vector_sums.sum_release import SumRelease

# --- Harmless records: a few draws each show that none of them passes a ceiling.
#
# Of the worst record a narrow interval is wanted; of the others it is enough to know that their ε̃
# is below its upper bound. Lists of one pair and large bets show that with some thousand draws.


_STAKES = (0.95, 0.5, 0.2)
"""Bold bets, as shares of the largest allowed 1/(1 − δ): most records are far below the ceiling."""
_WEIGHTS = (0.8, 0.1, 0.1)
"""Of the capital: most on the boldest bet, which needs the fewest draws."""
_ENOUGH = 1.2
"""Draws over those with which the boldest bet wins if no draw shows a loss."""
_ROUNDS = 6
"""Rounds of equally many draws; records that are above the ceiling then keep their bound."""


def upper_bounds(
    release: Release,
    records: NDArray[np.int64],
    delta: float,
    ceiling: float,
    effort: Effort,
    *,
    candidates: int = 1,
    budget: Budget | None = None,
) -> RecordBounds:
    """Upper bounds of ε̃ alone; the largest holds for all with probability `effort.confidence`.

    The largest falls below the largest ε̃ only if the end of the one record that attains it does,
    so that no record's failure probability is shared with another. Rounds of equally many draws
    go on for the records that are still above the ceiling. The limit is anytime-valid, so
    stopping when it passes the ceiling costs nothing.

    Parameters
    ----------
    release : Release
        The sum, in units of the noise.
    records : array of int
        Positions, at least one; what time allows is for the first of them.
    delta : float
        In (0, 1).
    ceiling : float
        What the upper bounds should be below.
    effort : Effort
        Confidence, seed, workers and checkpoint; `progress` is told the share that is below.
    candidates : int
        Pairs in a list.
    budget : Budget, optional
        What draws may take, that of the time limit by default; what they take is spent.

    Returns
    -------
    RecordBounds
        Lower bounds are 0; upper bounds infinite where nothing was drawn.
    """
    alpha = 1 - effort.confidence
    allowed = Budget.of(effort.time_limit) if budget is None else budget
    stakes = [stake / (1 - delta) for stake in _STAKES]
    bound = BettingBound(delta, stakes, _WEIGHTS)
    # Without a loss the boldest bet turns .8 into 1/α when (1 + λδ)^draws is 1/(.8 α).
    wins = math.log1p(stakes[0] * delta)
    enough = math.ceil(_ENOUGH * math.log(1 / (_WEIGHTS[0] * alpha)) / wins)
    n_blocks = math.ceil(enough / release.block_draws(candidates))
    n_draws = math.ceil(enough / n_blocks)
    cost = release.decisions(candidates) * n_blocks * n_draws
    upper = np.full(len(records), np.inf)
    log_ratios: list[list[NDArray[np.float64]]] = [[] for _ in records]
    draws = 0
    for number in range(_ROUNDS):
        above = np.flatnonzero(upper > ceiling)
        above = above[: allowed.rounds(cost, len(above))]
        if not len(above) or late():
            break
        allowed.spend(cost * len(above))
        # All blocks of a record before those of the next: half of each would show nothing.
        owners = np.repeat(above, n_blocks)
        tasks = _tasks(release, records[owners], candidates, n_draws, effort, number, n_blocks)
        parts = blocks(draw, tasks, quiet(effort), name="ceiling")
        for place, (i, part) in enumerate(zip(owners, parts, strict=False), start=1):
            log_ratios[i].append(part["log_ratios"])
            draws += 2 * n_draws
            if place % n_blocks == 0:
                ratios = np.concatenate(log_ratios[i], axis=1)
                own_first = ratios[0], -ratios[1]
                upper[i] = max(bound.upper_limit(each, alpha) for each in own_first)
                effort.progress(float(np.mean(upper <= ceiling)))
            if late():
                break
    return RecordBounds(
        records,
        np.zeros(len(records)),
        upper,
        Evidence.CONFIDENCE,
        confidence=effort.confidence,
        draws=draws,
        seed=effort.seed,
    ).by("crowd")


def _tasks(
    release: Release,
    records: NDArray[np.int64],
    candidates: int,
    n_draws: int,
    effort: Effort,
    number: int,
    n_blocks: int,
) -> list[IntervalTask]:
    """Of one round: `n_blocks` in a row belong to one record."""
    place, plain = (CEILING, number), Effort(seed=effort.seed)
    return [
        IntervalTask(release, int(record), candidates, n_draws, plain, (*place, k % n_blocks))
        for k, record in enumerate(records)
    ]


# --- The entry to vector sums: a question in, an interval a record out.


_GROUP = 8
"""Records bracketed at once where each is asked for: their rounds share the workers, and the time
that is left is shared out anew after each group."""
_LEADERS_SHARE = 0.5
"""Of the budget that is left, for the records that may be the worst."""
_SHARED_FOR_THE_WORST, _SHARED_FOR_EACH = 0.25, 0.5
"""Of the budget, for draws that all records share: for the worst they only have to leave few
records over, and take more only where less is not enough for a round."""
_SHARED_FAILURE = 0.25
"""Of a record's failure probability, for draws that all records share: it costs them a third
more draws, and lists of their own a tenth."""


def bracket(
    question: Question[Summands] | Question[SampleFunction], noise: Gaussian, effort: Effort
) -> RecordBounds:
    """ε̃ of a sum of vectors, or of any function of the sample, plus Gaussian noise; by the crowd.

    Draws that all records share come first. Asked for the worst, the few records that may be it
    are bracketed and the others shown to stay below. Only the largest upper bound has to hold then,
    so that each has the whole failure probability; it is every record's. Asked for each, half of
    the failure probability is for the few, all of it where there are no others, and the rest for
    the others, which are bracketed too. What the budget does not allow keeps the bound it has.

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
    """The same without draws: upper bounds by Proposition 12, lower bounds by projection."""
    if question.data.constant:
        return _nothing(question).by("pairwise")
    with limited(effort.time_limit):
        bounds = RunningBounds.without_draws(question, noise.scale, effort, pairwise_only=True)
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
    """Narrow the bounds by draws, as far as the budget and the time allow."""
    question, budget = bounds.question, Budget.of(effort.time_limit)
    release = SumRelease.of(question.data.values, question.size, bounds.sigma)
    # Fewer draws cannot refute: a mean of numbers in [0, 1] may be δ though all of them are 0.
    fewest = math.log(1 / (1 - effort.confidence)) / question.delta
    if bounds.lower[bounds.leaders].all() and release.decisions(1) * fewest > budget.left:
        return
    if question.records == "worst":
        _draw_for_the_worst(release, bounds, effort, budget)
    else:
        _draw_for_each(release, bounds, effort, budget)


def _draw_for_the_worst(
    release: SumRelease, bounds: RunningBounds, effort: Effort, budget: Budget
) -> None:
    """Shared draws for all, lists of their own for those that may be the worst."""
    goal = max((1 + effort.gap) * float(bounds.lower.max()), bounds.estimate)
    alpha = _by_shared_lists(release, bounds, effort, budget, each=1 - effort.confidence, goal=goal)
    effort.progress(0.3)
    above = np.setdiff1d(np.flatnonzero(bounds.upper > goal), bounds.leaders)
    few = above if len(above) <= FEW else above[:0]
    records = np.concatenate([bounds.leaders, few])
    longest = 1
    if np.any(bounds.upper[records] > goal):
        work = _confident(effort, alpha)
        half = budget.share(_LEADERS_SHARE if len(above) > len(few) else 1.0)
        intervals = _intervals(release, bounds, records, work, half, largest=True)
        bounds.take(intervals)
        longest = intervals.candidates or 1
    effort.progress(0.6)
    given = bool(bounds.lower[records].all())
    upper = FailureProbability.of(_confident(effort, alpha), 1, lower_given=given).upper
    _keep_others_below(release, bounds, _confident(effort, upper), budget, records, longest)
    bounds.level()


def _draw_for_each(
    release: SumRelease, bounds: RunningBounds, effort: Effort, budget: Budget
) -> None:
    """Shared draws for all; then lists of their own, those that may be the worst first."""
    each = (1 - effort.confidence) / len(bounds.question.targets)
    alpha = _by_shared_lists(release, bounds, effort, budget, each=each, goal=0.0)
    alpha *= len(bounds.question.targets)
    effort.progress(0.3)
    first = alpha / 2 if len(bounds.others) else alpha
    part = budget.share(_LEADERS_SHARE if len(bounds.others) else 1.0)
    work = _confident(effort, first)
    bounds.take(_intervals(release, bounds, bounds.leaders, work, part))
    effort.progress(0.5)
    _bracket_others(release, bounds, effort, alpha / 2, budget)


def _by_shared_lists(
    release: SumRelease,
    bounds: RunningBounds,
    effort: Effort,
    budget: Budget,
    *,
    each: float,
    goal: float,
) -> float:
    """Upper bounds of all records at once, where that is less work than lists of their own.

    Of the failure probability of `each` record, the part that is left for its own lists.
    """
    alpha = each * _SHARED_FAILURE
    worst = bounds.question.records == "worst"
    part = budget.share(_SHARED_FOR_THE_WORST if worst else _SHARED_FOR_EACH)
    delta = bounds.question.delta
    plan = SharedPlan.within(part, release, delta, alpha, goal)
    if plan is None and worst:
        part = budget.share(_SHARED_FOR_EACH)
        plan = SharedPlan.within(part, release, delta, alpha, goal)
    if plan is None or len(bounds.others) <= FEW:
        return each
    shared = shared_upper_bounds(release, plan, alpha, quiet(effort), part, goal=goal)
    bounds.take(
        RecordBounds(
            np.arange(release.population),
            np.zeros(release.population),
            shared.upper,
            Evidence.CONFIDENCE,
            confidence=1 - alpha,
            draws=shared.draws,
            seed=effort.seed,
            candidates=shared.candidates,
        )
    )
    return each - alpha


def _bracket_others(
    release: SumRelease, bounds: RunningBounds, effort: Effort, alpha: float, budget: Budget
) -> None:
    """An interval for every other record, in groups that share the failure probability equally."""
    others = bounds.others
    for start in range(0, len(others), _GROUP):
        if late():
            break
        group = others[start : start + _GROUP]
        bounds.project(group, effort)
        wide = group[bounds.upper[group] > (1 + effort.gap) * bounds.lower[group]]
        if len(wide):
            work = _confident(effort, alpha * len(wide) / len(others))
            part = budget.share(len(group) / (len(others) - start))
            bounds.take(_intervals(release, bounds, wide, work, part))
        effort.progress(0.5 + 0.5 * (start + len(group)) / len(others))


def _keep_others_below(
    release: SumRelease,
    bounds: RunningBounds,
    effort: Effort,
    budget: Budget,
    done: NDArray[np.int64],
    candidates: int,
) -> None:
    """Upper bounds for those that may still pass the ones that have lists of their own."""
    ceiling = float(bounds.upper[done].max())
    above = np.setdiff1d(np.flatnonzero(bounds.upper > ceiling), done)
    if not len(above):
        return
    # What the budget does not allow keeps its bound: the largest come first.
    above = above[np.argsort(-bounds.upper[above], kind="stable")]
    work = attrs.evolve(effort, progress=lambda share: effort.progress(0.6 + 0.4 * share))
    delta = bounds.question.delta
    bounds.take(
        upper_bounds(release, above, delta, ceiling, work, candidates=candidates, budget=budget)
    )


def _intervals(
    release: SumRelease,
    bounds: RunningBounds,
    records: NDArray[np.int64],
    effort: Effort,
    budget: Budget,
    *,
    largest: bool = False,
) -> RecordBounds:
    """From draws; of upper bounds alone where all lower bounds are known."""
    known = bounds.lower[records]
    lower = known if known.all() else None
    delta = bounds.question.delta
    return intervals(
        release, records, delta, quiet(effort), lower=lower, largest=largest, budget=budget
    )


def _confident(effort: Effort, alpha: float) -> Effort:
    """For a part of the work: its share of the failure probability."""
    return attrs.evolve(effort, confidence=1 - alpha)
