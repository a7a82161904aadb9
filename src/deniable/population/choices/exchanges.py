r"""An upper bound for any number of records, without sampling: the mean over exchanges.

With d_v = L(v,x) − L(v,x'), exchanging x for x' changes the probability of w by a factor of at
most c_{x'} = e^(max_v d_v − d_w), and at most e^(d_w − min_v d_v) the other way. Then

    P_in,x(w) / P_out,x(w) <= the arithmetic mean of c_{x'} over all other records x'.

*Proof.* Let the M = N − 1 other records be numbered, C = Σ c_i, and write f_D = P(w|D) for
n-subsets D of them and u_E = P(w|E ∪ x) for (n−1)-subsets E, so that u_{D∖i} <= c_i f_D for
every i in D. Weights λ_{D,i} = (1 − Σ_{j∈D} c_j / C)/n + c_i/C, i in D, are non-negative and add
up to 1, so f_D >= Σ_{i∈D} λ_{D,i} u_{D∖i}/c_i. Summed over D, the factor of u_E is

    Σ_{i∉E} λ_{E∪i,i}/c_i = (1 − c_E/C)/n · Σ_{i∉E} 1/c_i + (M−n+1)(1 − 1/n)/C,  c_E = Σ_{j∈E} c_j

(each term is (1 − c_E/C)/(n c_i) + (1 − 1/n)/C), and Σ_{i∉E} 1/c_i >= (M−n+1)²/(C − c_E) by the
harmonic mean, which makes it at least (M−n+1)/(n C) · ((M−n+1) + (n−1)) = (M−n+1) M/(n C). The
number of sets E is n/(M−n+1) times the number of sets D, so the mean of f is at least that of u
divided by C/M. The other direction is the same lemma for the complements: then E has the larger
complement, and takes the part of D. ∎

The harmonic mean is not a bound. With no exchange costing more than e^ε, neither does the mean.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.numerics.array_api import Floats
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import late
from deniable.population.answer import RecordBounds
from deniable.population.choices.enumeration import SPAN, score_table

_CELLS = 2**20
"""Numbers held at once: eight megabytes."""


def exchange_means(scores: ArrayLike, size: int) -> tuple[Floats, Floats]:
    """Bounds of ln P_in/P_out and of ln P_out/P_in, of every record and candidate; rounded up.

    Records that a time limit leaves no time for get looser ones, without a mean.

    Parameters
    ----------
    scores : array_like of float, shape (n_candidates, n_records)
        As for `enumerate_samples`.
    size : int
        The sample size n, 1 <= n < N; the bounds hold for every n.

    Returns
    -------
    ndarray, shape (n_records, n_candidates)
        ln of the mean of e^(max_v d_v − d_w).
    ndarray, shape (n_records, n_candidates)
        ln of the mean of e^(d_w − min_v d_v).
    """
    table, _ = score_table(scores, size)
    records = table.shape[1]
    rows = max(1, _CELLS // records)
    parts = [np.arange(start, min(start + rows, records)) for start in range(0, records, rows)]
    means = [_hasty(table, part) if late() else _of_records(table, part) for part in parts]
    # Differences of scores and their logarithms, and a sum over the records.
    slack = 2.0**-52 * (16 * float(np.abs(table).max()) + records + 64)
    rise, fall = (np.concatenate(part) + slack for part in zip(*means, strict=True))
    return rise, fall


def exchange_bounds(scores: ArrayLike, size: int) -> RecordBounds:
    """Upper bounds of ε̃ for every record, in O(N²) work a candidate; the lower bounds are 0.

    Parameters
    ----------
    scores : array_like of float, shape (n_candidates, n_records)
        As for `enumerate_samples`.
    size : int
        The sample size n, 1 <= n < N.

    Examples
    --------
    >>> found = exchange_bounds([[0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0]], 2)
    >>> round(found.maximum().upper, 4)
    5.0443
    """
    rise, fall = exchange_means(scores, size)
    upper = np.maximum(rise, fall).max(axis=1)
    return RecordBounds(np.arange(len(upper)), np.zeros(len(upper)), upper, Evidence.ENCLOSURE)


def _hasty(table: Floats, records: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Above the two means without looking at pairs, for when the time is over."""
    own = table[:, records].T
    least, most = table.min(axis=1), table.max(axis=1)
    rise = (own - least).max(axis=1, keepdims=True) - (own - most)
    fall = (own - least) - (own - most).min(axis=1, keepdims=True)
    return rise, fall


def _of_records(table: Floats, records: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """The two means for some records x, against all others."""
    own = table[:, records].T
    most = np.full((len(records), table.shape[1]), -np.inf)
    least = np.full_like(most, np.inf)
    # max_v d_v and min_v d_v for every pair of records, a candidate v at a time.
    for row, mine in zip(table, own.T, strict=True):
        away = mine[:, None] - row
        np.maximum(most, away, out=most)
        np.minimum(least, away, out=least)
    themselves = np.arange(len(records)), records
    most[themselves], least[themselves] = -np.inf, np.inf
    others = np.log(table.shape[1] - 1)
    # ln mean over x' of e^(max_v d_v − d_w) = ln Σ e^(max_v d_v + L(w,x')) − L(w,x) − ln(N − 1).
    rise = _log_product(most, table.T) - own - others
    fall = _log_product(-least, -table.T) + own - others
    return rise, fall


def _log_product(left: Floats, right: Floats) -> Floats:
    """ln of the matrix product of e^left, where −inf is 0, with e^right."""
    tops, heads = left.max(axis=1, keepdims=True), right.max(axis=0)
    # Σ_x' e^(left + right), scaled by row and by column.
    one, other = left - tops, right - heads
    if max(-one[np.isfinite(one)].min(), 0.0) - other.min() <= SPAN:
        return np.asarray(np.log(np.exp(one) @ np.exp(other)) + tops + heads)
    result = np.empty((len(left), right.shape[1]))
    for column, values in enumerate(right.T):
        both = left + values
        top = both.max(axis=1)
        result[:, column] = np.log(np.exp(both - top[:, None]).sum(axis=1)) + top
    return result
