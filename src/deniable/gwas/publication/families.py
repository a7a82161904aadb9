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
from typing import Any

from deniable.certificate.model import NamedUnit, read_sentences
from deniable.errors import InvalidArgument
from deniable.gwas.certificates import GenomeCertificate
from deniable.gwas.public_filters import Families
from deniable.gwas.scores import StudyAdjacency
from deniable.notions.adversaries import BoundedPriors
from deniable.notions.households import Households
from deniable.numerics.rounding import directed, upper
from deniable.theorems.analysis import Calibration, EpsilonTarget, Step, Target, calibrated
from deniable.theorems.households import person_epsilon

SENTENCES = read_sentences(__file__)["families"]
"""What certificates say of families."""
_OF_GROUPS = "ε of one genome is kε of a family of k (dwork-roth-2014, Theorem 2.2)"
_OF_GROUPS_IN_RHO = "ρ of one genome is k²ρ of a family of k (bun-steinke-2016, Proposition 1.9)"


def family_unit(families: Families) -> NamedUnit:
    """What is protected, in words."""
    return NamedUnit(
        str(StudyAdjacency.GENOTYPE),
        SENTENCES["unit"].format(size=families.size),
        SENTENCES["claim"],
        "participants' families",
        "other families",
    )


def calibrate_family(
    families: Families, target: Target, adversary: BoundedPriors, delta: float | None = None
) -> Calibration:
    """The largest budget of a family that meets a target; an ε that is given is one genome's."""
    if isinstance(target, EpsilonTarget):
        if delta is not None:
            raise InvalidArgument(
                "Expected a limit on beliefs with family_size and delta, got epsilon. Ask for "
                "gamma or max_posterior."
            )
        with directed() as r:
            target = EpsilonTarget(upper(r(target.value) * families.size))
    return calibrated(target, adversary, delta=delta, slack=None)


def epsilon_of_person(families: Families | None, calibration: Calibration) -> float:
    """ε of one genome with which a family keeps to what was calibrated, rounded down."""
    if families is None:
        return calibration.epsilon
    return person_epsilon(calibration.epsilon, Households(families.size))


def rho_of_person(families: Families | None, rho: float) -> Fraction:
    """ρ of one genome with which a family keeps to a total."""
    return Fraction(rho) / (1 if families is None else families.size**2)


def derivation(calibration: Calibration, families: Families | None) -> tuple[Step, ...]:
    """Derive the target from the noise, families' part with a label and from one genome on."""
    if families is None:
        return calibration.derivation
    label, composition = Households(families.size).suffix, calibration.composition
    if composition is None:
        epsilon = epsilon_of_person(families, calibration)
        first = Step(f"pure-dp:{epsilon!r}", f"pure-dp:{calibration.epsilon!r}{label}", _OF_GROUPS)
    else:
        rho = float(rho_of_person(families, composition.rho))
        first = Step(f"zcdp:{rho!r}", f"zcdp:{composition.rho!r}{label}", _OF_GROUPS_IN_RHO)
    return first, *(
        Step(f"{step.source}{label}", f"{step.target}{label}", step.theorem)
        for step in calibration.derivation
    )


def family_assumptions(families: Families) -> Iterator[str]:
    """What the guarantee rests on besides."""
    checked = SENTENCES["checked"][families.source]
    for each in SENTENCES["assumptions"]:
        yield each.format(size=families.size, checked=checked)


def family_as_json(certificate: GenomeCertificate) -> dict[str, Any]:
    """What an answer says of families: the size, its source, and what one genome costs."""
    if certificate.families is None:
        return {}
    spent = sum(Fraction(part.rho or part.epsilon or 0.0) for part in certificate.parts)
    measure = "epsilon" if certificate.guarantee.rho is None else "rho"
    with directed() as r:
        one = upper(r(spent))
    return {"families": certificate.families.as_json() | {f"{measure}_of_person": one}}
