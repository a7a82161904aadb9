"""The exact swap distance: how many case/control exchanges must happen before significance does.

Under swaps everybody keeps their genotype, so the copies t = x + y of an allele are fixed and the
allelic χ² depends on x, the copies in cases, alone: it falls and rises again around x = tR/N. To
raise x fastest, cases with fewest copies change places with controls with most.
"""

import numpy as np
from numpy.typing import NDArray

from deniable.gwas.scores.distance import Moves, Tables, complete
from deniable.gwas.scores.outline import Integers, Line


def signed_swap_distance(cases: Integers, controls: Integers, threshold: float) -> Integers:
    """d if significant, 1 − d if not, where d swaps make it the opposite.

    One swap moves it by at most 1.

    Parameters
    ----------
    cases, controls : array of int64, shape (n_variants, 3 or 4)
        Individuals with 0, 1, 2 copies of an allele, and missing calls, of which there are none.
    threshold : float
        The public c > 0, in units of the allelic χ².

    Returns
    -------
    array of int64, shape (n_variants,)
        Between −N and N + 1; −N or N + 1 where no swaps of these individuals lead across c, which
        is so for all neighbours alike.

    Raises
    ------
    InvalidArgument
        If calls are missing or rows differ in their sums.

    Examples
    --------
    >>> signed_swap_distance(np.array([[70, 10, 20]]), np.array([[30, 30, 40]]), 3.84).tolist()
    [11]
    """
    (r, n_cases), (s, n_controls) = complete(cases), complete(controls)
    line = Line(n_cases, n_controls, threshold)
    never = line.individuals + 1
    distance = np.full(len(r), never)
    significant = np.zeros(len(r), dtype=bool)
    for tables in (Tables(r, s), Tables(r[:, ::-1], s[:, ::-1])):
        x, total = tables.x, tables.x + tables.y
        totals, back = np.unique(total, return_inverse=True)
        first, last = (ends[back] for ends in _insignificant(totals, line))
        above = x > last
        significant |= above
        rise = _swaps(tables.cases[:, :2], tables.controls[:, :0:-1])
        fall = _swaps(tables.cases[:, :0:-1], tables.controls[:, :2])
        into = fall.needed(x - last, never)
        # Without heterozygotes x keeps its parity and can jump over a single value.
        even = (tables.cases[:, 1] + tables.controls[:, 1]) == 0
        jumped = (first > last) | ((first == last) & even & ((x - last) % 2 == 1))
        outside = ~significant
        distance[above] = np.where(jumped, never, into)[above]
        out = rise.needed(last + 1 - x, never)
        distance[outside] = np.minimum(distance, out)[outside]
    return np.where(significant, distance, 1 - distance)


def _swaps(own: Integers, other: Integers) -> Moves:
    """Swaps that move x by 2 and by 1; homozygotes at the far end, then heterozygotes, of each.

    The k-th swap exchanges the k-th case with the k-th control of these orders.
    """
    # The k-th pair moves x by 2 while both lists have homozygotes, by 1 while one has, then by 0.
    twos = np.minimum(own[:, 0], other[:, 0])
    reach = np.minimum(own.sum(axis=1), other.sum(axis=1))
    ones = np.minimum(np.maximum(own[:, 0], other[:, 0]), reach) - twos
    return Moves(twos, np.maximum(ones, 0))


def _insignificant(totals: Integers, line: Line) -> tuple[Integers, Integers]:
    """The least and greatest x that are not significant, for each number of copies.

    Where no whole x is insignificant the first exceeds the last.
    """
    n, r = line.individuals, line.cases
    last = _last(totals, line)
    mirrored = _last(2 * n - totals, line)
    return 2 * r - mirrored, last


def _last(totals: Integers, line: Line) -> Integers:
    """The greatest x that is not significant for the cases, from a guess corrected exactly."""
    n, r, s = line.individuals, line.cases, line.controls
    least, most = np.maximum(totals - 2 * s, 0), np.minimum(totals, 2 * r)
    # (x − tR/N)² >= c R S t(2N − t)/(2N·N²): the root of it, then exact steps to the true end.
    variance = line.level * r * s * (totals * (2 * n - totals)).astype(np.float64) / (2 * n)
    flat = totals * r // n
    guess = np.floor((totals * r + np.sqrt(variance)) / n).astype(np.int64)
    x = np.clip(guess, flat, most)

    def reached(at: Integers) -> NDArray[np.bool_]:
        return line.reached(np.clip(at, least, most), totals - np.clip(at, least, most))

    while (high := reached(x) & (x * n > totals * r)).any():
        x = x - high
    while (low := (x < most) & ~(reached(x + 1) & ((x + 1) * n > totals * r))).any():
        x = x + low
    return x
