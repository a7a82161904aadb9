"""Statistics that tell a member of a pool from a stranger, given published frequencies.

Every statistic is a sum over variants of a number that depends on the variant's frequencies and on
how many copies of its allele the target carries, so that it is kept as a table of three columns.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, xlogy

from deniable.gwas import products
from deniable.gwas.genotypes import NO_CALL, Floats, Integers

_COPIES = np.arange(3)


def log_likelihood_ratios(pool: Floats, reference: Floats) -> Floats:
    r"""Log likelihood ratio of membership for 0, 1 and 2 copies, (n_variants, 3).

    .. math:: x \ln\frac{\hat p}{p} + (2 - x) \ln\frac{1 - \hat p}{1 - p}

    The allele's frequencies p̂ in the pool and p in the reference are of shape (n_variants,), or
    (n_variants, 3) as they are for a target with 0, 1, 2 copies. It is minus infinity where the
    pool lacks what the target carries.

    References
    ----------
    sankararaman-2009, equation 2.
    """
    inside, outside = _columns(pool), _columns(reference)
    present = xlogy(_COPIES, inside) - xlogy(_COPIES, outside)
    absent = xlogy(2 - _COPIES, 1 - inside) - xlogy(2 - _COPIES, 1 - outside)
    return np.asarray(present + absent, np.float64)


def expected_log_likelihood_ratios(mean: Floats, variance: Floats, reference: Floats) -> Floats:
    r"""Log likelihood ratio of membership where the pool's frequency q is known within limits.

    .. math:: \ln\frac{\mathrm E[q^x (1 - q)^{2 - x}]}{p^x (1 - p)^{2 - x}}

    With :math:`\mathrm E q^2 = m^2 + v` and so on, mean and variance are all that counts; the
    variance is at most m (1 − m). Without variance it is `log_likelihood_ratios`, whose shapes
    these are.

    Examples
    --------
    >>> p = np.array([0.25])
    >>> expected_log_likelihood_ratios(np.array([0.5]), np.array([0.05]), p).round(3).tolist()
    [[-0.629, 0.065, 1.569]]
    """
    m, v, p = _columns(mean), _columns(variance), _columns(reference)
    inside = np.stack(np.broadcast_arrays((1 - m) ** 2 + v, m * (1 - m) - v, m**2 + v), axis=-1)
    outside = np.stack(np.broadcast_arrays((1 - p) ** 2, p * (1 - p), p**2), axis=-1)
    with np.errstate(divide="ignore"):
        ratios = np.log(np.maximum(inside, 0.0)) - np.log(outside)
    # The target's own copies choose the column: of frequencies as they are for such a target, too.
    return np.asarray(ratios[:, _COPIES, _COPIES] if m.shape[1] == 3 else ratios[:, 0, :])


def homer_distances(pool: Floats, reference: Floats) -> Floats:
    """|Y − p| − |Y − p̂| for Y = 0, ½, 1; shapes as in `log_likelihood_ratios` [homer-2008].

    Examples
    --------
    >>> homer_distances(np.array([0.5]), np.array([0.25])).tolist()
    [[-0.25, 0.25, 0.25]]
    """
    dosage = _COPIES / 2
    return np.abs(dosage - _columns(reference)) - np.abs(dosage - _columns(pool))


def reference_frequencies(copies: Integers, known: Integers) -> Floats:
    r"""The allele's frequency in the population, as a reference suggests it; (n_variants,).

    .. math:: p = \frac{x + 1/2}{2n + 1}

    for x copies among n people with a known genotype. Half a copy of either allele (Jeffreys' rule)
    keeps an allele that the reference happens to lack possible.

    Examples
    --------
    >>> reference_frequencies(np.array([0, 3]), np.array([4, 4])).round(3).tolist()
    [0.056, 0.389]
    """
    return np.asarray((copies + 0.5) / (2 * known + 1))


def without_target(copies: Integers, known: Integers) -> Floats:
    """Frequencies once a target with 0, 1, 2 copies has left; (n_variants,) -> (n_variants, 3)."""
    left = np.maximum(known - 1, 0)[:, None]
    return reference_frequencies(np.clip(copies[:, None] - _COPIES, 0, 2 * left), left)


class Sums:
    """Sums of table entries over variants, for many targets and sets of variants at once.

    Squares are summed, too, where `studentise` wants them.
    """

    def __init__(self, targets: int, sets: int = 1, *, squared: bool = True) -> None:
        self.total = np.zeros((sets, targets))
        self._squares = np.zeros((sets, targets)) if squared else None
        self._counted = np.zeros((sets, targets))

    def count(
        self,
        finite: Floats,
        missing: Floats,
        impossible: Floats | None,
    ) -> None:
        """Add sums of a block, (n_sets, n_targets) each.

        They are of finite entries and of their squares, (1 or 2, n_sets, n_targets); of variants
        that count, less missing calls; and the number of entries of minus infinity.
        """
        self.total += finite[0]
        if self._squares is not None:
            self._squares += finite[1]
        self._counted += missing
        if impossible is not None:
            self.total[impossible > 0.5] = -np.inf

    @property
    def powers(self) -> int:
        """Sums that are kept of an entry: of its first powers."""
        return 1 if self._squares is None else 2

    def studentise(self) -> Floats:
        """mean(D)/(sd(D)/√m) over the m known variants of each target; 0 where sd is 0."""
        assert self._squares is not None, "squares were not summed"
        m = np.maximum(self._counted, 1)
        mean = self.total / m
        variance = np.maximum(self._squares / m - mean**2, 0.0) * m / np.maximum(m - 1, 1)
        # Differences of this size are rounding of sums of squares.
        usable = variance > 1e-12 * np.maximum(self._squares / m, 1e-300)
        return np.where(usable, mean / np.sqrt(np.where(usable, variance, 1.0) / m), 0.0)


def add_tables(
    sums: Sequence[Sums],
    tables: Sequence[Floats],
    copies: NDArray[np.int8],
    sets: NDArray[np.bool_] | None = None,
) -> None:
    """Count a block of variants in several sums, which goes through the genotypes once.

    For each of the sums, which have the same targets and sets, a table says what 0, 1 and 2 copies
    count, (n_variants, 3); minus infinity where a target cannot have them. Missing genotypes (−1),
    (n_variants, n_targets), count nothing. The sets, (n_sets, n_variants), are of all variants by
    default; it is fast where variants that are in the same sets follow each other.
    """
    selected = np.ones((1, len(copies)), bool) if sets is None else sets
    holes = copies.size > 0 and int(copies.min()) == NO_CALL
    columns, bounds = list[Floats](), [0]
    for into, table in zip(sums, tables, strict=True):
        finite = np.isfinite(table)
        tamed = np.where(finite, table, 0.0)
        columns += [tamed, tamed**2][: into.powers]
        columns += [] if finite.all() else [(~finite).astype(np.float64)]
        bounds.append(len(columns))
    entries = np.zeros((len(columns) + holes, len(copies), 4))
    for into_rows, column in zip(entries, columns, strict=False):
        into_rows[:, 1:] = column
    if holes:  # one more counts them
        entries[-1, :, 0] = 1
    totals = _sum_entries(entries, copies, selected, holes=holes)
    counted = selected.sum(axis=1, keepdims=True) - (totals[-1] if holes else 0.0)
    for into, first, end in zip(sums, bounds[:-1], bounds[1:], strict=True):
        last = first + into.powers
        into.count(totals[first:last], counted, totals[last] if last < end else None)


_DIGIT = 12
"""Bits of a digit of a weight: sums of 4,096 digits are exact in float32."""
_DIGITS = 4
"""Digits of a weight, which leave out less than 2^−48 of the largest one."""
_HALF, _ROWS = 2**6, 128
"""What the first of a digit's two bytes counts, and variants at once in products of bytes."""
_CELLS = 2**18
"""Genotypes at once, so that their indicators stay in the cache of a core."""


def _sum_entries(
    entries: Floats,
    copies: NDArray[np.int8],
    selected: NDArray[np.bool_],
    *,
    holes: bool,
) -> Floats:
    """Σ over the chosen variants of each table's entry; (n_tables, n_sets, n_targets).

    Entries are what a missing call, 0, 1 and 2 copies count, (n_tables, n_variants, 4).
    """
    codes = np.array([1, 2, NO_CALL] if holes else [1, 2])
    none = entries[:, :, 1]
    # Everybody counts as carrying no copy first; carriers are corrected.
    # Corrections are sums of whole digits, up to 2^12 on both sides of 0, by units of each table.
    rest = entries[:, :, codes + 1] - none[:, :, None]
    largest = np.abs(rest).max(axis=(1, 2), initial=0.0)
    places = _DIGIT * np.arange(1, _DIGITS + 1)
    units = np.ldexp(1.0, np.frexp(largest)[1][:, None] - places)
    numbers = []
    for unit in units.T[:, :, None, None]:
        numbers.append(np.rint(rest / unit))
        rest = rest - numbers[-1] * unit
    digits = np.stack(numbers, axis=1).reshape(-1, *rest.shape[1:]).astype(np.float32)
    most = 2**_DIGIT // len(codes)
    moved = np.flatnonzero((selected[:, 1:] != selected[:, :-1]).any(axis=0)) + 1
    cuts = np.union1d(moved, np.arange(0, len(copies), most)).tolist()
    runs = [
        (start, stop)
        for start, stop in itertools.pairwise([*cuts, len(copies)])
        if selected[:, start:stop].any()
    ]
    sums = np.empty((len(entries), len(runs), _DIGITS, copies.shape[1]))
    for place, (start, stop) in enumerate(runs):
        product = _product(digits[:, start:stop], copies[start:stop], codes)
        sums[:, place] = product.reshape(len(entries), _DIGITS, -1)
    # A run counts in its sets, by the unit of each digit.
    member = selected[:, [start for start, _ in runs]].astype(np.float64)
    coefficients = (member[None, :, :, None] * units[:, None, None]).reshape(
        len(entries), len(selected), -1
    )
    corrections = coefficients @ sums.reshape(len(entries), -1, copies.shape[1])
    return np.asarray((none @ selected.T)[:, :, None] + corrections)


def _product(
    digits: NDArray[np.float32], copies: NDArray[np.int8], codes: NDArray[np.intp]
) -> NDArray[np.float32]:
    """Σ over variants of whole weights by copies; (n_weights, n_targets), exact."""
    if products.BYTES:  # a digit up to 2^12 is two of them
        high = np.rint(digits / _HALF)
        halves = np.concatenate([high, digits - _HALF * high]).astype(np.int8)
        sums = np.zeros((copies.shape[1], len(halves)), np.int32)
        for start in range(0, len(copies), _ROWS):
            people = np.ascontiguousarray(copies[start : start + _ROWS].T)
            for place, code in enumerate(codes.tolist()):
                own = np.ascontiguousarray(halves[:, start : start + _ROWS, place])
                sums += products.multiply_bytes((people == code).view(np.int8), own)
        return (sums[:, : len(digits)] * _HALF + sums[:, len(digits) :]).T.astype(np.float32)
    step = max(_CELLS // max(copies.shape[1], 1), 16)
    total = np.zeros((len(digits), copies.shape[1]), np.float32)
    for start in range(0, len(copies), step):
        block = copies[start : start + step]
        carried = np.empty((len(codes), *block.shape), np.float32)
        for into, code in zip(carried, codes.tolist(), strict=True):
            np.copyto(into, block == code)
        weights = digits[:, start : start + len(block)].transpose(0, 2, 1)
        total += weights.reshape(len(digits), -1) @ carried.reshape(-1, block.shape[1])
    return total


def power(members: Floats, strangers: Floats, fpr: float) -> float:
    """Share of members above a threshold that at most `fpr` of the strangers pass."""
    place = len(strangers) - 1 - int(fpr * len(strangers))
    return float(np.mean(members > np.partition(strangers, place)[place]))


def auc(members: Floats, strangers: Floats) -> float:
    """Probability that a member scores above a stranger, ties counting half."""
    ordered, sought = np.sort(strangers), np.sort(members)  # neighbours are found in the cache
    places = (np.searchsorted(ordered, sought, side=side).sum() for side in ("left", "right"))
    return int(sum(places)) / (2 * len(members) * len(strangers))


def theoretical_power(
    variants: float, pool_size: int, fpr: float, reference: float = math.inf
) -> float:
    r"""Power of the likelihood ratio with m unlinked variants against a pool of n people.

    .. math:: \Phi\left(\sqrt{\frac{m}{n} \cdot \frac{k}{k + n}} - z_{1-\alpha}\right)

    for an attacker who knows the population's frequencies from k other people. To first order, the
    target's statistic :math:`\sum_j (x_j - 2 p_j)(\hat p_j - \tilde p_j) / (p_j (1 - p_j))` has
    mean m/n for a member, 0 for others, and variance m (1/n + 1/k). With k = ∞ it is the published
    formula. A share α of strangers is taken for members; m is a fraction where what is published is
    worth less than exact frequencies.

    Holds about variants with minor allele frequency above 0.05 and pools above 100. It assumes that
    the variants are independent: to this statistic linked ones count for less. To one that weighs
    them by the inverse of their covariances each counts in full, unless it is a copy of others.

    References
    ----------
    sankararaman-2009, Theorem 1 (for a known population).
    """
    known = 1.0 if math.isinf(reference) else reference / (reference + pool_size)
    return float(ndtr(np.sqrt(variants / pool_size * known) + ndtri(fpr)))


def _columns(frequencies: Floats) -> Floats:
    return frequencies if frequencies.ndim == 2 else frequencies[:, None]
