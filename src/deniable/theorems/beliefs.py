"""How far a belief in one person's membership can rise."""

import math

import attrs

from deniable.errors import InfeasibleTarget, NotApplicable
from deniable.notions import (
    MaxPosterior,
    PrivacyLossTail,
    PureDP,
)
from deniable.numerics.rounding import directed, lower, upper
from deniable.theorems._theorem import check_every_size, theorem


@theorem(
    "tramer-2015, Equation 9",
    states="Under ε-DP no belief at or below p rises above e^ε p / ((e^ε − 1) p + 1), rounded up.",
    checked=(
        "catalogue.v:pure_dp_to_max_posterior_replace_one",
        "catalogue.v:pure_dp_to_max_posterior_add_remove",
    ),
)
def pure_dp_to_max_posterior(guarantee: PureDP, prior: float) -> MaxPosterior:
    """Pure DP bounds the posterior that a prior can reach."""
    # tramer-2015, Lemma 2 and Equation 9.
    check_every_size(guarantee)
    if prior in (0.0, 1.0) or math.isinf(guarantee.epsilon):
        return MaxPosterior(float(prior > 0), prior, adjacency=guarantee.adjacency)
    with directed() as r:
        e, p = r.exp(guarantee.epsilon), r(prior)
        cap = min(upper(e * p / ((e - 1) * p + 1)), 1.0)
    return MaxPosterior(cap, prior, adjacency=guarantee.adjacency)


def pure_dp_to_min_posterior(guarantee: PureDP, prior: float) -> float:
    r"""No belief at or above p falls below p / (p + e^ε (1 − p)) under ε-DP, rounded down.

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
    """The largest ε that keeps the posterior, ε = logit Q − logit p, rounded down."""
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


@theorem(
    "tramer-2015, Equation 9, but for rare outputs",
    states="No belief exceeds its limit under ε-DP, except for outputs of the stated probability.",
)
def privacy_loss_tail_to_max_posterior(guarantee: PrivacyLossTail, prior: float) -> MaxPosterior:
    """A bounded privacy loss caps posteriors as pure DP does, but for rare outputs."""
    pure = pure_dp_to_max_posterior(PureDP(guarantee.epsilon, guarantee.adjacency), prior)
    return attrs.evolve(pure, exceedance=guarantee.exceedance, households=guarantee.households)
