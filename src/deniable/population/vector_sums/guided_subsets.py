"""Subsets drawn one record after the other towards a target, with their exact probabilities.

Two rows of subsets, of possibly different sizes and targets, follow the same uniform numbers: a
column's two subsets are alike, and ratios of their weights steadier. Given subsets may be put
into one row; the uniform numbers are then drawn as they must have been, so that the other row
follows the law it would have had.
"""

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from deniable.numerics.effort import Generator

# --- Which records a subset should take for its sum to end near a target, one after the other.
#
# Going through the records one by one, the sum of those still to come is nearly normal. Its mean
# and covariance turn the wish "the sum ends near this target" into a log-odds for each record,
# linear in what is still missing. Any other log-odds would be as valid; these are nearly exact.


@attrs.frozen(eq=False)
class Guide:
    """Log-odds of taking each record, given what the sum still misses.

    The record at step j has log-odds ln(m/(r−m)) + b_j·u − m c_j − h_j, where r records from
    here on have m places left and u is the target minus the sum so far.

    Parameters
    ----------
    order : array of int, shape (M,)
        Which record is looked at when: farthest from the mean first.
    steps : array, shape (M, d)
        The records in that order.
    slopes : array, shape (M, d)
        b_j = C_j⁻¹(y_j − ȳ_j), for the mean ȳ_j of the records after j and the covariance C_j
        of the sum of a proportional part of them plus noise.
    drifts, halves : array, shape (M,)
        c_j = b_j·ȳ_j and h_j = b_j·(y_j − ȳ_j)/2.
    """

    order: NDArray[np.int64]
    steps: NDArray[np.float64]
    slopes: NDArray[np.float64]
    drifts: NDArray[np.float64]
    halves: NDArray[np.float64]

    @classmethod
    def towards(
        cls,
        points: NDArray[np.float64],
        share: float,
        noise: NDArray[np.float64],
        rows_at_once: int = 1024,
    ) -> "Guide":
        """The guide of subsets of `points`, of about `share` of them, under this noise covariance.

        The outer products of `rows_at_once` records are held at once.

        Examples
        --------
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


def _after(rows: NDArray[np.float64], rest: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each row the sum of the rows after it, and of the rest."""
    backwards = np.cumsum(rows[::-1], axis=0)[::-1]
    result: NDArray[np.float64] = backwards - rows + rest
    return result


# --- Subsets drawn one record after the other towards a target, with their exact probabilities.


_STEEPEST = 20.0
"""Largest |ln odds| that the guide may add: every subset stays possible, with e^−20 a record at
least."""
FLUSH = 12
"""Records after which products of chances go into logarithms: (e^−20/N)^12 is above the least
float."""
BELOW_ONE = 1 - 2.0**-53
"""The largest float below 1: a uniform number never reaches 1."""


@attrs.frozen(eq=False)
class Hidden:
    """True subsets, put into the first columns of one row.

    Parameters
    ----------
    row : int
        Which row.
    members : array of bool, shape (M, n_hidden)
        Columns are subsets, in the records' own order.
    """

    row: int
    members: NDArray[np.bool_]


@attrs.frozen(eq=False)
class GuidedSubsets:
    """What was drawn.

    Parameters
    ----------
    missing : array, shape (d, rows, columns)
        Target minus the subset's sum.
    log_shares : array, shape (rows, columns)
        ln(1/number of subsets) − ln Pr[subset]: what turns a density into a weight.
    members : array of bool, shape (M, rows, columns), or None
        The subsets in the records' own order, where they were asked for.
    """

    missing: NDArray[np.float64]
    log_shares: NDArray[np.float64]
    members: NDArray[np.bool_] | None

    def log_weights(self) -> NDArray[np.float64]:
        """ln of a standard normal density (but for its constant) times share; (rows, columns)."""
        result: NDArray[np.float64] = self.log_shares - (self.missing**2).sum(axis=0) / 2
        return result


def draw_guided_subsets(
    rng: Generator,
    guide: Guide,
    targets: NDArray[np.float64],
    sizes: tuple[int, ...],
    *,
    hidden: Hidden | None = None,
    keep: bool = False,
) -> GuidedSubsets:
    """Draw a subset of sizes[row] records for each column of (d, rows, columns) targets.

    Examples
    --------
    >>> guide = Guide.towards(np.array([[0.0], [1.0]]), 0.5, np.eye(1))
    >>> rng = np.random.default_rng(0)
    >>> drawn = draw_guided_subsets(rng, guide, np.full((1, 1, 3), 9.0), (1,), keep=True)
    >>> drawn.members[:, 0].sum(axis=0).tolist()
    [1, 1, 1]
    """
    missing = np.array(targets, np.float64, order="C")
    dimension, rows, columns = missing.shape
    flat = missing.reshape(dimension, rows * columns)
    places = np.repeat(np.array(sizes, np.float64)[:, None], columns, axis=1)
    log_shares, product = np.zeros((rows, columns)), np.ones((rows, columns))
    members = np.empty((len(guide.order), rows, columns), np.bool_) if keep else None
    for step, record in enumerate(guide.order):
        left = len(guide.order) - step
        chance = chances(guide, step, flat, places, left)
        uniform = np.asarray(rng.random(columns))
        if hidden is None:
            included = uniform < chance
        else:
            included = _decisions(uniform, chance, hidden, hidden.members[record])
        # Pr[subset] = Π chance or 1 − chance, as used.
        product *= np.where(included, chance, 1 - chance)
        places -= included
        flat -= guide.steps[step][:, None] * included.reshape(1, rows * columns)
        if members is not None:
            members[record] = included
        if step % FLUSH == FLUSH - 1:
            log_shares -= np.log(product)
            product[:] = 1
    log_shares -= np.log(product)
    n = np.array(sizes)
    m = len(guide.order)
    # − ln C(m, n)
    log_shares -= (gammaln(m + 1) - gammaln(n + 1) - gammaln(m - n + 1))[:, None]
    return GuidedSubsets(missing, log_shares, members)


def chances(
    guide: Guide,
    step: int,
    missing: NDArray[np.float64],
    places: NDArray[np.float64],
    left: int,
) -> NDArray[np.float64]:
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
    chance: NDArray[np.float64] = np.divide(places, weight, out=weight)
    return chance


def _decisions(
    uniform: NDArray[np.float64],
    chance: NDArray[np.float64],
    hidden: Hidden,
    true: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Who takes the record, when the hidden columns of one row are given."""
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


def draw_uniform_subsets(
    rng: Generator, population: int, size: int, n_draws: int
) -> NDArray[np.bool_]:
    """Independent uniform subsets as columns; shape (population, n_draws)."""
    members = np.zeros((n_draws, population), np.bool_)
    keys = rng.random((n_draws, population))
    places = np.argpartition(keys, size - 1, axis=1)[:, :size] if size else keys[:, :0].astype(int)
    np.put_along_axis(members, places, values=True, axis=1)
    return np.ascontiguousarray(members.T)
