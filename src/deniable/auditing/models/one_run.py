"""One training whose members were drawn by coins, and the lower limit of ε that follows."""

import numpy as np
from numpy.typing import NDArray
from scipy import special

from deniable.errors import InvalidArgument, validate
from deniable.numerics.binomial import clopper_pearson, tail_probability
from deniable.numerics.search import bisect

_OUTWARD = 1e-9
"""Share of a probability: more than the incomplete beta function errs in floating point."""
_GRID = 512
"""Values of ε that are tried before the last is narrowed: p need not grow everywhere if δ > 0."""
_HALVINGS = 40
"""Halvings of a cell of the grid: beyond the digits of a float."""


def one_run_p_value(
    records: int, guesses: int, right: int, epsilon: float, delta: float = 0.0
) -> float:
    r"""An upper end of the chance of so many right guesses about one (ε, δ)-DP training.

    .. math:: f(v) + 2 m \delta \max_{1 \le i \le v} \frac{f(v - i) - f(v)}{i},
        \quad f(v) = \Pr[\mathrm{Bin}(r, q) \ge v], \quad q = \frac{e^\epsilon}{1 + e^\epsilon}

    *Why one run is enough.* Of a training that is ε-DP if one record is added or removed, each
    bit is unknown up to q given the model and **all other bits**, as the coins are independent.
    So the right guesses are at most binomial, however the losses depend on each other. Neither
    holds of population privacy, which says nothing given all other bits, nor of samples of a
    fixed size, whose last bit follows from the others.

    Parameters
    ----------
    records, guesses, right : int
        Records m with a fair coin each, guesses r of them, right guesses v.
    epsilon, delta : float
        Of add-remove differential privacy; ε >= 0 natural logarithm, δ in [0, 1).

    References
    ----------
    steinke-2023, the bound for approximate differential privacy; with δ = 0 the first term alone.

    Examples
    --------
    >>> [round(one_run_p_value(100, 40, 34, 1.0, delta), 4) for delta in (0.0, 1e-4)]
    [0.0587, 0.061]
    """
    m = validate.integer(records, "records", least=1)
    r = validate.integer(guesses, "guesses", least=0)
    v = validate.integer(right, "right", least=0)
    if not v <= r <= m:
        raise InvalidArgument(
            f"Expected right <= guesses <= records, got right={v}, guesses={r}, records={m}."
        )
    e, d = validate.non_negative(epsilon, "epsilon"), validate.probability(delta, "delta")
    return float(_p_values(m, r, v, np.array([e]), d)[0])


def one_run_limit(
    records: int, guesses: int, right: int, *, delta: float = 0.0, confidence: float = 0.95
) -> float:
    """A lower limit of ε from one training: below it every ε is refuted at 1 − confidence.

    Parameters
    ----------
    records, guesses, right : int
        As `one_run_p_value` takes them; the number of guesses was fixed before the training.
    delta : float
        δ of the claim, in [0, 1).
    confidence : float
        Probability with which the limit is below ε, in (0, 1).

    Returns
    -------
    float
        ε >= 0, natural logarithm; 0 where nothing is proven.

    Examples
    --------
    >>> one_run_limit(1000, 1000, 500), round(one_run_limit(1000, 400, 390), 3)
    (0.0, 3.126)
    """
    level = 1 - validate.open_probability(confidence, "confidence")
    one_run_p_value(records, guesses, right, 0.0, delta)  # the counts belong together
    if 2 * right <= guesses:
        return 0.0
    # δ only helps the adversary, so the limit for δ = 0 is not passed.
    top = float(clopper_pearson(right, guesses, level)[0])
    low, high = 0.0, max(float(special.logit(top)), 0.0)
    tried = np.linspace(low, high, _GRID)
    refuted = _p_values(records, guesses, right, tried, delta) <= level
    if not refuted[0]:
        return 0.0
    first = int(np.argmin(refuted)) if not refuted.all() else _GRID
    low, high = float(tried[first - 1]), float(tried[min(first, _GRID - 1)])

    def is_refuted(epsilon: float) -> bool:
        return bool(_p_values(records, guesses, right, np.array([epsilon]), delta)[0] <= level)

    return bisect(is_refuted, low, high, halvings=_HALVINGS)[0]


def _p_values(
    m: int, r: int, v: int, epsilon: NDArray[np.float64], delta: float
) -> NDArray[np.float64]:
    """p at each ε, rounded up."""
    q = special.expit(epsilon)[:, None]
    p = tail_probability(r, np.array([v]), q)[:, 0]
    if delta > 0 and v > 0:
        i = np.arange(1, v + 1)
        steps = (tail_probability(r, v - i, q) - p[:, None]) / i
        p = p + 2 * m * delta * steps.max(axis=1)
    return np.asarray(np.minimum(p * (1 + _OUTWARD), 1.0))


def fixed_guesses(scores: NDArray[np.float64], each: int) -> NDArray[np.int8]:
    """Guess "in" of so many records with the highest scores, "out" of as many with the lowest.

    Parameters
    ----------
    scores : ndarray of float, shape (n_records,)
        Of one run.
    each : int
        How many of each kind, at most half of the records.

    Returns
    -------
    ndarray of int8, shape (n_records,)
        1 for "in", −1 for "out", 0 for none.

    Examples
    --------
    >>> fixed_guesses(np.array([0.3, 0.9, 0.1, 0.5]), 1).tolist()
    [0, 1, -1, 0]
    """
    most = len(scores) // 2
    n = validate.integer(each, "guesses of each kind", least=1)
    if n > most:
        raise InvalidArgument(f"Expected at most {most} guesses of each kind, got {n}.")
    order = np.argsort(scores, kind="stable")
    guesses = np.zeros(len(scores), dtype=np.int8)
    guesses[order[:n]], guesses[order[len(order) - n :]] = -1, 1
    return guesses
