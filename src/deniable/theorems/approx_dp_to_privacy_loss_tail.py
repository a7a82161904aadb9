"""(ε, δ)-DP says how often a belief may move further than ε, at a slightly larger loss."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import ApproxDP, PrivacyLossTail
from deniable.theorems._records import check_every_size


def approx_dp_to_privacy_loss_tail(guarantee: ApproxDP, exceedance: float) -> PrivacyLossTail:
    r"""(ε, δ)-DP keeps the loss within ε − ln(1 − δ/X) but for outputs of probability X > δ.

    With p and q the output's laws given t and given ¬t, averaged over the prior,
    (ε, δ)-DP says :math:`\int (p - e^\epsilon q)_+ \le \delta`; where :math:`p > e^\ell q` the
    integrand is at least :math:`(1 - e^{\epsilon - \ell}) p`, so
    :math:`\Pr_p[\text{loss} > \ell] \le \delta / (1 - e^{\epsilon - \ell})`.

    Parameters
    ----------
    guarantee : ApproxDP
        One point of the privacy-loss curve.
    exceedance : float
        X, a probability above δ.

    Raises
    ------
    NotApplicable
        If X <= δ: no loss is exceeded so rarely by every such mechanism.
        Also if the guarantee is of data of one size.

    Examples
    --------
    >>> round(approx_dp_to_privacy_loss_tail(ApproxDP(1.0, 1e-6), 1e-4).epsilon, 5)
    1.01005
    """
    check_every_size(guarantee)
    if exceedance <= guarantee.delta:
        raise NotApplicable(
            f"Expected exceedance > delta, got exceedance={exceedance}, delta={guarantee.delta}. "
            "Raise the exceedance."
        )
    if math.isinf(guarantee.epsilon):
        return PrivacyLossTail(math.inf, exceedance, guarantee.adjacency)
    with directed() as r:
        loss = r(guarantee.epsilon) - r.log(1 - r(guarantee.delta) / r(exceedance))
        return PrivacyLossTail(upper(loss), exceedance, guarantee.adjacency)


def approx_dp_to_exceedance(guarantee: ApproxDP, loss: float) -> float:
    """The probability that the privacy loss passes `loss`, at most; 1 where nothing is known."""
    if loss <= guarantee.epsilon:
        return 1.0 if guarantee.delta or loss < guarantee.epsilon else 0.0
    with directed() as r:
        if math.isinf(loss):
            return guarantee.delta
        gap = 1 - r.exp(r(guarantee.epsilon) - r(loss))
        return min(upper(r(guarantee.delta) / gap), 1.0)
