"""The entry to vector sums: a question in, an interval a record out.

Upper bounds are by the crowd, or by Proposition 12 of [lowy-2024] or the mixture bound where that
is smaller. Lower bounds are by projection to one column, or by an attack on fresh draws where that
shows more.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any

import attrs
import numpy as np

from deniable.computing.parallel import blocks
from deniable.mechanisms import Gaussian
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort, OutOfTime, late, limited
from deniable.population import real_sums
from deniable.population.answer import RecordBounds
from deniable.population.bounds import direction, estimates, mixture_bounds, pairwise_bounds
from deniable.population.question import Floats, Ints, Question, SampleFunction, Summands
from deniable.population.vector_sums.releases import QueryRelease, SumRelease
from deniable.population.vector_sums.running_interval import (
    CEILING,
    BettingBound,
    FailureProbability,
    IntervalTask,
    Release,
    draw,
)
from deniable.population.vector_sums.search import Budget, intervals, nothing_drawn, quiet
from deniable.population.vector_sums.shared_bounds import FEW, SharedPlan, shared_upper_bounds

# --- Lower bounds by projection: an attacker may look along one direction only.
#
# u·A(D) = Σ_{i∈D} u·x_i + N(0, σ²) for a unit vector u is post-processing of the release, so its
# exact ε̃ is a lower bound on that of the vector, without sampling.

_MOST_LOST = 0.5  # Share of 1 − δ beyond which rounding takes too much, and the lower bound is 0


def projected_lower_bounds(
    question: Question[Summands], records: Iterable[int], sigma: float, effort: Effort
) -> Floats:
    """Lower bounds on ε̃ of some records, each along the direction where it shows most.

    δ is in (0, 1); σ is that of the noise on the sum, in every coordinate.
    """
    values, size = question.data.values, question.size
    centred = values - values.mean(axis=0)  # moves every sum alike
    # A projected number is off by rounding, a sum by η, which moves either law by at most
    # 0.4 η/σ in total variation.
    largest = float(np.abs(centred).max()) * math.sqrt(values.shape[1])
    off = size * 2e-16 * (values.shape[1] + 4) * largest

    def along_the_best(record: int) -> float:
        along = direction(values, size, sigma, record)
        projected = Summands(centred @ along)
        # The unit vector is one only up to rounding: too long is too much.
        noise = Gaussian(sigma * float(np.linalg.norm(along)) * (1 + 1e-14))

        def analysis(delta: float) -> RecordBounds:
            return real_sums.bracket(Question(projected, size, delta, [record]), noise, effort)

        return lower_bound_despite_rounding(analysis, question.delta, 0.4 * off / sigma)

    return np.array([along_the_best(int(record)) for record in records])


def lower_bound_despite_rounding(
    analysis: Callable[[float], RecordBounds], delta: float, moved: float
) -> float:
    """The lower bound of an analysis of laws that each are moved in total variation by rounding.

    The first pass finds ε; the second asks for it at a δ that is larger by (1 + e^ε) times what
    the laws moved, so that what it finds holds for the exact laws.

    The analysis gives the bounds of one record at a δ in (0, 1); `moved` is the total variation
    between either law and what was analysed in its place.
    """
    end, allowed = 0.0, delta
    for _ in range(2):
        bounds = analysis(allowed)
        if bounds.evidence > Evidence.ENCLOSURE:
            return 0.0
        end = float(bounds.lower[0])
        lost = (1 + math.exp(min(end, 700.0))) * moved
        if lost > _MOST_LOST * (1 - delta):
            return 0.0
        allowed = delta + lost * (1 + 1e-12)
    return end


_NEAR = 0.85
"""Share of the largest estimate below which a record is taken not to be the worst: the estimate is
seldom off by more, and a record taken wrongly costs draws, not truth."""


@attrs.define(eq=False)
class RunningBounds:
    """What is known by now."""

    question: Question[Summands]  # What is asked
    sigma: float  # Noise on every coordinate of the sum
    # pairwise, certain, upper (N,): upper bounds by Proposition 12, the smaller of it and the
    # mixture bound, and the present.
    pairwise: Floats
    certain: Floats
    upper: Floats
    # projected, lower (N,): lower bounds without a draw, and as they are now; 0 where none is
    # known.
    projected: Floats
    lower: Floats
    estimate: float  # The largest Gaussian estimate
    # leaders, others: records asked for: those that may be the worst, and the rest; the largest
    # estimate first.
    leaders: Ints
    others: Ints
    draws: int = 0  # Releases drawn
    candidates: int | None = None  # The longest list, where one was drawn

    @classmethod
    def without_draws(
        cls,
        question: Question[Summands],
        sigma: float,
        effort: Effort,
        *,
        pairwise_only: bool = False,
    ) -> "RunningBounds":
        """Upper bounds by Proposition 12 or a mixture, lower ones of the leaders by projection."""
        values, delta, targets = question.data.values, question.delta, question.targets
        pairwise = pairwise_bounds(values, sigma, delta)
        certain = pairwise
        if not pairwise_only:
            certain = np.minimum(pairwise, mixture_bounds(values, question.size, sigma, delta))
        expected = estimates(values, question.size, sigma, delta)
        ranking = targets[np.argsort(-expected[targets], kind="stable")]
        first = ranking[:4]  # Records, ranked by the estimate, that may turn out to be the worst
        leaders = first[expected[first] >= _NEAR * expected[ranking[0]]]
        bounds = cls(
            question,
            sigma,
            pairwise,
            certain,
            certain.copy(),
            np.zeros(len(pairwise)),
            np.zeros(len(pairwise)),
            float(expected.max()),
            leaders,
            ranking[len(leaders) :],
        )
        bounds.project(leaders, effort)
        return bounds

    def project(self, records: Ints, effort: Effort) -> None:
        """Take exact lower bounds of some records, along one direction each."""
        lower = projected_lower_bounds(self.question, records, self.sigma, quiet(effort))
        self.projected[records] = np.minimum(lower, self.certain[records])
        self.lower[records] = np.maximum(self.lower[records], self.projected[records])

    def take(self, bounds: RecordBounds) -> None:
        """Take what a method found of some records, where it is narrower."""
        at = bounds.records
        self.upper[at] = np.minimum(self.upper[at], bounds.upper)
        self.lower[at] = np.minimum(np.maximum(self.lower[at], bounds.lower), self.upper[at])
        self.draws += bounds.draws or 0
        if bounds.candidates is not None:
            self.candidates = max(self.candidates or 0, bounds.candidates)

    def level(self) -> None:
        """Give every record the largest upper bound, where only that one holds for all.

        A record's own bound without draws is certain, and stays where it is smaller. The
        record that attains the largest is told from the others by one unit in the last place,
        upwards.
        """
        worst = int(np.argmax(self.upper))
        largest = self.upper[worst]
        self.upper = np.minimum(self.certain, largest)
        if self.upper[worst] < self.certain[worst]:
            self.upper[worst] = np.nextafter(largest, np.inf)
        self.lower = np.minimum(self.lower, self.upper)

    def record_bounds(self, drawn: Effort | None = None) -> RecordBounds:
        """All of it as one value; `drawn` is the effort behind random ends, if any are."""
        below = np.where(self.lower > self.projected, "threshold", "projection")
        below = np.where(self.lower == 0, "none", below)
        above = np.where(self.certain < self.pairwise, "mixture", "pairwise")
        above = np.where(self.upper < self.certain, "crowd", above)
        return RecordBounds.of_draws(
            np.arange(len(self.upper)),
            self.lower,
            self.upper,
            drawn,
            self.draws,
            lower_methods=tuple(below),
            upper_methods=tuple(above),
            pairwise=float(self.pairwise.max()),
            estimate=self.estimate,
            candidates=self.candidates,
        )


# --- Harmless records: a few draws each show that none of them passes a ceiling.
#
# Of the worst record a narrow interval is wanted; of the others it is enough to know that their ε̃
# is below its upper bound. Lists of one pair and large bets show that with a few thousand draws.

_STAKES = (0.95, 0.5, 0.2)  # As shares of the largest, 1/(1 − δ): most are far below the ceiling
_WEIGHTS = (0.8, 0.1, 0.1)  # Of the capital: most on the boldest bet, which needs few draws
_ENOUGH = 1.2  # Draws over those with which the boldest bet wins if no draw shows a loss
_ROUNDS = 6  # Of equally many draws; records still above the ceiling then keep their bound


def upper_bounds(
    release: Release,
    records: Ints,
    delta: float,
    ceiling: float,
    effort: Effort,
    *,
    candidates: int = 1,
    budget: Budget | None = None,
) -> RecordBounds:
    """Upper bounds of ε̃ alone; the largest holds for all with probability `effort.confidence`.

    It falls below the largest ε̃ only if the end of the one record that attains that does, so no
    failure probability is shared. Rounds of equally many draws go on for the records that are still
    above the ceiling; the limit is anytime-valid, so stopping there costs nothing. What time and
    budget allow is for the first of the records, with lists of so many pairs; the progress is the
    share below the ceiling. Lower bounds are 0; upper bounds infinite where nothing was drawn.
    """
    alpha = 1 - effort.confidence
    allowed = Budget.of(effort.time_limit) if budget is None else budget
    stakes = [stake / (1 - delta) for stake in _STAKES]
    bound = BettingBound(delta, stakes, _WEIGHTS)
    # Without a loss the boldest bet turns 0.8 into 1/α when (1 + λδ)^draws is 1/(0.8 α).
    wins = math.log1p(stakes[0] * delta)
    enough = math.ceil(_ENOUGH * math.log(1 / (_WEIGHTS[0] * alpha)) / wins)
    n_blocks = math.ceil(enough / release.block_draws(candidates))
    n_draws = math.ceil(enough / n_blocks)
    cost, plain = release.decisions(candidates) * n_blocks * n_draws, Effort(seed=effort.seed)
    upper = np.full(len(records), np.inf)
    log_ratios: list[list[Floats]] = [[] for _ in records]
    draws = 0
    for number in range(_ROUNDS):
        above = np.flatnonzero(upper > ceiling)
        above = above[: allowed.rounds(cost, len(above))]
        if not len(above) or late():
            break
        allowed.spend(cost * len(above))
        # All blocks of a record before those of the next: half of each would show nothing.
        owners = np.repeat(above, n_blocks)
        tasks = [
            IntervalTask(
                release, int(record), candidates, n_draws, plain, (CEILING, number, k % n_blocks)
            )
            for k, record in enumerate(records[owners])
        ]
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
    return RecordBounds.of_draws(records, np.zeros(len(records)), upper, effort, draws).by("crowd")


_GROUP = 8  # Records bracketed at once: rounds share workers, and what is left is shared anew
_LEADERS_SHARE = 0.5  # The share of the remaining budget for the records that may be the worst
_SHARED_FOR_THE_WORST, _SHARED_FOR_EACH = 0.25, 0.5
"""Shares of the budget for draws that all records share: for the worst they only have to leave few
records over, and take more only where less is not enough for a round."""


def bracket(
    question: Question[Summands] | Question[SampleFunction], noise: Gaussian, effort: Effort
) -> RecordBounds:
    """ε̃ of a sum of vectors, or of any function of the sample, plus Gaussian noise; by the crowd.

    Draws that all records share come first. Asked for the worst, the few records that may be it are
    bracketed and the others shown to stay below: only the largest upper bound has to hold, so that
    each has the whole failure probability; it is every record's. Asked for each, half of it is for
    the few, and the rest for the others, which are bracketed too. What the budget does not allow
    keeps the bound it has. δ is in (0, 1), and the noise that on every coordinate.

    >>> question = Question(Summands([[0.0, 1.0], [2.0, 0.5], [1.0, 1.0], [0.5, 3.0]]), 2, 0.1)
    >>> bracket(question, Gaussian(4.0), Effort(gap=0.9)).method in ("crowd", "pairwise")
    True
    """
    if isinstance(question.data, SampleFunction):
        # Every record that is asked for, without a bound beside the crowd's.
        with limited(effort.time_limit):
            try:
                release = QueryRelease.of(question.data, question.size, noise.scale, effort)
            except OutOfTime:
                return nothing_drawn(question.targets, effort)
            return intervals(release, question.targets, question.delta, effort)
    if question.data.constant:
        return RecordBounds.of_nothing(question.targets, "crowd")
    with limited(effort.time_limit):
        bounds = RunningBounds.without_draws(question, noise.scale, effort)
        budget, worst = Budget.of(effort.time_limit), question.records == "worst"
        sums = SumRelease.of(question.data.values, question.size, noise.scale)
        # Fewer draws cannot refute: a mean of numbers in [0, 1] may be δ though all of them are 0.
        fewest = math.log(1 / (1 - effort.confidence)) / question.delta
        given = bounds.lower[bounds.leaders].all()
        if not late() and not (given and sums.decisions(1) * fewest > budget.left):
            crowd = _Crowd(sums, bounds, effort, budget)
            draw_all = crowd.draw_for_the_worst if worst else crowd.draw_for_each
            draw_all()
    effort.progress(1.0)
    return bounds.record_bounds(effort).only(question.records)


def pairwise(question: Question[Summands], noise: Gaussian, effort: Effort) -> RecordBounds:
    """The same without draws: upper bounds by Proposition 12, lower bounds by projection."""
    if question.data.constant:
        return RecordBounds.of_nothing(question.targets, "pairwise")
    with limited(effort.time_limit):
        bounds = RunningBounds.without_draws(question, noise.scale, effort, pairwise_only=True)
    effort.progress(1.0)
    return bounds.record_bounds().only(question.records)


@attrs.frozen(eq=False)
class _Crowd:
    """A sum, what is known of it by now, and what draws may take."""

    release: SumRelease
    bounds: RunningBounds
    effort: Effort
    budget: Budget

    @property
    def delta(self) -> float:
        return self.bounds.question.delta

    def draw_for_the_worst(self) -> None:
        """Shared draws for all, lists of their own for those that may be the worst."""
        bounds, effort = self.bounds, self.effort
        goal = max((1 + effort.gap) * float(bounds.lower.max()), bounds.estimate)
        alpha = self._share_lists(1 - effort.confidence, goal)
        effort.progress(0.3)
        above = np.setdiff1d(np.flatnonzero(bounds.upper > goal), bounds.leaders)
        few = above if len(above) <= FEW else above[:0]
        records = np.concatenate([bounds.leaders, few])
        longest = 1
        if np.any(bounds.upper[records] > goal):
            half = self.budget.share(_LEADERS_SHARE if len(above) > len(few) else 1.0)
            longest = self._take_intervals(records, alpha, half, largest=True) or 1
        effort.progress(0.6)
        given = bool(bounds.lower[records].all())
        upper = FailureProbability.of(_confident(effort, alpha), 1, lower_given=given).upper
        # Those that may still pass the ones with lists of their own. What the budget does not allow
        # keeps its bound: the largest come first.
        ceiling = float(bounds.upper[records].max())
        above = np.setdiff1d(np.flatnonzero(bounds.upper > ceiling), records)
        if len(above):
            above = above[np.argsort(-bounds.upper[above], kind="stable")]
            work = attrs.evolve(
                _confident(effort, upper), progress=lambda share: effort.progress(0.6 + 0.4 * share)
            )
            options: dict[str, Any] = {"candidates": longest, "budget": self.budget}
            bounds.take(upper_bounds(self.release, above, self.delta, ceiling, work, **options))
        bounds.level()

    def draw_for_each(self) -> None:
        """Shared draws for all; then lists of their own, those that may be the worst first."""
        bounds, effort, records = self.bounds, self.effort, len(self.bounds.question.targets)
        alpha = self._share_lists((1 - effort.confidence) / records, 0.0) * records
        effort.progress(0.3)
        first = alpha / 2 if len(bounds.others) else alpha
        part = self.budget.share(_LEADERS_SHARE if len(bounds.others) else 1.0)
        self._take_intervals(bounds.leaders, first, part)
        effort.progress(0.5)
        # The others in groups that share the failure probability equally.
        others = bounds.others
        for start in range(0, len(others), _GROUP):
            if late():
                break
            group = others[start : start + _GROUP]
            bounds.project(group, effort)
            wide = group[bounds.upper[group] > (1 + effort.gap) * bounds.lower[group]]
            if len(wide):
                part = self.budget.share(len(group) / (len(others) - start))
                self._take_intervals(wide, alpha / 2 * len(wide) / len(others), part)
            effort.progress(0.5 + 0.5 * (start + len(group)) / len(others))

    def _share_lists(self, each: float, goal: float) -> float:
        """Upper bounds of all records at once, where that is less work than lists of their own.

        Of the failure probability of `each` record, the part that is left for its own lists.
        """
        release, worst = self.release, self.bounds.question.records == "worst"
        # The share of a record's failure probability for draws that all share: it costs them a
        # third more draws, and lists of their own a tenth.
        alpha = each * 0.25
        part = self.budget.share(_SHARED_FOR_THE_WORST if worst else _SHARED_FOR_EACH)
        plan = SharedPlan.within(part, release, self.delta, alpha, goal)
        if plan is None and worst:
            part = self.budget.share(_SHARED_FOR_EACH)
            plan = SharedPlan.within(part, release, self.delta, alpha, goal)
        # Of most records what is known without a draw may do: then lists of their own are less.
        if plan is None or np.count_nonzero(self.bounds.upper > goal) <= FEW:
            return each
        work, known = quiet(self.effort), self.bounds.upper
        self.bounds.take(
            shared_upper_bounds(release, plan, alpha, work, part, goal=goal, known=known)
        )
        return each - alpha

    def _take_intervals(
        self, records: Ints, alpha: float, budget: Budget, *, largest: bool = False
    ) -> int | None:
        """Take intervals from draws, or upper bounds where lower are known. The longest list."""
        known = self.bounds.lower[records]
        lower = known if known.all() else None
        work = quiet(_confident(self.effort, alpha))
        narrower = intervals(
            self.release, records, self.delta, work, lower=lower, largest=largest, budget=budget
        )
        self.bounds.take(narrower)
        return narrower.candidates


def _confident(effort: Effort, alpha: float) -> Effort:
    """Return a part's effort: its share of the failure probability."""
    return attrs.evolve(effort, confidence=1 - alpha)
