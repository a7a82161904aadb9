"""Statistics that tell a member of a pool from a stranger, given published frequencies.

Every statistic is a sum over variants of a number that depends on the variant's frequencies and on
how many copies of its allele the target carries, so that it is kept as a table of three columns.
"""

import math

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, xlogy

MISSING = -1
"""The code of a missing call among copies."""

_COPIES = np.arange(3)


def log_likelihood_ratios(
    pool: NDArray[np.float64], reference: NDArray[np.float64]
) -> NDArray[np.float64]:
    r"""Log likelihood ratio of membership for 0, 1 and 2 copies.

    .. math:: x \ln\frac{\hat p}{p} + (2 - x) \ln\frac{1 - \hat p}{1 - p}

    Parameters
    ----------
    pool, reference : ndarray of float, shape (n_variants,) or (n_variants, 3)
        The allele's frequencies p̂ in the pool and p in the reference; with three columns, as they
        are for a target with 0, 1, 2 copies.

    Returns
    -------
    ndarray of float, shape (n_variants, 3)
        Minus infinity where the pool lacks what the target carries.

    References
    ----------
    sankararaman-2009, equation 2.

    Examples
    --------
    >>> log_likelihood_ratios(np.array([0.5]), np.array([0.25])).round(3).tolist()
    [[-0.811, 0.288, 1.386]]
    """
    inside, outside = _columns(pool), _columns(reference)
    present = xlogy(_COPIES, inside) - xlogy(_COPIES, outside)
    absent = xlogy(2 - _COPIES, 1 - inside) - xlogy(2 - _COPIES, 1 - outside)
    return np.asarray(present + absent, np.float64)


def expected_log_likelihood_ratios(
    mean: NDArray[np.float64], variance: NDArray[np.float64], reference: NDArray[np.float64]
) -> NDArray[np.float64]:
    r"""Log likelihood ratio of membership where the pool's frequency q is known within limits.

    .. math:: \ln\frac{\mathrm E[q^x (1 - q)^{2 - x}]}{p^x (1 - p)^{2 - x}}

    With :math:`\mathrm E q^2 = m^2 + v` and so on, mean and variance are all that counts. Without
    variance it is `log_likelihood_ratios`.

    Parameters
    ----------
    mean, variance : ndarray of float, shape (n_variants,) or (n_variants, 3)
        Of q, given what is published; the variance at most m (1 − m).
    reference : ndarray of float, same shape
        The allele's frequency in the reference.

    Returns
    -------
    ndarray of float, shape (n_variants, 3)

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


def homer_distances(
    pool: NDArray[np.float64], reference: NDArray[np.float64]
) -> NDArray[np.float64]:
    """|Y − p| − |Y − p̂| for Y = 0, ½, 1; shapes as in `log_likelihood_ratios` [homer-2008].

    Examples
    --------
    >>> homer_distances(np.array([0.5]), np.array([0.25])).tolist()
    [[-0.25, 0.25, 0.25]]
    """
    dosage = _COPIES / 2
    return np.abs(dosage - _columns(reference)) - np.abs(dosage - _columns(pool))


def reference_frequencies(
    copies: NDArray[np.int64], known: NDArray[np.int64]
) -> NDArray[np.float64]:
    r"""The allele's frequency in the population, as a reference suggests it; (n_variants,).

    .. math:: p = \frac{x + 1/2}{2n + 1}

    for x copies among n people. Half a copy of either allele (Jeffreys' rule) keeps an allele that
    the reference happens to lack possible.

    Parameters
    ----------
    copies, known : ndarray of int, shape (n_variants,)
        Copies of the allele, and individuals with a known genotype.

    Examples
    --------
    >>> reference_frequencies(np.array([0, 3]), np.array([4, 4])).round(3).tolist()
    [0.056, 0.389]
    """
    return np.asarray((copies + 0.5) / (2 * known + 1))


def without_target(copies: NDArray[np.int64], known: NDArray[np.int64]) -> NDArray[np.float64]:
    """Frequencies once a target with 0, 1, 2 copies has left; (n_variants,) -> (n_variants, 3).

    Parameters
    ----------
    copies, known : ndarray of int, shape (n_variants,)
        Copies of the allele, and individuals with a known genotype, the target included.
    """
    left = np.maximum(known - 1, 0)[:, None]
    return reference_frequencies(np.clip(copies[:, None] - _COPIES, 0, 2 * left), left)


@attrs.frozen
class Carried:
    """Who carries one copy, two, or has no call.

    Parameters
    ----------
    indicators : ndarray of float64, shape (2 or 3 times n_variants, n_targets)
        1 where a target carries one copy, below it where two, and below that, where calls are
        missing, who has none.
    missing : ndarray of float64, shape (n_variants, n_targets), or None
        The last third; None where no call is missing.
    """

    indicators: NDArray[np.float64]
    missing: NDArray[np.float64] | None

    @classmethod
    def of(cls, copies: NDArray[np.int8]) -> "Carried":
        """From copies of an allele, −1 where missing."""
        holes = copies.size > 0 and int(copies.min()) == MISSING
        codes = (1, 2, MISSING) if holes else (1, 2)
        indicators = np.concatenate([copies == code for code in codes]).astype(np.float64)
        return cls(indicators, indicators[2 * len(copies) :] if holes else None)


class Sums:
    """Sums of table entries over variants, for many targets and sets of variants at once.

    Examples
    --------
    >>> sums = Sums(2)
    >>> sums.add(np.array([[1.0, 2.0, 4.0]]), Carried.of(np.array([[0, 2]], np.int8)))
    >>> sums.total.tolist(), sums.studentise().tolist()
    ([[1.0, 4.0]], [[0.0, 0.0]])
    """

    def __init__(self, targets: int, sets: int = 1) -> None:
        self.total = np.zeros((sets, targets))
        self._squares = np.zeros((sets, targets))
        self._counted = np.zeros((sets, targets))

    def add(
        self, table: NDArray[np.float64], carried: Carried, sets: NDArray[np.bool_] | None = None
    ) -> None:
        """Count a block of variants.

        Parameters
        ----------
        table : ndarray of float, shape (n_variants, 3)
            What 0, 1 and 2 copies count; minus infinity where a target cannot have them.
        carried : Carried
            The targets' genotypes.
        sets : ndarray of bool, shape (n_sets, n_variants), optional
            Which variants each sum is over; all by default.
        """
        selected = np.ones((1, len(table))) if sets is None else sets.astype(np.float64)
        finite = np.isfinite(table)
        tamed = np.where(finite, table, 0.0)
        tables = [tamed, tamed**2] + ([] if finite.all() else [(~finite).astype(np.float64)])
        total, squares, *impossible = _sum_tables(tables, carried, selected)
        self.total += total
        self._squares += squares
        self._counted += selected.sum(axis=1, keepdims=True)
        if carried.missing is not None:
            self._counted -= selected @ carried.missing
        for number in impossible:  # a whole number, whose sum is exact
            self.total[number > 0.5] = -np.inf

    def studentise(self) -> NDArray[np.float64]:
        """mean(D)/(sd(D)/√m) over the m known variants of each target; 0 where sd is 0."""
        m = np.maximum(self._counted, 1)
        mean = self.total / m
        variance = np.maximum(self._squares / m - mean**2, 0.0) * m / np.maximum(m - 1, 1)
        # Differences of this size are rounding of sums of squares.
        usable = variance > 1e-12 * np.maximum(self._squares / m, 1e-300)
        return np.where(usable, mean / np.sqrt(np.where(usable, variance, 1.0) / m), 0.0)


def _sum_tables(
    tables: list[NDArray[np.float64]], carried: Carried, selected: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Σ over the chosen variants of each table's entry for each target; (n_tables, n_sets, n)."""
    none, one, two = np.moveaxis(np.stack(tables), 2, 0)[:, :, None, :] * selected
    # Everybody counts as carrying no copy first; whoever does not is corrected, in one product.
    corrections = [one - none, two - none] + ([] if carried.missing is None else [-none])
    weights = np.concatenate(corrections, axis=2).reshape(-1, len(carried.indicators))
    sums = (weights @ carried.indicators).reshape(*none.shape[:2], -1)
    return np.asarray(none.sum(axis=2, keepdims=True) + sums)


def power(members: NDArray[np.float64], strangers: NDArray[np.float64], fpr: float) -> float:
    """Share of members above a threshold that at most `fpr` of the strangers pass.

    Examples
    --------
    >>> power(np.array([1.0, 3.0]), np.array([0.0, 0.5, 2.0, 1.5]), 0.25)
    0.5
    """
    allowed = int(fpr * len(strangers))
    threshold = np.sort(strangers)[::-1][allowed]
    return float(np.mean(members > threshold))


def auc(members: NDArray[np.float64], strangers: NDArray[np.float64]) -> float:
    """Probability that a member scores above a stranger, ties counting half.

    Examples
    --------
    >>> auc(np.array([1.0, 2.0]), np.array([0.0, 1.0]))
    0.875
    """
    ordered = np.sort(strangers)
    below = np.searchsorted(ordered, members, side="left")
    upto = np.searchsorted(ordered, members, side="right")
    return float(np.mean((below + upto) / (2 * len(strangers))))


def theoretical_power(
    variants: float, pool_size: int, fpr: float, reference: float = math.inf
) -> float:
    r"""Power of the likelihood ratio with m unlinked variants against a pool of n people.

    .. math:: \Phi\left(\sqrt{\frac{m}{n} \cdot \frac{k}{k + n}} - z_{1-\alpha}\right)

    for an attacker who knows the population's frequencies from k other people. To first order, the
    target's statistic :math:`\sum_j (x_j - 2 p_j)(\hat p_j - \tilde p_j) / (p_j (1 - p_j))` has
    mean m/n for a member, 0 for others, and variance m (1/n + 1/k). With k = ∞ it is the published
    formula.

    Holds about variants with minor allele frequency above .05 and pools above 100. It assumes that
    the variants are independent: to this statistic linked ones count for less. To one that weighs
    them by the inverse of their covariances each counts in full, unless it is a copy of others.

    Parameters
    ----------
    variants, pool_size : float and int
        m and n, >= 0 and >= 1; a fraction of m where what is published is worth less than exact
        frequencies.
    fpr : float
        Share α of strangers taken for members, in (0, 1).
    reference : float
        People k, > 0; infinity by default.

    References
    ----------
    sankararaman-2009, Theorem 1 (for a known population).

    Examples
    --------
    >>> round(theoretical_power(100, 200, 0.05), 3)
    0.174
    >>> round(theoretical_power(100, 200, 0.05, reference=200), 3)
    0.126
    """
    known = 1.0 if math.isinf(reference) else reference / (reference + pool_size)
    return float(ndtr(np.sqrt(variants / pool_size * known) + ndtri(fpr)))


def _columns(frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
    return frequencies if frequencies.ndim == 2 else frequencies[:, None]
