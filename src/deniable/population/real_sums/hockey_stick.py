r"""∫ max(0, p − w·q) between two densities on a circle, enclosed.

Between neighbouring points p − w·q is replaced by the cubic with its values and slopes there. A
cubic is handled by its Bernstein coefficients: all of one sign, and so is the cubic; mixed signs,
and the cell is halved until what is unknown does not count. The cubic is off by at most
M s²(η−s)²/24 for a fourth derivative of at most M, which adds up to M·L·η⁴/720 round the circle.
"""

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.population.real_sums.densities import Law

_HALVINGS = 14
"""Halvings of a mixed cell: then one part in 2^14 of it is unknown for each change of sign."""
_NEGLIGIBLE = 1e-15
"""Mass, of p + w·q, in cells that are not looked at closer."""
_SUMMING = 1e-14
"""Of p + w·q: rounding of p − w·q (8 units) and of a pairwise sum of 2^18 cells (30 units)."""


@attrs.frozen(eq=False)
class HockeyStick:
    """Enclosures, one a row, of the divergence and of q's mass where p > w·q.

    Parameters
    ----------
    lower, upper : array of float, shape (n_rows,)
        Ends of the divergence.
    mass_lower, mass_upper : array of float, shape (n_rows,)
        Ends of Q(A) for the set A that gives `lower`: P(A) − v·Q(A) is a lower bound at any v.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    mass_lower: NDArray[np.float64]
    mass_upper: NDArray[np.float64]


def hockey_stick(p: Law, q: Law, weight: NDArray[np.float64]) -> HockeyStick:
    """The divergence of p from q at w = e^ε, each row at its own w; (n_rows,)."""
    w = weight[:, np.newaxis]
    # f = p − wq; Bernstein coefficients of the cubic on a cell: f_l, f_l + f_l'η/3, f_r − f_r'η/3,
    # f_r.
    values = p.values - w * q.values
    slopes = p.slopes - w * q.slopes
    left, right = values[:, :-1], values[:, 1:]
    left_next, right_next = left + slopes[:, :-1], right - slopes[:, 1:]
    least = np.minimum(np.minimum(left, right), np.minimum(left_next, right_next))
    most = np.maximum(np.maximum(left, right), np.maximum(left_next, right_next))
    total = left + right + left_next + right_next
    # All >= 0: sure. The largest above `negligible`: mixed. The rest count as nothing, or as
    # 1e-15.
    positive = least >= 0
    negligible = _NEGLIGIBLE * (1 + weight) / p.length
    mixed = ~positive & (most > negligible[:, np.newaxis])
    rows, cells = np.nonzero(mixed)
    coefficients = np.stack(
        [left[rows, cells], left_next[rows, cells], right_next[rows, cells], right[rows, cells]]
    )
    below, above = (_row_sums(part, rows, len(weight)) for part in _positive_parts(coefficients))
    sure = np.where(positive, total, 0.0).sum(axis=1) / 4
    # ∫ q over a cell, in the same cubic: η/2 (q_l + q_r + (q_l' − q_r')η/6).
    mass = q.values[:, :-1] + q.values[:, 1:] + (q.slopes[:, :-1] - q.slopes[:, 1:]) / 2
    mass_sure = np.where(positive, mass, 0.0).sum(axis=1) / 2
    mass_mixed = _row_sums(np.abs(mass[rows, cells]) / 2, rows, len(weight))
    # ∫|true − cubic| <= M L η⁴/720, and the error of the density itself.
    interpolation = p.length * p.spacing**4 / 720
    p_off = p.error + p.bend * interpolation
    q_off = q.error + q.bend * interpolation
    off = p_off + weight * q_off + (_NEGLIGIBLE + _SUMMING) * (1 + weight)
    return HockeyStick(
        p.spacing * (sure + below) - off,
        p.spacing * (sure + above) + off,
        np.maximum(p.spacing * mass_sure - q_off, 0.0),
        p.spacing * (mass_sure + mass_mixed) + q_off,
    )


def _row_sums(parts: NDArray[np.float64], rows: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    return np.bincount(rows, parts, minlength=n).astype(np.float64)


def _positive_parts(
    coefficients: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lower and upper bounds of ∫max(0, cubic) over a unit cell, from (4, n_cells) coefficients."""
    cells = coefficients.shape[1]
    below, above = np.zeros(cells), np.zeros(cells)
    owner, width = np.arange(cells), 1.0
    for _ in range(_HALVINGS):
        if not owner.size:
            break
        # Halve each cell; a half with all coefficients >= 0 counts in full, width times their
        # mean.
        coefficients, owner, width = _halves(coefficients), np.tile(owner, 2), width / 2
        all_positive = coefficients.min(axis=0) >= 0
        parts = coefficients.sum(axis=0) * (width / 4)
        below += np.bincount(owner[all_positive], parts[all_positive], minlength=cells)
        mixed = ~all_positive & (coefficients.max(axis=0) > 0)
        coefficients, owner = coefficients[:, mixed], owner[mixed]
    above += below
    if owner.size:
        # What is still mixed: at most the positive coefficients, at least ∫ cubic, or 0.
        rest = np.maximum(coefficients, 0).sum(axis=0) * (width / 4)
        above += np.bincount(owner, rest, minlength=cells)
        surely = np.maximum(coefficients.sum(axis=0), 0) * (width / 4)
        below += np.bincount(owner, surely, minlength=cells)
    return below, above


def _halves(coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
    """De Casteljau: coefficients on both halves of the cell, (4, 2·n_cells)."""
    # Means of neighbours, three times over.
    a, b, c, d = coefficients
    ab, bc, cd = (a + b) / 2, (b + c) / 2, (c + d) / 2
    abc, bcd = (ab + bc) / 2, (bc + cd) / 2
    middle = (abc + bcd) / 2
    return np.stack(
        [np.concatenate(pair) for pair in ((a, middle), (ab, bcd), (abc, cd), (middle, d))]
    )
