"""Upper bounds from draws: a pilot plans each type's bets, fresh draws decide them."""

import contextlib
import math

import attrs
import numpy as np

from deniable.numerics.confidence_limits import WEIGHTS, best_stakes, log_capital
from deniable.numerics.effort import Effort, OutOfTime, check, late
from deniable.numerics.parallel import Arrays, blocks
from deniable.numerics.search import bisect
from deniable.population.question import Floats, Selection
from deniable.population.type_sums.counts import OUTSIDE, CountTables, Ints
from deniable.population.type_sums.noise import ColumnNoise
from deniable.population.type_sums.selected import Selected
from deniable.population.type_sums.tilted_draws import TiltedRelease
from deniable.population.vector_sums import HALVINGS

# --- An upper confidence limit of ε from bounded draws, by betting.
#
# D(ε) = E X(ε) with X(ε) = (a − e^ε b)_+ falls with ε, and 0 <= X(ε) <= B for all ε >= ε_0. If
# D(ε) >= δ, then the gains δ − X(ε) are to be bet on (`numerics/confidence_limits.py`), with
# stakes 0 <= λ < 1/(B − δ). The capital rises with ε, so one ε decides, as in
# `vector_sums/betting.py`.


_BOLDEST = 0.95
"""Largest stake, as a share of that at which the worst draw would take all of the capital."""
_ROUNDING = 1e-8
"""Relative error of a and b that is allowed for: that of some 10^4 rounded terms in logarithms."""
_LARGEST_EPSILON = 600.0
"""ε beyond which no estimate is looked for: e^ε stays a float."""
_SLACK = 1e-10
"""Error of ln a/b that is allowed for: that of a posterior mean near π, some units."""


@attrs.frozen(eq=False)
class UpperLimit:
    """Bets against D(ε) >= δ for every ε >= `least`.

    Parameters
    ----------
    delta : float
        δ, less what the draws leave out.
    least : float
        ε_0, a lower bound that holds for certain: no smaller limit is of use.
    stakes : tuple of float
        λ_j, fixed before the draws they are bet on.
    """

    delta: float
    least: float
    stakes: tuple[float, ...]

    @classmethod
    def from_pilot(
        cls, pilot: tuple[Floats, Floats], delta: float, least: float, bound: float, aim: float
    ) -> "UpperLimit":
        """Stakes that would refute `aim` with the fewest draws; `bound` is the largest X(least)."""
        draws = excess(pilot, max(aim, least + 1e-9))
        mean = max(delta - float(draws.mean()), delta / 100)
        spread = max(float(draws.var()), delta * delta)
        most = _BOLDEST / max(bound * (1 + _ROUNDING) - delta, delta / 100)
        return cls(delta, least, best_stakes(mean, spread, most))

    def at(self, draws: tuple[Floats, Floats], alpha: float, most: float) -> float:
        """The largest ε from `least` to `most` that is not refuted at level α; infinite if all."""
        enough = math.log(1 / alpha)

        def stands(epsilon: float) -> bool:
            gains = self.delta - excess(draws, epsilon) * (1 + _ROUNDING)
            # A capital that is no number refutes nothing.
            return not log_capital(gains, self.stakes, WEIGHTS) >= enough

        if not stands(self.least):
            return self.least
        if stands(most):
            return math.inf
        return bisect(stands, self.least, most, halvings=HALVINGS)[1] + _SLACK


def excess(draws: tuple[Floats, Floats], epsilon: float) -> Floats:
    """X(ε) of each draw."""
    return np.asarray(np.maximum(draws[0] - math.exp(epsilon) * draws[1], 0.0))


def estimate_epsilon(draws: tuple[Floats, Floats], delta: float, least: float) -> float:
    """Where the mean of X falls to δ, at least `least`: an estimate, no bound."""
    most = max(2 * least, 1e-6)
    while float(excess(draws, most).mean()) > delta and most < _LARGEST_EPSILON / 2:
        most *= 2

    def above(epsilon: float) -> bool:
        return float(excess(draws, epsilon).mean()) > delta

    return bisect(above, least, most, halvings=HALVINGS)[1]


# --- Upper bounds from draws: a pilot plans each type's bets, fresh draws decide them.


_PILOT, _FRESH = 20, 21
"""Stages of the random numbers: none is shared with another stage."""
_PILOT_DRAWS = 4000
"""Draws from which bets are planned."""
_VECTOR_ENTRY = 100.0
"""Nanoseconds of a type in a vector of counts: drawn, weighed and added up. Nominal."""
_MOST_DRAWS = 2_000_000
"""Draws of one type and direction after which more would change the fourth digit."""
_CLOSE = 0.1
"""Share of the gap above the estimate within which an upper limit is close enough."""
_LIST_VARIANCE = 1 / 5
"""What lists may add to the variance of ln p_in/p_out, in units of the gap: a tenth of it in ε."""
_LARGEST = 600.0
"""ε beyond which nothing is looked for."""


@attrs.frozen
class NoisySum:
    """A sum over records of few types, with noise, and what is chosen beside it.

    Parameters
    ----------
    counts : int array, shape (n_types,)
        How many records of each type there are.
    values : float array, shape (n_types, n_columns)
        What each adds.
    size : int
        n.
    noise : ColumnNoise
        On every number.
    delta : float
        In (0, 1).
    selections : tuple of Selection
        Released together with the sum.
    """

    counts: Ints = attrs.field(eq=False)
    values: Floats = attrs.field(eq=False)
    size: int
    noise: ColumnNoise = attrs.field(eq=False)
    delta: float
    selections: tuple[Selection, ...] = attrs.field(default=(), eq=False)

    def tables(self, direction: int) -> CountTables:
        """Of the sample (direction 0), or of the records left out (1)."""
        size = self.size if direction == 0 else int(self.counts.sum()) - self.size
        return CountTables.of(self.counts, size)

    def selected(self, direction: int) -> Selected:
        """What is chosen, as the counts of a direction say."""
        return Selected(self.selections, None if direction == 0 else self.counts)


@attrs.frozen
class _Task:
    """Draws of one type and direction, from their own random numbers."""

    released: NoisySum
    kind: int
    direction: int
    epsilon: float
    added_variance: float
    draws: int
    effort: Effort
    place: tuple[int, ...]


def draw(task: _Task) -> Arrays:
    """The draws of a task: w m/π and w (1 − m)/(1 − π)."""
    release = _release(task)
    place = (*task.place, task.kind, task.direction)
    rng, parts, left = task.effort.generator(*place), [], task.draws
    while left > 0:
        some = min(left, release.block_draws)
        check(_VECTOR_ENTRY * some * release.near.length * len(release.tables.counts))
        parts.append(release.draw(rng, some))
        left -= some
    inside, outside = (np.concatenate(each) for each in zip(*parts, strict=True))
    return {"inside": inside, "outside": outside}


def _release(task: _Task) -> TiltedRelease:
    released = task.released
    tables = released.tables(task.direction)
    return TiltedRelease.of(
        tables, released.values, released.noise, task.kind, task.epsilon, task.added_variance,
        released.selected(task.direction),
    )  # fmt: skip


@attrs.define(eq=False)
class _Running:
    """One type and direction: what was planned and drawn, and its limit so far."""

    task: _Task
    limit: UpperLimit
    target: float
    alpha: float
    upper: float = math.inf
    draws: int = 0
    _parts: list[Arrays] = attrs.field(factory=list)

    @classmethod
    def of(cls, task: _Task, pilot: Arrays, least: float, gap: float, alpha: float) -> "_Running":
        both, release = (pilot["inside"], pilot["outside"]), _release(task)
        delta = task.released.delta - OUTSIDE / min(release.share, 1 - release.share)
        guess = estimate_epsilon(both, delta, least)
        # Half of the distance to the target is for the draws.
        target = max(least * (1 + gap), guess * (1 + gap * _CLOSE))
        aim = max((target + guess) / 2, guess * (1 + gap * _CLOSE / 2))
        aim = min(aim, guess * (1 + gap), guess * 2, _LARGEST)
        limit = UpperLimit.from_pilot(both, delta, least, release.bound(least), aim)
        return cls(task, limit, target, alpha)

    def add(self, part: Arrays) -> None:
        """Take a block of fresh draws."""
        self._parts.append(part)
        self.draws += len(part["inside"])

    def update(self) -> None:
        """The limit from all draws so far."""
        if self._parts:
            both = tuple(np.concatenate([p[k] for p in self._parts]) for k in ("inside", "outside"))
            self.upper = self.limit.at((both[0], both[1]), self.alpha, _LARGEST)

    @property
    def open(self) -> bool:
        """Whether more draws would help."""
        return self.upper > self.target and self.draws < _MOST_DRAWS


@attrs.frozen
class Drawn:
    """Upper bounds of some types, how many draws they took, and the longest list."""

    upper: Floats = attrs.field(eq=False)
    draws: int
    longest: int


def upper_bounds(
    released: NoisySum, kinds: Ints, least: Floats, guess: Floats, effort: Effort
) -> Drawn:
    """Upper bounds of ε̃ for records of some types; all hold with probability `confidence`.

    Both directions share no failure: the larger of two limits is wrong only if that of the
    direction that attains ε̃ is.

    Parameters
    ----------
    released : NoisySum
        What is published, δ in (0, 1).
    kinds : int array
        The types that are meant.
    least : float array, shape (n_kinds,)
        No smaller limit is of use: lower bounds that hold for certain.
    guess : float array, shape (n_kinds,)
        ε̃ roughly; it plans and proves nothing.
    effort : Effort
        Confidence, seed, gap and workers; the time limit is the caller's.
    """
    alpha = (1 - effort.confidence) * (1 - 1e-12) / len(kinds)
    tasks = _tasks(released, kinds, least, guess, effort)
    lower = np.repeat(least, len(tasks) // len(kinds))
    running: list[_Running] = []
    with contextlib.suppress(OutOfTime):
        pilots = blocks(draw, tasks, quiet(effort), name="types")
        for task, pilot, end in zip(tasks, pilots, lower, strict=True):
            running.append(_Running.of(task, pilot, float(end), effort.gap, alpha))
            check()
        number = 0
        while (wanting := [each for each in running if each.open]) and not late():
            _round(wanting, number, effort)
            number += 1
            effort.progress(1 - len(wanting) / (len(running) + 1))
    upper = np.full(len(tasks), np.inf)
    upper[: len(running)] = [each.upper for each in running]
    highest = upper.reshape(len(kinds), -1).max(axis=1)
    longest = max((_release(task).near.length for task in tasks), default=0)
    return Drawn(highest, sum(each.draws for each in running), longest)


def _tasks(
    released: NoisySum, kinds: Ints, least: Floats, guess: Floats, effort: Effort
) -> list[_Task]:
    """A pilot for each type and direction: one where half of the records are summed.

    Choices have no mirror image: those of a sample are not those of the records left out.
    """
    everyone, small = int(released.counts.sum()), Effort(seed=effort.seed)
    alike = 2 * released.size == everyone and not released.selections
    directions = (0,) if alike else (0, 1)
    tasks = []
    for k, end, about in zip(kinds, least, guess, strict=True):
        epsilon = max(float(end), float(about), 1e-9)
        # Where ε̃ is far below what matters, lists may be short.
        spare = (float(end) * (1 + effort.gap) / max(float(about), 1e-9)) ** 2 - 1
        added_variance = max(_LIST_VARIANCE * effort.gap, spare / 4)
        tasks += [
            _Task(released, int(k), each, epsilon, added_variance, _PILOT_DRAWS, small, (_PILOT,))
            for each in directions
        ]
    return tasks


def _round(running: list[_Running], number: int, effort: Effort) -> None:
    """Twice as many draws as in the round before, in parts."""
    parts = [(each, part) for part in range(2**number) for each in running]
    tasks = [attrs.evolve(each.task, place=(_FRESH, number, part)) for each, part in parts]
    try:
        results = blocks(draw, tasks, quiet(effort), name="types")
        for (each, _), block in zip(parts, results, strict=True):
            each.add(block)
            check()
    finally:
        for each in running:
            each.update()


def quiet(effort: Effort) -> Effort:
    """The same for a part of the work, whose progress says nothing of the whole."""
    return attrs.evolve(effort, progress=_silent)


def _silent(_: float) -> None:
    """Report nothing."""
