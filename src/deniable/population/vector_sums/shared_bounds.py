"""Upper bounds of all records from the same releases, by lists of whole samples.

Each release is a draw of "in" for the records that were in its sample, and one of "out" for the
others, so that every record bets on its own part of the same draws. Records share draws, not
failure probability: what is said of one record is as probable as it would be alone.
"""

import math

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, softmax

from deniable.computing.parallel import Arrays, blocks
from deniable.numerics.effort import Effort, Generator, late
from deniable.population.answer import RecordBounds
from deniable.population.question import Bools, Floats, Ints
from deniable.population.vector_sums.guided_subsets import (
    BELOW_ONE,
    Guide,
    decide_in_turn,
    draw_uniform_subsets,
)
from deniable.population.vector_sums.releases import SumRelease
from deniable.population.vector_sums.running_interval import ROUNDING, SHARED, BettingBound
from deniable.population.vector_sums.search import Budget, quiet

# --- One list for everybody: whole samples that may have led to a release, the true one among them.
#
# Let D be a uniform n-subset of all N records and t = ΣD + Z. The adversary is told samples D_1 …
# D_K, one of them true and the others from a law γ_t that looks at t. For every record x,
#
# .. math:: \frac{f_\mathrm{in}}{f_\mathrm{out}}
#           = \frac{\sum_{k: x \in D_k} W_k}{\sum_{k: x \notin D_k} W_k} \cdot \frac{N - n}{n},
#           \qquad W_k = \frac{\phi(t - \Sigma D_k)}{\gamma_t(D_k)} .

_COLUMNS = 4096  # Samples at once: some columns of a few hundred records stay in the cache


@attrs.frozen(eq=False)
class SharedDraws:
    """Independent releases, each seen from every record."""

    members: Bools  # (N, n_draws): who was in the true sample: whose draw of "in" it is
    # (N, n_draws): ln f_in/f_out for each record, infinite where all samples of a list hold it, or
    # none.
    log_ratios: Floats

    @property
    def n_draws(self) -> int:
        """Releases."""
        return int(self.members.shape[1])


@attrs.frozen(eq=False)
class SharedLists:
    """A sum's releases with lists of whole samples."""

    release: SumRelease  # In units of the noise
    guide: Guide  # Of samples of all records

    @classmethod
    def of(cls, release: SumRelease) -> "SharedLists":
        """Guided by all records."""
        share = release.size / release.population
        return cls(release, Guide.towards(release.points, share, np.eye(release.dimension)))

    def draws(self, rng: Generator, candidates: int, n_draws: int) -> SharedDraws:
        """Independent releases, each with a list of `candidates` samples, a prime number."""
        release, at_once = self.release, max(1, _COLUMNS // candidates)
        odds = math.log((release.population - release.size) / release.size)
        truths, log_ratios = [], []
        for start in range(0, n_draws, at_once):
            some = min(at_once, n_draws - start)
            truth = draw_uniform_subsets(rng, release.population, release.size, some)
            noise = rng.standard_normal((release.dimension, some))
            releases = release.points.T @ truth + noise
            members, logs = self.samples(rng, releases, truth, candidates)
            weights = softmax(logs, axis=0)
            # Both sums of non-negative terms: 1 − the other would lose its digits.
            inside, outside = ((each * weights).sum(axis=1) for each in (members, ~members))
            truths.append(truth)
            with np.errstate(divide="ignore"):
                log_ratios.append(np.log(inside) - np.log(outside) + odds)
        return SharedDraws(np.concatenate(truths, axis=1), np.concatenate(log_ratios, axis=1))

    def samples(
        self, rng: Generator, releases: Floats, truth: Bools, candidates: int
    ) -> tuple[Bools, Floats]:
        """A list for each release, the truth first: (N, K, n_draws), and ln W_k (K, n_draws).

        At each record the uniform numbers of a list are a shifted lattice: each alone is
        uniform, which is all that the theorem asks, and together they are spread evenly, so that
        lists agree on each record's share.
        """
        dimension, n_draws = releases.shape
        population, size = self.release.population, self.release.size
        columns = candidates * n_draws
        missing = np.tile(releases[:, None, :], (1, candidates, 1)).reshape(dimension, columns)
        places = np.full((candidates, n_draws), float(size))
        members = np.empty((population, candidates, n_draws), np.bool_)
        order = np.arange(candidates)
        factors = rng.integers(1, candidates, size=population)
        lattices = {int(r): factors[step] for step, r in enumerate(self.guide.order)}

        def decide(record: int, chance: Floats) -> Bools:
            # Of the truth: uniform on [0, chance) if it holds the record, on [chance, 1) if not.
            inside, edge, true = rng.random(n_draws), chance[0], truth[record]
            above = np.minimum(edge + inside * (1 - edge), BELOW_ONE)
            shifts = (order * lattices[int(record)] % candidates) / candidates
            uniform = np.where(true, inside * edge, above) + shifts[:, None]
            uniform -= uniform >= 1
            included = np.asarray(uniform < chance)
            included[0] = true
            return included

        log_shares = decide_in_turn(self.guide, missing, places, decide, members)
        log_shares -= gammaln(population + 1) - gammaln(size + 1) - gammaln(population - size + 1)
        squares = (missing**2).sum(axis=0).reshape(places.shape)
        return members, log_shares - squares / 2


_LENGTHS = (7, 13, 31, 61, 127)  # Primes; 61 add 0.007 to ln ratio's variance in 5 columns
_ODDS = 3.0  # Samples in a list, at least, over the odds that a goal stands for
_STAKES = (0.95, 0.5, 0.2)  # Shares of the largest, 1/(1 − δ): bold where few draws show a loss
_WEIGHTS = (0.6, 0.2, 0.2)  # Shares of the capital on each stake
_ENOUGH = 1.5  # Draws over those with which the boldest bet wins if no draw shows a loss
_MOST_KEPT = 25_000_000  # Numbers that are kept: 300 megabytes
_BLOCK_DECISIONS = 20_000_000  # Decisions of a block of work: a second or less
_ROUNDS = 8  # Rounds, each with as many draws as all before: more than a budget allows
FEW = 16  # Records above the goal for which lists of their own are less work than a round for all


@attrs.frozen
class _Task:
    """Releases at one place of the random numbers."""

    lists: SharedLists
    candidates: int
    n_draws: int
    effort: Effort
    place: tuple[int, ...]
    goal: float


def _draw(task: _Task) -> Arrays:
    rng = task.effort.generator(*task.place)
    drawn = task.lists.draws(rng, task.candidates, task.n_draws)
    return attrs.asdict(_Kept.of(drawn, task.goal), recurse=False)


@attrs.frozen(eq=False)
class _Kept:
    """The ln ratios above the goal: what of many releases can still show a loss."""

    counts: Ints  # (N, 2): draws of each record, of "in" and of "out"
    owners: NDArray[np.int32]  # (n_kept,): twice the record, and one more for a draw of "out"
    log_ratios: Floats  # (n_kept,): ln of the density of the world that drew, over the other's

    @classmethod
    def of(cls, drawn: SharedDraws, goal: float) -> "_Kept":
        """Rounding counts against the claim, as in every bet."""
        own_first = np.where(drawn.members, drawn.log_ratios, -drawn.log_ratios)
        record, draw = np.nonzero(own_first > goal - ROUNDING)
        inside = drawn.members.sum(axis=1)
        return cls(
            np.stack([inside, drawn.n_draws - inside], axis=1),
            (2 * record + ~drawn.members[record, draw]).astype(np.int32),
            own_first[record, draw],
        )

    @classmethod
    def join(cls, parts: list[Arrays]) -> "_Kept":
        """Join several blocks, sorted by owner."""
        owners = np.concatenate([part["owners"] for part in parts])
        order = np.argsort(owners, kind="stable")
        log_ratios = np.concatenate([part["log_ratios"] for part in parts])[order]
        return cls(np.sum([part["counts"] for part in parts], axis=0), owners[order], log_ratios)

    def worlds(self, record: int) -> list[tuple[Floats, int]]:
        """What is kept of "in", and of "out", and how many draws more there were."""
        edges = np.searchsorted(self.owners, [2 * record, 2 * record + 1, 2 * record + 2])
        kept = [self.log_ratios[edges[k] : edges[k + 1]] for k in (0, 1)]
        return [(k, int(n) - len(k)) for k, n in zip(kept, self.counts[record], strict=True)]


@attrs.frozen
class SharedPlan:
    """How many releases a round has, and how long their lists are; no draw is looked at for it."""

    candidates: int
    first: int
    bound: BettingBound

    @classmethod
    def within(
        cls, budget: Budget, release: SumRelease, delta: float, alpha: float, goal: float = 0.0
    ) -> "SharedPlan | None":
        """The longest lists with which a first round fits; None where none does.

        Without a goal about half of all numbers are kept, with one hardly any.
        """
        stakes = tuple(stake / (1 - delta) for stake in _STAKES)
        # The boldest bet turns 0.6 into 1/α when (1 + λδ)^draws is 1/(0.6 α).
        wins = math.log1p(stakes[0] * delta)
        enough = _ENOUGH * math.log(1 / (_WEIGHTS[0] * alpha)) / wins
        rarer = min(release.size, release.population - release.size) / release.population
        first = math.ceil(enough / rarer)
        decisions = first * release.population
        if goal == 0 and decisions > 2 * _MOST_KEPT:
            return None
        # A list that holds x in all samples but one shows odds of K − 1: goals must be far below.
        least = _ODDS * math.exp(min(goal, 50.0))
        fitting = [k for k in _LENGTHS if k >= least and decisions * k <= budget.left]
        return cls(fitting[-1], first, BettingBound(delta, stakes, _WEIGHTS)) if fitting else None


def shared_upper_bounds(
    release: SumRelease,
    plan: SharedPlan,
    alpha: float,
    effort: Effort,
    budget: Budget,
    *,
    goal: float = 0.0,
    known: Floats | None = None,
) -> RecordBounds:
    """Upper bounds of ε̃ of every record, each too low with probability at most α, or as known.

    The progress is the share of records that keep the goal: a record that is shown to keep it is
    not looked at more closely, and its end is the goal. What the draws take of the budget is spent.
    Upper bounds are infinite where nothing was shown.
    """
    lists, parts, draws = SharedLists.of(release), list[Arrays](), 0
    upper = np.full(release.population, math.inf) if known is None else known
    for number in range(_ROUNDS):
        wanted = plan.first * 2 ** max(number - 1, 0)
        cost = float(wanted * plan.candidates * release.population)
        kept = sum(len(part["owners"]) for part in parts)
        if number and (cost > budget.left or 2 * kept > _MOST_KEPT):
            break
        each = max(1, _BLOCK_DECISIONS // (lists.release.population * plan.candidates))
        tasks = [
            _Task(
                lists,
                plan.candidates,
                min(each, wanted - start),
                Effort(seed=effort.seed),
                (SHARED, number, start),
                goal,
            )
            for start in range(0, wanted, each)
        ]
        for part in blocks(_draw, tasks, quiet(effort), name="shared"):
            parts.append(part)
            draws += int(part["counts"][0].sum())
            if late():
                break
        budget.spend(cost)
        drawn = _Kept.join(parts)
        for record in np.flatnonzero(upper > goal):
            upper[record] = max(
                plan.bound.upper_limit(logs, alpha, least=goal, harmless=harmless)
                for logs, harmless in drawn.worlds(int(record))
            )
        above = int(np.count_nonzero(upper > goal))
        effort.progress(1 - above / release.population)
        if above <= FEW or late():
            break
    every, none = np.arange(release.population), np.zeros(release.population)
    return RecordBounds.of_draws(every, none, upper, effort, draws, candidates=plan.candidates)
