r"""Exact laws over all samples, by meeting in the middle.

The mechanism chooses candidate w with probability P(w|D) ∝ e^(−Σ_{i∈D} L(w,i)) from the sample
D, a uniform n-subset of N records; L is the table of scores. The records are split into two
halves, a sample is a pair of partial subsets of sizes k and n − k, and `_pair_sums` adds up all
pairs of a size. The sums of partial subsets with and without a record are added separately, so
nothing is ever subtracted and the relative error stays small however extreme a ratio is.
"""

import math
from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import ArrayLike

from deniable.errors import InvalidArgument
from deniable.numerics import parallel
from deniable.numerics.array_api import Floats, host, placed
from deniable.numerics.effort import Effort
from deniable.numerics.memory import memory
from deniable.numerics.time_limit import check
from deniable.population.choices.blocks import BLOCKS, Blocks
from deniable.population.choices.enumeration_error import enumeration_error
from deniable.population.choices.halves import members, parts
from deniable.population.choices.log_sums import RunningSum, sums_by_member
from deniable.population.choices.output_laws import OutputLaws
from deniable.population.choices.pair_sums import pair_sums
from deniable.population.question import sample_size

CELLS = 2**22
"""Numbers in one task's tables; with many records or candidates a task has fewer rows."""
LARGEST = 1e300
"""No sum of scores may pass it."""
_TASK_BYTES = 1000
"""Of memory for a task that waits, with its result's name and place: about."""


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
    r"""The laws of the chosen candidate given each record in, and out of, the sample.

    .. math:: P_{in,x}(w) = \binom{N-1}{n-1}^{-1} \sum_{D \ni x} P(w|D), \qquad
              P(w|D) \propto e^{-\sum_{i \in D} L(w,i)}

    An interrupted run goes on where a checkpoint folder is given. The answer depends on the
    number of workers in its last digits at most, within the stated error.

    Parameters
    ----------
    scores : array_like of float, shape (n_candidates, n_records)
        L: what each record adds to each candidate's scaled loss; for the exponential mechanism
        ε/(2Δ) times its part of the loss. Any finite size; a constant added to all candidates of
        a record changes nothing.
    size : int
        The sample size n, 1 <= n < N.
    effort : Effort, optional
        Workers, scheduler, checkpoint, device and progress.
    blocks : Blocks
        Into what the work is cut.

    Raises
    ------
    InvalidArgument
        If shapes or numbers are wrong, or there are so many samples that a list of parts of them
        does not fit into memory.
    OutOfTime
        If a time limit that was set by the caller is over.

    References
    ----------
    lowy-2024, Proposition 9 and the figures after it (which enumerate n = 6).

    Examples
    --------
    >>> found = enumerate_samples([[0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0]], 2)
    >>> found.subsets, round(found.population_epsilon().maximum().upper, 4)
    (6, 1.3105)
    """
    table, n = score_table(scores, size)
    effort = effort or Effort()
    records = table.shape[1]
    subsets = math.comb(records, n)
    cut = blocks.on(effort.device)
    _check_memory(table, n, cut)
    tasks = list(_tasks(table, n, effort.device, cut))
    half = records // 2
    sums = {(side, within): RunningSum() for side in (0, 1) for within in (True, False)}
    pairs = [task.pairs for task in tasks]
    for result in parallel.blocks(sum_pairs, tasks, effort, name="enumeration", weights=pairs):
        for (side, within), total in sums.items():
            total.add(result[f"{'in' if within else 'out'}_{side}"])
    inside, outside = (
        np.concatenate([sums[0, within].total()[:half], sums[1, within].total()])
        for within in (True, False)
    )
    return OutputLaws(
        inside - math.log(math.comb(records - 1, n - 1)),
        outside - math.log(math.comb(records - 1, n)),
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
    return centre_scores(table), sample_size(size, table.shape[1])


def centre_scores(table: Floats) -> Floats:
    """Each record's scores measured from the middle of their range; the law is the same."""
    return np.asarray(table - (table.max(axis=0) / 2 + table.min(axis=0) / 2))


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


def _check_memory(table: Floats, size: int, blocks: Blocks) -> None:
    """Refuse samples whose tasks, about C(N, n)/rows² of them, do not fit into memory."""
    candidates, records = table.shape
    tasks = math.comb(records, size) // _rows(candidates, records, blocks) ** 2
    if tasks * _TASK_BYTES > memory():
        raise InvalidArgument(
            "Expected samples so few that a list of parts of them fits into memory, got "
            f"N={records}, n={size}, which takes {tasks * _TASK_BYTES // 2**30:,} GiB of "
            f"{memory() / 2**30:,.1f} GiB. Sample them."
        )


def _rows(candidates: int, records: int, blocks: Blocks) -> int:
    """Partial subsets of either half in one task."""
    return max(1, min(blocks.rows, CELLS // (records + candidates)))


def _tasks(
    table: Floats, size: int, device: str | None, blocks: Blocks
) -> Iterator[EnumerationTask]:
    candidates, records = table.shape
    half = records // 2
    rows = _rows(candidates, records, blocks)
    for inside in range(max(0, size - (records - half)), min(half, size) + 1):
        for first in parts(math.comb(half, inside), rows):
            check()
            for second in parts(math.comb(records - half, size - inside), rows):
                yield EnumerationTask(table, size, inside, first, second, device, blocks)
