"""ε̃ of a noisy sum, from the definition: every subset listed, densities integrated numerically.

Nothing here is shared with the library: mixtures over itertools.combinations, one integral
between any two sign changes, ε by bracketing.
"""

import itertools
import math

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

from tests.oracles.samples import samples


def subset_sums(values, size, record):
    """Sums of every sample with the record and of every sample without it."""
    return tuple(
        np.array([math.fsum(values[i] for i in members) for members in some])
        for some in samples(len(values), size, record)
    )


def log_density(sums, t, scale, kind):
    """ln of the mixture's density at one point, or at each of several."""
    u = (np.asarray(t)[..., None] - sums) / scale
    each = -u * u / 2 - math.log(2 * math.pi) / 2 if kind == "gaussian" else -abs(u) - math.log(2)
    top = each.max(axis=-1)
    total = np.log(np.exp(each - top[..., None]).sum(axis=-1))
    return top + total - math.log(len(sums)) - math.log(scale)


def mass(sums, left, right, scale, kind, epsilon=0.0):
    """e^ε times the mixture's mass between two points, every part from its nearer tail."""
    total = []
    for each in sums:
        a, b = (left - each) / scale, (right - each) / scale
        if a + b > 0:
            a, b = -b, -a
        near, far = (
            (math.erfc(-end / math.sqrt(2)) / 2 if kind == "gaussian" else laplace_below(end))
            for end in (b, a)
        )
        part = near - far
        total.append(math.exp(epsilon + math.log(part)) if part > 0 else 0.0)
    return math.fsum(total) / len(sums)


def laplace_below(u):
    return math.exp(u) / 2 if u < 0 else 1 - math.exp(-u) / 2


def crossings(log_ratio, epsilon, points, ratios):
    """Where ln(p/q) passes ε, between neighbouring points of a fine grid."""
    values = ratios - epsilon
    for k in np.flatnonzero(np.sign(values[:-1]) != np.sign(values[1:])):
        yield brentq(lambda t: log_ratio(t) - epsilon, points[k], points[k + 1], xtol=1e-14)


def divergence(p_sums, q_sums, scale, kind, epsilon, n_points=400):
    """∫ max(0, p − e^ε q): distribution functions between the places where the sign changes."""
    return divergences(p_sums, q_sums, scale, kind, n_points)(epsilon)


def divergences(p_sums, q_sums, scale, kind, n_points=400):
    """The same as a function of ε, for which the densities on the grid are computed once."""
    reach = (12 if kind == "gaussian" else 45) * scale
    every = np.concatenate([p_sums, q_sums])
    points = np.linspace(every.min() - reach, every.max() + reach, n_points)
    if len(every) < 500:
        points = np.unique(np.concatenate([points, every]))

    def log_ratio(t):
        return log_density(p_sums, t, scale, kind) - log_density(q_sums, t, scale, kind)

    ratios = log_ratio(points)

    def at(epsilon):
        edges = [points[0], *crossings(log_ratio, epsilon, points, ratios), points[-1]]
        total = 0.0
        for left, right in itertools.pairwise(edges):
            if log_ratio((left + right) / 2) > epsilon:
                total += mass(p_sums, left, right, scale, kind)
                total -= mass(q_sums, left, right, scale, kind, epsilon)
        return total

    return at


def divergence_by_quadrature(p_sums, q_sums, scale, kind, epsilon):
    """The same by scipy's adaptive rule alone, to check the check."""

    def integrand(t):
        p, q = (math.exp(log_density(sums, t, scale, kind)) for sums in (p_sums, q_sums))
        return max(0.0, p - math.exp(epsilon) * q)

    every = np.sort(np.concatenate([p_sums, q_sums]))
    reach = 12 * scale
    ends = np.linspace(every[0] - reach, every[-1] + reach, 60)
    return sum(quad(integrand, a, b, limit=200)[0] for a, b in itertools.pairwise(ends))


def population_epsilon(values, size, scale, kind, delta, record, n_points=400):
    """The least ε >= 0 at which both divergences are at most δ > 0."""
    inside, outside = subset_sums(values, size, record)
    worst = 0.0
    for p, q in ((inside, outside), (outside, inside)):
        passed = divergences(p, q, scale, kind, n_points)

        def excess(epsilon, passed=passed):
            return passed(epsilon) - delta

        if excess(0.0) > 0:
            top = 1.0
            while excess(top) > 0:
                top *= 2
            worst = max(worst, brentq(excess, 0.0, top, xtol=1e-12))
    return worst


def pure_epsilon(values, size, scale, record):
    """sup |ln(p/q)| for Laplace noise: the ratio is monotone between neighbouring sums."""
    inside, outside = subset_sums(values, size, record)
    every = np.unique(np.concatenate([inside, outside]))
    points = np.concatenate([[every[0] - 1], every, [every[-1] + 1]])
    apart = log_density(inside, points, scale, "laplace") - log_density(
        outside, points, scale, "laplace"
    )
    return float(abs(apart).max())
