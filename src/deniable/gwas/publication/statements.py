"""Sentences of a study's certificate and report, by adjacency; public numbers only."""

from collections.abc import Iterator

import attrs

from deniable.certificate.model import NamedUnit, Topic
from deniable.certificate.tables import NOISE
from deniable.gwas.certificates import StudyAdversary
from deniable.gwas.genotypes import MissingRule
from deniable.gwas.public_filters import Families, StudyFilters
from deniable.gwas.publication.families import RELATIVES, family_assumptions, family_unit
from deniable.gwas.scores import Score, StudyAdjacency
from deniable.notions.adversaries import BoundedPriors

_EVERYWHERE = "every variant of the file"
_ALWAYS_ASSUMED = (
    "The adversary may know everything else: all other participants' genomes and status, the "
    "request, this program.",
    Topic.PUBLIC.says(
        "The request and the numbers of cases and controls are public. So are the names, positions "
        "and alleles of all variants in the file, and the order of the alleles. The first allele "
        "must not have been chosen by counting these participants' alleles."
    ),
    NOISE,
)
_NEVER_COVERED = (
    Topic.CHOICES.says(
        "Variants or participants chosen by looking at these genotypes: such a choice is itself a "
        "release, without protection. Examples are quality control, an earlier scan, "
        "and leaving out variants that nobody here carries."
    ),
    Topic.OTHER_RELEASES.says(
        "Other releases: anything else that anyone, including a consortium, publishes about the "
        "same participants adds to what this release shows."
    ),
    Topic.EVERYBODY.says(
        "What is true of everybody: if a variant raises a risk, that is news about all who carry "
        "it, whether or not they took part."
    ),
)


_STRATA_BEFORE = (
    "Strata must not have been made by looking at these genotypes, for example by principal "
    "components. That would be a release of its own, without protection."
)


@attrs.frozen
class _Words:
    """What sentences say of one adjacency and not of the other."""

    unit: NamedUnit
    unit_in_strata: str
    prior: str
    prior_in_strata: str
    believed: str
    once: str
    strata: str
    score_unit: str
    not_covered: tuple[str, ...]
    not_covered_in_strata: tuple[str, ...]


_WORDS = {
    StudyAdjacency.GENOTYPE: _Words(
        NamedUnit(
            str(StudyAdjacency.GENOTYPE),
            StudyAdjacency.GENOTYPE.sentence,
            "a given person's genome is among the participants' genomes",
            "participants",
            "other people",
        ),
        StudyAdjacency.GENOTYPE.sentence,
        "By default under this adjacency, an attacker may have any prior belief about whether a "
        "person's genome is among the participants' genomes.",
        "",
        "people's participation",
        "",
        "The numbers of cases and controls in each stratum are public, and the same in "
        "neighbouring studies. A genome that replaces another takes over its status and stratum.",
        "genotypes to replace",
        (
            Topic.TOGETHER.says(
                "Relatives: several members of a family may all be in the study or all be out of "
                "it. An attacker can then conclude more about them, and about anybody whose genome "
                "resembles theirs, than is stated for one person."
            ),
            "Which known participants are cases: exchanging the status of a case and a control "
            "changes two genotypes, so this has a weaker guarantee, with twice the stated ε. The "
            "adjacency “swap” protects this status.",
        ),
        (),
    ),
    StudyAdjacency.SWAP: _Words(
        NamedUnit(
            str(StudyAdjacency.SWAP),
            StudyAdjacency.SWAP.sentence,
            "a given participant is a case",
            "cases",
            "controls",
        ),
        "Neighbouring studies have the same participants with the same genotypes. One case and one "
        "control of the same stratum have exchanged their status. The release hides whether a "
        "known participant is a case, if their stratum has both cases and controls.",
        "By default under this adjacency, the attacker knows the list of participants but not "
        "which of them are cases. So each is a case with probability cases / participants",
        " of their stratum",
        "participants' status",
        ", because every sample has its own status",
        "Every participant's stratum, and the numbers of cases and controls in each, are public.",
        "swaps of a case and a control",
        (
            Topic.TOGETHER.says(
                "Relatives: several members of a family may all be cases or all be controls. An "
                "attacker can then conclude more about them than is stated for one person."
            ),
            "Who took part, and with which genome: under this adjacency all participants and their "
            "genotypes count as known. The release promises nothing about them.",
        ),
        (
            "Participants of a stratum without controls, or without cases: the strata's public "
            "numbers show that they are all cases, or all controls.",
        ),
    ),
}


def unit(
    adjacency: StudyAdjacency, *, strata: bool = False, families: Families | None = None
) -> NamedUnit:
    """What is protected, in words; whether people are divided into public strata, or families."""
    if families is not None:
        return family_unit(families)
    words = _WORDS[adjacency]
    return attrs.evolve(words.unit, sentence=words.unit_in_strata) if strata else words.unit


def adversary(
    adjacency: StudyAdjacency, prior: BoundedPriors, *, given: bool, strata: bool = False
) -> StudyAdversary:
    """Say who may believe what; `given` where the owner said so."""
    if given:
        sentence = (
            "An assumption of the owner: before the release, everybody who is uncertain whether "
            f"{unit(adjacency).claim} believes it with a probability within [{prior.low:.6g}, "
            f"{prior.high:.6g}]. Nothing here proves that. An interval that was computed from "
            "published frequencies allows for one attack. It does not cover better attacks or "
            "unlikely genomes."
        )
        return StudyAdversary(prior, "assumption", sentence)
    words = _WORDS[adjacency]
    sentence = words.prior.removesuffix(".") + words.prior_in_strata * strata + "."
    return StudyAdversary(prior, "default", sentence)


def score_unit(score: Score, adjacency: StudyAdjacency) -> str:
    """What one of the score's units is, in the plural."""
    if score is Score.STRATIFIED:
        return "copies of an allele"
    return _WORDS[adjacency].score_unit if score is Score.DISTANCE else f"{score} χ²"


AUTOSOMES_ONLY = Topic.PUBLIC.says(
    "The release uses only variants at positions where everybody carries two copies. It "
    "identifies X, Y and the mitochondrial genome by their public names and leaves them out."
)
"""Which variants took part; releases of format 1 read all of them as autosomal."""


def describe_filters(filters: StudyFilters) -> Iterator[str]:
    """Yield what public lists and rules chose, and what that rests on, a sentence each."""
    if filters.people is not None:
        yield Topic.PUBLIC.says(
            "Only the people whom the owner's lists leave count as participants, and the guarantee "
            "is about them. Who is on a list must be public, or decided before anybody looked at "
            "these genotypes. The lists are not published."
        )
    lists = filters.extract, filters.exclude, filters.panel
    if any(each is not None for each in lists) or filters.chromosomes:
        yield Topic.PUBLIC.says(
            "The variants were chosen by lists, chromosomes and frequencies among other people. "
            "This certificate names them. They are public, and nobody chose them by looking at "
            "these genotypes. Anyone who has the files can compare their digests."
        )
    if filters.panel is not None:
        yield (
            "Nobody in the reference panel is a participant. Variants that the panel lacks were "
            "left out, by their names and alleles."
        )
    if filters.multiallelic != "refuse":
        became = "left out" if filters.multiallelic == "leave-out" else "split into variants"
        yield Topic.PUBLIC.says(
            f"Lines of the file that name several alternative alleles were {became}. "
            "Which alleles a line names is public, as all names of variants are."
        )


WINDOWS = Topic.PUBLIC.says(
    "After each choice, all variants within the window around the chosen one are removed. Windows "
    "follow from public positions, or a public genetic map, and from earlier choices. So each "
    "choice has its share of the budget, and the shares add up to the stated one."
)
"""How so many choices become so many loci."""


def assumptions(
    adjacency: StudyAdjacency,
    missing: MissingRule,
    where: str = _EVERYWHERE,
    *,
    strata: bool = False,
    families: Families | None = None,
) -> tuple[str, ...]:
    """What the guarantee rests on; `where` says at which variants calls matter."""
    words = _WORDS[adjacency]
    whose = words.believed if families is None else "families' participation"
    return (
        Topic.BELIEFS.says(
            f"Before the release, the adversary's beliefs about different {whose} are "
            "independent of one another, given the public numbers."
        ),
        *(() if families is None else family_assumptions(families)),
        Topic.CONTRIBUTION.says(
            "Every participant is in the file once. For a person with k samples in the file, the "
            f"guarantee holds with k times the stated ε{words.once}."
        ),
        *_ALWAYS_ASSUMED,
        *((Topic.PUBLIC.says(f"{words.strata} {_STRATA_BEFORE}"),) if strata else ()),
        _missing(adjacency, missing, where),
    )


def not_covered(
    adjacency: StudyAdjacency,
    missing: MissingRule,
    where: str = _EVERYWHERE,
    *,
    strata: bool = False,
    families: Families | None = None,
) -> tuple[str, ...]:
    """What the guarantee does not speak about."""
    words = _WORDS[adjacency]
    relatives, *others = words.not_covered
    return (
        relatives if families is None else RELATIVES,
        *others,
        *(words.not_covered_in_strata if strata else ()),
        *(() if adjacency is StudyAdjacency.SWAP else (_missing_calls(missing, where),)),
        *_NEVER_COVERED,
    )


def _missing_calls(rule: MissingRule, where: str) -> str:
    """What the existence of the release, or the choice of the rule, reveals of missing calls."""
    if rule is not MissingRule.REFUSE:
        return Topic.CHOICES.says(
            "Missing calls: a rule chosen after seeing that some calls were missing reveals that "
            "they were."
        )
    return Topic.CHOICES.says(
        f"Missing calls: this release exists only because no call was missing at {where}. An "
        "attacker who knows that a person's genotype could not be called at one of these variants "
        "learns that this person is not in the file. If it is not public that all calls are there, "
        "publish with --missing major instead. Then nobody's calls decide whether a release exists."
    )


def _missing(adjacency: StudyAdjacency, rule: MissingRule, where: str) -> str:
    match rule:
        case MissingRule.REFUSE:
            if adjacency is StudyAdjacency.SWAP:
                return (
                    f"Every participant has a call at {where}. Genotypes count "
                    "as known here, and with them which calls are missing."
                )
            return Topic.PUBLIC.says(
                f"Every participant has a call at {where}, as after imputation. The owner vouches "
                "that this is public. Neighbouring studies have all calls too."
            )
        case MissingRule.MAJOR:
            return (
                "Any missing call counts as two copies of allele 2. Neighbours are compared after "
                "this replacement, and the release is made regardless of which calls are missing."
            )
        case MissingRule.PANEL:
            return (
                "Any missing call counts as the genotype that most people of the reference panel "
                "have. Nobody in the panel is a participant. Neighbours are compared after this "
                "replacement, and the release is made regardless of which calls are missing."
            )
        case MissingRule.LEAVE:
            raise AssertionError("a release needs a rule for missing calls")
