r"""Densities on a circle from their Fourier coefficients, with slopes and error bounds.

The density wrapped round a circle of length L has the Fourier coefficients φ(2πj/L)/L. What is
worked with is the trigonometric polynomial of the coefficients computed. It differs from the true
density on the window, in L¹, by at most the mass outside plus the ℓ² norm of the coefficients'
errors: Cauchy–Schwarz and Parseval, ‖f‖₁ <= √L ‖f‖₂ = (Σ|Δφ_j|²)^½.
"""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.numerics.transforms import inverse_transform, transform_error, transform_length
from deniable.population.real_sums.nodes import Nodes

_OUTSIDE = 4
"""Factor on `tiny`: mass outside the window is missing there and is added where it wraps round."""


@attrs.frozen(eq=False)
class Law:
    """One density a row, at equidistant points round a circle.

    Parameters
    ----------
    spacing : float
        η, the distance of neighbouring points.
    values : array of float, shape (n_rows, n_points + 1)
        The density; the last point is the first again.
    slopes : array of float, shape (n_rows, n_points + 1)
        Its derivative times η/3.
    bend : array of float, shape (n_rows,)
        Bound of the absolute fourth derivative.
    error : array of float, shape (n_rows,)
        Bound of ∫|true − computed|, the mass off the window and rounding included.
    """

    spacing: float
    values: NDArray[np.float64]
    slopes: NDArray[np.float64]
    bend: NDArray[np.float64]
    error: NDArray[np.float64]

    @property
    def length(self) -> float:
        """Of the circle."""
        return self.spacing * float(self.values.shape[1] - 1)

    def rows(self, index: NDArray[np.bool_] | NDArray[np.int64] | slice) -> "Law":
        """Some of the rows."""
        return Law(
            self.spacing,
            self.values[index],
            self.slopes[index],
            self.bend[index],
            self.error[index],
        )


def fourth_derivative(nodes: Nodes, transform: NDArray[np.complex128]) -> NDArray[np.float64]:
    """Bound of |p''''| of each row: (1/L) Σ_j θ_j⁴ |φ_j|."""
    # (1/L) Σ_j θ_j⁴|φ_j|, both signs of j.
    weights = 2 * nodes.theta**4 * nodes.step / (2 * math.pi)
    return np.asarray(np.abs(transform) @ weights * (1 + 1e-9))


def grid_points(nodes: Nodes, bend: float, tolerance: float, most: int) -> int:
    """Points so that cubic interpolation changes no integral by more than the tolerance."""
    length = 2 * math.pi / nodes.step
    # η with M L η⁴/720 = tolerance; and at least two points a frequency, so that none are folded.
    spacing = (720 * tolerance / max(length * bend, 1e-300)) ** 0.25
    enough = 2 * int(nodes.index[-1]) + 4
    return transform_length(max(enough, min(math.ceil(length / spacing), most), 64))


def law(nodes: Nodes, transform: NDArray[np.complex128], points: int) -> Law:
    """The densities whose characteristic functions at the nodes are given.

    A transform of G points is off by at most c of its ℓ² norm, c as `transform_error` has it, and
    no single value by more than that in all.
    """
    length = 2 * math.pi / nodes.step
    spacing = length / points
    # The derivative has the coefficients −iθφ; times η/3 it is what Bernstein's form needs.
    moving = transform * (-1j * nodes.theta * (spacing / 3))
    sizes = np.abs(transform)
    doubled = np.where(nodes.index == 0, 1.0, 2.0)
    # Rounding of the transform: c of the ℓ² norm at every one of G points.
    loss = transform_error(points) * math.sqrt(points)
    off = np.sqrt(sizes**2 @ doubled) + np.sqrt((sizes * nodes.theta) ** 2 @ doubled) * spacing
    error = np.asarray(nodes.errors + _OUTSIDE * nodes.tiny + 1.01 * loss * off)
    return Law(
        spacing,
        _on_the_circle(nodes, transform, points),
        _on_the_circle(nodes, moving, points),
        fourth_derivative(nodes, transform),
        error,
    )


def _on_the_circle(
    nodes: Nodes, transform: NDArray[np.complex128], points: int
) -> NDArray[np.float64]:
    """(1/L) Σ_j φ_j e^(−iθ_j t) at t = 0, η, 2η, … and 0 again."""
    # p(t_k) = (1/L) Σ_j φ_j e^(−iθ_j t_k); conj(φ_j) for the library's sign, G/L for its 1/G.
    coefficients = np.zeros((len(transform), points // 2 + 1), np.complex128)
    coefficients[:, nodes.index] = transform.conj() * (points * nodes.step / (2 * math.pi))
    result = np.empty((len(transform), points + 1))
    result[:, :-1] = inverse_transform(coefficients, points)
    result[:, -1] = result[:, 0]
    return result
