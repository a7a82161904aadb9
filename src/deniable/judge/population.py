r"""Population privacy of a mechanism written out: the data are a uniform subset of the universe.

.. math:: P_{in,i}(o) = \frac{1}{\binom{N-1}{n-1}} \sum_{|T| = n,\, i \in T} P[o \mid T], \qquad
          P_{out,i}(o) = \frac{1}{\binom{N-1}{n}} \sum_{|T| = n,\, i \notin T} P[o \mid T]

ε̃ is the largest :math:`|\ln P_{in,i}(o)/P_{out,i}(o)|`, and the curve the least δ for each ε.
"""

import math
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.numerics.rounding import UNIT, directed, upper

_UNITS = 16
"""Units that a corner's δ may be off, besides one an output: of two laws, a product and a
logarithm."""
_MOST_CORNERS = 200
"""Points of the curve that are listed; straight lines between them lie above it."""


@attrs.frozen
class PopulationVerdict:
    """Population privacy against somebody who knows the universe and nobody who was drawn.

    Parameters
    ----------
    size : int
        n of the uniform subset.
    epsilon : float
        ε̃ at δ = 0, rounded up; infinite where one output settles it.
    entity : str or None
        Of whom most is learnt; None where nothing is of anybody.
    by_entity : mapping of str to float
        ε̃ of each.
    curve : tuple of (float, float)
        (ε, δ): corners of the least δ for each ε, straight in e^ε between them.
    """

    size: int
    epsilon: float
    entity: str | None
    by_entity: dict[str, float]
    curve: tuple[tuple[float, float], ...]


def population(matrix: StochasticMatrix, size: int) -> PopulationVerdict | None:
    """Population privacy over all subsets of one size; None where one of their laws lacks.

    Raises
    ------
    InvalidArgument
        If there is no subset with an entity in it and one with it out, of this size.

    Examples
    --------
    >>> from deniable.priors.universe import Universe
    >>> rows = np.full((4, 2), np.nan)
    >>> rows[1], rows[2] = [0.75, 0.25], [0.25, 0.75]
    >>> shown = StochasticMatrix(Universe(("a", "b")), ("0", "1"), rows)
    >>> round(population(shown, 1).epsilon, 9)
    1.098612289
    """
    many = matrix.universe.size
    if not 1 <= size < many:
        raise InvalidArgument(
            f"Expected 1 <= size < {many}, the number of entities, got size={size}."
        )
    rows = np.array([row for row in range(2**many) if row.bit_count() == size])
    if not matrix.known[rows].all():
        return None
    names = matrix.universe.entities
    laws = [_laws(matrix, rows, entity, size) for entity in range(many)]
    epsilons = {name: _epsilon(*law) for name, law in zip(names, laws, strict=True)}
    most = max(epsilons.values())
    worst = None if most == 0 else max(epsilons, key=epsilons.__getitem__)
    return PopulationVerdict(size, most, worst, epsilons, _curve(laws, most))


def _laws(
    matrix: StochasticMatrix, rows: NDArray[np.int64], entity: int, size: int
) -> tuple[list[Fraction], list[Fraction]]:
    """P_in and P_out, exactly."""
    inside = rows >> entity & 1 == 1
    others = matrix.universe.size - 1
    return (
        _mean(matrix.rows[rows[inside]], math.comb(others, size - 1)),
        _mean(matrix.rows[rows[~inside]], math.comb(others, size)),
    )


def _mean(rows: NDArray[np.float64], number: int) -> list[Fraction]:
    return [_sum(column) / number for column in rows.T.tolist()]


def _sum(numbers: list[float]) -> Fraction:
    """The exact sum: each part is what the sum less all parts before rounds to."""
    parts: list[float] = []
    while rest := math.fsum([*numbers, *(-part for part in parts)]):
        parts.append(rest)
    return sum(map(Fraction, parts), Fraction(0))


def _epsilon(inside: list[Fraction], outside: list[Fraction]) -> float:
    ratios = [Fraction(1)]
    for p, q in zip(inside, outside, strict=True):
        if (p == 0) != (q == 0):
            return math.inf
        if p != q:
            ratios.append(max(p / q, q / p))
    with directed() as r:
        return upper(r.log(r(max(ratios)))) if max(ratios) > 1 else 0.0


def _curve(
    laws: list[tuple[list[Fraction], list[Fraction]]], most: float
) -> tuple[tuple[float, float], ...]:
    """Corners, both numbers rounded up; δ is 0 from the largest ε̃ on, where that is finite."""
    if most == 0:
        return ((0.0, 0.0),)
    pairs = [
        (np.array(p, float), np.array(q, float))
        for both in laws
        for p, q in (both, both[::-1])
    ]  # fmt: skip
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.unique([r for p, q in pairs for r in (p / q) if 1 < r < math.inf])
    if len(ratios) > _MOST_CORNERS:
        ratios = ratios[np.linspace(0, len(ratios) - 1, _MOST_CORNERS).astype(int)]
    corners = np.concatenate([[1.0], ratios])
    off = UNIT * (len(pairs[0][0]) + _UNITS)
    points = [
        (
            math.log(corner) * (1 + 4 * UNIT),
            min(max(float(np.maximum(p - corner * q, 0).sum()) for p, q in pairs) + off, 1.0),
        )
        for corner in corners.tolist()
    ]
    end = [] if math.isinf(most) else [(most, 0.0)]
    return (*(point for point in points if point[0] < most), *end)
