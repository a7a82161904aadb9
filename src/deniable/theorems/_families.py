"""What the theorems about priors share: which family is meant, and Theorem 2 both ways round."""

from deniable.errors import NotApplicable
from deniable.notions import Adversary
from deniable.numerics.rounding import Ball, directed
from deniable.priors import BoundedPriors


def independent(adversary: Adversary) -> BoundedPriors:
    """The adversary, if its family is of independent memberships within an interval."""
    match adversary:
        case BoundedPriors():
            return adversary
        case _:
            raise NotApplicable(
                f"Expected independent memberships within an interval, got {adversary}. "
                "Name the interval instead."
            )


def uncertain(adversary: Adversary) -> BoundedPriors:
    """An interval family that holds beliefs other than certainty."""
    family = independent(adversary)
    if family.high == 0 or family.low == 1:
        raise NotApplicable(
            f"Expected a family with beliefs strictly between 0 and 1, got {adversary}. "
            "Certainty is never shaken, so nothing follows from it."
        )
    return family


def gamma_from(ratio: Ball, low: Ball, high: Ball) -> Ball:
    """γ = max((e^ε − 1)b + 1, e^ε/((e^ε − 1)a + 1)): tramer-2015, Theorem 2, from DP."""
    return ((ratio - 1) * high + 1).max(ratio / ((ratio - 1) * low + 1))


def ratio_from(gamma: Ball, low: Ball, high: Ball) -> Ball:
    """e^ε = min((1 − a)γ/(1 − aγ) if aγ < 1, (γ + b − 1)/b if b > 0): its inverse.

    Terms that cannot be told to apply are left out, so this is safe for an ε that is claimed.
    """
    terms = []
    if low * gamma < 1:
        terms.append((1 - low) * gamma / (1 - low * gamma))
    if high > 0:
        terms.append((gamma + high - 1) / high)
    with directed() as r:
        return r.min(*terms)
