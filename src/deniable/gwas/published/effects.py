r"""From odds ratios, standard errors and p-values back to allele frequencies.

With R cases, S controls (N = R + S), an odds ratio θ and the frequency f of both together, the
frequencies q_A in cases and q_U in controls solve

.. math:: \theta = \frac{q_A (1 - q_U)}{q_U (1 - q_A)}, \qquad R q_A + S q_U = N f

A standard error says how variable the allele is, f (1 − f) to first order:

.. math:: \mathrm{SE}^2 \approx \frac{1}{2 R q_A (1 - q_A)} + \frac{1}{2 S q_U (1 - q_U)}

and so does a test statistic beside an odds ratio, z² = 2RS (q_A − q_U)² / (N f (1 − f)). So an
attacker who knows the public R and S gets the difference q_A − q_U, and f itself where the table
does not print it.
"""

import numpy as np

from deniable.gwas.published.normal_update import Normal, Observation, Pair
from deniable.gwas.published.statistics import Effects
from deniable.gwas.published.text_table import Floats

_MODEL = 0.02
"""Relative error of a regression's standard error as a measure of f (1 − f), beside that of
Hardy-Weinberg proportions: covariates explain a few per cent of an allele."""
_MOST_BETA = 20.0
"""Log odds ratios beyond are of variants that one group lacks."""
_LEAST = 1e-12
"""Frequencies nearer to 0 or 1 count as this far from it: below one copy in any study."""


def effect_observations(
    effects: Effects, sizes: Pair, prior: Normal, overall: Floats | None
) -> tuple[Observation, Observation | None]:
    """What effects say of the difference of both frequencies, and of the frequency of all.

    Parameters
    ----------
    effects : Effects
        A row a variant.
    sizes : (ndarray, ndarray), shape (n_variants, 1) each
        Cases and controls.
    prior : Normal
        What is known so far.
    overall : ndarray of float, shape (n_variants,), or None
        The frequency of both together, where a table prints it.

    Returns
    -------
    difference : Observation
        |q_A − q_U|, or q_A − q_U where only its size is asked; always >= 0.
    scale : Observation or None
        Of f; None where the table prints it.
    """
    cases, controls = sizes
    people = cases + controls
    weights = cases / people, controls / people
    f, spread = prior.mean(weights), prior.variance(weights)
    f = np.clip(f, _LEAST, 1 - _LEAST)
    if overall is not None:
        f = np.where(np.isfinite(overall)[:, None], np.clip(overall, 1e-9, 1 - 1e-9)[:, None], f)
    shape = f * (1 - f)
    per_z = np.sqrt(shape * people / (2 * cases * controls))
    # relative variance of f (1 − f), and what departures from Hardy-Weinberg add in genotypes
    from_f = (1 - 2 * f) ** 2 * spread / shape**2
    model = 1e-6 if effects.allelic else 1 / people + _MODEL**2
    beta, beta_error, error, error_relative, z, z_error = _columns(effects)
    raw, woolf = _difference(np.clip(beta, -_MOST_BETA, _MOST_BETA), f, sizes)
    raw = np.abs(raw)
    by_error = np.isfinite(beta) & np.isfinite(error)
    by_z = ~by_error & np.isfinite(z)
    ratio = np.where(by_error, woolf / error**2, 1.0)
    slope = shape * ratio
    difference = np.where(by_z, z * per_z, raw * ratio)
    variance = np.where(
        by_z,
        (per_z * z_error) ** 2 / 3 + difference**2 * (from_f / 4 + model),
        (slope * beta_error) ** 2 / 3
        + difference**2 * np.where(by_error, error_relative**2 * 4 / 3 + model, from_f + model),
    )
    seen = Observation(1.0 + 0 * cases, -1.0 - 0 * cases, difference, variance)
    if overall is not None and np.isfinite(overall).all():
        return seen, None
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        psi = raw / shape
        from_test = z**2 * people / (2 * cases * controls * psi**2)
        test_error = (2 * z_error / z) ** 2 / 3 + (2 * beta_error / beta) ** 2 / 3
        measured = np.where(by_error, shape * woolf / error**2, from_test)
        relative = np.where(by_error, error_relative**2 * 4 / 3, test_error) + model
    return seen, _frequency(measured, relative, f, weights)


def _columns(effects: Effects) -> tuple[Floats, ...]:
    beta, error, z = (
        np.stack([each.value, each.half])[..., None]
        for each in (effects.beta, effects.error, effects.z)
    )
    return beta[0], beta[1], error[0], error[1] / error[0], np.abs(z[0]), z[1]


def _difference(beta: Floats, f: Floats, sizes: Pair) -> tuple[Floats, Floats]:
    """q_A − q_U, and Woolf's variance of the log odds ratio, for these odds ratios and f."""
    cases, controls = sizes
    people = cases + controls
    theta = np.exp(beta)
    a = theta - 1
    # S a q² + (R θ + S − N f a) q − N f = 0 for q = q_U, by the root that does not cancel
    b = cases * theta + controls - people * f * a
    root = np.sqrt(np.maximum(b * b + 4 * controls * a * people * f, 0.0))
    low = np.clip(2 * people * f / np.maximum(b + root, _LEAST), _LEAST, 1 - _LEAST)
    high = np.clip(theta * low / (1 + a * low), _LEAST, 1 - _LEAST)
    woolf = 1 / (2 * cases * high * (1 - high)) + 1 / (2 * controls * low * (1 - low))
    return high - low, woolf


def _frequency(measured: Floats, relative: Floats, f: Floats, weights: Pair) -> Observation:
    """f from f (1 − f), on the reference's side of ½; nothing near ½, where it says little."""
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt(1 - 4 * measured)
        value = (1 - root) / 2
        # d f = d(f (1 − f)) / (1 − 2 f)
        error = measured * np.sqrt(relative) / root
        usable = np.isfinite(error) & (error < root / 6)
        value = np.where(f > 0.5, 1 - value, value)
    return Observation(*weights, np.where(usable, value, np.nan), np.where(usable, error**2, 1.0))
