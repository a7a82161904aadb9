"""The noise of each part, from what the owner asks for: public numbers only."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Self

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.gwas.association import chi_squared_threshold
from deniable.gwas.certificates import Chromosome, GenomeCertificate, StudySize
from deniable.gwas.genotypes import MissingRule, release_rule
from deniable.gwas.public_filters import Families, StudyFilters, Window
from deniable.gwas.publication.families import calibrate_family, epsilon_of_person
from deniable.gwas.publication.noisy_alleles import allele_count_part
from deniable.gwas.scores import Score, StudyAdjacency, public_grid
from deniable.ledger.dataset import optional_word
from deniable.ledger.units import in_whole_units
from deniable.mechanisms import DiscreteLaplace, Mechanism, NoisyTopK
from deniable.notions.adversaries import BoundedPriors
from deniable.numerics.rounding import Ball, directed, lower, upper
from deniable.pipeline.noise import NoisyPart, Share, calibrate_mechanism
from deniable.theorems.analysis import Calibration, Target, calibrated, only_target

# Both adjacencies replace one record of a set whose size is public, so replace-one theorems apply
# to both: to the participants' genomes under `genotype`, to the list of cases under `swap`.


STUDY_TARGETS = ("gamma", "max_posterior", "attack_success", "advantage", "epsilon")
"""Kinds of targets that a release of a study takes.

Not identifiability: it needs how many genomes somebody may have, which nobody knows.
"""


def study_target(targets: Mapping[str, float | None]) -> Target:
    """What is asked of a release of a study: the one target among these that is given."""
    for kind, value in targets.items():
        if value is not None:
            validate.one_of(kind, STUDY_TARGETS, "target")
    return only_target(**{kind: targets.get(kind) for kind in STUDY_TARGETS})


def study_budget(
    *,
    cases: int,
    controls: int,
    adjacency: StudyAdjacency,
    prior: tuple[float, float] | None = None,
    strata: Sequence[tuple[int, int]] = (),
    families: Families | None = None,
    **targets: float | None,
) -> Calibration:
    """The largest ε that keeps to a limit, or what an ε given outright means for beliefs.

    The target is exactly one of gamma, max_posterior, attack_success, advantage and epsilon.
    Numbers and strata are public; the prior is the adjacency's by default. With families limit and
    answer are about one of them, and an ε that is given is each genome's. `epsilon` is rounded
    down, what is claimed is rounded up.

    References
    ----------
    tramer-2015, Theorem 2.

    Examples
    --------
    >>> budget = study_budget(
    ...     cases=1000, controls=1000, adjacency=StudyAdjacency.SWAP, gamma=2.0
    ... )
    >>> budget.adversary, round(budget.epsilon, 6)
    (BoundedPriors(low=0.5, high=0.5), 1.098612)
    """
    target = study_target(targets)
    adversary = adjacency.default_prior(cases, controls, strata)
    if prior is not None:
        adversary = BoundedPriors(*validate.pair(prior, "prior"))
    if families is not None:
        return calibrate_family(families, target, adversary)
    return calibrated(target, adversary)


def prior_after_frequencies(
    prior: float, *, unlinked_variants: int, pool: int, deviations: float = 3.0
) -> BoundedPriors:
    r"""What somebody who saw allele frequencies published earlier may believe, rounded outwards.

    .. math:: \operatorname{logit} p = \operatorname{logit} p_0
              \pm \frac{m}{2n} \pm z \sqrt{m/n}

    with the belief p₀ before, m variants pruned to near independence, of n individuals, and z
    standard deviations to allow for. The log-likelihood ratio of a person's genotypes is about
    normal with mean m/2n for members of the pool and −m/2n for others, and variance m/n. An
    interval from it is an *assumption of the adversary model*: people farther out than z standard
    deviations, linked variants and better attacks fall outside.

    References
    ----------
    sankararaman-2009 (the likelihood ratio and its power).

    Examples
    --------
    >>> prior_after_frequencies(0.5, unlinked_variants=0, pool=100)
    BoundedPriors(low=0.5, high=0.5)
    >>> wider = prior_after_frequencies(0.5, unlinked_variants=100, pool=1000, deviations=2.0)
    >>> round(wider.low, 3), round(wider.high, 3)
    (0.336, 0.664)
    """
    start = validate.open_probability(prior, "prior")
    m = validate.integer(unlinked_variants, "unlinked_variants", least=0)
    n = validate.integer(pool, "pool", least=1)
    z = validate.non_negative(deviations, "deviations")
    if not m:
        return BoundedPriors(start, start)
    with directed() as r:
        share = r(m) / n
        shift = share / 2 + r(z) * r.sqrt(share)

        def believed(change: Ball) -> Ball:
            odds = r(start) / (1 - r(start)) * r.exp(change)
            return 1 - 1 / (1 + odds)

        return BoundedPriors(max(lower(believed(-shift)), 0.0), min(upper(believed(shift)), 1.0))


CONFIDENCE = 0.95
"""The probability with which half-widths hold."""

_STATISTICS_SHARE = Fraction(1, 2)
"""The statistics' share of the budget, where they are published; the selection has the rest."""

NO_WORDS: Mapping[str, str] = MappingProxyType({})


def _bounds(prior: tuple[float, float] | None) -> tuple[float, float] | None:
    return None if prior is None else validate.interval(*validate.pair(prior, "prior"), "prior")


def _dataset(word: str | None) -> str | None:
    return optional_word(word, "the dataset's name")


@attrs.frozen(kw_only=True)
class GenomeRequest:
    """What the owner asks for of a study, from raw arguments; nothing of it depends on the data.

    The prior is None for the adjacency's default; missing calls are not left out of their variant.
    The dataset is a ledger's, that the release is charged to: with what each person's genome costs,
    also where the target is about a family.
    """

    target: Target = attrs.field(converter=study_target, alias="targets")
    prior: tuple[float, float] | None = attrs.field(converter=_bounds)
    adjacency: StudyAdjacency = attrs.field(converter=StudyAdjacency)
    missing: MissingRule = attrs.field(converter=release_rule)
    dataset: str | None = attrs.field(default=None, converter=_dataset)
    families: Families | None = None

    @classmethod
    def from_certificate(cls, certificate: GenomeCertificate, **own: Any) -> Self:
        """The request that a certificate speaks of, with what its kind adds."""
        target, adversary = certificate.target, certificate.study_adversary
        default = adversary.source == "default"
        known = None if certificate.is_first else certificate.ledger  # the first format had none
        return cls(
            targets={target.kind: target.value},
            prior=None if default else (adversary.prior.low, adversary.prior.high),
            adjacency=certificate.unit.adjacency,
            missing=certificate.missing,
            dataset=None if known is None else known.dataset,
            families=certificate.families,
            **own,
        )


def _top(value: int) -> int:
    return validate.integer(value, "top", least=1)


@attrs.frozen(kw_only=True)
class StudyRequest(GenomeRequest):
    """What the owner asks for where variants are chosen."""

    top: int = attrs.field(converter=_top)
    score: Score = attrs.field(converter=Score)
    threshold: str | float = attrs.field()
    statistics: bool = attrs.field(converter=bool)
    window: Window | None = None

    def __attrs_post_init__(self) -> None:
        chi_squared_threshold(self.threshold, 1)
        near = self.score, self.adjacency
        if self.dataset is not None and near == (Score.STRATIFIED, StudyAdjacency.SWAP):
            raise InvalidArgument(
                "Expected no ledger with score=stratified under swaps, got one. Swaps within "
                "strata are fewer neighbours than the ledger's; release without it, or with "
                "adjacency=genotype."
            )


@attrs.frozen(kw_only=True)
class PreparedGenomes:
    """A request for a study of this size: everything but the data."""

    request: GenomeRequest
    size: StudySize
    calibration: Calibration
    words: Mapping[str, str]
    filters: StudyFilters = attrs.field(factory=StudyFilters)


@attrs.frozen
class NoisedPart:
    """What gets noise, how much of the budget it has, and the noise."""

    part: NoisyPart
    share: Share
    mechanism: Mechanism
    half_width_95: float


@attrs.frozen(kw_only=True)
class PreparedStudy(PreparedGenomes):
    """A request for a study of this size.

    The line is the χ² that significance begins at, where the score looks at it. The selection is
    the choice of variants, the statistics the allele counts of the chosen ones. Chromosomes are
    those of all variants that were tested; None where a certificate of format 1 does not say.
    """

    request: StudyRequest
    line: float | None
    selection: NoisedPart
    statistics: NoisedPart | None
    chromosomes: tuple[Chromosome, ...] | None


def prepare_study(
    request: StudyRequest,
    size: StudySize,
    chromosomes: tuple[Chromosome, ...] | None = (),
    words: Mapping[str, str] = NO_WORDS,
    filters: StudyFilters | None = None,
) -> PreparedStudy:
    """Calibrate a request; the shares of its parts add up to no more than the budget."""
    check_strata(request.score, given=bool(size.strata))
    study_filters = filters or StudyFilters()
    study_filters.check_panel(fills=request.missing is MissingRule.PANEL)
    calibration = study_budget(
        cases=size.cases,
        controls=size.controls,
        adjacency=request.adjacency,
        prior=request.prior,
        strata=size.divided,
        families=request.families,
        **{request.target.kind: request.target.value},
    )
    first, second = shares(
        epsilon_of_person(request.families, calibration),
        statistics=request.statistics,
        whole_units=request.dataset is not None,
    )
    line = None
    if request.score.has_threshold:
        line = chi_squared_threshold(request.threshold, size.variants)
    grid = public_grid(request.score, request.adjacency, size.cases, size.controls, size.divided)
    part, share = grid.selection(request.top, size.variants), Share(epsilon=first)
    mechanism = calibrate_mechanism(part, share)
    if not isinstance(mechanism, NoisyTopK):
        raise AssertionError("a selection was calibrated to other noise")
    gap = mechanism.score_gap(size.variants, CONFIDENCE) * part.step
    statistics = None
    if request.statistics:
        counts, rest = allele_count_part(request.adjacency, request.top), Share(epsilon=second)
        laplace = calibrate_mechanism(counts, rest)
        if not isinstance(laplace, DiscreteLaplace):
            raise AssertionError("allele counts were calibrated to other noise")
        statistics = NoisedPart(counts, rest, laplace, float(laplace.half_width(CONFIDENCE)))
    return PreparedStudy(
        request=request,
        size=size,
        calibration=calibration,
        line=line,
        selection=NoisedPart(part, share, mechanism, gap),
        statistics=statistics,
        chromosomes=chromosomes,
        words=words,
        filters=study_filters,
    )


def check_strata(score: Score, *, given: bool) -> None:
    """Refuse a stratified score without strata, and strata that nothing would look at."""
    if given and score is not Score.STRATIFIED:
        raise InvalidArgument(
            f"Expected score=stratified with a file of strata, got score={score}. Leave out "
            "the file (--strata), or rank by --score stratified."
        )
    if not given and score is Score.STRATIFIED:
        raise InvalidArgument(
            "Expected strata for score=stratified, got none. Give a file of them with --strata: "
            "family, individual, stratum."
        )


def shares(epsilon: float, *, statistics: bool, whole_units: bool = False) -> tuple[float, float]:
    """Return ε of the selection and of what is published about it; together at most ε.

    For a ledger both are rounded down to whole units, so that exactly these are charged.
    """
    with directed() as r:
        total = Fraction(epsilon)
        second = total * _STATISTICS_SHARE if statistics else Fraction(0)
        if whole_units:
            second = in_whole_units(second) if statistics else second
            return lower(r(in_whole_units(total - second))), lower(r(second))
        published = lower(r(second))
        return lower(r(total - Fraction(published))), published
