"""Whose alleles are counted, and how far one neighbour moves all the counts together."""

import enum
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.gwas.genotypes import GenotypeCounts
from deniable.gwas.scores import StudyAdjacency, complete
from deniable.numerics.rounding import directed, upper
from deniable.pipeline.noise import VectorPart


class Group(enum.StrEnum):
    """Whose alleles are counted; their numbers are public."""

    CASES = "cases"
    CONTROLS = "controls"
    EVERYBODY = "everybody"
    """Cases and controls together."""
    BOTH = "both"
    """Cases, and controls, each apart."""

    @classmethod
    def of(cls, word: "str | Group") -> "Group":
        """The group of that word.

        Raises
        ------
        InvalidArgument
            If there is none.
        """
        return cls(validate.one_of(word, cls, "of"))

    def people(self, cases: int, controls: int) -> dict[str, int]:
        """The published groups by name, and how many people are in each.

        Examples
        --------
        >>> Group.BOTH.people(10, 20)
        {'cases': 10, 'controls': 20}
        """
        match self:
            case Group.CASES:
                return {"cases": cases}
            case Group.CONTROLS:
                return {"controls": controls}
            case Group.EVERYBODY:
                return {"everybody": cases + controls}
            case Group.BOTH:
                return {"cases": cases, "controls": controls}
        assert_never(self)


def frequency_part(adjacency: StudyAdjacency, group: Group, variants: int) -> VectorPart:
    r"""What gets noise, with how far a neighbour moves it: proved, and attained.

    A genotype is a vector g of m numbers 0, 1, 2; the counts of a group are the sum of its
    people's. Under `genotype` one person's g becomes g′ and nobody changes groups, so that one
    group moves by g′ − g, each coordinate of which is at most 2:

    .. math:: \|g' - g\|_1 \le 2m, \qquad \|g' - g\|_2 \le 2\sqrt{m},

    attained where g is 0 and g′ is 2 everywhere. Subtracting a constant from everybody's
    numbers (one copy, say) moves both ends alike: between people who replace each other centring
    gains nothing. Under `swap` a case with g and a control with h change places: the cases move by
    h − g, the controls by g − h. So the bound is the same for one of the groups, for both of them
    it is twice as large in L1 and √2 times in L2, and everybody's counts do not move at all.

    Parameters
    ----------
    adjacency : StudyAdjacency
        What neighbours are.
    group : Group
        Whose alleles are counted.
    variants : int
        m >= 1.

    Raises
    ------
    InvalidArgument
        If neighbours agree on everything that would be counted.

    Examples
    --------
    >>> part = frequency_part(StudyAdjacency.GENOTYPE, Group.BOTH, 100)
    >>> part.coordinates, part.l1, part.l2
    (200, 200, 20.0)
    """
    number = validate.integer(variants, "variants", least=1)
    groups = len(group.people(1, 1))
    match adjacency:
        case StudyAdjacency.GENOTYPE:
            moved = number
        case StudyAdjacency.SWAP:
            if group is Group.EVERYBODY:
                raise InvalidArgument(
                    "Expected of=cases, controls or both with adjacency=swap, got of=everybody: "
                    "whoever changes places leaves everybody's frequencies as they are. Hide who "
                    "took part with adjacency=genotype."
                )
            moved = groups * number
        case _:
            assert_never(adjacency)
    with directed() as r:
        length = upper(2 * r.sqrt(r(moved)))
    return VectorPart("allele count", 1.0, groups * number, l1=2 * moved, l2=length, moved=moved)


def allele_totals(counts: GenotypeCounts, group: Group) -> NDArray[np.int64]:
    """Exact copies of allele 1, variant by variant, the groups side by side. Not public.

    Shape (n_variants · n_groups,).
    """
    in_cases, in_controls = (
        table[:, 1] + 2 * table[:, 2]
        for table in (complete(each)[0] for each in (counts.cases, counts.controls))
    )
    match group:
        case Group.CASES:
            return in_cases
        case Group.CONTROLS:
            return in_controls
        case Group.EVERYBODY:
            return in_cases + in_controls
        case Group.BOTH:
            return np.stack([in_cases, in_controls], axis=1).reshape(-1)
    assert_never(group)
