"""Who falls ill, and whom a case-control study recruits; numbers for simulations only."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from deniable.numerics.effort import Generator


def effects(frequencies: NDArray[np.float64], odds_ratio: float) -> NDArray[np.float64]:
    r"""Log odds ratios that make variants of different frequency equally strong.

    .. math:: \beta_i = \ln(OR) \sqrt{\frac{1/2}{2 f_i (1 - f_i)}}

    so that β²·2f(1−f), the variance that a variant adds to the risk, is that of a variant with
    frequency ½ and the given odds ratio.

    Parameters
    ----------
    frequencies : ndarray of float, shape (n_causal,)
        Allele frequencies, in (0, 1).
    odds_ratio : float
        Factor on the odds of disease a copy, at frequency ½; > 0.

    Examples
    --------
    >>> np.exp(effects(np.array([0.5, 0.1]), 1.5)).round(3).tolist()
    [1.5, 1.966]
    """
    spread = 2 * frequencies * (1 - frequencies)
    return np.asarray(np.log(odds_ratio) * np.sqrt(0.5 / spread), np.float64)


def recruited(
    risks: NDArray[np.float64], cases: int, controls: int, rng: Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Cases and controls of a study, from everyone's log odds of disease.

    Each person's liability is the log odds plus standard logistic noise, so that disease follows a
    logistic model; the threshold is the one at which the population falls ill in the ratio that
    the study recruits. Both groups are uniform subsets of the ill and of the well.

    Parameters
    ----------
    risks : ndarray of float, shape (n_people,)
        Log odds up to a constant; n_people >= cases + controls.
    cases, controls : int
        How many are recruited.
    rng : Generator
        Chance and recruitment.

    Returns
    -------
    (ndarray of int, ndarray of int)
        Positions of the cases and of the controls.

    Examples
    --------
    >>> ill, well = recruited(np.zeros(10), 2, 3, np.random.default_rng(1))
    >>> len(ill), len(well), len({*ill.tolist(), *well.tolist()})
    (2, 3, 5)
    """
    people = len(risks)
    liability = risks + logit(rng.uniform(size=people))
    order = np.argsort(liability)
    ill = min(max(round(people * cases / (cases + controls)), cases), people - controls)
    return (
        rng.choice(order[people - ill :], cases, replace=False),
        rng.choice(order[: people - ill], controls, replace=False),
    )
