"""k-anonymity, with groups fixed beforehand, is DP once the data have been sampled."""

import math

from deniable._rounding import Ball, directed, upper
from deniable.errors import NotApplicable
from deniable.notions import KAnonymity, SamplingDP

_NEGLIGIBLE = 2.0**-200


def k_anonymity_to_sampling_dp(guarantee: KAnonymity, rate: float, epsilon: float) -> SamplingDP:
    r"""k after sampling at rate β gives δ = max over n >= ⌈k/γ − 1⌉ of Pr[Bin(n, β) > γn].

    Here :math:`\gamma = (e^\epsilon - 1 + \beta)/e^\epsilon` and
    :math:`\epsilon \ge -\ln(1-\beta)`. Among the n with the same ⌊γn⌋ the last has the largest
    tail, and Chernoff's bound says when no later one can pass the largest so far, so finitely
    many tails are summed. An upper bound on the δ that the mechanism really has.

    Raises
    ------
    NotApplicable
        If ε < −ln(1 − β), or every entity is kept.

    References
    ----------
    li-2012, strongly safe k-anonymisation.

    Examples
    --------
    >>> round(k_anonymity_to_sampling_dp(KAnonymity(5), 0.1, 1.0).delta, 7)
    0.0001765
    """
    with directed() as r:
        beta, kept = r(rate), r.exp(-r(epsilon))
        if not (0 < rate < 1 and kept <= 1 - beta):
            raise NotApplicable(
                f"Expected 0 < rate < 1 and epsilon >= -ln(1 - rate), got rate={rate}, "
                f"epsilon={epsilon}. Raise epsilon or lower the rate."
            )
        share = 1 - (1 - beta) * kept
        decay = share * r.log(share / beta) - (1 - share) * r(epsilon)
        largest, at_least = 0.0, guarantee.k
        while True:
            trials = math.ceil(upper(r(at_least) / share)) - 1
            if upper(r.exp(-r(trials) * decay)) <= largest:
                return SamplingDP(rate, epsilon, min(largest, 1.0))
            largest = max(largest, upper(_tail(trials, at_least, beta)))
            at_least += 1


def _tail(trials: int, at_least: int, beta: Ball) -> Ball:
    """Pr[Bin(trials, β) >= at_least], for at_least above the mean."""
    if trials < at_least:
        return 0 * beta
    with directed() as r:
        odds = beta / (1 - beta)
        ratio = r(trials - at_least) / (at_least + 1) * odds
        term = r.binomial(trials, at_least) * beta**at_least * (1 - beta) ** (trials - at_least)
        total, largest, count = term, term, at_least
        while count < trials and not term < largest * r(_NEGLIGIBLE):
            term *= r(trials - count) / (count + 1) * odds
            total += term
            count += 1
        rest = term * ratio / (1 - ratio) if count < trials else r(0)
        return total + rest
