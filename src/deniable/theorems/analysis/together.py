"""What a guarantee for one person says if several people are all in the data or all out of it."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import attrs

from deniable.errors.late import late
from deniable.notions import ZCDP, ApproxDP, PureDP
from deniable.numerics.rounding import directed, upper
from deniable.theorems.beliefs import pure_dp_to_max_posterior

if TYPE_CHECKING:
    from deniable.theorems import households, pure_and_approximate
else:
    households = late("deniable.theorems.households")
    pure_and_approximate = late("deniable.theorems.pure_and_approximate")

SIZES = (1, 2, 3, 5, 10)
"""Numbers of people who are all in or all out, in the table that every answer has."""


@attrs.frozen
class Together:
    """The belief that a prior can become if so many people are all in the data or all out of it."""

    size: int
    posterior: float


def group_loss(guarantee: PureDP | ApproxDP | ZCDP, people: int, exceedance: float = 0.0) -> float:
    """Return the loss about one of so many people whose memberships are tied in any way.

    But for pure DP, outputs of probability at most `exceedance` may pass it. Pure DP of one person
    is kε of k people, and ρ is k²ρ (dwork-roth-2014, Theorem 2.2; bun-steinke-2016, Proposition
    1.9). Where neighbours exchange records everybody else decides alone (own,
    what-households-do-to-a-guarantee.md).
    """
    if isinstance(guarantee, ApproxDP):
        group = households.of_group(guarantee, people)
        if group.delta >= exceedance:
            return math.inf
        return pure_and_approximate.approx_dp_to_privacy_loss_tail(group, exceedance).epsilon
    with directed() as r:
        if isinstance(guarantee, PureDP):
            return (
                upper(r(guarantee.epsilon) * people) if guarantee.epsilon < math.inf else math.inf
            )
        # Chernoff's bound exp(−(ℓ − ρ)²/(4ρ)) on the chance to pass ℓ (`zcdp_to_privacy_loss_tail`)
        # is the exceedance X at ℓ = ρ + 2√(ρ ln(1/X)).
        rho = r(guarantee.rho) * people**2
        return upper(rho + 2 * r.sqrt(rho * -r.log(r(exceedance))))


def beliefs_of_groups(
    guarantee: PureDP | ApproxDP | ZCDP,
    prior: float,
    exceedance: float = 0.0,
    sizes: Sequence[int] = SIZES,
) -> Iterator[Together]:
    """Yield the largest belief about one of so many people, for each number of people."""
    for people in sizes:
        yield belief_of_group(people, group_loss(guarantee, people, exceedance), prior)


def belief_of_group(people: int, loss: float, prior: float) -> Together:
    """The largest belief that a loss about one of so many people allows, rounded up."""
    return Together(people, pure_dp_to_max_posterior(PureDP(loss), prior).posterior)
