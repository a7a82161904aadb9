"""Exact laws over all samples, by meeting in the middle.

The mechanism chooses candidate w with probability P(w|D) ∝ e^(−Σ_{i∈D} L(w,i)) from the sample D, a
uniform n-subset. A sample is a pair of partial subsets of two halves of the records, and sums with
and without a record are added separately, so the relative error stays small.
"""

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any, Self

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.computing import parallel
from deniable.computing.parallel import memory
from deniable.errors import InvalidArgument, validate
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort, check
from deniable.numerics.rounding import UNIT
from deniable.population.answer import RecordBounds
from deniable.population.choices.array_api import Array, Floats, host, namespace, placed
from deniable.population.question import Bools, Ints, sample_size


def _logs(value: Any) -> Floats:
    result = np.asarray(value, np.float64)
    if result.ndim != 2 or not result.size or np.isnan(result).any():
        raise InvalidArgument(
            f"Expected logarithms of probabilities, records by outputs, got shape {result.shape}."
        )
    result.setflags(write=False)
    return result


@attrs.frozen(eq=False)
class OutputLaws:
    """ln P_in and ln P_out of every record and output, and how far they may be off.

    Raises `InvalidArgument` if shapes differ.

    >>> laws = OutputLaws(np.log([[0.75, 0.25]]), np.log([[0.5, 0.5]]), 0.0)
    >>> round(laws.population_epsilon().maximum().upper, 4)  # ln 2
    0.6931
    """

    # log_in, log_out (n_records, n_outputs): natural logarithms of the probability of each output
    # given the record in, and out.
    log_in: Floats = attrs.field(converter=_logs)
    log_out: Floats = attrs.field(converter=_logs)
    # No logarithm differs from the truth by more, ≥ 0.
    error: float
    subsets: int | None = None  # How many samples were enumerated

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "error", validate.non_negative(self.error, "error"))
        if self.log_in.shape != self.log_out.shape:
            raise InvalidArgument(
                f"Expected laws of one shape, got {self.log_in.shape} and {self.log_out.shape}."
            )

    def population_epsilon(self) -> RecordBounds:
        """The ε̃ of each record: the largest |ln P_in/P_out| over the outputs."""
        # An output that neither law gives tells nothing.
        never = np.isneginf(self.log_in) & np.isneginf(self.log_out)
        none = np.zeros(self.log_in.shape)
        ratios = np.subtract(self.log_in, self.log_out, out=none, where=~never)
        value = np.abs(ratios).max(axis=1)
        slack = 2 * self.error + 1e-15 * (1 + value)
        lower = np.subtract(value, slack, out=value.copy(), where=np.isfinite(value))
        records = np.arange(len(value))
        return RecordBounds(records, np.maximum(lower, 0.0), value + slack, Evidence.ENCLOSURE)


# --- Sums over all pairs of two lists of partial subsets: the heart of the enumeration.
#
# A pair (a, b) chooses candidate w with probability e^(A[a,w] + B[b,w]) / Z[a,b]. With E_A = e^A
# and E_B = e^B, each up to a factor a row, Z = E_A E_Bᵀ for a whole block of pairs, and with C =
# 1/Z
#
#     Σ_b P(w|a,b) = (E_A ∘ (C E_B))[a,w],    Σ_a P(w|a,b) = (E_B ∘ (Cᵀ E_A))[b,w].
#
# Rows are measured from others so that exponents stay small, and the rounding of each step is
# added up: docs/explanation/how-choices-are-enclosed.md.

REACH = 250.0  # How far a row of A may lie from the row it is measured from, over the candidates
FLOOR = -650.0  # No exponent below: a smaller one is raised to it


def pair_sums(first: Array, second: Array, block: int) -> tuple[Array, Array]:
    """Logarithms of the summed probabilities of each candidate, a row of either list.

    Of A and B, minus the summed scores of each partial subset, (n_first or n_second, n_candidates):
    ln Σ_b P(w|a,b) and ln Σ_a P(w|a,b). A block of pairs has so many rows of either list.
    """
    spread = reach(first)
    xp, half = namespace(first, second), first.shape[0] // 2
    if half and spread > REACH:
        if reach(second) < spread:
            backward, forward = pair_sums(second, first, block)
            return forward, backward
        upper_rows, upper_columns = pair_sums(first[:half, :], second, block)
        lower_rows, lower_columns = pair_sums(first[half:, :], second, block)
        columns = xp.logaddexp(upper_columns, lower_columns)
        return xp.concat([upper_rows, lower_rows], axis=0), columns
    # P(w|a,b) = e^(A_aw + B_bw)/Z_ab. A less one of its rows and B plus it: the same sums, small
    # exponents.
    centre = first[half, :]
    a, b = _lower_rows_to_zero(first - centre), _lower_rows_to_zero(second + centre)
    top = xp.max(b, axis=0, keepdims=True)
    left, right = xp.exp(a), floored_exp(b)
    # A column of E_B whose largest exponent is below e^−100 is scaled up on its own.
    scaled = right if float(xp.min(top)) > -100.0 else floored_exp(b - top)
    if scaled is right:
        top = xp.zeros_like(top)
    parts = _parts(first, block)
    by_first: list[Array | None] = [None] * len(parts)
    by_second = []
    for span in _parts(second, block):
        check()
        columns, scaled_columns = right[span, :], scaled[span, :]
        turned, over_first = xp.matrix_transpose(columns), None
        for number, run in enumerate(parts):
            part = left[run, :]
            # C = 1/(E_A E_Bᵀ); Σ_b: C E_B, and Σ_a: Cᵀ E_A, block by block.
            share = part @ turned
            if isinstance(share, np.ndarray):  # in place, which saves the caches a second table
                np.reciprocal(share, out=share)
            else:
                share = 1.0 / share
            by_first[number] = _add(by_first[number], share @ scaled_columns)
            over_first = _add(over_first, xp.matrix_transpose(share) @ part)
        by_second.append(over_first)
    # ln(E_A ∘ (C E_B)) = A + ln(C E_B), and the same for B.
    rows = a + xp.log(xp.concat(by_first, axis=0)) + top
    return rows, b + xp.log(xp.concat(by_second, axis=0))


def _parts(rows: Array, block: int) -> list[slice]:
    count = rows.shape[0]
    return [slice(start, min(start + block, count)) for start in range(0, count, block)]


def reach(rows: Array) -> float:
    """The largest spread, over the candidates, of a row's difference from the middle row.

    Where all differences together spread no farther than REACH, that spread.
    """
    xp = namespace(rows)
    away = rows - rows[rows.shape[0] // 2, :]
    together = float(xp.max(away)) - float(xp.min(away))
    if together <= REACH:
        return together
    return float(xp.max(xp.max(away, axis=1) - xp.min(away, axis=1)))


def _lower_rows_to_zero(values: Array) -> Array:
    """Every row less a number of its own, so that it is at most 0 and fits one scale."""
    xp = namespace(values)
    top = float(xp.max(values))
    if top - float(xp.min(values)) <= REACH:
        return values - top
    return values - xp.max(values, axis=1, keepdims=True)


def floored_exp(values: Array) -> Array:
    """e^value, with no exponent below FLOOR."""
    xp = namespace(values)
    return xp.exp(xp.where(values < FLOOR, xp.full_like(values, FLOOR), values))


def _add(total: Array | None, term: Array) -> Array:
    return term if total is None else total + term


SPAN = 600.0  # Logarithms no farther apart are added in one matrix product
TOGETHER = 64  # How many tables are added at once


def sums_by_member(values: Array, members: Array) -> tuple[Array, Array]:
    """ln Σ e^v over the rows with each record, and over the rows without it.

    The logarithms (n_rows, n_candidates) are finite; `members` (n_rows, n_records) is 1 where the
    row's subset has the record. Both sums are (n_records, n_candidates), −inf where no row counts.
    """
    xp = namespace(values, members)
    top = xp.max(values, axis=0, keepdims=True)
    # ln Σ_rows m e^v = c + ln(mᵀ e^(v − c)), c the largest of a column; one product of matrices.
    below = values - top
    if float(xp.min(below)) >= -SPAN:
        weights = xp.exp(below)
        inside = xp.matrix_transpose(members) @ weights
        outside = xp.matrix_transpose(1.0 - members) @ weights
        return _log(inside) + top, _log(outside) + top
    # Exponents too far apart for one scale: a scale of its own for every record.
    columns = [members[:, i : i + 1] > 0 for i in range(members.shape[1])]
    inside = xp.stack([_mask_rows(values, column) for column in columns])
    return inside, xp.stack([_mask_rows(values, ~column) for column in columns])


def log_sum(tables: Sequence[Floats]) -> Floats:
    """ln Σ e^table over tables of one shape, entry by entry; −inf is an empty sum."""
    stacked = np.stack(tables)
    top = stacked.max(axis=0)
    top = np.where(np.isneginf(top), 0.0, top)
    return np.asarray(_log(np.exp(stacked - top).sum(axis=0)) + top)


class RunningSum:
    """A sum of many tables, added `TOGETHER` at a time so that few roundings pile up."""

    def __init__(self) -> None:
        self._levels: list[list[Floats]] = []

    def add(self, table: NDArray[np.generic]) -> None:
        """Take one more table of logarithms."""
        carried = np.asarray(table, np.float64)
        for level in self._levels:
            level.append(carried)
            if len(level) < TOGETHER:
                return
            carried = log_sum(level)
            level.clear()
        self._levels.append([carried])

    def total(self) -> Floats:
        """The logarithm of the sum so far."""
        return log_sum([table for level in self._levels for table in level])

    @property
    def depth(self) -> int:
        """How many additions of `log_sum` the total went through at most."""
        return len(self._levels) + 1


def _mask_rows(values: Array, rows: Array) -> Array:
    xp = namespace(values, rows)
    kept = xp.where(rows, values, xp.full_like(values, -xp.inf))
    top = xp.max(kept, axis=0)
    top = xp.where(top == -xp.inf, xp.zeros_like(top), top)
    return _log(xp.sum(xp.exp(kept - top), axis=0)) + top


def _log(values: Array) -> Array:
    """ln, and −inf at 0 without a warning."""
    xp = namespace(values)
    if float(xp.min(values)) > 0:
        return xp.log(values)
    empty = values == 0
    result = xp.log(xp.where(empty, xp.ones_like(values), values))
    return xp.where(empty, xp.full_like(values, -xp.inf), result)


FUNCTION = 4.0  # Errors of exp and log that are allowed for, in units; libraries promise two


def enumeration_error(table: Floats, size: int, rows: int, depth: int) -> float:
    """A bound of the absolute error of each logarithm.

    Of centred scores, with at most so many rows, partial subsets, in a task, whose sums were added
    at so many levels.
    """
    # s bounds a sum of n centred scores, so that all exponents of a pair lie within 4s, and v a
    # row's logarithm.
    candidates, records = table.shape
    f = FUNCTION
    s = float(np.sort(np.abs(table).max(axis=0))[-size:].sum())
    length = math.log(rows * candidates)
    reach, v = min(2 * REACH, 4 * s), 2 * s + length
    pair = (size + 14) * s + 2 * f
    # Of one block of pairs: exponents, the normaliser, the products and the sum over rows; then
    # logs and scale.
    error = 2 * pair + candidates + 1 + rows
    error += f * (reach + length) + 16 * s + 2 * (reach + length)
    if 4 * s > REACH:
        error += math.ceil(math.log2(rows)) * (2 * v + 2 * f + 2)
    # Sums over the rows with and without a record, and what adding the tasks and dividing by the
    # number of samples costs.
    error += rows + (3 + f) * v + f
    samples = math.log(math.comb(records, size))
    error += depth * (3 * (v + samples) + TOGETHER + 6 * f)
    error += 2 * (v + samples) + 2 * f * samples
    return float(1.01 * UNIT * error)


def members(records: int, size: int, start: int, stop: int) -> Bools:
    """Say who is in each of the subsets number `start` … `stop` − 1 of `size` records.

    They are numbered from 0 by their largest member, then the next, so neighbours share their last
    members. There must be fewer than 2^62 such subsets; shape (stop − start, records).
    """
    if 2 * size > records:
        return ~members(records, records - size, start, stop)
    rank = np.arange(start, stop)
    row = np.arange(stop - start)
    result = np.zeros((stop - start, records), np.bool_)
    # The rank of a subset is Σ_k C(member_k, k): the largest member first, then the same for what
    # is left.
    for place in range(size, 0, -1):
        numbers = _numbers(records, place)
        last = np.searchsorted(numbers, rank, side="right") - 1
        result[row, last] = True
        rank = rank - numbers[last]
    return result


@functools.lru_cache(maxsize=512)
def _numbers(records: int, place: int) -> Ints:
    """How many subsets of `place` records come before the first one that ends in each record."""
    return np.array([math.comb(record, place) for record in range(records)], np.int64)


def parts(count: int, most: int) -> list[tuple[int, int]]:
    """0 … count − 1 cut into the fewest runs of at most `most`, nearly equal."""
    pieces = -(-count // most)
    return list(itertools.pairwise(count * piece // pieces for piece in range(pieces + 1)))


@attrs.frozen
class Blocks:
    """How much is looked at at once; the answer depends on it within the stated error only."""

    rows: int = 8192
    """Partial subsets of either half in one task."""
    pairs: int = 512
    """Rows of either list in one block of pairs: 2 MB a table, about what a core's own cache
    holds; blocks of 1024 took a tenth longer."""
    together: int = 2**22  # Samples that one task looks at, where a pair of records has fewer

    def on(self, device: str | None) -> Self:
        """Make blocks as wide as a device wants them."""
        return self if device is None else attrs.evolve(self, pairs=DEVICE_PAIRS)


DEVICE_PAIRS = 8192  # Rows of either list in one block of pairs on a device
BLOCKS = Blocks()  # What nobody has reason to change; a test makes small ones


CELLS = 2**22  # Numbers in one task's tables; with many records or candidates a task has fewer rows
LARGEST = 1e300
"""No sum of scores may pass it."""
_TASK_BYTES = 1000  # Bytes of memory of a task that waits, with its result's name and place


@attrs.frozen(eq=False)
class EnumerationTask:
    """All pairs of some partial subsets of size `inside` with some of the other half."""

    scores: Floats
    size: int
    inside: int
    first: tuple[int, int]
    second: tuple[int, int]
    device: str | None
    blocks: Blocks = BLOCKS

    @property
    def pairs(self) -> int:
        """How many samples these are."""
        return (self.first[1] - self.first[0]) * (self.second[1] - self.second[0])


def enumerate_samples(
    scores: ArrayLike, size: int, *, effort: Effort | None = None, blocks: Blocks = BLOCKS
) -> OutputLaws:
    """The laws of the chosen candidate, means of P(w|D), given each record in the sample, and out.

    An interrupted run goes on where a checkpoint folder is given. The answer depends on the number
    of workers in its last digits at most, within the stated error.

    `scores` (n_candidates, n_records): L, what each record adds to each candidate's scaled loss;
    for the exponential mechanism ε/(2Δ) times its part of the loss. Raises `InvalidArgument` if
    shapes or numbers are wrong, or a list of parts of all samples does not fit into memory;
    `OutOfTime` if the caller's time limit is over. See lowy-2024, Proposition 9.

    >>> answer = enumerate_samples([[0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0]], 2)
    >>> answer.subsets, round(answer.population_epsilon().maximum().upper, 4)
    (6, 1.3105)
    """
    table, n = score_table(scores, size)
    effort = effort or Effort()
    records = table.shape[1]
    subsets = math.comb(records, n)
    cut = blocks.on(effort.device)
    # About C(N, n)/rows² tasks wait.
    needed = subsets // _rows(len(table), records, cut) ** 2 * _TASK_BYTES
    if needed > memory():
        raise InvalidArgument(
            "Expected samples so few that a list of parts of them fits into memory, got "
            f"N={records}, n={n}, which takes {needed // 2**30:,} GiB of "
            f"{memory() / 2**30:,.1f} GiB. Sample them."
        )
    half, rows, tasks = records // 2, _rows(len(table), records, cut), []
    for inside in range(max(0, n - (records - half)), min(half, n) + 1):
        for first in parts(math.comb(half, inside), rows):
            check()
            tasks += [
                EnumerationTask(table, n, inside, first, second, effort.device, cut)
                for second in parts(math.comb(records - half, n - inside), rows)
            ]
    sums = {(side, within): RunningSum() for side in (0, 1) for within in (True, False)}
    pairs = [task.pairs for task in tasks]
    for result in parallel.blocks(sum_pairs, tasks, effort, name="enumeration", weights=pairs):
        for (side, within), total in sums.items():
            total.add(result[f"{'in' if within else 'out'}_{side}"])
    log_in, log_out = (
        np.concatenate([sums[0, within].total()[:half], sums[1, within].total()])
        for within in (True, False)
    )
    return OutputLaws(
        log_in - math.log(math.comb(records - 1, n - 1)),
        log_out - math.log(math.comb(records - 1, n)),
        enumeration_error(table, n, cut.rows, sums[0, True].depth),
        subsets,
    )


def score_table(scores: ArrayLike, size: int) -> tuple[Floats, int]:
    """Scores as a float table of two dimensions, and n in 1 … N − 1."""
    table = np.asarray(scores, np.float64)
    if table.ndim != 2 or not table.size:
        raise InvalidArgument(
            f"Expected a table of scores, candidates by records, got shape {table.shape}."
        )
    if not np.isfinite(table).all() or np.abs(table).max() > LARGEST / table.shape[1]:
        raise InvalidArgument(
            "Expected finite scores, got one that is missing or too large to add."
        )
    # Each record's scores are measured from the middle of their range; the law is the same.
    centred = np.asarray(table - (table.max(axis=0) / 2 + table.min(axis=0) / 2))
    return centred, sample_size(size, table.shape[1])


def sum_pairs(task: EnumerationTask) -> dict[str, Floats]:
    """One task: ln of the sums with and without each record of either half."""
    half = task.scores.shape[1] // 2
    sides = (
        (task.scores[:, :half], task.inside, task.first),
        (task.scores[:, half:], task.size - task.inside, task.second),
    )
    # Row sums of scores of the partial subsets of either half: A and B; then all pairs of them,
    # and from each row's sum those with and without each record.
    masks = [
        placed(members(scores.shape[1], size, *part).astype(np.float64), task.device)
        for scores, size, part in sides
    ]
    rows = [
        -(mask @ placed(np.ascontiguousarray(scores.T), task.device))
        for mask, (scores, *_) in zip(masks, sides, strict=True)
    ]
    result: dict[str, Floats] = {}
    for side, (sums, mask) in enumerate(
        zip(pair_sums(rows[0], rows[1], task.blocks.pairs), masks, strict=True)
    ):
        inside, outside = sums_by_member(sums, mask)
        result |= {f"in_{side}": host(inside), f"out_{side}": host(outside)}
    return result


def _rows(candidates: int, records: int, blocks: Blocks) -> int:
    """Partial subsets of either half in one task."""
    return max(1, min(blocks.rows, CELLS // (records + candidates)))


@attrs.frozen
class EnumerationTuning:
    """What one counted step of each kind costs, and what a time limit is taken to allow.

    The unit is a multiply-add of a float64 array that streams through the caches, about a
    nanosecond of a core. Weights are rounded nanoseconds of a step, measured by hand on one machine
    with two cores; benchmarks/population_enumeration.py shows the count beside the time.
    """

    pair: float = 4.0  # A pair of partial subsets: its entry in three matrices
    pair_candidate: float = 0.15  # A pair and a candidate: six operations of matrix products
    split_pair_candidate: float = 40.0  # The same where rows are taken one by one
    apart: float = 0.6  # Spreads of a record's scores, times √(N/2), between two partial subsets
    row_candidate: float = 20.0  # A partial subset and a candidate: an exponential and a logarithm
    row_member: float = 5.0  # A partial subset and a record of its half: whether it is in
    row_member_candidate: float = 0.05  # A partial subset, a record and a candidate: two products
    size: float = 2e6  # A number of records from the first half: a few hundred calls
    adjacent_sample: float = 2.0  # A sample of the others and an exchange: four entries
    adjacent_candidate: float = 0.125  # The same and a candidate: two matrix products
    adjacent_share: float = 4.0  # Share of the limit beyond which adjacent samples are not begun
    pace: float = 1e9
    """Operations that a second of the time limit is taken to allow. It is the same on every
    machine, so that what is chosen depends on the question and the limit alone; on a machine that
    is slower the limit ends the work. Measured: what `count_operations` says over CPU time of
    `enumerate_samples` with one worker, 28 and 30 records, 32 candidates, on one x86-64 core of
    2026: 1.3e9 to 1.4e9 a second, rounded down to a power of ten."""


TUNING = EnumerationTuning()
_NEVER = 2**100  # Samples that nobody looks at; their number need not be a float


def allowed_operations(seconds: float) -> float:
    """Operations that a time limit is taken to allow."""
    return TUNING.pace * seconds


def count_operations(population: int, size: int, candidates: int, *, spread: float = 0.0) -> float:
    """Operations to look at all samples.

    The work grows where `spread`, the largest of one record's scores, keeps sums from fitting one
    scale.

    >>> count_operations(30, 15, 32) < allowed_operations(10.0) < count_operations(36, 18, 32)
    True
    """
    if math.comb(population, size) > _NEVER:
        return math.inf
    # A sample with k records in the first half is a pair: one of C(N/2, k), one of C(N/2, n − k).
    half = population // 2
    pairs = rows = 0
    for inside in range(max(0, size - (population - half)), min(half, size) + 1):
        one, other = math.comb(half, inside), math.comb(population - half, size - inside)
        pairs, rows = pairs + one * other, rows + one + other
    operations = pairs * (TUNING.pair + TUNING.pair_candidate * candidates)
    operations += rows * candidates * (TUNING.row_candidate + TUNING.row_member_candidate * half)
    operations += rows * TUNING.row_member * half + TUNING.size * min(size, half)
    # Sums of a half's subsets lie about √(N/2) spreads apart. Where that is too far for one scale,
    # rows are taken together that share all but h of the records, h = (N/2)(250/apart)².
    apart = TUNING.apart * spread * math.sqrt(half)
    if apart > REACH:
        together = 2.0 ** (half * ((REACH / apart) ** 2 - 1)) * min(BLOCKS.rows, max(1, rows // 4))
        operations += pairs * candidates * TUNING.split_pair_candidate / max(1.0, together)
    return operations


def count_adjacent_operations(population: int, size: int, candidates: int) -> float:
    """Operations to look at all pairs of samples that differ in one record.

    >>> count_adjacent_operations(26, 13, 32) * TUNING.adjacent_share < allowed_operations(60.0)
    True
    """
    # An exchange of two records, and a sample of n − 1 of the others.
    rest = math.comb(population - 2, size - 1)
    if rest > _NEVER:
        return math.inf
    exchanges = math.comb(population, 2) * rest
    return exchanges * (TUNING.adjacent_sample + TUNING.adjacent_candidate * candidates)
