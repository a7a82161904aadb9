"""What holds for a family of priors holds for every family inside it."""

from fractions import Fraction

import attrs

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, Adversary, PositiveMembership
from deniable.priors import BoundedPrior, UnrestrictedPrior
from deniable.priors.one_of_worlds import OneOfWorlds
from deniable.priors.sampled_entities import SampledEntities
from deniable.theorems._families import independent


def positive_membership_to_narrower_prior(
    guarantee: PositiveMembership, adversary: Adversary
) -> PositiveMembership:
    """γ over a family of priors holds over every family inside it: [a, b], 1-out-of-m, D_β.

    Raises
    ------
    NotApplicable
        If the other family is not inside the guarantee's.

    References
    ----------
    li-2013, Definition 3.1.

    Examples
    --------
    >>> from deniable.priors import BoundedPrior
    >>> wide = PositiveMembership(2.0)
    >>> positive_membership_to_narrower_prior(wide, BoundedPrior(0.3, 0.7)).adversary
    BoundedPrior(low=0.3, high=0.7)
    """
    check_inside(guarantee.adversary, guarantee.adjacency, adversary)
    return attrs.evolve(guarantee, adversary=adversary)


def check_inside(wide: Adversary, adjacency: Adjacency, narrow: Adversary) -> None:
    """Refuse unless every prior of the second family is in the first."""
    family = independent(wide)
    low, high = _beliefs(adjacency, narrow)
    if not Fraction(family.low) <= low <= high <= Fraction(family.high):
        raise NotApplicable(f"Expected beliefs within [{family.low}, {family.high}], got {narrow}.")


def _beliefs(adjacency: Adjacency, narrow: Adversary) -> tuple[Fraction, Fraction]:
    match narrow, adjacency:
        case BoundedPrior() | UnrestrictedPrior(), _:
            return Fraction(narrow.low), Fraction(narrow.high)
        case OneOfWorlds(), Adjacency.REPLACE_ONE:
            return narrow.belief, narrow.belief
        case SampledEntities(), Adjacency.ADD_REMOVE:
            return narrow.belief, narrow.belief
        case _:
            raise NotApplicable(f"Expected a family of {adjacency} beliefs, got {narrow}.")
