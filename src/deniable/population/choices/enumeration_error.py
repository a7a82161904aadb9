r"""How far rounding may move a logarithm that the enumeration gives.

All sums have positive terms, so relative errors add and never grow. In units of u = 2^−53, to
first order, with

    S    the largest possible Σ_{i∈D} max_w |L(w,i)| of a sample, after centring each record,
    V    the size of a logarithm of a sum of probabilities, at most 2S + ℓ,
    ℓ    ln of rows × candidates, R = min(2 REACH, 4S),

the roundings on the way are:

    scores centred, summed (n terms)                     (n + 1)S
    measured from the middle row, from the row's top,
    from the column's top, for both halves               13S
    two exponentials                                     2f
    → a product e^A e^B                                  e = (n + 14)S + 2f
    Z and its inverse                                    e + m + 1
    the sum over the pairs of a row                      e + rows
    logarithm and the way back                           f(R + ℓ) + 16S + 2(R + ℓ)
    groups of rows added, where 4S > REACH               13 halvings × (2V + 2f + 2)
    sums by member                                       rows + 2V + f + fV + V
    sums of the tasks, each level                        3V + 64 + f + 5f
    ln of the number of samples taken off                2V + 2f·ln(samples)

where f is what exp and log may err. Errors of second order are covered by one percent.
"""

import math

import numpy as np

from deniable.numerics.array_api import Floats
from deniable.numerics.rounding import UNIT
from deniable.population.choices.log_sums import TOGETHER
from deniable.population.choices.pair_sums import REACH

FUNCTION = 4.0
"""Errors of exp and log that are allowed for, in units; libraries promise two."""


def enumeration_error(table: Floats, size: int, rows: int, depth: int) -> float:
    """A bound of the absolute error of each logarithm.

    Parameters
    ----------
    table : ndarray of float, shape (n_candidates, n_records)
        Centred scores.
    size : int
        n.
    rows : int
        Partial subsets in a task, at most.
    depth : int
        Levels at which the tasks' sums were added.
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
