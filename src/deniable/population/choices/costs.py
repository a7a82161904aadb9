"""What looking at all samples takes, in operations that are counted."""

import math

import attrs

from deniable.population.choices.enumeration import BLOCKS, REACH


@attrs.frozen
class Tuning:
    """What one counted step of each kind costs, and what a time limit is taken to allow.

    The unit is a multiply-add of a float64 array that streams through the caches, about a
    nanosecond of a core. Weights are rounded nanoseconds of a step, measured by hand on one machine
    with two cores; benchmarks/population_enumeration.py shows the count beside the time.
    """

    pair: float = 4.0
    """A pair of partial subsets: its entry in three matrices."""
    pair_candidate: float = 0.15
    """A pair and a candidate: six operations of matrix products, at their speed."""
    split_pair_candidate: float = 40.0
    """The same where scores spread so far that rows are taken one by one."""
    apart: float = 0.6
    """Spreads of a record's scores, times √(N/2), between the sums of two partial subsets."""
    row_candidate: float = 20.0
    """A partial subset and a candidate: an exponential and a logarithm."""
    row_member: float = 5.0
    """A partial subset and a record of its half: whether it is in."""
    row_member_candidate: float = 0.05
    """A partial subset, a record and a candidate: two products of matrices."""
    size: float = 2e6
    """A number of records from the first half: some hundred calls."""
    adjacent_sample: float = 2.0
    """A sample of the others and an exchange of two records: four entries of matrices."""
    adjacent_candidate: float = 0.125
    """The same and a candidate: two matrix products."""
    adjacent_share: float = 4.0
    """ε over adjacent samples is not begun where it may take one in so many parts of the limit."""
    pace: float = 1e9
    """Operations that a second of the time limit is taken to allow. It is the same on every
    machine, so that what is chosen depends on the question and the limit alone; on a machine that
    is slower the limit ends the work. Measured: the count of `enumeration` over CPU time of
    `enumerate_samples` with one worker, 28 and 30 records, 32 candidates, on one x86-64 core of
    2026: 1.3e9 to 1.4e9 a second, rounded down to a power of ten."""


TUNING = Tuning()
_NEVER = 2**100
"""Samples that nobody looks at; their number need not be a float."""


def allowed_operations(seconds: float) -> float:
    """Operations that a time limit is taken to allow."""
    return TUNING.pace * seconds


def enumeration(population: int, size: int, candidates: int, *, spread: float = 0.0) -> float:
    """Operations to look at all samples.

    Parameters
    ----------
    population, size, candidates : int
        N, n and the number of candidates.
    spread : float
        The largest spread of one record's scores over the candidates; where the sums of partial
        subsets no longer fit one scale, the work grows.

    Examples
    --------
    >>> enumeration(30, 15, 32) < allowed_operations(10.0) < enumeration(36, 18, 32)
    True
    >>> enumeration(36, 18, 32) < allowed_operations(240.0)
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


def adjacent(population: int, size: int, candidates: int) -> float:
    """Operations to look at all pairs of samples that differ in one record.

    Examples
    --------
    >>> adjacent(26, 13, 32) * TUNING.adjacent_share < allowed_operations(60.0)
    True
    """
    # An exchange of two records, and a sample of n − 1 of the others.
    rest = math.comb(population - 2, size - 1)
    if rest > _NEVER:
        return math.inf
    exchanges = math.comb(population, 2) * rest
    return exchanges * (TUNING.adjacent_sample + TUNING.adjacent_candidate * candidates)
