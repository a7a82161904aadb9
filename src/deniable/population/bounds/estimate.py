"""The Gaussian estimate: sums of samples as if they were normal. It ranks records, no more."""

import numpy as np
from numpy.typing import NDArray

from deniable.population.bounds.gaussian_curve import epsilons


def gaussian_shifts(values: NDArray[np.float64], size: int, sigma: float) -> NDArray[np.float64]:
    r"""Distance, in standard deviations, that each record's presence moves the noisy sum.

    .. math:: \mu_x^2 = (x - m')^\top (C + \sigma^2 I)^{-1} (x - m'), \quad
              C = \frac{n(N-1-n) + (n-1)(N-n)}{2(N-2)} \Sigma'

    m' and Σ' are mean and covariance (divisor N − 1) of the other N − 1 records; C is the mean
    of the covariances of the sum given that x is in and that it is out, which agree at N = 2n.
    All records from one factorisation, by the Sherman–Morrison formula.

    Parameters
    ----------
    values : array of float, shape (n_records, n_columns)
        The parent set.
    size : int
        n.
    sigma : float
        Standard deviation of the noise on the *sum* of the sampled records.

    Returns
    -------
    array of float, shape (n_records,)
        μ_x.
    """
    population, columns = values.shape
    centred = values - values.mean(axis=0)
    others = population - 1
    spread = _spread(size, population)
    # With all records in one matrix A, x'A⁻¹x for each; then x itself is taken out of A by Sherman
    # and Morrison: s/(1 − c s) with s = x'A⁻¹x, times N/(N − 1) since x − m' = N/(N − 1) (x − m).
    matrix = spread / others * (centred.T @ centred) + sigma**2 * np.eye(columns)
    squares = np.einsum("ij,ij->i", centred, np.linalg.solve(matrix, centred.T).T)
    own = spread * population / others**2
    ratio = population / others
    return np.asarray(ratio * np.sqrt(squares / np.maximum(1 - own * squares, 1e-12)))


def direction(
    values: NDArray[np.float64], size: int, sigma: float, record: int
) -> NDArray[np.float64]:
    """The unit vector along which a record shows most, (C + σ²I)^(−1)(x − m')."""
    others = np.delete(values, record, axis=0)
    centre = others.mean(axis=0)
    centred = others - centre
    spread = _spread(size, len(values)) / len(others)
    matrix = spread * (centred.T @ centred) + sigma**2 * np.eye(values.shape[1])
    # (C + σ²I)^(−1)(x − m'), of length 1.
    slope = np.linalg.solve(matrix, values[record] - centre)
    length = float(np.linalg.norm(slope))
    return np.asarray(slope / length) if length > 0 else np.eye(values.shape[1])[0]


def estimates(
    values: NDArray[np.float64], size: int, sigma: float, delta: float
) -> NDArray[np.float64]:
    """ε̃ of every record if the sums were normal; no bound. Shape (n_records,)."""
    return epsilons(gaussian_shifts(values, size, sigma), delta)


def _spread(size: int, population: int) -> float:
    """The factor between the covariance of the others and that of their sampled sum."""
    # (n(N − 1 − n) + (n − 1)(N − n))/(2(N − 2))
    if population == 2:
        return 0.0
    out, inside = size * (population - 1 - size), (size - 1) * (population - size)
    return (out + inside) / (2 * (population - 2))
