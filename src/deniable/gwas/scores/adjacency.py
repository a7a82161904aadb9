"""Which studies are neighbours, and so what "this person is in the data" means.

Two readings, never mixed: everything that depends on one takes it as an argument.
"""

from collections.abc import Sequence
from typing import assert_never

from deniable.errors import InvalidArgument, validate
from deniable.notions.adversaries import BoundedPriors
from deniable.numerics.rounding import directed, lower, upper


class StudyAdjacency(validate.Choice, argument="adjacency"):
    """How two neighbouring studies differ; the numbers of cases and controls are public."""

    GENOTYPE = "genotype"
    """One individual's genotype is replaced, their status stays."""
    SWAP = "swap"
    """A case and a control exchange their status, all genotypes stay."""

    @property
    def sentence(self) -> str:
        """What is protected, in words for a certificate."""
        return {
            StudyAdjacency.GENOTYPE: "Neighbouring studies differ in the whole genotype of one "
            "individual, case or control. The release hides whether a person's genome is among the "
            "participants' genomes.",
            StudyAdjacency.SWAP: "Neighbouring studies have the same participants with the same "
            "genotypes. One case and one control have exchanged their status. The release hides "
            "whether a known participant is a case.",
        }[self]

    def default_prior(
        self, cases: int, controls: int, strata: Sequence[tuple[int, int]] = ()
    ) -> BoundedPriors:
        """What an adversary may believe before, unless the owner assumes otherwise.

        Anything for a genome; cases / individuals for a participant on a known list, and where its
        strata are public, that of each participant's stratum. Numbers are public, R and S each >=
        1.

        Examples
        --------
        >>> StudyAdjacency.SWAP.default_prior(1000, 3000)
        BoundedPriors(low=0.25, high=0.25)
        >>> StudyAdjacency.SWAP.default_prior(1000, 3000, [(500, 500), (500, 2500)]).high
        0.5
        """
        every = [sizes(*each) for each in strata or [(cases, controls)]]
        match self:
            case StudyAdjacency.GENOTYPE:
                return BoundedPriors(0.0, 1.0)
            case StudyAdjacency.SWAP:
                with directed() as ball:
                    shares = [ball(r) / (r + s) for r, s in every]
                    return BoundedPriors(min(map(lower, shares)), max(map(upper, shares)))
        assert_never(self)


MOST_INDIVIDUALS = 2**26
"""The number of individuals up to which products of two allele counts are exact in float64."""


def sizes(cases: int, controls: int) -> tuple[int, int]:
    """Public numbers of cases and controls that every formula here can take."""
    r = validate.integer(cases, "cases", least=1)
    s = validate.integer(controls, "controls", least=1)
    if r + s > MOST_INDIVIDUALS:
        raise InvalidArgument(f"Expected at most {MOST_INDIVIDUALS} individuals, got {r + s}.")
    return r, s
