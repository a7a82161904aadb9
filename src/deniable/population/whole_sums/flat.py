"""Discrete Laplace noise on counts of samples, where nothing leaves the range of float64."""

import math

import numpy as np

from deniable._rounding import directed, upper
from deniable.population.whole_sums.laws import UNIT, Floats
from deniable.population.whole_sums.multiset import Multiset

_STEEPEST = 600.0


def fits(problem: Multiset, rate: float) -> bool:
    """Whether no noisy count comes near the least float64.

    Exchanging a record for the next larger one moves a sum by a gap between two values, at most
    the range of the values with one record left out: so near to every output lies a sum.
    """
    return rate * float(problem.values[-1]) <= _STEEPEST


def noisy_counts(counts: Floats, rate: float) -> tuple[Floats, float]:
    """A(t) + αB(t + 1) at every column, see `_laplace`, and its relative error; rows at once."""
    alpha = _power(rate, 1)
    up, error = _running(counts, rate)
    down = _running(counts[:, ::-1], rate)[0][:, ::-1]
    up[:, :-1] += alpha * down[:, 1:]
    return up, error + 4 * UNIT


def largest_loss(counts: Floats, rate: float, log_odds: float) -> tuple[float, float]:
    """Enclosure of sup |ln Pr[y|in]/Pr[y|out]| over all whole y.

    `log_odds` is ln of all samples without the record over those with it. As in
    `_laplace.largest_losses`, every column is looked at and nothing lies between or beyond them.
    """
    noisy, error = noisy_counts(counts, rate)
    ratio = noisy[0] / noisy[1]
    ends = [math.log(float(end)) + log_odds for end in (ratio.max(), ratio.min())]
    loss = max(ends[0], -ends[1], 0.0)
    slack = 2.1 * error + UNIT * (8 * abs(log_odds) + 8 * max(map(abs, ends)) + 16)
    return max(loss - slack, 0.0), loss + slack


def noisy_law(counts: Floats, rate: float, norms: tuple[float, float]) -> tuple[Floats, Floats]:
    """Enclosure of Pr[S + X = t] at every column and of both tails, as `_laplace.noisy_law`.

    Shape (2, 1, n_sums + 2) each. `norms` are the numbers of samples with and without the record.
    """
    noisy, error = noisy_counts(counts, rate)
    alpha, rest = math.exp(-rate), -math.expm1(-rate)
    tails = noisy[:, [0, -1]] * (alpha / rest)
    law = np.concatenate([noisy, tails], axis=1)
    law *= (rest / (1 + alpha) / np.array(norms))[:, None]
    # The constants, each to at most (rate + 8) units.
    error += UNIT * (2 * rate + 32)
    return (law * (1 - error))[:, None], (law * (1 + error))[:, None]


def _running(counts: Floats, rate: float) -> tuple[Floats, float]:
    """Σ_{s <= t} counts[s] e^(−rate (t − s)) and its relative error, as `_scaled.running`.

    In pieces of about the square root of the length: all of them at once, then over the pieces.
    """
    rows, length = counts.shape
    piece = math.isqrt(length - 1) + 1
    pieces = -(-length // piece)
    full = np.zeros((rows, pieces * piece))
    full[:, :length] = counts
    local = np.ascontiguousarray(full.reshape(rows * pieces, piece).T)
    step, leap = _power(rate, 1), _power(rate, piece)
    scratch = np.empty(rows * pieces)
    for t in range(1, piece):
        np.multiply(local[t - 1], step, out=scratch)
        local[t] += scratch
    last = local[-1].reshape(rows, pieces)
    carried = np.zeros((rows, pieces))
    for at in range(1, pieces):
        carried[:, at] = last[:, at - 1] + carried[:, at - 1] * leap
    ahead = carried.reshape(-1)
    for t in range(piece):
        ahead *= step
        local[t] += ahead
    flat = np.ascontiguousarray(local.T).reshape(rows, -1)[:, :length]
    return flat, UNIT * 8 * (piece + pieces + 2)


def _power(rate: float, distance: int) -> float:
    """e^(−rate·distance), to a unit."""
    with directed() as r:
        return upper(r.exp(-r(rate) * distance))
