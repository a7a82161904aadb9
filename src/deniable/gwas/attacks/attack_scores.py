"""Statistics that tell a member of a pool from a stranger, given published frequencies.

Every statistic is a sum over variants of a number that depends on the variant's frequencies and on
how many copies of its allele the target carries, so that it is kept as a table of three columns.
"""

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


def without_target(copies: NDArray[np.int64], known: NDArray[np.int64]) -> NDArray[np.float64]:
    """Frequencies once a target with 0, 1, 2 copies has left; (n_variants,) -> (n_variants, 3).

    Parameters
    ----------
    copies, known : ndarray of int, shape (n_variants,)
        Copies of the allele, and individuals with a known genotype, the target included.
    """
    left = np.maximum(2 * (known - 1), 1)[:, None]
    return np.clip((copies[:, None] - _COPIES) / left, 0.0, 1.0)


class Sums:
    """Sums of table entries over variants, for many targets at once.

    Examples
    --------
    >>> sums = Sums(2)
    >>> sums.add(np.array([[1.0, 2.0, 4.0]]), np.array([[0, 2]], np.int8))
    >>> sums.total.tolist(), sums.studentised().tolist()
    ([1.0, 4.0], [0.0, 0.0])
    """

    def __init__(self, targets: int) -> None:
        self.total = np.zeros(targets)
        self._squares = np.zeros(targets)
        self._counted = np.zeros(targets)

    def add(self, table: NDArray[np.float64], copies: NDArray[np.int8]) -> None:
        """Count a block of variants; table (n_variants, 3), copies (n_variants, n_targets)."""
        finite = np.isfinite(table)
        tamed = np.where(finite, table, 0.0)
        for count in _COPIES:
            carries = (copies == count).astype(np.float64)
            self.total += tamed[:, count] @ carries
            self._squares += tamed[:, count] ** 2 @ carries
            self._counted += carries.sum(axis=0)
            impossible = ~finite[:, count]
            if impossible.any():
                self.total[carries[impossible].any(axis=0)] = -np.inf

    def studentised(self) -> NDArray[np.float64]:
        """mean(D)/(sd(D)/√m) over the m known variants of each target; 0 where sd is 0."""
        m = np.maximum(self._counted, 1)
        mean = self.total / m
        variance = np.maximum(self._squares / m - mean**2, 0.0) * m / np.maximum(m - 1, 1)
        usable = variance > 0
        return np.where(usable, mean / np.sqrt(np.where(usable, variance, 1.0) / m), 0.0)


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


def theoretical_power(variants: int, pool_size: int, fpr: float) -> float:
    r"""Power of the likelihood ratio with m unlinked variants against a pool of n people.

    .. math:: \Phi(\sqrt{m/n} - z_{1-\alpha})

    Holds about variants with minor allele frequency above .05 and pools above 100; linked variants
    count for less, so the formula then says too much.

    References
    ----------
    sankararaman-2009, Theorem 1.

    Examples
    --------
    >>> round(theoretical_power(100, 200, 0.05), 3)
    0.174
    """
    return float(ndtr(np.sqrt(variants / pool_size) + ndtri(fpr)))


def _columns(frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
    return frequencies if frequencies.ndim == 2 else frequencies[:, None]
