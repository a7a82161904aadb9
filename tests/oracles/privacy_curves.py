"""Privacy curves in plain floating point, for judging what the package found in balls."""

import numpy as np
from scipy.special import log_ndtr, ndtr


def gaussian_delta(mu, epsilon, slack=0.0):
    """Φ(μ/2 − ε/μ + τ) − e^ε Φ(−μ/2 − ε/μ − τ)."""
    rise = ndtr(mu / 2 - epsilon / mu + slack)
    return rise - np.exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu - slack))


def least_over(function, low, high):
    """The least value of a function on an interval, by grids on grids."""
    for _ in range(4):
        grid = np.linspace(low, high, 2001)
        values = function(grid)
        best = int(np.argmin(values))
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, 2000)]
    return float(values[best])


def gaussian_tail(mu, epsilon, slack=0.0):
    """inf over e < ε of δ(e)/(1 − e^(e−ε))."""
    return least_over(
        lambda e: gaussian_delta(mu, e, slack) / -np.expm1(e - epsilon),
        0.0,
        epsilon * (1 - 1e-6),
    )


def gaussian_advantage(mu, slack=0.0):
    """2Φ(μ/2 + τ) − 1."""
    return float(2 * ndtr(mu / 2 + slack) - 1)


def zcdp_tail(rho, epsilon):
    """The least of Chernoff's bounds exp((α−1)(αρ−ε)) over the Rényi orders α."""
    best = least_over(lambda s: np.exp(s) * ((1 + np.exp(s)) * rho - epsilon), -10.0, 15.0)
    return float(np.exp(min(best, 0.0)))


def zcdp_delta(rho, epsilon):
    """The least of the Rényi bounds on δ."""

    def exponent(s):
        above = np.exp(s)
        return above * ((1 + above) * rho - epsilon) - s - (1 + above) * np.log1p(1 / above)

    return float(np.exp(least_over(exponent, -10.0, 15.0)))


def zcdp_advantage(rho):
    """Pinsker's inequality, or that of Bretagnolle and Huber."""
    return float(min(np.sqrt(rho / 2), np.sqrt(-np.expm1(-rho))))
