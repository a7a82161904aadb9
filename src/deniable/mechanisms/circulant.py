r"""Counts of cells on a circle, measured so that every run of neighbouring cells is exact enough.

K cells stand on a circle, and every entity lies in exactly one of them. We want arcs:
sums over consecutive cells, as the cumulative counts of a survival curve are. Measured are the
whole numbers

.. math:: y_p = \sum_q r_{p-q} x_q + Z_p, \qquad r_h = r_{K-h} \in \mathbb{Z},

with independent discrete Gaussian Z of one scale s, and then x̂ = R⁻¹ y, exactly.

**What one entity moves.** One that goes from cell i to cell j moves y by R(e_j − e_i). Columns of
R are shifts of r, so :math:`|R(e_j - e_i)|^2 = \sum_p (r_p - r_{p+h})^2` depends on h = j − i only;
under replace-one Δ² is the largest of these over h, and :math:`\Delta^2 = \sum_p r_p^2` under
add-remove. Both are whole numbers, computed without rounding and attained. So ρ = Δ²/2s²
(canonne-kamath-steinke-2020, Theorem 4), *whatever the whole numbers r are*: that they come close
to an ideal matters for the error only. ∎

**What is rebuilt.** R is symmetric, as r is, and so is R⁻¹: its first column q solves R q = e₀
with q_h = q_{K−h}. `inverse` solves that in whole numbers and multiplies back, which proves that R
is invertible. If the total n of the cells is public, the least squares solution under 1ᵀx = n is
:math:`\hat x - \frac{1}{K}(1^T \hat x - n) 1`, because 1 is an eigenvector of R: the error's mean
is taken away. The error of an arc A of L cells is then Σ_p w_p Z_p with w = Q P 1_A, where P takes
the mean away if the total is public, and

.. math:: |w|^2 = L c_0 + 2 \sum_{d=1}^{L-1} (L - d) c_d, \quad c = P (q * q) .

**Why these numbers.** A circulant R has the eigenvectors of the Fourier basis, and an arc that ends
at a cell has there the weight 1/(2 sin(πk/K)). With eigenvalues λ_k of R the noise of all arcs is
the sum of weights² over λ_k², times Σ λ_k², to which Δ² is close; by Cauchy and Schwarz
λ_k = (2 sin(πk/K))^{−1/2} makes the product least. λ₀, which the total's arc would use, is set to
λ₁. Scaled to r₀ = 2²⁰ the rounding to whole numbers is below a millionth.
"""

import functools
import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import zip_longest

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.notions import Adjacency
from deniable.numerics.rounding import PRECISION, directed, exact_product, exact_solution, upper
from deniable.pipeline.noise.gaussian import DiscreteGaussian, smoothed_half_widths

STEPS = 2**20
"""Whole numbers that an entity is measured in at its own cell, r₀."""
MOST_CELLS = 500
"""Cells of a design, such as four groups of 60 bins; its inverse then takes a third of a second."""
_PLACES = 160
"""Binary places of a variance, which is some 2^−40."""
_LARGEST = 2**62
"""Measured numbers are cut to plus and minus it: no two come apart by that."""


@attrs.frozen(init=False)
class CirculantDesign:
    """The weights r with which cells on a circle are measured: a circulant matrix's first column.

    Parameters
    ----------
    row : sequence of int
        r_0, …, r_{K−1}, with r_h = r_{K−h}. `of_cells` makes them.

    Raises
    ------
    InvalidArgument
        If they are not symmetric, too large, or too many.

    Examples
    --------
    >>> design = CirculantDesign.of_cells(6)
    >>> design.row, design.squared_sensitivity(Adjacency.REPLACE_ONE)
    ((1048576, 106940, -10578, -37603, -10578, 106940), 2414811561378)
    """

    row: tuple[int, ...]

    def __init__(self, row: Sequence[int]) -> None:
        first = tuple(
            validate.integer(each, "r", least=-STEPS) for each in validate.several(row, "row")
        )
        if not 2 <= len(first) <= MOST_CELLS:
            raise InvalidArgument(
                f"Expected 2 to {MOST_CELLS} cells on a circle, got {len(first)}. Take fewer bins "
                "or groups."
            )
        if max(first) > STEPS or any(first[h] != first[-h] for h in range(1, len(first))):
            raise InvalidArgument(
                f"Expected numbers r of at most {STEPS} in size, with r_h = r_(K−h), got others."
            )
        self.__attrs_init__(first)

    @classmethod
    def of_cells(cls, cells: int) -> "CirculantDesign":
        """The design for so many cells, the same on every machine."""
        if validate.integer(cells, "cells", least=2) > MOST_CELLS:
            raise InvalidArgument(
                f"Expected at most {MOST_CELLS} cells on a circle, got {cells}. Take fewer bins "
                "or groups."
            )
        return cls(_ideal_row(cells))

    @property
    def cells(self) -> int:
        """K."""
        return len(self.row)

    def squared_sensitivity(self, adjacency: Adjacency) -> int:
        """Δ², how far one entity moves the measured numbers in squared L2 norm, exactly."""
        # |R(e_j − e_i)|² = 2 (Σ r_p² − Σ r_p r_{p+h})
        products = _circular_product(self.row, self.row)
        if adjacency is Adjacency.ADD_REMOVE:
            return products[0]
        return 2 * (products[0] - min(products[1:]))

    def l2_sensitivity(self, adjacency: Adjacency) -> float:
        """Δ, rounded up."""
        with directed() as r:
            return upper(r.sqrt(r(self.squared_sensitivity(adjacency))))

    def l1_sensitivity(self, adjacency: Adjacency) -> int:
        """How far one entity moves the measured numbers in L1 norm, exactly."""
        if adjacency is Adjacency.ADD_REMOVE:
            return sum(map(abs, self.row))
        row = np.array(self.row, dtype=np.int64)
        return max(int(np.abs(row - np.roll(row, h)).sum()) for h in range(1, self.cells))

    def rho(self, scale: float, adjacency: Adjacency) -> float:
        """The ρ of zero-concentrated DP of noise of this scale, Δ²/2s², rounded up."""
        with directed() as r:
            moved = r(self.squared_sensitivity(adjacency))
            return upper(moved / (2 * r(validate.positive(scale, "scale")) ** 2))

    def scale(self, rho: float, adjacency: Adjacency) -> float:
        """The scale of the noise that spends ρ, rounded up.

        Examples
        --------
        >>> design = CirculantDesign.of_cells(14)
        >>> round(design.scale(0.5, Adjacency.REPLACE_ONE))
        1594373
        """
        most = validate.positive(rho, "rho")
        with directed() as r:
            scale = upper(r.sqrt(r(self.squared_sensitivity(adjacency)) / (2 * r(most))))
        while self.rho(scale, adjacency) > most:
            scale = math.nextafter(scale, math.inf)
        return scale

    def measure(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """R x: the exact numbers that get noise; (cells,) -> (cells,).

        Numbers beyond 2^62 in size are cut to it, which moves no neighbours apart.
        """
        if counts.shape != (self.cells,):
            raise InvalidArgument(f"Expected {self.cells} counts, got {counts.shape}.")
        measured = _circular_product(self.row, [int(each) for each in counts])
        return np.array([min(max(each, -_LARGEST), _LARGEST) for each in measured], np.int64)

    @property
    def inverse(self) -> tuple[Fraction, ...]:
        """The first column of R⁻¹, exactly.

        Raises
        ------
        InvalidArgument
            If R has no inverse.
        """
        numerators, denominator = _inverse(self.row)
        return tuple(Fraction(each, denominator) for each in numerators)

    def rebuild(self, measured: Sequence[int], total: int | None = None) -> list[Fraction]:
        """The cells from noisy numbers, exactly: R⁻¹ y, less its mean excess over a public total.

        Parameters
        ----------
        measured : sequence of int
            The noisy numbers, as many as there are cells.
        total : int, optional
            What the cells add up to, if that is public.

        Examples
        --------
        >>> design = CirculantDesign.of_cells(6)
        >>> measured = design.measure(np.array([3, 1, 4, 1, 5, 9])) + 2**20
        >>> [int(each) for each in design.rebuild(measured.tolist(), total=23)]
        [3, 1, 4, 1, 5, 9]
        """
        if len(measured) != self.cells:
            raise InvalidArgument(f"Expected {self.cells} numbers, got {len(measured)}.")
        numerators, denominator = _inverse(self.row)
        cells = _circular_product(numerators, [int(each) for each in measured])
        if total is None:
            return [Fraction(each, denominator) for each in cells]
        excess = sum(cells) - total * denominator
        return [Fraction(self.cells * each - excess, self.cells * denominator) for each in cells]

    def covariance(self, *, public_total: bool) -> tuple[Fraction, ...]:
        """The covariance of rebuilt cells 0, …, K − 1 apart, in variances of Z_p, exactly."""
        numerators, denominator = _covariance(self.row, public_total)
        return tuple(Fraction(each, denominator) for each in numerators)

    def arc_variances(self, *, public_total: bool) -> tuple[Fraction, ...]:
        r"""\|w\|² of arcs of 1, …, K cells: their error's variance, in variances of Z_p.

        Rounded up to a multiple of 2^−160.
        """
        numerators, denominator = _covariance(self.row, public_total)
        # With C_m = c_0 + … + c_m the square grows from L to L + 1 by 2 C_L − c_0.
        squares, total, beside = list[Fraction](), 0, 0
        for each in numerators:
            beside += each
            total += 2 * beside - numerators[0]
            squares.append(Fraction(-((-total << _PLACES) // denominator), 1 << _PLACES))
        return tuple(squares)

    def half_widths(
        self, scale: float, *, public_total: bool, confidence: float = 0.95
    ) -> list[float]:
        r"""Return for arcs of 1, …, K cells an h with Pr[\|error\| <= h] >= confidence, certainly.

        By the proof called *smoothed*, see `smoothed_half_widths`. Of all cells, whose total is
        public, there is no error.

        Examples
        --------
        >>> design = CirculantDesign.of_cells(14)
        >>> scale = design.scale(0.5, Adjacency.REPLACE_ONE)
        >>> [round(each, 2) for each in design.half_widths(scale, public_total=True)[:3]]
        [3.28, 3.77, 4.01]
        """
        return list(_half_widths(self, scale, public_total, confidence))

    def half_width(
        self, scale: float, length: int, *, public_total: bool, confidence: float = 0.95
    ) -> float:
        """Return such an h for arcs of one length."""
        if not 1 <= length <= self.cells:
            raise InvalidArgument(f"Expected an arc of 1 to {self.cells} cells, got {length}.")
        return _half_widths(self, scale, public_total, confidence)[length - 1]


@functools.lru_cache(maxsize=16)
def _ideal_row(cells: int) -> tuple[int, ...]:
    """round(2^20 a_h/a_0), a_h = (1/K) Σ_k λ_k cos(2πkh/K)."""
    bits = PRECISION
    while bits <= 16 * PRECISION:
        with directed(bits) as r:
            half = cells // 2
            # λ_k = λ_{K−k}, and cos is as symmetric: k up to K/2, once or twice.
            sines = [r(Fraction(k, cells)).sin_pi() for k in range(1, half + 1)]
            eigenvalues = [1 / r.sqrt(2 * each) for each in [sines[0], *sines]]
            cosines = [r(Fraction(2 * k, cells)).cos_pi() for k in range(cells)]
            twice = [1 if k in (0, cells - k) else 2 for k in range(half + 1)]
            sums = [
                sum(
                    (twice[k] * eigenvalues[k] * cosines[k * h % cells] for k in range(half + 1)),
                    r(0),
                )
                for h in range(half + 1)
            ]
            rounded = [(STEPS * each / sums[0] + 0.5).floor().unique_fmpz() for each in sums]
        row = [int(each) for each in rounded if each is not None]
        if len(row) == len(rounded):
            return tuple(row[min(h, cells - h)] for h in range(cells))
        bits *= 2
    raise AssertionError("a number that no precision rounds")


@functools.lru_cache(maxsize=16)
def _inverse(row: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """Numerators of q with R q = e_0, and their denominator > 0."""
    cells = len(row)
    half = cells // 2
    # q_h = q_{K−h}: a column of the folded system is that of h and of K − h together.
    folded = [
        [
            row[(p - h) % cells] + (row[(p + h) % cells] if h not in (0, cells - h) else 0)
            for h in range(half + 1)
        ]
        for p in range(half + 1)
    ]
    solution = exact_solution(folded, [1, *[0] * half])
    if solution is None:
        raise InvalidArgument("Expected numbers r whose matrix has an inverse, got others.")
    numerators, denominator = solution
    column = tuple(numerators[min(h, cells - h)] for h in range(cells))
    if _circular_product(row, column) != [denominator, *[0] * (cells - 1)]:
        raise RuntimeError("Expected an exact solution of a linear system, got another.")
    return column, denominator


def _circular_product(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """Σ_q first_{p−q} second_q for each p."""
    cells = len(first)
    product = exact_product(first, second)
    return [a + b for a, b in zip_longest(product[:cells], product[cells:], fillvalue=0)]


@functools.lru_cache(maxsize=16)
def _covariance(row: tuple[int, ...], public_total: bool) -> tuple[list[int], int]:
    """Numerators of c = P (q * q), and their denominator."""
    numerators, denominator = _inverse(row)
    products, square = _circular_product(numerators, numerators), denominator**2
    if not public_total:
        return products, square
    cells, total = len(row), sum(products)
    return [cells * each - total for each in products], cells * square


@functools.lru_cache(maxsize=16)
def _half_widths(
    design: CirculantDesign, scale: float, public_total: bool, confidence: float
) -> tuple[float, ...]:
    noise = DiscreteGaussian(scale)
    squares = design.arc_variances(public_total=public_total)
    return tuple(
        smoothed_half_widths(noise, [(design.cells, each) for each in squares], confidence)
    )
