"""Upper bounds from draws: a pilot plans each type's bets, fresh draws decide them.

Samples are drawn with Pr ∝ Pr[C] e^(τ C_t), and weighted back by w = M/E[e^(τ C_t) | y, list], so
that D(in‖out) = E_τ[X(ε)], X(ε) = w (m/π − e^ε (1 − m)/(1 − π))_+, is the mean of a bounded X; and
D(out‖in) is that of the records that are left out. What is chosen beside the sum is a part of y,
and W has the factor Pr[choice | C_l]: docs/explanation/records-of-few-types.md.
"""

import contextlib
import math
from typing import TypeAlias

import attrs
import numpy as np
from scipy.special import expit, logit

from deniable.computing.confidence_limits import WEIGHTS, best_stakes, log_capital
from deniable.computing.parallel import Arrays, blocks
from deniable.mechanisms import DiscreteLaplace
from deniable.numerics.effort import Effort, Generator, OutOfTime, check, late
from deniable.numerics.search import bisect
from deniable.population.answer import RecordBounds
from deniable.population.question import Floats, Ints, Selection
from deniable.population.type_sums.counts import OUTSIDE, CountTables
from deniable.population.type_sums.noise import NOTHING_SELECTED, ColumnNoise, Selected
from deniable.population.vector_sums import HALVINGS, quiet

# --- What somebody who knows the types learns from a release, and who is told a list besides.
#
# Given the counts C of a sample, each of the N_t records of a type is as likely to be in it as any
# other: Pr[in | C] = C_t/N_t. So for a release y, with p the law of y and a list of vectors of
# counts of which one is the true one,
#
# .. math:: m = \frac{1}{N_t} \frac{\sum_l W_l C_{t,l}}{\sum_l W_l}, \quad
#           W_l = \frac{\Pr[C_l]\,\phi(y - V^\top C_l)}{q_y(C_l)}, \quad
#           \frac{p_{in}}{p} = \frac{m}{\pi}, \quad \frac{p_{out}}{p} = \frac{1 - m}{1 - \pi},
#
# with q_y any positive law. The others of a list are a lattice, shifted so that each of its points
# is the true one with a chance ∝ its W (sloan-joe-1994): docs/explanation/records-of-few-types.md.

_WIDER = 1.15  # How much wider than its normal approximation the law of the others in a list is
_LEAST_SCALE = 0.15  # Of the rounded logistic law; narrower ones hit one number only
_LOGISTIC = np.sqrt(3) / np.pi  # The scale of a logistic law of variance 1


@attrs.frozen(eq=False)
class AllVectors:
    """A list of all vectors of counts, where they are few: the release itself, no more."""

    vectors: Ints
    logs: Floats
    centres: Floats
    noise: ColumnNoise

    @classmethod
    def of(
        cls, tables: CountTables, values: Floats, noise: ColumnNoise, most: int
    ) -> "AllVectors | None":
        """None where there are more than `most`."""
        vectors = tables.vectors(most)
        if vectors is None:
            return None
        return cls(vectors, tables.log_weight(vectors), vectors @ values, noise)

    @property
    def length(self) -> int:
        """All of them."""
        return len(self.vectors)

    def weigh(
        self, _: Generator, releases: Floats, __: Ints, ___: int, ____: float
    ) -> tuple[Ints, Floats]:
        """Vectors of counts (1, n_list, n_types) and ln W (n_draws, n_list), whatever is true."""
        if self.noise.kind is DiscreteLaplace:
            off = releases[:, None, :] - self.centres[None]
            return self.vectors[None], self.logs + self.noise.log_density(off)
        # −|y − c|²/2σ², less what is the same for all c.
        near = self.centres / np.square(self.noise.scales)
        fixed = self.logs - (near * self.centres).sum(axis=1) / 2
        return self.vectors[None], fixed + releases @ near.T


@attrs.frozen(eq=False)
class RandomLists:
    """The true vector among others that a normal approximation of the posterior proposes."""

    tables: CountTables
    values: Floats
    noise: ColumnNoise
    length: int

    def weigh(
        self, rng: Generator, releases: Floats, truth: Ints, kind: int, tilt: float
    ) -> tuple[Ints, Floats]:
        """Vectors of counts (n_draws, n_list, n_types), and ln W (n_draws, n_list).

        The truth comes first: its place does not matter, as the sums are symmetric in the list.
        """
        middles, lower, free, slack = self._guide(releases, kind, tilt)
        n_draws, n_types = truth.shape
        counts = np.empty((n_draws, self.length, n_types), np.int64)
        units = np.empty((n_draws, self.length, len(free)))
        log_q = np.zeros((n_draws, self.length))
        # A rank-1 lattice, the origin first; shape (n_list, n_free).
        generator = round(self.length * 0.3819660112501051) | 1
        powers = [pow(generator, j, self.length) for j in range(len(free))]
        steps = np.mod(np.outer(np.arange(self.length), powers) / self.length, 1.0)
        # One count after the other: a logistic law around its mean given those before it,
        # Pr[c] = sinh(1/2s)/(cosh((c − mean)/s) + cosh(1/2s)).
        for i, k in enumerate(free):
            mean = middles[:, i, None] + units[:, :, :i] @ lower[i, :i]
            scale = max(_WIDER * _LOGISTIC * lower[i, i], _LEAST_SCALE)
            off = truth[:, k] - mean[:, 0]
            edges = expit((off - 0.5) / scale), expit((off + 0.5) / scale)
            place = edges[0] + rng.random(n_draws) * (edges[1] - edges[0])
            others = np.clip(np.mod(place[:, None] + steps[1:, i], 1.0), 1e-16, 1 - 1e-16)
            counts[:, 0, k] = truth[:, k]
            counts[:, 1:, k] = np.rint(mean[:, 1:] + scale * logit(others))
            # ln sinh h − ln(cosh z + cosh h), h = 1/2s, without overflow.
            z, half = np.abs((counts[:, :, k] - mean) / scale), 1 / (2 * scale)
            tail = np.exp(-2 * z) + np.exp(half - z) + np.exp(-half - z)
            log_q += np.log(2 * np.sinh(half)) - z - np.log1p(tail)
            units[:, :, i] = (counts[:, :, k] - mean) / lower[i, i]
        counts[:, :, slack] = self.tables.size - counts[:, :, free].sum(axis=-1)
        off = releases[:, None, :] - counts @ self.values
        return counts, self.tables.log_weight(counts) + self.noise.log_density(off) - log_q

    def _guide(
        self, releases: Floats, kind: int, tilt: float
    ) -> tuple[Floats, Floats, list[int], int]:
        """Posterior means (n_draws, n_free) and a Cholesky factor, as if counts were normal."""
        order = np.argsort(-self.tables.counts, kind="stable")
        slack = int(next(k for k in order if k != kind))
        free = [kind, *(k for k in range(len(order)) if k not in (kind, slack))]
        covariance = self.tables.covariance()[np.ix_(free, free)]
        slope = self.values[free] - self.values[slack]
        least = np.eye(len(free)) * 1e-6
        precision = np.linalg.inv(covariance + least) + slope / self.noise.variances @ slope.T
        posterior = np.linalg.inv(precision)
        off = releases - self.tables.mean @ self.values
        push = off / self.noise.variances @ slope.T
        push[:, 0] += tilt
        middles = self.tables.mean[free] + push @ posterior
        lower = np.asarray(np.linalg.cholesky(posterior + least), np.float64)
        return middles, lower, free, slack


Lists: TypeAlias = AllVectors | RandomLists
"""What is told besides a release."""


def seen_slope(tables: CountTables, values: Floats, noise: ColumnNoise, kind: int) -> Floats:
    """How a type's expected count follows the release, as if all were normal; (n_columns,)."""
    covariance = tables.covariance()
    release_covariance = values.T @ covariance @ values + np.diag(noise.variances)
    return np.asarray(np.linalg.solve(release_covariance, covariance[kind] @ values))


def fraction_seen(tables: CountTables, values: Floats, noise: ColumnNoise, kind: int) -> float:
    """Share of the variance of a type's count that the release shows, as if all were normal."""
    covariance = tables.covariance()
    along = covariance[kind] @ values
    own = max(float(covariance[kind, kind]), 1e-12)
    return float(np.clip(along @ seen_slope(tables, values, noise, kind) / own, 1e-9, 1 - 1e-12))


_CELLS = 1_500_000  # Draws times list times types that are held at once: arrays of some 12 MB
_LENGTHS = (13, 31, 61, 127, 251, 509, 1021)  # Primes, so that every lattice has as many points
_LATTICE = 0.2  # Variance of a mean over a lattice, as a share of that over independent draws
_FEW_VECTORS = 1024  # The number of vectors of counts up to which all of them are listed
_STEEPER = 1.5  # Factor on the tilt with the least bound: more draws fall where X is not 0
_FAR_VARIANCE = 1 / 8  # What a list may add to m's variance far from the threshold
_LARGEST_LOG = 600.0  # Of a weight: larger ones are cut, so a draw counts for too much
_NEAR = 0.6  # Releases whose ln p_in/p_out, if normal, is above this share of ε get long lists


@attrs.frozen(eq=False)
class TiltedRelease:
    """One type, one direction: samples of `size`, tilted towards that type."""

    tables: CountTables  # The law of the counts of all samples
    values: Floats  # (n_types, n_columns): what each record of a type adds
    noise: ColumnNoise  # On every number of the sum
    kind: int  # The type t
    tilt: float  # τ > 0
    epsilon: float
    # near, far: what is told besides a release near the threshold, and far from it: which of them
    # depends on the release alone, as the law of a list may.
    near: Lists
    far: Lists
    selected: Selected = NOTHING_SELECTED  # What is chosen beside the sum: a part of the release

    @classmethod
    def of(
        cls,
        tables: CountTables,
        values: Floats,
        noise: ColumnNoise,
        kind: int,
        epsilon: float,
        added_variance: float,
        selected: Selected = NOTHING_SELECTED,
    ) -> "TiltedRelease":
        """Tilted so that draws fall where ln p_in/p_out is about ε, and X stays bounded.

        `added_variance` is what a list may add to the variance of m, as a share.
        """
        seen = fraction_seen(tables, *selected.columns(values, noise), kind)
        own = math.sqrt(max(float(tables.covariance()[kind, kind]), 1e-12))
        # As if normal: C_t moves by 1, so ε = z μ with μ = √f/s, and e^(τ²s²/2 − τ z s √f) is
        # least at τ = z √f/s = ε.
        many = int(tables.counts[kind])
        apart = max(1 - (many - 1) / max(tables.population - 1, 1), 1e-9)
        shift = apart * math.sqrt(seen) / max(own, 0.5)
        distance = min(max(epsilon / shift + shift / 2, 0.5), 9.0)
        tilt = _STEEPER * distance * math.sqrt(seen) / max(own, 0.3)
        # e^(τ(C_t − mean)) stays a float: any τ > 0 gives a bound.
        off = np.abs(tables.of_one(kind)[0] - tables.mean[kind]).max()
        tilt = min(tilt, _LARGEST_LOG / max(float(off), 1.0))
        exact = AllVectors.of(tables, values, noise, _FEW_VECTORS)
        if exact is not None:
            return cls(tables, values, noise, kind, tilt, epsilon, exact, exact, selected)
        lengths = (_length(seen, added_variance), _length(seen, max(added_variance, _FAR_VARIANCE)))
        long, short = (RandomLists(tables, values, noise, each) for each in lengths)
        return cls(tables, values, noise, kind, tilt, epsilon, long, short, selected)

    @property
    def share(self) -> float:
        """π = n/N."""
        return self.tables.shares[0]

    @property
    def block_draws(self) -> int:
        """How many draws are held at once."""
        numbers = len(self.tables.counts) + self.selected.numbers
        return int(np.clip(_CELLS // (self.near.length * numbers), 64, 65536))

    def log_norm(self) -> float:
        """ln M of e^(τ(C_t − its mean))."""
        counts, chances = self.tables.of_one(self.kind)
        return math.log(float(np.exp(self.tilt * (counts - self._centre)) @ chances))

    @property
    def _centre(self) -> float:
        return float(self.tables.mean[self.kind])

    def draw(self, rng: Generator, n_draws: int) -> tuple[Floats, Floats]:
        """w m/π and w (1 − m)/(1 − π) of independent draws; shape (n_draws,) each."""
        counts, chances = self.tables.of_one(self.kind)
        weights = np.exp(self.tilt * (counts - self._centre)) * chances
        norm = float(weights.sum())
        ladder = np.cumsum(weights / norm)
        own = counts[np.minimum(np.searchsorted(ladder, rng.random(n_draws)), len(counts) - 1)]
        truth = self.tables.draw_others(rng, self.kind, own)
        releases = truth @ self.values + self.noise.draw(rng, n_draws)
        choices = self.selected.draw(rng, truth)
        draws = np.empty((2, n_draws))
        # Where ln p_in/p_out is about ε or more, if all were normal, or selections tell.
        near = np.ones(n_draws, np.bool_)
        if not self.selected.selections:
            off = releases - self.tables.mean @ self.values
            moved = off @ seen_slope(self.tables, self.values, self.noise, self.kind)
            zero = self._zero(_NEAR * self.epsilon) - self.share
            near = np.asarray(moved >= zero * int(self.tables.counts[self.kind]))
        for lists, some in ((self.near, near), (self.far, ~near)):
            if some.any():
                listed, logs = lists.weigh(
                    rng, releases[some], truth[some], self.kind, self.tilt / 2
                )
                logs = logs + self.selected.log_prob(listed, [each[some] for each in choices])
                draws[:, some] = self._weigh_lists(listed[:, :, self.kind], logs, norm)
        return draws[0], draws[1]

    def _weigh_lists(self, mine: Ints, logs: Floats, norm: float) -> Floats:
        """Bound X at both ends by the list's counts of this type and ln W."""
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        many = int(self.tables.counts[self.kind])
        steep = np.exp(np.minimum(self.tilt * (mine - self._centre), _LARGEST_LOG))
        back = norm / (weights * steep).sum(axis=1) / many
        # Both sums of non-negative terms: 1 − m would lose its digits where m is nearly 1.
        inside, outside = ((weights * some).sum(axis=1) for some in (mine, many - mine))
        return np.stack([back * inside / self.share, back * outside / self.tables.shares[1]])

    def _zero(self, epsilon: float) -> float:
        """The m at which p_in = e^ε p_out."""
        odds = self.share * math.exp(epsilon)
        return odds / (self.tables.shares[1] + odds)

    def bound(self, epsilon: float) -> float:
        """The largest X(ε) that is possible, rounded up."""
        (pi, rest), many = self.tables.shares, int(self.tables.counts[self.kind])
        # A (m − m_ε) = m/π − e^ε (1 − m)/(1 − π), largest times e^(−κm) at m_ε + 1/κ.
        slope = 1 / pi + math.exp(epsilon) / rest
        zero = self._zero(epsilon)
        kappa = self.tilt * many
        step = min(1 / kappa, rest / (rest + pi * math.exp(epsilon)))
        log = self.log_norm() - self.tilt * (many * (zero + step) - self._centre)
        return slope * step * math.exp(min(log, 700.0)) * (1 + 1e-9)


def _length(seen: float, added_variance: float) -> int:
    """The shortest list that adds a share of `added_variance` to the variance of m, about."""
    wanted = _LATTICE * (1 - seen) / seen / added_variance
    return next((length for length in _LENGTHS if length >= wanted), _LENGTHS[-1])


# --- An upper confidence limit of ε from bounded draws, by betting.
#
# D(ε) = E X(ε) with X(ε) = (a − e^ε b)_+ falls with ε, and 0 <= X(ε) <= B for all ε >= ε_0. The
# gains δ − X(ε) are bet on with stakes 0 <= λ < 1/(B − δ), as in `vector_sums/running_interval.py`.

_BOLDEST = 0.95  # Largest stake, as a share of that at which the worst draw takes all capital
_ROUNDING = 1e-8  # Relative error of a and b: that of some 10^4 rounded terms in logarithms
_LARGEST_EPSILON = 600.0  # ε beyond which no estimate is looked for: e^ε stays a float
_SLACK = 1e-10  # Error of ln a/b that is allowed for: that of a posterior mean near π, some units


@attrs.frozen(eq=False)
class UpperLimit:
    """Bets against D(ε) >= δ for every ε >= `least`."""

    delta: float  # δ, less what the draws leave out
    least: float  # ε_0, a lower bound that holds for certain: no smaller limit is of use
    stakes: tuple[float, ...]  # λ_j, fixed before the draws they are bet on

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
    """Estimate where the mean of X falls to δ, at least `least`: no bound."""
    most = max(2 * least, 1e-6)
    while float(excess(draws, most).mean()) > delta and most < _LARGEST_EPSILON / 2:
        most *= 2
    return bisect(
        lambda epsilon: float(excess(draws, epsilon).mean()) > delta, least, most, halvings=HALVINGS
    )[1]


_PILOT, _FRESH = 20, 21  # Stages of the random numbers: none is shared with another stage
_PILOT_DRAWS = 4000  # Draws from which bets are planned
_VECTOR_ENTRY = 100.0  # Nanoseconds of a type in a vector: drawn, weighed, added. Nominal
_MOST_DRAWS = 2_000_000  # Of a type and direction: more would change the fourth digit
_CLOSE = 0.1  # Share of the gap above the estimate within which an upper limit is close enough
_LIST_VARIANCE = 1 / 5  # What lists add to the variance, in units of the gap: 0.1 of it in ε


@attrs.frozen
class NoisySum:
    """A sum over records of few types, with noise, and what is chosen beside it."""

    counts: Ints = attrs.field(eq=False)  # (n_types,): how many records of each type there are
    values: Floats = attrs.field(eq=False)  # (n_types, n_columns): what each adds
    size: int  # n
    noise: ColumnNoise = attrs.field(eq=False)  # On every number
    delta: float  # In (0, 1)
    # Released together with the sum.
    selections: tuple[Selection, ...] = attrs.field(default=(), eq=False)

    def tables(self, direction: int) -> CountTables:
        """Return the tables of the sample (direction 0), or of the records left out (1)."""
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
        aim = min(aim, guess * (1 + gap), guess * 2, _LARGEST_EPSILON)
        limit = UpperLimit.from_pilot(both, delta, least, release.bound(least), aim)
        return cls(task, limit, target, alpha)

    def add(self, part: Arrays) -> None:
        self._parts.append(part)
        self.draws += len(part["inside"])

    def update(self) -> None:
        if self._parts:
            both = tuple(np.concatenate([p[k] for p in self._parts]) for k in ("inside", "outside"))
            self.upper = self.limit.at((both[0], both[1]), self.alpha, _LARGEST_EPSILON)

    @property
    def open(self) -> bool:
        return self.upper > self.target and self.draws < _MOST_DRAWS


def upper_bounds(
    released: NoisySum, kinds: Ints, least: Floats, guess: Floats, effort: Effort
) -> RecordBounds:
    """Upper bounds of ε̃ for records of some types; all hold with probability `confidence`.

    Both directions share no failure: the larger of two limits is wrong only if that of the
    direction that attains ε̃ is.

    No limit below `least` is of use: these lower bounds of the `kinds` are certain. `guess` plans
    and proves nothing. The time limit is the caller's.
    """
    alpha = (1 - effort.confidence) * (1 - 1e-12) / len(kinds)
    planned = _tasks(released, kinds, least, guess, effort)
    lower = np.repeat(least, len(planned) // len(kinds))
    running: list[_Running] = []
    with contextlib.suppress(OutOfTime):
        pilots = blocks(draw, planned, quiet(effort), name="types")
        for task, pilot, end in zip(planned, pilots, lower, strict=True):
            running.append(_Running.of(task, pilot, float(end), effort.gap, alpha))
            check()
        number = 0
        while (wanting := [each for each in running if each.open]) and not late():
            # Twice as many draws as in the round before, in parts.
            parts = [(each, part) for part in range(2**number) for each in wanting]
            tasks = [attrs.evolve(each.task, place=(_FRESH, number, k)) for each, k in parts]
            try:
                results = blocks(draw, tasks, quiet(effort), name="types")
                for (each, _), block in zip(parts, results, strict=True):
                    each.add(block)
                    check()
            finally:
                for each in wanting:
                    each.update()
            number += 1
            effort.progress(1 - len(wanting) / (len(running) + 1))
    upper = np.full(len(planned), np.inf)
    upper[: len(running)] = [each.upper for each in running]
    highest = upper.reshape(len(kinds), -1).max(axis=1)
    longest = max((_release(task).near.length for task in planned), default=0)
    draws, none = sum(each.draws for each in running), np.zeros(len(kinds))
    return RecordBounds.of_draws(kinds, none, highest, effort, draws, candidates=longest)


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
