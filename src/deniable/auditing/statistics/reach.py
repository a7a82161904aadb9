"""What a number of runs can show at all, and the verdict that follows."""

import math

from scipy import special

from deniable.auditing.audit import Verdict
from deniable.auditing.statistics.anytime import share_needed
from deniable.auditing.statistics.exact import checked_confidence, checked_delta, lower_limit
from deniable.errors import InvalidArgument, validate
from deniable.numerics.rounding import least

_WORSE = 2.0
"""Factor of ε, no unit: the runs are enough if a target that leaks this much more than it says,
such as one with noise of half the scale, would more often than not be caught."""

_LEAST_WORSE = 0.1
"""ε, natural logarithm: for claims of 0 and near it, what a target that breaks them leaks."""

_ACCUSED = 1000.0
"""Factor, no unit: that a claim is false has to hold except with so much less probability than a
limit. A claim that is attained exactly is passed by one limit in twenty at 95 %."""

_SUREST = 0.999999999999
"""Probability: a thousandth of its distance to 1 is still ten times the last bit of a float."""

_MOST_RUNS = 10**9
"""Runs: more than anybody makes."""


def visible(
    runs: int, claimed: float | None = None, *, delta: float = 0.0, confidence: float = 0.95
) -> float:
    """The lower limit that a perfect attack on the leakiest target would show.

    With a claim: on the leakiest target that keeps it, randomised response, where half of all
    audits show this much or more. Without one: on a target that hides nothing, where every guess
    is right; no audit of so many runs shows more.

    Parameters
    ----------
    runs : int
        Independent runs kept for the test, pilot runs not included.
    claimed : float, optional
        The claimed ε, natural logarithm, >= 0.
    delta : float
        δ of the claim, in [0, 1).
    confidence : float
        Probability with which a limit holds, in (0, 1).

    Returns
    -------
    float
        ε, natural logarithm.

    Examples
    --------
    >>> round(visible(1000), 3), round(visible(1000, 1.0), 3), round(visible(100_000, 1.0), 3)
    (5.809, 0.881, 0.988)
    """
    n = validate.integer(runs, "runs", least=0)
    if n == 0:
        return 0.0
    right = n if claimed is None else _median(n, claimed, delta)
    return lower_limit(n, n, right, delta=delta, confidence=confidence)


def accusing(confidence: float) -> float:
    """The confidence with which a limit must pass a claim before the claim is called violated.

    Examples
    --------
    >>> round(accusing(0.95), 7)
    0.99995

    Raises
    ------
    InvalidArgument
        If no float lies so near to 1.
    """
    level = 1 - (1 - checked_confidence(confidence)) / _ACCUSED
    if level == 1:
        raise InvalidArgument(
            f"Expected a confidence of at most {_SUREST}, got {confidence!r}. Nobody can tell "
            "rarer errors."
        )
    return level


def enough(runs: int, claimed: float, *, delta: float = 0.0, confidence: float = 0.95) -> bool:
    """Whether half of all perfect attacks on a target with twice the ε would refute the claim.

    Examples
    --------
    >>> enough(200, 1.0), enough(200, 0.1)
    (True, False)
    """
    e = validate.non_negative(claimed, "claimed")
    return visible(runs, _worse(e), delta=delta, confidence=accusing(confidence)) > e


def decides(claimed: float, *, delta: float = 0.0, confidence: float = 0.95) -> int | None:
    """About the least number of runs kept for the test that is `enough`; None where none is.

    Examples
    --------
    >>> decides(1.0), decides(0.1), decides(8.0)
    (119, 6141, 29535)
    """
    e = validate.non_negative(claimed, "claimed")
    d, level = checked_delta(delta), checked_confidence(confidence)
    # Where guesses are right with probability s instead of q, ln(1/α) = n KL(s, q) about.
    q, s = share_needed(e, d), share_needed(_worse(e), d)
    information = float(special.rel_entr(s, q) + special.rel_entr(1 - s, 1 - q))
    if (
        not information > 0
        or (most := -64 * math.log1p(-accusing(level)) / information) > _MOST_RUNS
    ):
        return None

    def sees(runs: float) -> bool:
        return enough(math.ceil(runs), e, delta=d, confidence=level)

    return math.ceil(least(sees, 0.0, most, tolerance=0.001)) if sees(most) else None


def decides_exactly(claimed: float, *, delta: float = 0.0, confidence: float = 0.95) -> int | None:
    """The least number of runs kept for the test in which right guesses alone refute a claim.

    For targets whose answers were the same in every run on the same data: if (ε, δ) holds, all of
    n guesses are right with probability s^n at most, s = (e^ε + δ)/(1 + e^ε).

    Examples
    --------
    >>> decides_exactly(1.0), decides_exactly(8.0), decides_exactly(40.0)
    (32, 29527, None)
    """
    wrong = (1 - checked_delta(delta)) * special.expit(-validate.non_negative(claimed, "claimed"))
    level = 1 - accusing(confidence)
    runs = math.log(level) / math.log1p(-wrong) if wrong > 0 else math.inf
    return math.ceil(runs) if runs <= _MOST_RUNS else None


def verdict(
    limit: float,
    proven: float,
    claimed: float | None,
    runs: int,
    *,
    delta: float = 0.0,
    confidence: float = 0.95,
) -> Verdict:
    """What an audit says: limits beside the claim, never a precision.

    Parameters
    ----------
    limit, proven : float
        Lower limits of ε at δ = `delta`: with `confidence`, and with the larger one of `accusing`.
    claimed : float or None
        The claimed ε at the same δ.
    runs : int
        Independent runs kept for the test.
    delta, confidence : float
        Of the limit found and of the claim.

    Examples
    --------
    >>> verdict(0.98, 0.96, 1.0, 50_000), verdict(1.2, 1.1, 1.0, 50_000), verdict(0.0, 0.0, 1.0, 5)
    ('consistent', 'violated', 'inconclusive')

    A limit above the claim that may be chance accuses nobody:

    >>> verdict(1.001, 0.97, 1.0, 50_000)
    'inconclusive'
    """
    if claimed is None:
        return "inconclusive"
    if proven > claimed:
        return "violated"
    if limit > claimed:
        return "inconclusive"
    seen = enough(runs, claimed, delta=delta, confidence=confidence)
    return "consistent" if seen else "inconclusive"


def _worse(claimed: float) -> float:
    return max(_WORSE * claimed, _LEAST_WORSE)


def _median(runs: int, epsilon: float, delta: float) -> int:
    """Right guesses in half of all audits of randomised response, no runs left out."""
    share = share_needed(validate.non_negative(epsilon, "claimed"), delta)
    return min(round(runs * share), runs)
