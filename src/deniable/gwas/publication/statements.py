"""Sentences of a study's certificate and report, by adjacency; public numbers only."""

from collections.abc import Iterator

from deniable.certificate.model import NamedUnit, Topic, read_sentences
from deniable.certificate.tables import NOISE
from deniable.errors.validate import in_full
from deniable.gwas.certificates import StudyAdversary
from deniable.gwas.genotypes import MissingRule
from deniable.gwas.public_filters import Families, StudyFilters
from deniable.gwas.publication.families import SENTENCES, family_assumptions, family_unit
from deniable.gwas.scores import Score, StudyAdjacency
from deniable.notions.adversaries import BoundedPriors

_EVERYWHERE = "every variant of the file"
_SENTENCES = read_sentences(__file__)
AUTOSOMES_ONLY = _SENTENCES["autosomes_only"]
"""Which variants took part; releases of format 1 read all of them as autosomal."""
WINDOWS = _SENTENCES["windows"]
"""How so many choices become so many loci."""
LISTED = _SENTENCES["listed"]
"""What makes a list of variants public, by where it stands."""


def unit(
    adjacency: StudyAdjacency, *, strata: bool = False, families: Families | None = None
) -> NamedUnit:
    """What is protected, in words; whether people are divided into public strata, or families."""
    if families is not None:
        return family_unit(families)
    words, sentence = _SENTENCES[adjacency], adjacency.sentence
    if strata:
        sentence = words.get("unit_in_strata", sentence)
    return NamedUnit(str(adjacency), sentence, words["claim"], words["members"], words["others"])


def adversary(
    adjacency: StudyAdjacency, prior: BoundedPriors, *, given: bool, strata: bool = False
) -> StudyAdversary:
    """Say who may believe what; `given` where the owner said so."""
    if given:
        sentence = _SENTENCES["adversary_given"].format(
            claim=unit(adjacency).claim, low=in_full(prior.low), high=in_full(prior.high)
        )
        return StudyAdversary(prior, "assumption", sentence)
    words = _SENTENCES[adjacency]
    sentence = words.get("prior_in_strata", words["prior"]) if strata else words["prior"]
    return StudyAdversary(prior, "default", sentence)


def score_unit(score: Score, adjacency: StudyAdjacency) -> str:
    """What one of the score's units is, in the plural."""
    if score is Score.STRATIFIED:
        return "copies of an allele"
    return _SENTENCES[adjacency]["score_unit"] if score is Score.DISTANCE else f"{score} χ²"


def describe_filters(filters: StudyFilters) -> Iterator[str]:
    """Yield what public lists and rules chose, and what that rests on, a sentence each."""
    sentences = _SENTENCES["filters"]
    if filters.people is not None:
        yield sentences["people"]
    lists = filters.extract, filters.exclude, filters.panel
    if any(each is not None for each in lists) or filters.chromosomes:
        yield sentences["variants"]
    if filters.panel is not None:
        yield sentences["panel"]
    if filters.multiallelic != "refuse":
        became = "left out" if filters.multiallelic == "leave-out" else "split into variants"
        yield sentences["multiallelic"].format(became=became)


def assumptions(
    adjacency: StudyAdjacency,
    missing: MissingRule,
    where: str = _EVERYWHERE,
    *,
    strata: bool = False,
    families: Families | None = None,
) -> tuple[str, ...]:
    """What the guarantee rests on; `where` says at which variants calls matter."""
    words, sentences = _SENTENCES[adjacency], _SENTENCES["assumptions"]
    whose = words["believed"] if families is None else "families' participation"
    before = f"{words['strata']} {_SENTENCES['strata_before']}"
    if missing is MissingRule.LEAVE:
        raise AssertionError("a release needs a rule for missing calls")
    is_known = missing is MissingRule.REFUSE and adjacency is StudyAdjacency.SWAP
    call = _SENTENCES["missing"]["refuse_in_swap" if is_known else missing]
    return (
        sentences["beliefs"].format(whose=whose),
        *(() if families is None else family_assumptions(families)),
        sentences["once"].format(once=words["once"]),
        sentences["all_else"],
        sentences["numbers"],
        NOISE,
        *((Topic.PUBLIC.says(before),) if strata else ()),
        call.format(where=where),
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
    words, calls = _SENTENCES[adjacency], _SENTENCES["missing_calls"]
    relatives, *others = words["not_covered"]
    # What the existence of the release, or the choice of the rule, reveals of missing calls.
    call = calls["refuse" if missing is MissingRule.REFUSE else "chosen"].format(where=where)
    return (
        relatives if families is None else SENTENCES["relatives"],
        *others,
        *(words["not_covered_in_strata"] if strata else ()),
        *(() if adjacency is StudyAdjacency.SWAP else (call,)),
        *_SENTENCES["never_covered"],
    )
