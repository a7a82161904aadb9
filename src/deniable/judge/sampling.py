"""Differential privacy under sampling: A after keeping each entity with probability β.

Under D_β an entity is possible, in with probability β, or certainly out. With B(T) the law of A
on a sample of T, Pr[S|¬t] = B(T∖t) and Pr[S] = B(T), so everything follows from the ratio
x = B(T)/B(T∖t).
"""

import numpy as np
from numpy.typing import NDArray

from deniable.errors import validate
from deniable.judge.likelihoods import falls, joint, rises
from deniable.judge.neighbours import (
    Extremes,
    every_subset,
    extremes,
    fill_unknown,
    iterate_additions,
)
from deniable.judge.witness import Gamma, certain, spread
from deniable.mechanisms.stochastic_matrix import StochasticMatrix


def sample_law(matrix: StochasticMatrix, rate: float) -> NDArray[np.float64]:
    """The law of the output on a sample of each subset; shape (2**n, n_outputs)."""
    beta = validate.probability(rate, "rate")
    table = np.array(fill_unknown(matrix))
    # B(T) = β B'(T) + (1 − β) B'(T∖i), one entity i after the other.
    for entity in range(matrix.universe.size):
        view = table.reshape(-1, 2, 1 << entity, table.shape[1])
        view[:, 1] *= beta
        view[:, 1] += (1 - beta) * view[:, 0]
    return table


def sampling_epsilon(matrix: StochasticMatrix, rate: float) -> float | None:
    """ε of (β, ε)-DPS; None unless every subset's law is known.

    References
    ----------
    li-2012, Definition 4.

    Examples
    --------
    >>> from deniable.priors.universe import Universe
    >>> flip = StochasticMatrix(Universe(("a",)), ("no", "yes"), [[0.75, 0.25], [0.25, 0.75]])
    >>> found = sampling_epsilon(flip, 0.5)
    >>> round(float(np.exp(found)), 9)  # 1/2 against 1/4
    2.0
    """
    if not every_subset(matrix):
        return None
    worst = _extremes(matrix, rate).either
    return 0.0 if worst is None else worst.epsilon


def positive_gamma(matrix: StochasticMatrix, rate: float) -> Gamma | None:
    r"""The least γ of positive membership under D_β.

    .. math:: \gamma = \max\left(x,\; \frac{x - 1 + \beta}{\beta x}\right)

    at the largest x, which is at most e^ε of (β, ε)-DPS. None unless every law is known and
    0 < β < 1.
    """
    return _gamma(matrix, rate, rise=True)


def negative_gamma(matrix: StochasticMatrix, rate: float) -> Gamma | None:
    r"""The least γ of negative membership under D_β, max(1/x, βx/(x − 1 + β)) at the least x."""
    return _gamma(matrix, rate, rise=False)


def _extremes(matrix: StochasticMatrix, rate: float) -> Extremes:
    return extremes(iterate_additions(sample_law(matrix, rate)))


def _gamma(matrix: StochasticMatrix, rate: float, *, rise: bool) -> Gamma | None:
    beta = validate.probability(rate, "rate")
    if not every_subset(matrix) or beta in (0.0, 1.0):
        return None
    extremes = _extremes(matrix, beta)
    worst = extremes.rise if rise else extremes.fall
    if worst is None:
        return certain(1.0)
    possible = worst.row_above if rise else worst.row_below
    prior = _sample_law(matrix.universe.size, possible, beta)
    column = joint(matrix.rows[:, [worst.output]], prior)
    gamma = float((rises if rise else falls)(column)[worst.entity, 0])
    return certain(gamma, spread(matrix, worst.entity, worst.output, prior))


def _sample_law(size: int, possible: int, beta: float) -> NDArray[np.float64]:
    """The law of a sample of one subset, in row order; shape (2**size,)."""
    law = np.ones(1)
    # Pr[sample] = Π over the possible of β or 1 − β.
    for entity in range(size):
        chance = beta if possible >> entity & 1 else 0.0
        law = np.concatenate([law * (1 - chance), law * chance])
    return law
