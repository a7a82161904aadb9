"""How often an attacker on one record is right, and where beliefs go: what ε̃ and δ allow."""

import math
from fractions import Fraction

from deniable.errors import validate
from deniable.notions import ApproxDP
from deniable.numerics.rounding import directed, upper
from deniable.theorems.analysis.explain import DEFAULT_EXCEEDANCE
from deniable.theorems.attacks import approx_dp_to_attack_success
from deniable.theorems.pure_and_approximate import approx_dp_to_privacy_loss_tail


def exceedance_of(delta: float) -> float:
    """How often beliefs move further than they are read to: 100 δ, or half way from δ to 1."""
    return min(DEFAULT_EXCEEDANCE * delta, (1 + delta) / 2) if delta else 0.0


def loss_of(epsilon: float, delta: float) -> float:
    """The privacy loss at which beliefs are read, for population ε at δ."""
    if not delta or math.isinf(epsilon):
        return epsilon
    return approx_dp_to_privacy_loss_tail(ApproxDP(epsilon, delta), exceedance_of(delta)).epsilon


def attack_success(epsilon: float, delta: float) -> float:
    """(e^ε̃ + δ)/(e^ε̃ + 1), as of lowy-2024, Lemma 6, for δ = 0: at prior ½; rounded up."""
    if math.isinf(epsilon):
        return 1.0
    return approx_dp_to_attack_success(ApproxDP(epsilon, delta)).probability


def bayes_success(epsilon: float, delta: float, prior: float | Fraction) -> float:
    r"""The most that an attacker reaches who holds the record to be in with probability π.

    .. math:: \max\left\{\frac{e^{\tilde\epsilon} + \delta}{e^{\tilde\epsilon} + 1},\;
              1 - \pi(1 - \delta),\; 1 - (1 - \pi)(1 - \delta)\right\}

    The attacker maximises π·TPR + (1 − π)(1 − FPR) over the pairs that both hockey sticks
    allow, TPR <= e^ε̃ FPR + δ and 1 − FPR <= e^ε̃ (1 − TPR) + δ. The three terms are the value at
    the three corners of that region, so some pair of laws attains the maximum; the last two are
    what guessing by the prior alone reaches, at δ = 0. Rounded up.
    """
    validate.probability(prior, "prior")
    share, slack = Fraction(prior), validate.probability(delta, "delta")
    with directed() as r:
        missed = 1 - r(slack)
        corners = [upper(1 - r(share) * missed), upper(1 - (1 - r(share)) * missed)]
    return min(max(attack_success(epsilon, slack), *corners), 1.0)
