"""The privacy curve of two normal laws, and the Gaussian estimate that ranks records."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfcx, ndtr

from deniable.numerics.rounding import directed, least_within, upper
from deniable.numerics.search import bisect_each
from deniable.population.question import Floats

# --- The privacy curve of two unit normal laws at distance μ, for many distances at once.
#
# .. math:: \delta(\epsilon; \mu) = \Phi(a) - e^\epsilon \Phi(b), \quad
#           a = \mu/2 - \epsilon/\mu,\; b = -\mu/2 - \epsilon/\mu.
#
# Because φ(a) = e^ε φ(b) the second term is φ(a) M(−b) with Mills' ratio M(t) = Φ(−t)/φ(t), which
# neither overflows nor cancels. With u = 2^−53 an error of at most 4u|b| in a and 4u|b| in b
# changes either term by at most 4u|b|, since |φ(a)|, |φ'(a)|·M <= 0.4 and |M'| <= 1; `ndtr` and
# `erfcx` add a few u. `delta_upper` adds 1e-15 (4 + |b|), which covers all of it.


_ROOT_2 = math.sqrt(2)  # The spread of the argument of erfcx, which is a normal law's times √2
_ROOT_2_PI = math.sqrt(2 * math.pi)  # One over the normal density at 0
_FAR = -40.0  # The argument below which Φ is under 1e-300, which is the answer: the rest lowers it
_TOO_FAR = 1e13  # Beyond this argument the error of the formula is above 1, and 1 is the answer


def delta_upper(epsilon: ArrayLike, mu: ArrayLike) -> Floats:
    """δ(ε; μ), rounded up; shapes broadcast, ε >= 0, μ >= 0."""
    e, distance = np.broadcast_arrays(np.asarray(epsilon, np.float64), np.asarray(mu, np.float64))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore"):
        # δ = Φ(a) − φ(a) M(−b) with a = μ/2 − ε/μ; here b is μ/2 + ε/μ > 0, and M(b) = √(π/2)
        # erfcx(b/√2).
        shift = np.where(e > 0, e / distance, 0.0)
        a, b = distance / 2 - shift, distance / 2 + shift
        fall = np.exp(-a * a / 2) / _ROOT_2_PI * (erfcx(b / _ROOT_2) * (_ROOT_2_PI / 2))
        delta = np.clip(ndtr(a) - fall + 1e-15 * (4 + b), 0.0, 1.0)
    delta = np.where(a < _FAR, 1e-300, delta)
    delta = np.where((b > _TOO_FAR) & (distance > 1), 1.0, delta)
    return np.where(distance == 0, 0.0, delta)


def epsilon_upper(mu: float, delta: float) -> float:
    """The least ε >= 0 at which the curve is at most δ, in ball arithmetic, rounded up."""
    if mu == 0:
        return 0.0
    if delta == 0 or math.isinf(mu):
        return math.inf
    with directed() as r:

        def at(epsilon: float) -> float:
            return upper(r.gaussian_delta(r(epsilon), r(mu)))

        if at(0.0) <= delta:
            return 0.0
        # Pr[loss > ε] alone is below δ here, as Φ(−t) <= e^(−t²/2).
        enough = mu * mu / 2 + mu * math.sqrt(-2 * math.log(delta)) + 1e-9
        enough *= 1 + 1e-9
        return least_within(at, delta, 0.0, enough) if math.isfinite(enough) else math.inf


def epsilons(mu: Floats, delta: float) -> Floats:
    """The least ε for each distance, about ten digits, for estimates; any shape."""
    distance = np.asarray(mu, np.float64)
    if delta == 0:
        return np.where(distance > 0, np.inf, 0.0)
    high = distance * distance / 2 + distance * math.sqrt(-2 * math.log(delta))
    low = np.zeros_like(high)
    _, high = bisect_each(lambda e: delta_upper(e, distance) > delta, low, high, halvings=60)
    return np.where(delta_upper(0.0, distance) <= delta, 0.0, high)


def gaussian_shifts(values: Floats, size: int, sigma: float) -> Floats:
    r"""Distance, in standard deviations, that each record's presence moves the noisy sum.

    .. math:: \mu_x^2 = (x - m')^\top (C + \sigma^2 I)^{-1} (x - m'), \quad
              C = \frac{n(N-1-n) + (n-1)(N-n)}{2(N-2)} \Sigma'

    m' and Σ' are mean and covariance (divisor N − 1) of the other N − 1 records; C is the mean
    of the covariances of the sum given that x is in and that it is out, which agree at N = 2n.
    All records from one factorisation, by the Sherman–Morrison formula.

    For noise of standard deviation σ on the *sum* of the sampled records.
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


def direction(values: Floats, size: int, sigma: float, record: int) -> Floats:
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


def estimates(values: Floats, size: int, sigma: float, delta: float) -> Floats:
    """ε̃ of every record if the sums were normal; no bound. Shape (n_records,)."""
    return epsilons(gaussian_shifts(values, size, sigma), delta)


def _spread(size: int, population: int) -> float:
    """The factor between the covariance of the others and that of their sampled sum."""
    # (n(N − 1 − n) + (n − 1)(N − n))/(2(N − 2))
    if population == 2:
        return 0.0
    out, inside = size * (population - 1 - size), (size - 1) * (population - size)
    return (out + inside) / (2 * (population - 2))
