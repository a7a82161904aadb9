"""How often an attacker on one record is right, and where beliefs go: what ε̃ and δ allow."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from deniable.errors import validate
from deniable.errors.late import late
from deniable.notions import ApproxDP
from deniable.numerics.rounding import directed, upper
from deniable.theorems.analysis.explain import DEFAULT_EXCEEDANCE
from deniable.theorems.attacks import approx_dp_to_attack_success
from deniable.theorems.pure_and_approximate import approx_dp_to_privacy_loss_tail

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = late("numpy")


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


def optimal_success(
    log_in: NDArray[np.float64], log_out: NDArray[np.float64], prior: float, error: float
) -> float:
    r"""What the best attacker in truth reaches who sees one of finitely many outputs.

    .. math:: \max_x \sum_w \max\{\pi P_{in,x}(w),\; (1 - \pi) P_{out,x}(w)\}

    The logarithms of the two laws have the shape (n_records, n_outputs) and are no farther than
    `error` from the truth; the result is rounded up by as much.
    """
    share = validate.probability(prior, "prior")
    most = np.maximum(share * np.exp(log_in), (1 - share) * np.exp(log_out))
    most_right = float(most.sum(axis=1).max())
    if error >= 1:  # so little is known that guessing right always cannot be ruled out
        return 1.0
    rounding = 1 + 1e-15 * (int(log_in.shape[1]) + 16)
    return float(min(most_right * math.exp(error) * rounding, 1.0))
