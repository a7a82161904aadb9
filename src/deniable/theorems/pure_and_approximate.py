"""Pure, approximate and zero-concentrated DP, and the tail of the privacy loss."""

import math

from deniable.errors import NotApplicable
from deniable.notions import ZCDP, ApproxDP, ApproxZCDP, PrivacyLossTail, PureDP
from deniable.numerics.rounding import UNIT, Ball, directed, upper
from deniable.theorems._theorem import check_every_size, theorem


@theorem(
    "definition",
    states="ε-DP is (ε, 0)-DP.",
    checked=("catalogue.v:pure_dp_to_approx_dp", "catalogue.v:pure_dp_to_approx_dp_replace_one"),
)
def pure_dp_to_approx_dp(guarantee: PureDP) -> ApproxDP:
    """Pure DP is approximate DP that never fails."""
    return ApproxDP(guarantee.epsilon, 0.0, guarantee.adjacency, guarantee.records)


@theorem(
    "definition",
    states="(ε, 0)-DP is ε-DP.",
    checked=("catalogue.v:pure_dp_to_approx_dp", "catalogue.v:pure_dp_to_approx_dp_replace_one"),
)
def approx_dp_to_pure_dp(guarantee: ApproxDP) -> PureDP:
    """Approximate DP that never fails is pure DP."""
    if guarantee.delta > 0:
        raise NotApplicable(f"Expected delta = 0, got delta={guarantee.delta}.")
    return PureDP(guarantee.epsilon, guarantee.adjacency, guarantee.records)


@theorem(
    "likelihood ratios survive averaging",
    states="ε-DP keeps the loss within ε, without exception: likelihood ratios survive averaging.",
    checked=("catalogue.v:pure_dp_to_privacy_loss_tail",),
)
def pure_dp_to_privacy_loss_tail(guarantee: PureDP) -> PrivacyLossTail:
    """Pure DP keeps the privacy loss at or below ε always."""
    check_every_size(guarantee)
    return PrivacyLossTail(guarantee.epsilon, 0.0, guarantee.adjacency)


@theorem(
    "hockey-stick tail",
    states="(ε, δ)-DP bounds the loss by ε − ln(1 − δ/X), except for outputs of probability X > δ.",
    checked=("catalogue.v:approx_dp_to_privacy_loss_tail",),
)
def approx_dp_to_privacy_loss_tail(guarantee: ApproxDP, exceedance: float) -> PrivacyLossTail:
    r"""(ε, δ)-DP says how often a belief may move further than ε, at a slightly larger loss.

    With p and q the output's laws given t and given ¬t, averaged over the prior,
    (ε, δ)-DP says :math:`\int (p - e^\epsilon q)_+ \le \delta`; where :math:`p > e^\ell q` the
    integrand is at least :math:`(1 - e^{\epsilon - \ell}) p`, so
    :math:`\Pr_p[\text{loss} > \ell] \le \delta / (1 - e^{\epsilon - \ell})`.
    """
    check_every_size(guarantee)
    if exceedance <= guarantee.delta:
        raise NotApplicable(
            f"Expected exceedance > delta, got exceedance={exceedance}, delta={guarantee.delta}. "
            "Raise the exceedance."
        )
    with directed() as r:
        loss = r(guarantee.epsilon) - r.log(1 - r(guarantee.delta) / r(exceedance))
        return PrivacyLossTail(upper(loss), exceedance, guarantee.adjacency)


def approx_dp_to_exceedance(guarantee: ApproxDP, loss: float) -> float:
    """The probability that the privacy loss passes `loss`, at most; 1 where nothing is known."""
    if loss <= guarantee.epsilon:
        return 1.0 if guarantee.delta or loss < guarantee.epsilon else 0.0
    with directed() as r:
        gap = 1 - r.exp(r(guarantee.epsilon) - r(loss))
        return min(upper(r(guarantee.delta) / gap), 1.0)


@theorem(
    "dwork-roth-2014",
    states="A loss within ε except for outputs of probability X gives (ε, X)-DP.",
    checked=("catalogue.v:privacy_loss_tail_to_approx_dp",),
)
def privacy_loss_tail_to_approx_dp(guarantee: PrivacyLossTail) -> ApproxDP:
    """A privacy loss that is rarely passed is approximate DP."""
    return ApproxDP(guarantee.epsilon, guarantee.exceedance, guarantee.adjacency)


@theorem("bun-steinke-2016, Proposition 1.4", states="ε-DP gives ρ = ε²/2, rounded up.")
def pure_dp_to_zcdp(guarantee: PureDP) -> ZCDP:
    """Pure DP is concentrated."""
    check_every_size(guarantee)
    with directed() as r:
        rho = upper(r(guarantee.epsilon) ** 2 / 2)
    if math.isinf(rho):
        raise NotApplicable(f"Expected a finite epsilon²/2, got epsilon={guarantee.epsilon}.")
    return ZCDP(rho, guarantee.adjacency)


@theorem(
    "canonne-kamath-steinke-2020, Corollary 13",
    states="ρ-zCDP gives δ = inf over α > 1 of e^((α−1)(αρ−ε)) (1 − 1/α)^α / (α − 1).",
)
def zcdp_to_approx_dp(guarantee: ZCDP, epsilon: float) -> ApproxDP:
    """The (ε, δ) curve of zero-concentrated DP."""
    rho = guarantee.rho
    if rho == 0:
        return ApproxDP(epsilon, 0.0, guarantee.adjacency)
    with directed() as r:

        def log_delta(order: float) -> Ball:
            above = r(order) - 1
            return (
                above * (r(order) * r(rho) - r(epsilon))
                - r.log(above)
                + r(order) * r.log(above / r(order))
            )

        centre = (epsilon + rho) / (2 * rho)
        low, high = math.log(1e-6), min(math.log(2 * max(centre, 1.0) + 1e3), 300.0)
        for _ in range(80):  # the logarithm is convex enough in ln(α − 1); any α is a bound
            left, right = low + (high - low) / 3, high - (high - low) / 3
            orders = 1 + math.exp(left), 1 + math.exp(right)
            (one, off), (other, off_too) = (_about_log_delta(a, rho, epsilon) for a in orders)
            is_less = one < other
            if not abs(one - other) > off + off_too:
                is_less = float(log_delta(orders[0])) < float(log_delta(orders[1]))
            if is_less:
                high = right
            else:
                low = left
        delta = upper(r.exp(log_delta(1 + math.exp(low))))
    return ApproxDP(epsilon, min(delta, 1.0), guarantee.adjacency)


def _about_log_delta(order: float, rho: float, epsilon: float) -> tuple[float, float]:
    """ln δ at one order in floats, and how far off it may be: some ten units of its parts' sizes.

    Far enough apart, two of them are in order as the balls are, which take twenty times as long.
    """
    above = order - 1
    if not 0 < above < _FARTHEST_ORDER:
        return 0.0, math.inf
    slope, log_above = order * rho, math.log(above)
    rest = order * (math.log(above / order) if order < 2 else math.log1p(-1 / order))
    size = above * (slope + epsilon) + abs(log_above) - rest + 1
    return above * (slope - epsilon) - log_above + rest, 128 * UNIT * size


_FARTHEST_ORDER = 2.0**128
"""The order beyond which a ball of 192 bits keeps too few of ln(1 - 1/order), and goes its own way.
"""


@theorem(
    "bun-steinke-2016, Lemma 3.5",
    states="The loss exceeds ε > ρ with probability at most exp(−(ε − ρ)²/(4ρ)), rounded up.",
)
def zcdp_to_privacy_loss_tail(guarantee: ZCDP, epsilon: float) -> PrivacyLossTail:
    """Zero-concentrated DP says how often a belief may move further than ε.

    Chernoff's bound at the best Rényi order; Rényi divergences are quasi-convex, so averaging over
    a prior does not raise them. Source: bun-steinke-2016, Lemma 3.5 (the step before its end).
    """
    if guarantee.rho == 0:
        return PrivacyLossTail(epsilon, 0.0, guarantee.adjacency)
    with directed() as r:
        rho, e = r(guarantee.rho), r(epsilon)
        tail = 1.0 if not e > rho else upper(r.exp(-((e - rho) ** 2) / (4 * rho)))
        return PrivacyLossTail(epsilon, min(tail, 1.0), guarantee.adjacency)


@theorem("definition", states="ρ-zCDP is 0-approximate ρ-zCDP.")
def zcdp_to_approx_zcdp(guarantee: ZCDP) -> ApproxZCDP:
    """Concentrated DP is approximate concentrated DP that never fails."""
    return ApproxZCDP(guarantee.rho, 0.0, guarantee.adjacency)


@theorem(
    "bun-steinke-2016, Section 8; proof in the docstring",
    states="δ-approximate ρ-zCDP gives (ε, δ + (1 − δ) d), with d = δ(ε) of ρ-zCDP, rounded up.",
)
def approx_zcdp_to_approx_dp(guarantee: ApproxZCDP, epsilon: float) -> ApproxDP:
    r"""The (ε, δ) curve of approximate zero-concentrated DP.

    With the laws (1 − δ)P + δR and (1 − δ)Q + δR' of neighbours, for every event S

    .. math:: (1-\delta)(P(S) - e^\epsilon Q(S)) + \delta(R(S) - e^\epsilon R'(S))
              \le (1-\delta)\,\delta_\rho(\epsilon) + \delta .

    No more ε is needed, though R and R' may be anything (bun-steinke-2016, Definition 8.1).
    """
    of_noise = zcdp_to_approx_dp(ZCDP(guarantee.rho, guarantee.adjacency), epsilon)
    with directed() as r:
        delta = r(guarantee.delta)
        return ApproxDP(
            epsilon, min(upper(delta + (1 - delta) * r(of_noise.delta)), 1.0), guarantee.adjacency
        )


_GOLDEN = (math.sqrt(5) - 1) / 2
"""The golden section: a search for a minimum divides what is left of its interval there."""
_STEPS = 60
"""Steps of that search: the interval shrinks to 1e-12; any point of it is a bound."""


@theorem(
    "bun-steinke-2016, Section 8; proof in the docstring",
    states="The loss exceeds ε with probability at most (1 − δ) exp(−(ε − η − ρ)²/(4ρ)) + "
    "δ/(1 − e^−η), for the best η, rounded up.",
)
def approx_zcdp_to_privacy_loss_tail(guarantee: ApproxZCDP, epsilon: float) -> PrivacyLossTail:
    r"""Approximate concentrated DP says how often a belief may move further than ε.

    Averaged over a prior the laws are (1 − δ)P + δR given t and at least (1 − δ)Q given ¬t, where P
    and Q are averages of pairs of ρ-zCDP and so such a pair themselves (Rényi divergences are
    quasi-convex). Call the first A and the second B. Where A > e^ε B there are two kinds of
    outputs. Those with P > e^(ε−η) Q have probability at most exp(−(ε−η−ρ)²/4ρ) under P. On the
    others (1 − δ)P <= e^(ε−η)(1 − δ)Q <= e^(ε−η) B < e^(−η) A, so that δR is at least (1 − e^(−η))A
    there. Hence

    .. math:: \Pr_A[A > e^\epsilon B] \le (1-\delta)\,e^{-(\epsilon-\eta-\rho)^2/4\rho}
              + \frac{\delta}{1 - e^{-\eta}} .

    Source: bun-steinke-2016, Definition 8.1 and Lemma 3.5.
    """
    rho, delta, where = guarantee.rho, guarantee.delta, guarantee.adjacency
    if delta == 0:
        return zcdp_to_privacy_loss_tail(ZCDP(rho, where), epsilon)
    if epsilon == 0:
        return PrivacyLossTail(epsilon, 1.0, where)

    def exceedance(eta: float) -> float:
        loss = max(epsilon - eta, 0.0)  # rounded: η is what is left beside it, exactly
        if loss == epsilon:
            return 1.0
        of_noise = zcdp_to_privacy_loss_tail(ZCDP(rho, where), loss).exceedance
        with directed() as r:
            d = r(delta)
            return upper((1 - d) * r(of_noise) - d / r.expm1(r(loss) - r(epsilon)))

    low, high = 0.0, epsilon
    for _ in range(_STEPS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if exceedance(left) <= exceedance(right):
            high = right
        else:
            low = left
    best = min(exceedance((low + high) / 2), exceedance(epsilon))
    return PrivacyLossTail(epsilon, min(best, 1.0), where)
