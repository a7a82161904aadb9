r"""Least squares from noisy sums of products, with intervals that count the noise, in fractions.

Let z_0 = 1, z_i be a predictor's distance from its middle over the largest one, y the same of the
outcome, and A, g the exact sums of z_j z_k and of z_j y over the rows. The coefficients b of the
table solve A b = g. Published are Ã = A + E and g̃ = g + e, where values and products are rounded
as well, so that for the coefficients themselves

.. math:: (\tilde A b - \tilde g)_j = (E b - e)_j = \sum_m a_{jm}(b)\, x_m + \text{rounding}

where x_m are the independent noises, and a_jm(b) are affine in b and public but for b. For each j
this is one sum of noises with fixed coefficients, b being a function of the table alone. It keeps
within τ ‖a_j(b)‖ for all j at once with 95 %: discrete Gaussian noise is sub-Gaussian with its σ²
(canonne-kamath-steinke-2020, Section 2), so τ = σ √(2 ln(2 (p + 2)/.05)) serves in L2 for p + 1
sums and the number of rows; of Laplace noise each number keeps within its own width, all of them
with 95 %, and the norm is L1.

Given that, let b̃ solve Ã b̃ = g̃, R be the inverse of Ã and δ = b - b̃. From Ã δ = Ã b - g̃,

.. math:: |δ| \le |R| (s + T |δ|), \quad s_j = τ ‖a_j(\tilde b)‖, \quad T_{jk} = τ ‖∂a_j/∂b_k‖

and what rounding adds to both: products of grid points are whole numbers to the nearest, and where
a z_i is r_i from its value at most, z_i z_j is (1 + r_i)(1 + r_j) - 1 from the values' product, as
all are at most 1 in size. If I - \|R\| T has a non-negative inverse, which is verified by a
positive vector that it maps to a positive one, then \|δ\| <= (I - \|R\| T)^{-1} \|R\| s, whatever
b is. Else nothing is said: the noise leaves it open whether Ã is near a matrix without an inverse.

Where predictors of the table are collinear, A b = g has a line of solutions, and the inequality
holds of each with 95 %; a bounded set cannot hold those far out. So coefficients that do not exist
are published with 5 % at most.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

import attrs

from deniable.errors import InvalidArgument
from deniable.more_statistics.moments import OUTSIDE, ROW, Moments, noise_width
from deniable.numerics.rounding import directed, float_up, upper
from deniable.pipeline.noise import DiscreteGaussian, Mechanism
from deniable.publish.query import ROUNDING

Vector: TypeAlias = list[Fraction]
Matrix: TypeAlias = list[Vector]


@attrs.frozen
class Coefficient:
    """What one coefficient is, and the farthest that the table's own may lie from it."""

    value: float
    half_width: float


@attrs.frozen
class Radius:
    """How far sums of noise go: `size` times a norm of their coefficients, L2 or L1."""

    size: Fraction
    euclidean: bool

    @classmethod
    def of(cls, mechanism: Mechanism | None, sums: int, numbers: int) -> "Radius":
        """Return the noise of so many sums of so many numbers' noise, all with 95 %."""
        if mechanism is None:
            raise InvalidArgument("Expected a noise on numbers, got none.")
        if not isinstance(mechanism, DiscreteGaussian):
            return cls(Fraction(noise_width(mechanism, numbers)), False)
        with directed() as r:
            chance = 2 * r(sums) / r(OUTSIDE)
            return cls(Fraction(upper(r(mechanism.scale) * r.sqrt(2 * chance.log()))), True)

    def norm(self, coefficients: Sequence[Fraction]) -> Fraction:
        """The norm, rounded up."""
        if not self.euclidean:
            return sum(map(abs, coefficients), Fraction(0))
        # The square root, rounded up.
        value = sum((each * each for each in coefficients), Fraction(0))
        return Fraction(math.nextafter(math.sqrt(float_up(value)), math.inf)) if value else value


def fit(
    moments: Moments, noisy: Sequence[int], mechanism: Mechanism | None
) -> tuple[Coefficient, ...] | None:
    """Intercept at 0 and slopes, in the columns' units; None where noise leaves them open."""
    try:
        return _fit(moments, _System.of(moments, noisy, mechanism))
    except OverflowError:  # an inverse that float64 does not hold leaves everything open
        return None


def _fit(moments: Moments, system: "_System") -> tuple[Coefficient, ...] | None:
    inverse = invert_positive([[entry.value for entry in row[:-1]] for row in system.entries])
    if inverse is None:
        return None
    right = [row[-1].value for row in system.entries]
    estimate = [_dot(row, right) for row in inverse]
    size = len(estimate)
    sizes = [[abs(each) for each in row] for row in inverse]
    shift = system.shift(estimate)
    growth = system.growth()
    first = [_up(_dot(row, shift)) for row in sizes]
    product = [
        [_up(sum((row[k] * growth[k][j] for k in range(size)), Fraction(0))) for j in range(size)]
        for row in sizes
    ]
    far = bound_fixed_point(product, first)
    if far is None:
        return None
    # Of any linear function of b, c b: |c δ| = |c R (Ã δ)| <= |c R| (s + T |δ|).
    reach = [s + _dot(row, far) for s, row in zip(shift, growth, strict=True)]
    coefficients = []
    for weights, constant in _in_units(moments, size):
        exact = constant + _dot(weights, estimate)
        across = [abs(_dot(weights, column)) for column in zip(*inverse, strict=True)]
        value = float(exact)
        half_width = float_up(_dot(across, reach) + abs(exact - Fraction(value)))
        coefficients.append(Coefficient(value, half_width))
    return tuple(coefficients)


def _in_units(moments: Moments, size: int) -> list[tuple[Vector, Fraction]]:
    """Weights and constants of the intercept at 0 and of the slopes, in the columns' units."""
    *predictors, outcome = moments.spans
    scale = [(span.high - span.middle) * Fraction(span.grid.step) for span in moments.spans]
    slopes = []
    for i in range(1, size):
        weights = [Fraction(0)] * size
        weights[i] = scale[-1] / scale[i - 1]
        slopes.append((weights, Fraction(0)))
    # y = middle + scale b_0 + slopes (x - middles), so at x = 0:
    intercept = [scale[-1]] + [Fraction(0)] * (size - 1)
    for i, span in enumerate(predictors, start=1):
        intercept[i] = -slopes[i - 1][0][i] * span.middle * Fraction(span.grid.step)
    return [(intercept, outcome.middle * Fraction(outcome.grid.step)), *slopes]


@attrs.frozen
class _Entry:
    """A noisy sum in normal units: its place among the noises, and what one unit of it is."""

    place: int
    unit: Fraction
    counted: Fraction
    rounding: Fraction
    value: Fraction


@attrs.frozen
class _System:
    """Ã and g̃, each entry with the noise it has; the last column is g̃."""

    entries: list[list[_Entry]]
    radius: Radius
    rows: Fraction

    @classmethod
    def of(cls, moments: Moments, noisy: Sequence[int], mechanism: Mechanism | None) -> "_System":
        known = {moment.factors: place for place, moment in enumerate(moments.all)}
        farthest = [span.high - span.middle for span in moments.spans]
        number = Fraction(noisy[0], ROW)

        def entry(i: int, j: int) -> _Entry:
            """Return the entry of z_i z_j, with 0 for the constant."""
            factors = tuple(sorted(each - 1 for each in (i, j) if each))
            place = known[factors]
            moment = moments.all[place]
            unit = moment.unit / math.prod(farthest[each] for each in factors)
            # An offset was subtracted for each row; how many rows there are has noise as well.
            value = (noisy[place] + moment.offset * number) * unit
            counted = Fraction(moment.offset, ROW) * unit
            moved = math.prod(
                (1 + ROUNDING / farthest[each] for each in factors), start=Fraction(1)
            )
            return _Entry(place, unit, counted, moment.rounding * unit + moved - 1, value)

        size = len(moments.spans)
        radius = Radius.of(mechanism, size + 1, len(noisy))
        return cls(
            [[entry(i, j) for j in range(size + 1)] for i in range(size)],
            radius,
            max(number + radius.size / ROW, Fraction(0)),
        )

    def shift(self, estimate: Vector) -> Vector:
        """s: how far each equation may be off at the estimate."""
        result = []
        for row in self.entries:
            weights = [*(-each for each in estimate), Fraction(1)]
            noises: dict[int, Fraction] = {}
            for entry, weight in zip(row, weights, strict=True):
                noises[entry.place] = noises.get(entry.place, Fraction(0)) + weight * entry.unit
                noises[0] = noises.get(0, Fraction(0)) + weight * entry.counted
            rounded = sum(
                (abs(weight) * entry.rounding for entry, weight in zip(row, weights, strict=True)),
                Fraction(0),
            )
            noise = self.radius.size * self.radius.norm(list(noises.values()))
            result.append(_up(noise + self.rows * rounded))
        return result

    def growth(self) -> Matrix:
        """T: how much more for each unit that a coefficient is farther off."""
        return [
            [
                _up(
                    self.radius.size * self.radius.norm([entry.unit, entry.counted])
                    + self.rows * entry.rounding
                )
                for entry in row[:-1]
            ]
            for row in self.entries
        ]


def invert_positive(matrix: Matrix) -> Matrix | None:
    """The exact inverse of a symmetric matrix; None unless it is positive definite.

    >>> invert_positive([[Fraction(2), Fraction(1)], [Fraction(1), Fraction(1)]])
    [[Fraction(1, 1), Fraction(-1, 1)], [Fraction(-1, 1), Fraction(2, 1)]]
    """
    size = len(matrix)
    rows = [[*row, *(Fraction(int(i == j)) for j in range(size))] for i, row in enumerate(matrix)]
    for k in range(size):
        if rows[k][k] <= 0:  # without exchanges all are positive, or it is not definite
            return None
        _eliminate(rows, k)
    return [row[size:] for row in rows]


def bound_fixed_point(growth: Matrix, first: Vector) -> Vector | None:
    """An upper bound on every δ >= 0 with δ <= first + growth δ; None if there is none.

    `growth` is non-negative. A vector w > 0 with growth w < w shows that its powers vanish; the
    bound is then the solution of δ = first + growth δ, and its being one is verified.

    >>> bound_fixed_point([[Fraction(1, 2)]], [Fraction(3)])
    [Fraction(6, 1)]
    >>> bound_fixed_point([[Fraction(1)]], [Fraction(3)]) is None
    True
    """
    size = len(first)
    ones = [Fraction(1)] * size
    kept = [[Fraction(int(i == j)) - growth[i][j] for j in range(size)] for i in range(size)]
    solutions = _solve(kept, [ones, first])
    if solutions is None or any(each <= 0 for each in solutions[0]):
        return None
    return [_up(each) for each in solutions[1]]


def _solve(matrix: Matrix, rights: Sequence[Vector]) -> list[Vector] | None:
    """Solutions for several right sides, exchanging rows; None where there is no inverse."""
    size = len(matrix)
    rows = [[*row, *(right[i] for right in rights)] for i, row in enumerate(matrix)]
    for k in range(size):
        best = max(range(k, size), key=lambda i: abs(rows[i][k]))
        if rows[best][k] == 0:
            return None
        rows[k], rows[best] = rows[best], rows[k]
        _eliminate(rows, k)
    return [[row[size + place] for row in rows] for place in range(len(rights))]


def _eliminate(rows: Matrix, k: int) -> None:
    pivot = rows[k][k]
    rows[k] = [each / pivot for each in rows[k]]
    for i, row in enumerate(rows):
        if i != k and row[k]:
            rows[i] = [a - row[k] * b for a, b in zip(row, rows[k], strict=True)]


def _dot(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))


def _up(value: Fraction) -> Fraction:
    """The next float above, as a fraction: short digits, on the safe side."""
    return Fraction(float_up(value))
