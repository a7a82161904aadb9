"""Pure DP bounds the posterior that a prior can reach, and what a cap on it asks for."""

import math

from deniable._rounding import directed, lower, upper
from deniable.errors import InfeasibleTarget, NotApplicable
from deniable.notions import MaxPosterior, PureDP
from deniable.theorems._records import check_every_size


def pure_dp_to_max_posterior(guarantee: PureDP, prior: float) -> MaxPosterior:
    r"""Under ε-DP no belief at or below p rises above e^ε p / ((e^ε − 1) p + 1), rounded up.

    Raises
    ------
    NotApplicable
        If the guarantee is of data of one size.

    References
    ----------
    tramer-2015, Lemma 2 and Equation 9.

    Examples
    --------
    >>> round(pure_dp_to_max_posterior(PureDP(1.0), 0.05).posterior, 4)
    0.1252
    """
    check_every_size(guarantee)
    if prior in (0.0, 1.0) or math.isinf(guarantee.epsilon):
        return MaxPosterior(float(prior > 0), prior, adjacency=guarantee.adjacency)
    with directed() as r:
        e, p = r.exp(guarantee.epsilon), r(prior)
        cap = min(upper(e * p / ((e - 1) * p + 1)), 1.0)
    return MaxPosterior(cap, prior, adjacency=guarantee.adjacency)


def pure_dp_to_min_posterior(guarantee: PureDP, prior: float) -> float:
    r"""Under ε-DP no belief at or above p falls below p / (p + e^ε (1 − p)), rounded down.

    References
    ----------
    tramer-2015, Lemma 2, from the other side.
    """
    if prior in (0.0, 1.0) or math.isinf(guarantee.epsilon):
        return float(prior == 1.0)
    with directed() as r:
        e, p = r.exp(guarantee.epsilon), r(prior)
        return max(lower(p / (p + e * (1 - p))), 0.0)


def pure_dp_for_max_posterior(target: MaxPosterior) -> PureDP:
    r"""The largest ε that keeps the posterior, ε = logit Q − logit p, rounded down.

    Raises
    ------
    InfeasibleTarget
        If the cap does not exceed the prior: the adversary believes more before the release.
    NotApplicable
        If the prior is 0 or the cap is 1: every ε keeps it.

    Examples
    --------
    >>> round(pure_dp_for_max_posterior(MaxPosterior(0.75, 0.5)).epsilon, 6)
    1.098612
    """
    if target.posterior <= target.prior:
        raise InfeasibleTarget(
            f"Expected max_posterior > {target.prior}, the upper end of `prior`, got "
            f"max_posterior={target.posterior}. Raise the posterior, or lower that end of `prior`."
        )
    if target.prior == 0.0 or target.posterior == 1.0:
        raise NotApplicable(
            f"Expected a prior above 0 and a posterior below 1, got {target.prior} and "
            f"{target.posterior}. Every release keeps such a target."
        )
    with directed() as r:
        q, p = r(target.posterior), r(target.prior)
        return PureDP(max(lower(r.log(q * (1 - p) / (p * (1 - q)))), 0.0), target.adjacency)
