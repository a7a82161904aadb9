"""Families as what a release of a study protects, where relatives are all in it or all out of it.

One family's place is taken by another family of as many people. That is at most k genomes replaced,
each with its own place and status, so ε of one genome is kε of the family, and ρ is k²ρ
(dwork-roth-2014, Theorem 2.2; bun-steinke-2016, Proposition 1.9). How many families of each size
take part is public. Then a belief in a family is one over independent memberships given their
number, as a belief in a genome is (li-2013, Lemma 4.9, for families in place of people), and what
the family's ε says of it holds of each of its members. Were only the number of *people* public, two
families of three could have taken the places of three families of two: six genomes apart.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs

from deniable.certificate.model import NamedUnit, Topic
from deniable.errors import InvalidArgument, validate
from deniable.gwas.scores import StudyAdjacency
from deniable.numerics.rounding import directed, upper
from deniable.priors import BoundedPriors, Households
from deniable.theorems.analysis import Calibration, EpsilonTarget, Step, Target, calibrated
from deniable.theorems.households import person_epsilon

if TYPE_CHECKING:
    from deniable.gwas.certificates import GenomeCertificate

_SOURCES = ("stated", "fam", "list")
"""Where families come from: the owner's word, the study's own files, or another file."""
_OF_GROUPS = "ε of one genome is kε of a family of k (dwork-roth-2014, Theorem 2.2)"
_OF_GROUPS_IN_RHO = "ρ of one genome is k²ρ of a family of k (bun-steinke-2016, Proposition 1.9)"


def _size(value: Any) -> int:
    return validate.integer(value, "family_size", least=2)


def _source(value: Any) -> str:
    return validate.one_of(value, _SOURCES, "families")


@attrs.frozen
class Families:
    """The most participants of one family, and where families come from; public.

    The size is stated and never read off the study, so that noise depends on no file. Families of a
    file are compared with it.
    """

    size: int = attrs.field(converter=_size)
    source: str = attrs.field(default="stated", converter=_source)

    @classmethod
    def of(cls, families: Any, size: int | None, adjacency: StudyAdjacency) -> "Families | None":
        """The families of raw arguments; None where each person is by themselves."""
        if size is None:
            if families is not None:
                raise InvalidArgument(
                    "Expected family_size with families, got none. State how many participants of "
                    "one family there are at most (--family-size): the size has to be public, and "
                    "is not read off the file."
                )
            return None
        if adjacency is not StudyAdjacency.GENOTYPE:
            raise InvalidArgument(
                f"Expected adjacency=genotype with family_size, got {adjacency}. Who is a case is "
                "told under a public number of cases, and families of different sizes are many "
                "exchanges apart. Leave family_size (--family-size) out."
            )
        return cls(size, "stated" if families is None else "fam" if families == FAM else "list")

    def as_json(self) -> dict[str, Any]:
        """Size and source."""
        return attrs.asdict(self)

    @property
    def unit(self) -> NamedUnit:
        """What is protected, in words."""
        return NamedUnit(
            str(StudyAdjacency.GENOTYPE),
            f"Neighbouring studies differ in the whole genotypes of one family of at most "
            f"{self.size} participants, who keep their status. Protected is whether a person's "
            "genome is among the participants' genomes, where the person's relatives are all in "
            "the study or all out of it with them.",
            "a given person's genome, with those of their relatives, is among the participants' "
            "genomes",
            "participants' families",
            "other families",
        )

    def calibrated(
        self, target: Target, adversary: BoundedPriors, delta: float | None = None
    ) -> Calibration:
        """The largest budget of a family that meets a target; an ε is one genome's, as it is."""
        if isinstance(target, EpsilonTarget):
            if delta is not None:
                raise InvalidArgument(
                    "Expected a limit on beliefs with family_size and delta, got epsilon. Ask for "
                    "gamma or max_posterior."
                )
            with directed() as r:
                target = EpsilonTarget(upper(r(target.value) * self.size))
        return calibrated(target, adversary, delta=delta, slack=None)

    def epsilon_of_person(self, calibration: Calibration) -> float:
        """ε of one genome with which the family keeps to what was calibrated, rounded down."""
        return person_epsilon(calibration.epsilon, Households(self.size))

    def rho_of_person(self, rho: Fraction) -> Fraction:
        """ρ of one genome with which the family keeps to a total."""
        return rho / self.size**2

    def derivation(self, calibration: Calibration) -> tuple[Step, ...]:
        """From one genome to the family, and on; what is about families carries their label."""
        label = Households(self.size).suffix
        if calibration.composition is None:
            whole = f"pure-dp:{calibration.epsilon!r}"
            first = Step(
                f"pure-dp:{self.epsilon_of_person(calibration)!r}", f"{whole}{label}", _OF_GROUPS
            )
        else:
            rho = calibration.composition.rho
            one = float(self.rho_of_person(Fraction(rho)))
            first = Step(f"zcdp:{one!r}", f"zcdp:{rho!r}{label}", _OF_GROUPS_IN_RHO)
        return first, *(
            Step(f"{step.source}{label}", f"{step.target}{label}", step.theorem)
            for step in calibration.derivation
        )

    @property
    def assumptions(self) -> Iterator[str]:
        """What the guarantee rests on besides."""
        checked = {
            "stated": "The owner vouches for it: no file was compared.",
            "fam": "The first column of the study's file of people was compared with that number.",
            "list": "The owner's list of families was compared with that number.",
        }[self.source]
        yield Topic.TOGETHER.says(
            f"At most {self.size} participants are of one family, and no family is tied to "
            f"another. {checked} Take everybody who hangs together as one family."
        )
        yield Topic.TOGETHER.says(
            "The participants of a family are all in the study or all out of it, and before the "
            "release beliefs about different families are independent of one another."
        )
        yield Topic.PUBLIC.says(
            "It is public how many families of each size take part, and who of them is a case."
        )

    @property
    def not_covered(self) -> str:
        """What the guarantee does not speak about, in place of all relatives."""
        return Topic.TOGETHER.says(
            "Relatives beyond the stated size, and relatives who are not participants: what is "
            "learned of the family also tells of anybody whose genome resembles theirs."
        )


FAM = "fam"
"""The word for the families of the study's own file of people."""


def family_as_json(certificate: "GenomeCertificate") -> dict[str, Any]:
    """What an answer says of families: the size, its source, and what one genome costs."""
    if certificate.families is None:
        return {}
    spent = sum(Fraction(part.rho or part.epsilon or 0.0) for part in certificate.parts)
    measure = "epsilon" if certificate.guarantee.rho is None else "rho"
    with directed() as r:
        one = upper(r(spent))
    return {"families": certificate.families.as_json() | {f"{measure}_of_person": one}}
