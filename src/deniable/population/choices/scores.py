"""What a choice is made by: what records add to scores, and what adjacent samples say of ε.

With L the table of scores, two samples E ∪ i and E ∪ j have

    ln P(w|E∪i) − ln P(w|E∪j) = (L(w,j) − L(w,i)) + ln Z(E∪j) − ln Z(E∪i),

so output and rest are maximised apart. Pairs are looked at from the widest range of
L(·,i) − L(·,j) on, until none that is left can pass the largest value found.
"""

import contextlib
import math

import attrs
import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from deniable.computing import parallel
from deniable.errors import InvalidArgument, validate
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.effort import Effort, OutOfTime, check, late, left, limited
from deniable.numerics.rounding import UNIT
from deniable.population.choices.array_api import Array, Floats, namespace, placed
from deniable.population.choices.enumeration import (
    BLOCKS,
    REACH,
    TUNING,
    Blocks,
    allowed_operations,
    count_adjacent_operations,
    enumeration_error,
    floored_exp,
    members,
    parts,
    reach,
    score_table,
)
from deniable.population.question import Ints

_LEAST = 1e-100  # A change below it would leave the range of floats once a score is squared


@attrs.frozen(eq=False)
class Scores:
    """The exponential mechanism's scores at ε = 1: candidate w has −Σ_{i in D} table[w, i]."""

    # (n_candidates, n_records): each record's part of a candidate's loss, over 2Δ; for a mean the
    # sample size is in Δ.
    table: Floats
    # No entry is farther from the truth, but for a constant of each record, which cancels.
    off: float
    restricted: float  # ε(X) at ε = 1 by restricted sensitivity, which sees these constants

    @property
    def population(self) -> int:
        """N."""
        return int(self.table.shape[1])

    def widening(self, size: int, epsilon: float) -> float:
        """How far ln P_in/P_out may be off: n entries each in a score and in a normaliser, twice.

        A law is a mean of laws that are off by a factor of at most e^(±2 n·off).
        """
        return 4 * size * self.off * epsilon


def of_distances(values: Floats, candidates: Floats, clip: float) -> Scores:
    """ℓ(w, D) the mean distance; the sample size cancels against Δ = (max‖w‖ + C)/n."""
    if candidates.shape[1] != values.shape[1]:
        raise InvalidArgument(
            f"Expected candidates with {values.shape[1]} columns, as the records have, got "
            f"{candidates.shape[1]}."
        )
    reach = float(np.linalg.norm(candidates, axis=1).max()) + clip
    table = np.asarray(cdist(candidates, values) / (2 * reach))
    off = UNIT * (values.shape[1] + 8) * float(table.max())
    return Scores(table, off, restricted_epsilon(table))


def of_table(
    losses: Floats, size: int, *, sensitivity: float | None, bounds: tuple[float, float] | None
) -> Scores:
    r"""ℓ(w, D) the mean over D of the records' losses of w, given as a table.

    No exchange of one record for any other, in the table (n_records, n_candidates) or not, may move
    a candidate's mean loss by more than the sensitivity Δ; losses are clipped to bounds, and then
    Δ = (high − low)/n. Raises `InvalidArgument` unless exactly one of the two is given and fits: a
    sensitivity below what exchanges inside the table show is refused.
    """
    if (sensitivity is None) == (bounds is None):
        raise InvalidArgument(
            "Expected one of `sensitivity` and `loss_bounds` for given losses, got "
            f"{'neither' if bounds is None else 'both'}. Public bounds of a loss are the simplest."
        )
    if bounds is not None:
        low, high = (validate.finite(end, "a loss bound") for end in bounds)
        if not low < high:
            raise InvalidArgument(
                f"Expected `loss_bounds` with low < high, got {low}, {high}. Swap them."
            )
        losses, change = np.clip(losses, low, high), high - low
    else:
        change = validate.positive(sensitivity, "sensitivity") * size
        if float(np.ptp(losses, axis=0).max()) > change * (1 + 8 * UNIT):
            raise InvalidArgument(
                "Expected a sensitivity that exchanging two records of the table keeps to, got "
                f"sensitivity={sensitivity}. Give a larger one, or loss bounds."
            )
    if change < float(np.ptp(losses, axis=1).max()) * _LEAST or change < _LEAST:
        raise InvalidArgument(
            "Expected losses that change by 1e-100 of their range and by 1e-100 at least where a "
            "record is exchanged, got a smaller sensitivity or bounds. Choose another unit."
        )
    # Each record's least loss is taken off before anything is rounded.
    table = np.asarray((losses - losses.min(axis=1, keepdims=True)).T / (2 * change))
    restricted = restricted_epsilon(losses.T / (2 * change))
    return Scores(np.ascontiguousarray(table), 4 * UNIT * float(table.max()), restricted)


def restricted_epsilon(scores: ArrayLike) -> float:
    """ε(X) = 2 max |L(w,i) − L(w,j)|, by restricted sensitivity, rounded up.

    An upper bound on `adjacent_epsilon`, of ε/(2Δ) times each record's part of each candidate's
    loss. See lowy-2024, Definition 7, with Δ over one parent set; its figures seem to be drawn for
    this ε(X).

    >>> round(restricted_epsilon([[0.0, 1.0, 2.0], [0.5, 0.5, 0.5]]), 12)
    4.0
    """
    return float(2 * np.ptp(np.asarray(scores, np.float64), axis=1).max()) * (1 + 4e-16)


def adjacent_epsilon(
    scores: ArrayLike, size: int, *, effort: Effort | None = None, blocks: Blocks = BLOCKS
) -> Bound | None:
    """ε exact over all pairs of adjacent samples, where the time limit allows.

    The scores are as for `enumerate_samples`. Ends differ by rounding only unless time ran out.
    None where all pairs of records would take more than a quarter of the time limit (at 60 s and 32
    candidates n = 13 is done); `restricted_epsilon` bounds it always.

    >>> answer = adjacent_epsilon([[0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0]], 2)
    >>> round(answer.upper, 4)
    3.8912
    """
    table, n = score_table(scores, size)
    limits = effort or Effort()
    records = table.shape[1]
    rest = math.comb(records - 2, n - 1)
    operations = count_adjacent_operations(records, n, len(table)) * TUNING.adjacent_share
    if operations > allowed_operations(min(limits.time_limit, left())):
        return None
    slack = 2 * enumeration_error(table, n, blocks.rows, 1)
    # Pairs from the widest range on; the first few alone, then some together.
    pairs = np.stack(np.triu_indices(records, 1), axis=1)
    ranges = np.concatenate(
        [np.ptp(table[:, [i]] - table[:, i + 1 :], axis=0) for i in range(records - 1)]
    )
    order, cut = np.argsort(-ranges, kind="stable"), blocks.on(limits.device)
    together = max(1, cut.together // rest)
    tasks = [
        PairTask(table, n, pairs[some], ranges[some], limits.device, cut)
        for i in range(0, len(pairs), together)
        for some in [order[i : i + together]]
    ]
    most = [float(task.ranges.max()) for task in tasks]
    best, rest_of_it = 0.0, most[0]
    results = parallel.blocks(
        largest_ratio,
        tasks,
        limits,
        name="adjacent-samples",
        weights=[len(task.pairs) for task in tasks],
    )
    with limited(limits.time_limit), contextlib.suppress(OutOfTime):
        for number, result in enumerate(results):
            best = max(best, float(result["epsilon"][()]))
            rest_of_it = most[number + 1] if number + 1 < len(most) else 0.0
            if rest_of_it <= best or late():
                break
    return Bound(max(best - slack, 0.0), max(best, rest_of_it) + slack, Evidence.ENCLOSURE)


@attrs.frozen(eq=False)
class PairTask:
    """Some pairs of records, and the ranges that bound what they can give."""

    scores: Floats
    size: int
    pairs: Ints
    ranges: Floats
    device: str | None
    blocks: Blocks


def largest_ratio(task: PairTask) -> dict[str, Floats]:
    """The largest ln ratio between adjacent samples that exchange one of the pairs."""
    best = 0.0
    for pair, most in zip(task.pairs, task.ranges, strict=True):
        if most <= best:
            continue
        # max_w (L_wj − L_wi) + max_E ln Z(E∪i)/Z(E∪j), and the same with i and j exchanged.
        away = task.scores[:, pair[0]] - task.scores[:, pair[1]]
        others = np.delete(task.scores, pair, axis=1)
        half, n_others = others.shape[1] // 2, task.size - 1
        halves = others[:, :half], others[:, half:]
        exchanged = placed(task.scores[:, pair].T, task.device)
        highest, lowest = -math.inf, math.inf
        for inside in range(max(0, n_others - halves[1].shape[1]), min(half, n_others) + 1):
            counts = math.comb(half, inside), math.comb(halves[1].shape[1], n_others - inside)
            for first in parts(counts[0], task.blocks.rows):
                one = _rows(halves[0], inside, first, task.device)
                for second in parts(counts[1], task.blocks.rows):
                    check()
                    other = _rows(halves[1], n_others - inside, second, task.device)
                    low, high = _ratios(one, other, exchanged, task.blocks.pairs)
                    lowest, highest = min(lowest, low), max(highest, high)
        # The ratio is Z(E∪i)/Z(E∪j): with i in the sample the output's gain is max(L_j − L_i).
        best = max(best, float(-away.min()) - lowest, float(away.max()) + highest)
    return {"epsilon": np.array(best)}


def _rows(scores: Floats, size: int, part: tuple[int, int], device: str | None) -> Array:
    mask = members(scores.shape[1], size, *part).astype(np.float64)
    return placed(-(mask @ scores.T), device)


def _ratios(first: Array, second: Array, exchanged: Array, block: int) -> tuple[float, float]:
    """The least and largest ln Z(E∪i)/Z(E∪j) over all E made of a row of either list."""
    if first.shape[0] > 1 and reach(first) > REACH:
        half = first.shape[0] // 2
        ranges = [
            _ratios(rows, second, exchanged, block) for rows in (first[:half, :], first[half:, :])
        ]
        return min(low for low, _ in ranges), max(high for _, high in ranges)
    xp = namespace(first, second)
    centre = first[first.shape[0] // 2, :]
    away = first - centre
    left = xp.exp(away - xp.max(away, axis=1, keepdims=True))
    rights, tops = [], []
    for number in (0, 1):
        rows = second + centre - exchanged[number, :]
        top = xp.max(rows, axis=1, keepdims=True)
        tops.append(top[:, 0])
        rights.append(xp.matrix_transpose(floored_exp(rows - top)))
    low, high = math.inf, -math.inf
    for start in range(0, first.shape[0], block):
        part = left[start : min(start + block, first.shape[0]), :]
        for begin in range(0, second.shape[0], block):
            span = slice(begin, min(begin + block, second.shape[0]))
            # Z(E∪i) = Σ_w e^(A_aw + B_bw − L_wi) for every pair of rows: two products of matrices
            # and a quotient.
            ratio = (part @ rights[0][:, span]) / (part @ rights[1][:, span])
            offset = tops[0][span] - tops[1][span]
            low = min(low, float(xp.min(xp.log(xp.min(ratio, axis=0)) + offset)))
            high = max(high, float(xp.max(xp.log(xp.max(ratio, axis=0)) + offset)))
    return low, high
