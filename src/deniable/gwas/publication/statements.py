"""Sentences of a study's certificate and report, by adjacency; public numbers only."""

from typing import assert_never

import attrs

from deniable.certificate.model import NamedUnit, Topic
from deniable.gwas.certificates import StudyAdversary
from deniable.gwas.genotypes import MissingRule
from deniable.gwas.public_filters import Families, StudyFilters
from deniable.gwas.publication.families import RELATIVES, family_assumptions, family_unit
from deniable.gwas.scores import Score, StudyAdjacency
from deniable.priors import BoundedPriors

_EVERYWHERE = "every variant of the file"
_ALWAYS_ASSUMED = (
    "The adversary may know everything else: all other participants' genomes and status, the "
    "request, this program.",
    Topic.PUBLIC.says(
        "Numbers of cases and controls, names, positions and alleles of all variants in the file, "
        "which allele is called the first, and everything that was asked for are public. So the "
        "first allele must not have been chosen by counting these participants' alleles."
    ),
    Topic.NOISE.says(
        "Noise comes from the operating system's secure random numbers and is forgotten after use; "
        "nothing but the files of this release leaves the house."
    ),
)
_NEVER_COVERED = (
    Topic.CHOICES.says(
        "Variants or participants that were chosen by looking at these genotypes (quality "
        "control, an earlier scan, leaving out what nobody here carries): that choice is a "
        "release of its own, without protection."
    ),
    Topic.OTHER_RELEASES.says(
        "Other releases: what was or will be published from the same participants, by anyone, a "
        "consortium included, adds to what this release shows."
    ),
    Topic.EVERYBODY.says(
        "What is true of everybody: that a variant raises a risk is news about all who carry it, "
        "whether or not they took part."
    ),
)


_STRATA_BEFORE = (
    "Strata must not have been made by looking at these genotypes, as principal components of them "
    "are: that would be a release of its own, without protection."
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
        "The default of this adjacency: anything may be believed before of a person's genome being "
        "among the participants'.",
        "",
        "people's taking part",
        "",
        "The numbers of cases and controls in each stratum are public, and neighbouring studies "
        "have the same: where a genome is replaced, its place keeps its status and its stratum.",
        "genotypes to replace",
        (
            Topic.TOGETHER.says(
                "Relatives: if several members of a family are all in the study or all out of it, "
                "what is learned of the family, and of anybody whose genome resembles theirs, can "
                "exceed what is stated for one person."
            ),
            "Who is a case among known participants: exchanging the status of a case and a control "
            "changes two genotypes, so only twice the stated ε holds for it. The adjacency swap "
            "speaks about that.",
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
        "Neighbouring studies have the same participants with the same genotypes; one case and one "
        "control of the same stratum have exchanged their status. Protected is whether a known "
        "participant, of whose stratum some are cases and some are not, is a case.",
        "The default of this adjacency: the list of participants is known, nothing is known of who "
        "is a case, and so everybody on it is one with probability cases / participants",
        " of their stratum",
        "participants' status",
        ", as every sample has a status of its own",
        "Every participant's stratum, and the numbers of cases and controls in each, are public.",
        "swaps of a case and a control",
        (
            Topic.TOGETHER.says(
                "Relatives: if several members of a family are all cases or all controls, what is "
                "learned of the family can exceed what is stated for one person."
            ),
            "Who took part, and with which genome: under this adjacency all participants and their "
            "genotypes count as known, and nothing is promised about them.",
        ),
        (
            "Participants of a stratum without controls, or without cases: that they are all "
            "cases, or all controls, follows from the strata's public numbers.",
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
            "An assumption of the adversary model, made by the owner: before the release nobody "
            f"who is uncertain whether {unit(adjacency).claim} believes it with a probability "
            f"outside [{prior.low:.6g}, {prior.high:.6g}]. Nothing here proves that. Where the "
            "interval was computed from frequencies published earlier it allows for the attack it "
            "was computed for, and better ones or unlikely genomes fall outside."
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
    "Only variants that everybody has two copies of were looked at: those on X, Y and the "
    "mitochondrial genome are left out, by the name of their chromosome, which is public."
)
"""Which variants took part; releases of format 1 read all of them as autosomal."""


def describe_filters(filters: StudyFilters) -> tuple[str, ...]:
    """What public lists and rules chose, and what that rests on; a sentence each."""
    sentences: list[str] = []
    if filters.people is not None:
        sentences.append(
            Topic.PUBLIC.says(
                "The guarantee is about the people whom the owner's lists of people leave, who "
                "alone count as participants. Who is on a list must be public, or have been "
                "decided before anybody looked at these genotypes; the lists are not published."
            )
        )
    lists = filters.extract, filters.exclude, filters.panel
    if any(each is not None for each in lists) or filters.chromosomes:
        sentences.append(
            Topic.PUBLIC.says(
                "The variants were chosen by the lists, chromosomes and frequencies among other "
                "people that this certificate names. These are public and were not chosen by "
                "looking at these genotypes. Whoever has the files can compare their digests."
            )
        )
    if filters.panel is not None:
        sentences.append(
            "Nobody of the reference panel is a participant; variants that the panel lacks were "
            "left out, by their names and alleles."
        )
    if filters.multiallelic != "refuse":
        became = "left out" if filters.multiallelic == "leave-out" else "split into variants"
        sentences.append(
            Topic.PUBLIC.says(
                f"Lines of the file that name several alternative alleles were {became}. "
                "Which alleles a line names is public, as all names of variants are."
            )
        )
    return tuple(sentences)


WINDOWS = Topic.PUBLIC.says(
    "After each choice all variants within the window around the chosen one are removed. Windows "
    "follow from public positions, or a public genetic map, and from what was chosen before; so "
    "each choice has its share of the budget, and the shares add up to what is stated."
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
    whose = words.believed if families is None else "families' taking part"
    return (
        Topic.BELIEFS.says(
            f"Before the release, the adversary's beliefs about different {whose} are "
            "independent of one another, apart from the public numbers."
        ),
        *(() if families is None else family_assumptions(families)),
        Topic.CONTRIBUTION.says(
            "Every participant is in the file once. For somebody with k samples in it k times the "
            f"stated ε holds{words.once}."
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
        *_missing_calls(adjacency, missing, where),
        *_NEVER_COVERED,
    )


def _missing_calls(adjacency: StudyAdjacency, rule: MissingRule, where: str) -> tuple[str, ...]:
    """What the existence of the release, or the choice of the rule, tells of missing calls."""
    match adjacency, rule:
        case StudyAdjacency.SWAP, _:
            return ()
        case _, MissingRule.REFUSE:
            return (
                Topic.CHOICES.says(
                    "Missing calls: this release exists only because no call was missing at "
                    f"{where}. So it tells whoever knows that a person's genotype could not be "
                    "called at one of these variants that this person is not in the file. Where "
                    "it is no public fact that all calls are there, publish with --missing major "
                    "instead: whether a release exists then depends on nobody's calls."
                ),
            )
        case _:
            return (
                Topic.CHOICES.says(
                    "Missing calls: a rule for them that was chosen after seeing that some were "
                    "missing tells that some were."
                ),
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
                "It is a public fact, for which the owner vouches, that every participant has a "
                f"call at {where}, as after imputation. Neighbouring studies "
                "have all calls too."
            )
        case MissingRule.MAJOR:
            return (
                "A missing call counts as two copies of allele 2, whoever it is missing of; "
                "neighbours are compared after that, and a release exists whatever is missing."
            )
        case MissingRule.PANEL:
            return (
                "A missing call counts as the genotype that most people of the reference panel "
                "have, whoever it is missing of; nobody of the panel is a participant, neighbours "
                "are compared after that, and a release exists whatever is missing."
            )
        case MissingRule.LEAVE:
            raise AssertionError("a release needs a rule for missing calls")
    assert_never(rule)
