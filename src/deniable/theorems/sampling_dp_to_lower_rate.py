"""Sampling less amplifies privacy more."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import SamplingDP


def sampling_dp_to_lower_rate(guarantee: SamplingDP, rate: float) -> SamplingDP:
    """(β₁, ε₁, δ₁) gives ε₂ = ln(1 + (β₂/β₁)(e^ε₁ − 1)), δ₂ = (β₂/β₁)δ₁ for β₂ <= β₁.

    Raises
    ------
    NotApplicable
        If the rate is larger than the guarantee's.

    References
    ----------
    li-2012, amplification.

    Examples
    --------
    >>> round(sampling_dp_to_lower_rate(SamplingDP(0.2, 1.0), 0.1).epsilon, 6)
    0.620115
    """
    if rate > guarantee.beta:
        raise NotApplicable(
            f"Expected a rate of at most {guarantee.beta}, got {rate}. "
            "Sampling more amplifies less."
        )
    if rate == guarantee.beta:
        return guarantee
    with directed() as r:
        share = r(rate) / r(guarantee.beta)
        delta = min(upper(share * r(guarantee.delta)), 1.0)
        if math.isinf(guarantee.epsilon):
            return SamplingDP(rate, math.inf, delta)
        epsilon = upper(r.log1p(share * r.expm1(guarantee.epsilon)))
        return SamplingDP(rate, max(epsilon, 0.0), delta)
