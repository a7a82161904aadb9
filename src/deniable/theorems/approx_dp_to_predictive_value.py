"""(ε, δ)-DP bounds how many of those whom an attack flags are members."""

import math

import attrs

from deniable._rounding import Ball, directed, upper
from deniable.notions import ApproxDP, PredictiveValue
from deniable.theorems._records import check_every_size


def approx_dp_to_predictive_value(
    guarantee: ApproxDP, fpr: float, nonmembers: float
) -> PredictiveValue:
    r"""(ε, δ)-DP gives p/(p + gα), p = min(δ + e^ε α, 1 − e^−ε(1 − δ − α), 1), rounded up.

    p is one minus the trade-off function at α, the largest true-positive rate there; g is the
    number of non-members for each member.

    Raises
    ------
    NotApplicable
        If the guarantee is of data of one size.

    References
    ----------
    dong-roth-su-2022.

    Examples
    --------
    >>> round(approx_dp_to_predictive_value(ApproxDP(0.0, 0.0), 0.01, 1.0).value, 6)
    0.5
    """
    check_every_size(guarantee)
    claim = PredictiveValue(1.0, fpr, nonmembers, guarantee.adjacency)
    with directed() as r:
        if math.isinf(guarantee.epsilon):
            return predictive(r(1), claim)
        delta, alpha, e = r(guarantee.delta), r(claim.fpr), r.exp(guarantee.epsilon)
        tpr = r.min(delta + e * alpha, 1 - (1 - delta - alpha) / e, r(1))
        return predictive(tpr, claim)


def predictive(tpr: Ball, claim: PredictiveValue) -> PredictiveValue:
    """The claim with the share that a true-positive rate gives, rounded up."""
    with directed() as r:
        flagged = tpr + r(claim.nonmembers) * r(claim.fpr)
        return attrs.evolve(claim, value=min(upper(tpr / flagged), 1.0))
