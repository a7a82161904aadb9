r"""Sums over all pairs of two lists of partial subsets: the heart of the enumeration.

A pair (a, b) chooses candidate w with probability e^(A[a,w] + B[b,w]) / Z[a,b]. With
E_A = e^A and E_B = e^B, each up to a factor a row, Z = E_A E_Bᵀ for a whole block of pairs,
and with C = 1/Z

    Σ_b P(w|a,b) = (E_A ∘ (C E_B))[a,w],    Σ_a P(w|a,b) = (E_B ∘ (Cᵀ E_A))[b,w].

Six floating-point operations a pair and candidate, and no exponential.

*Large scores.* Adding a vector over the candidates to every row of A and subtracting it from
every row of B changes nothing. So rows of A that differ from one of them by little, over the
candidates, become small after subtracting that one, however large they are; where they differ by
much they are split, at worst into single rows. Then every entry of E_A lies in [e^−REACH, 1].
Where rows of B spread far, each is measured from its own top: Z lies in [e^−REACH, m], and an
entry of E_B below e^FLOOR may be raised to it, since the change is below e^(REACH + FLOOR) of
what it is added to. Columns of E_B that are small throughout are scaled up on their own before
C E_B.
"""

import numpy as np

from deniable.numerics.array_api import Array, namespace
from deniable.numerics.time_limit import check

REACH = 250.0
"""How far a row of A may lie from the row it is measured from, over the candidates."""
FLOOR = -650.0
"""No exponent below: a smaller one is raised to it."""
DEEP = -100.0
"""A column of E_B whose largest exponent is below is scaled up on its own."""


def pair_sums(first: Array, second: Array, block: int) -> tuple[Array, Array]:
    """Logarithms of the summed probabilities of each candidate, a row of either list.

    Parameters
    ----------
    first : array of float64, shape (n_first, n_candidates)
        A: minus the summed scores of each partial subset.
    second : array of float64, shape (n_second, n_candidates)
        B, likewise.
    block : int
        Rows of either list in one block of pairs.

    Returns
    -------
    array, shape (n_first, n_candidates)
        ln Σ_b P(w|a,b).
    array, shape (n_second, n_candidates)
        ln Σ_a P(w|a,b).
    """
    spread = reach(first)
    if first.shape[0] == 1 or spread <= REACH:
        return _one_scale(first, second, block)
    if reach(second) < spread:
        backward, forward = pair_sums(second, first, block)
        return forward, backward
    xp, half = namespace(first, second), first.shape[0] // 2
    upper_rows, upper_columns = pair_sums(first[:half, :], second, block)
    lower_rows, lower_columns = pair_sums(first[half:, :], second, block)
    columns = xp.logaddexp(upper_columns, lower_columns)
    return xp.concat([upper_rows, lower_rows], axis=0), columns


def _one_scale(first: Array, second: Array, block: int) -> tuple[Array, Array]:
    xp = namespace(first, second)
    # P(w|a,b) = e^(A_aw + B_bw)/Z_ab. A less one of its rows and B plus it: the same sums, small
    # exponents.
    centre = first[first.shape[0] // 2, :]
    a, b = _lower_rows_to_zero(first - centre), _lower_rows_to_zero(second + centre)
    top = xp.max(b, axis=0, keepdims=True)
    left, right = xp.exp(a), floored_exp(b)
    scaled = right if float(xp.min(top)) > DEEP else floored_exp(b - top)
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
            share = _inverse(part @ turned)
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


def _inverse(values: Array) -> Array:
    """1/values; NumPy's array is overwritten, which saves the caches a second table."""
    return np.reciprocal(values, out=values) if isinstance(values, np.ndarray) else 1.0 / values


def floored_exp(values: Array) -> Array:
    """e^value, with no exponent below FLOOR."""
    xp = namespace(values)
    return xp.exp(xp.where(values < FLOOR, xp.full_like(values, FLOOR), values))


def _add(total: Array | None, term: Array) -> Array:
    return term if total is None else total + term
