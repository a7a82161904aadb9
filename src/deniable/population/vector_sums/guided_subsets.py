"""Subsets drawn one record after the other towards a target, with their exact probabilities.

Two rows of subsets, of possibly different sizes and targets, follow the same uniform numbers: a
column's two subsets are alike, and ratios of their weights steadier. Given subsets may be put
into one row; the uniform numbers are then drawn as they must have been, so that the other row
follows the law it would have had.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import attrs
import numpy as np
from scipy.special import gammaln, logsumexp, softmax

from deniable.numerics.effort import Generator
from deniable.population.question import Bools, Floats, Ints

# --- Which records a subset should take for its sum to end near a target, one after the other.
#
# The sum of the records still to come is nearly normal, which turns the wish "the sum ends near
# this target" into a log-odds for each record. Any log-odds would be valid.


@attrs.frozen(eq=False)
class Guide:
    """Log-odds of taking each record, given what the sum still misses.

    The record at step j has log-odds ln(m/(r−m)) + b_j·u − m c_j − h_j, where r records from
    here on have m places left and u is the target minus the sum so far.
    """

    order: Ints  # (M,): which record is looked at when: farthest from the mean first
    steps: Floats  # (M, d): the records in that order
    # (M, d): b_j = C_j⁻¹(y_j − ȳ_j), for the mean ȳ_j of the records after j and the covariance C_j
    # of the sum of a proportional part of them plus noise.
    slopes: Floats
    # drifts, halves (M,): c_j = b_j·ȳ_j and h_j = b_j·(y_j − ȳ_j)/2.
    drifts: Floats
    halves: Floats

    @classmethod
    def towards(
        cls, points: Floats, share: float, noise: Floats, rows_at_once: int = 1024
    ) -> "Guide":
        """The guide of subsets of `points`, of about `share` of them, under this noise covariance.

        The outer products of `rows_at_once` records are held at once.

        >>> Guide.towards(np.array([[1.0], [0.0], [-3.0]]), 0.5, np.eye(1)).order.tolist()
        [2, 0, 1]
        """
        distances = np.linalg.norm(points - points.mean(axis=0), axis=1)
        order = np.argsort(-distances, kind="stable")
        steps = np.ascontiguousarray(points[order])
        means, slopes = np.empty_like(steps), np.empty_like(steps)
        total, squares = np.zeros(steps.shape[1]), np.zeros((steps.shape[1],) * 2)
        # From the last record back: mean ȳ of the r − 1 records after each, Σ(y − ȳ)(y − ȳ)ᵀ of
        # them, and C = share (1 − share) (r − 1)/(r − 2) times it, plus the noise. Then b = C⁻¹(y
        # − ȳ).
        for start in reversed(range(0, len(steps), rows_at_once)):
            rows = steps[start : start + rows_at_once]
            outer = rows[:, :, None] * rows[:, None, :]
            left = (len(steps) - start - 1) - np.arange(len(rows), dtype=np.float64)
            sums = _after(rows, total)
            mean = sums / np.maximum(left, 1)[:, None]
            spread = _after(outer, squares) - sums[:, :, None] * mean[:, None, :]
            scale = share * (1 - share) * left / np.maximum(left - 1, 1)
            covariance = scale[:, None, None] * spread + noise
            part = slice(start, start + len(rows))
            means[part] = mean
            slopes[part] = np.linalg.solve(covariance, (rows - mean)[:, :, None])[:, :, 0]
            total, squares = total + rows.sum(axis=0), squares + outer.sum(axis=0)
        # c = b·ȳ and h = b·(y − ȳ)/2
        drifts = (slopes * means).sum(axis=1)
        halves = (slopes * (steps - means)).sum(axis=1) / 2
        return cls(order, steps, slopes, drifts, halves)


def _after(rows: Floats, rest: Floats) -> Floats:
    """Return for each row the sum of the rows after it, and of the rest."""
    backwards = np.cumsum(rows[::-1], axis=0)[::-1]
    result: Floats = backwards - rows + rest
    return result


_STEEPEST = 20.0  # Largest |ln odds| that the guide adds: every subset stays possible
_FLUSH = 12  # Records after which chances go into logarithms: (e^−20/N)^12 is a float
BELOW_ONE = 1 - 2.0**-53  # The largest float below 1: a uniform number never reaches 1


@attrs.frozen(eq=False)
class Hidden:
    """True subsets, put into the first columns of one row."""

    row: int  # Which row
    members: Bools  # (M, n_hidden): columns are subsets, in the records' own order


@attrs.frozen(eq=False)
class GuidedSubsets:
    """What was drawn."""

    missing: Floats  # (d, rows, columns): target minus the subset's sum
    # (rows, columns): ln(1/number of subsets) − ln Pr[subset]: what turns a density into a weight.
    log_shares: Floats
    # (M, rows, columns): the subsets in the records' own order, where they were asked for.
    members: Bools | None

    def log_weights(self) -> Floats:
        """ln of a standard normal density (but for its constant) times share; (rows, columns)."""
        result: Floats = self.log_shares - (self.missing**2).sum(axis=0) / 2
        return result


def draw_guided_subsets(
    rng: Generator,
    guide: Guide,
    targets: Floats,
    sizes: tuple[int, ...],
    *,
    hidden: Hidden | None = None,
    keep: bool = False,
) -> GuidedSubsets:
    """Draw a subset of sizes[row] records for each column of (d, rows, columns) targets.

    >>> guide = Guide.towards(np.array([[0.0], [1.0]]), 0.5, np.eye(1))
    >>> rng = np.random.default_rng(0)
    >>> drawn = draw_guided_subsets(rng, guide, np.full((1, 1, 3), 9.0), (1,), keep=True)
    >>> drawn.members[:, 0].sum(axis=0).tolist()
    [1, 1, 1]
    """
    missing = np.array(targets, np.float64, order="C")
    dimension, rows, columns = missing.shape
    places = np.repeat(np.array(sizes, np.float64)[:, None], columns, axis=1)
    members = np.empty((len(guide.order), rows, columns), np.bool_) if keep else None

    def decide(record: int, chance: Floats) -> Bools:
        uniform = np.asarray(rng.random(columns))
        if hidden is None:
            return np.asarray(uniform < chance)
        # Who takes the record, when the hidden columns of one row are given.
        true = hidden.members[record]
        known = slice(0, len(true))
        edge = chance[hidden.row, known]
        inside = uniform[known]
        # Given that the record is taken, u is uniform on [0, chance); given that it is not, on
        # [chance, 1).
        above = np.minimum(edge + inside * (1 - edge), BELOW_ONE)
        uniform[known] = np.where(true, inside * edge, above)
        included = uniform < chance
        included[hidden.row, known] = true
        return included

    flat = missing.reshape(dimension, rows * columns)
    log_shares = decide_in_turn(guide, flat, places, decide, members)
    m, n = len(guide.order), np.array(sizes)
    log_shares -= (gammaln(m + 1) - gammaln(n + 1) - gammaln(m - n + 1))[:, None]  # − ln C(m, n)
    return GuidedSubsets(missing, log_shares, members)


def decide_in_turn(
    guide: Guide,
    missing: Floats,
    places: Floats,
    decide: Callable[[int, Floats], Bools],
    members: Bools | None,
) -> Floats:
    """−ln Pr of subsets, for which `decide` says who takes each record at the chances of all.

    What they miss (d, subsets), the places that are left, and who is a member, are kept up to date.
    """
    log_shares, product = np.zeros(places.shape), np.ones(places.shape)
    for step, record in enumerate(guide.order):
        chance = chances(guide, step, missing, places, len(guide.order) - step)
        included = decide(record, chance)
        # Pr[subset] = Π chance or 1 − chance, as used.
        product *= np.where(included, chance, 1 - chance)
        places -= included
        missing -= guide.steps[step][:, None] * included.reshape(1, -1)
        if members is not None:
            members[record] = included
        if step % _FLUSH == _FLUSH - 1:
            log_shares -= np.log(product)
            product[:] = 1
    log_shares -= np.log(product)
    return log_shares


def chances(guide: Guide, step: int, missing: Floats, places: Floats, left: int) -> Floats:
    """The probability of taking this step's record; 0 or 1 exactly where the size forces it."""
    # chance = m/(m + (r − m) e^(−x)), log-odds x = b·u − m c − h kept within ±20.
    log_odds = (guide.slopes[step] @ missing).reshape(places.shape)
    log_odds -= guide.drifts[step] * places
    log_odds -= guide.halves[step]
    np.clip(log_odds, -_STEEPEST, _STEEPEST, out=log_odds)
    # In one array, as this is where the time goes.
    weight = np.exp(np.negative(log_odds, out=log_odds), out=log_odds)
    weight *= left - places
    weight += places
    chance: Floats = np.divide(places, weight, out=weight)
    return chance


def draw_uniform_subsets(rng: Generator, population: int, size: int, n_draws: int) -> Bools:
    """Independent uniform subsets as columns; shape (population, n_draws)."""
    members = np.zeros((n_draws, population), np.bool_)
    keys = rng.random((n_draws, population))
    places = np.argpartition(keys, size - 1, axis=1)[:, :size] if size else keys[:, :0].astype(int)
    np.put_along_axis(members, places, values=True, axis=1)
    return np.ascontiguousarray(members.T)


# --- The list told to the adversary: a true sample hidden among K pairs that look at the release.
#
# For one record x the pairs (E_k, F_k), of n − 1 and n others, are drawn from laws α_t, β_t that
# may depend on the release t; the true subset takes a uniform place. The densities of t and list
# then have the ratio
#
#     Σ_k φ(t − x − ΣE_k)/α_t(E_k) ÷ Σ_k φ(t − ΣF_k)/β_t(F_k)   (times the subsets' numbers).


Worlds: TypeAlias = tuple[Floats, Floats]  # Draws of the world "in", and of the world "out"

IN, OUT = 0, 1  # Which world draws the release: the record is in the sample, or out of it
_COLUMNS = 4096  # Lists times candidates at once: some of a few hundred records fit a cache
_SUBSETS = 20_000_000  # Memberships held at once: 20 megabytes


@attrs.frozen(eq=False)
class ListDraws:
    """Independent releases of one world with their lists."""

    # (n_draws,): ln f_in/f_out, the joint densities of release and list, whichever world drew them.
    log_ratios: Floats
    scores: Floats  # (n_draws,): slope·t, a function of the release alone
    # What one candidate alone would add to that of ln ratio; NaN where a list has one.
    variance: float

    @classmethod
    def of(cls, log_weights: Floats, releases: Floats, slope: Floats) -> "ListDraws":
        """Join log-weights (2, candidates, n_draws), the truth first, and releases (d, n_draws)."""
        # ln ρ = ln Σ_k w_k − ln Σ_k v_k
        totals = logsumexp(log_weights, axis=1)
        others, variance = log_weights[:, 1:], math.nan
        if others.shape[1] > 1:
            # Var over k of w_k/w̄ − v_k/v̄: what ln ρ owes to a single candidate, to first order.
            relative = softmax(others, axis=1) * others.shape[1]
            variance = float((relative[IN] - relative[OUT]).var(axis=0, ddof=1).mean())
        return cls(totals[IN] - totals[OUT], slope @ releases, variance)


class RecordWorlds:
    """One record in the sample, and out of it."""

    def draws(
        self, rng: Generator, world: int, candidates: int, n_draws: int, slope: Floats
    ) -> ListDraws:
        """Independent releases of one world, each with its list of `candidates` pairs."""
        at_once = self.batch_size(candidates)
        parts = [
            self.batch(rng, world, candidates, min(at_once, n_draws - start), slope)
            for start in range(0, n_draws, at_once)
        ]
        return ListDraws(
            np.concatenate([part.log_ratios for part in parts]),
            np.concatenate([part.scores for part in parts]),
            float(np.mean([part.variance for part in parts])),
        )

    def batch(
        self, rng: Generator, world: int, candidates: int, n_draws: int, slope: Floats
    ) -> ListDraws:
        """Draw all at once what `draws` yields."""
        raise NotImplementedError

    def batch_size(self, candidates: int) -> int:
        """How many draws at once."""
        raise NotImplementedError


def batch_size(candidates: int, population: int, *, kept: bool = False) -> int:
    """How many draws at once: their lists stay in the cache, and subsets in memory."""
    each = population * (candidates if kept else 1)
    return max(1, min(_COLUMNS // candidates, _SUBSETS // each))
