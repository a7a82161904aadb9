"""From what the owner asks for to noise for each part: public numbers only."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.gwas.association import chi_squared_threshold
from deniable.gwas.certificates import Chromosome, StudySize
from deniable.gwas.genotypes import MissingRule
from deniable.gwas.public_filters import StudyFilters, Window
from deniable.gwas.publication.beliefs import study_budget, study_target
from deniable.gwas.publication.noisy_alleles import allele_count_part
from deniable.gwas.scores import Score, StudyAdjacency, public_grid
from deniable.ledger.dataset import optional_word
from deniable.ledger.units import in_whole_units
from deniable.mechanisms import DiscreteLaplace, Mechanism, NoisyTopK
from deniable.numerics.rounding import directed, lower
from deniable.pipeline.noise import NoisyPart, Share, VectorPart, calibrate_mechanism
from deniable.theorems.analysis import Calibration, Target

CONFIDENCE = 0.95
"""With which half-widths hold."""

_STATISTICS_SHARE = Fraction(1, 2)
"""Of the budget, where statistics are published; the choice of variants has the rest."""

_NO_WORDS: Mapping[str, str] = MappingProxyType({})


@attrs.frozen
class StudyRequest:
    """What the owner asks for; nothing of it depends on the data.

    Parameters
    ----------
    top : int
        How many variants to release, >= 1.
    target : Target
        A limit on beliefs or attacks, or ε.
    prior : (float, float) or None
        The bounds of what the adversary may believe before; None for the adjacency's default.
    adjacency : StudyAdjacency
        What neighbours are.
    score : Score
        What variants are ranked by.
    threshold : "bonferroni" or float
        The p-value at which significance begins, for the distance and the stratified score.
    missing : MissingRule
        What becomes of missing calls; not `LEAVE`.
    statistics : bool
        Whether noisy allele counts of the chosen variants are published too.
    dataset : str or None
        Of a ledger, that the release is charged to.
    window : Window or None
        What is removed around each chosen variant.
    """

    top: int
    target: Target
    prior: tuple[float, float] | None
    adjacency: StudyAdjacency
    score: Score
    threshold: str | float
    missing: MissingRule
    statistics: bool
    dataset: str | None = None
    window: Window | None = None

    @classmethod
    def of(
        cls,
        *,
        top: int,
        targets: Mapping[str, float | None],
        prior: tuple[float, float] | None,
        adjacency: StudyAdjacency | str,
        score: Score | str,
        threshold: str | float,
        missing: MissingRule | str,
        statistics: bool,
        dataset: str | None = None,
        window: Window | None = None,
    ) -> "StudyRequest":
        """The request of raw arguments.

        Raises
        ------
        InvalidArgument
            If one is out of range.
        """
        target = study_target(targets)
        chi_squared_threshold(threshold, 1)
        bounds = None
        if prior is not None:
            bounds = validate.interval(*validate.pair(prior, "prior"), "prior")
        ranked, near = Score.of(score), StudyAdjacency.of(adjacency)
        if dataset is not None and (ranked, near) == (Score.STRATIFIED, StudyAdjacency.SWAP):
            raise InvalidArgument(
                "Expected no ledger with score=stratified under swaps, got one. Swaps within "
                "strata are fewer neighbours than the ledger's; release without it, or with "
                "adjacency=genotype."
            )
        rules = [rule.value for rule in MissingRule if rule is not MissingRule.LEAVE]
        word = missing.value if isinstance(missing, MissingRule) else missing
        return cls(
            top=validate.integer(top, "top", least=1),
            target=target,
            prior=bounds,
            adjacency=near,
            score=ranked,
            threshold=threshold,
            missing=MissingRule(validate.one_of(word, rules, "missing")),
            statistics=bool(statistics),
            dataset=optional_word(dataset, "the dataset's name"),
            window=window,
        )


@attrs.frozen
class NoisedPart:
    """What gets noise, how much of the budget it has, and the noise."""

    part: NoisyPart
    share: Share
    mechanism: Mechanism
    half_width_95: float


@attrs.frozen
class PreparedStudy:
    """A request for a study of this size: everything but the data.

    Parameters
    ----------
    line : float or None
        The χ² that significance begins at, where the score looks at it.
    selection : NoisedPart
        The choice of variants.
    statistics : NoisedPart or None
        The allele counts of the chosen ones.
    chromosomes : tuple of Chromosome or None
        Of all variants that were tested; None where a certificate of format 1 does not say.
    words : mapping
        The releaser's own words for the report.
    filters : StudyFilters
        The public lists and rules that chose variants and people.
    """

    request: StudyRequest
    size: StudySize
    calibration: Calibration
    line: float | None
    selection: NoisedPart
    statistics: NoisedPart | None
    chromosomes: tuple[Chromosome, ...] | None
    words: Mapping[str, str]
    filters: StudyFilters = attrs.field(factory=StudyFilters)


def prepare_study(
    request: StudyRequest,
    size: StudySize,
    chromosomes: tuple[Chromosome, ...] | None = (),
    words: Mapping[str, str] = _NO_WORDS,
    filters: StudyFilters | None = None,
) -> PreparedStudy:
    """Calibrate a request; the shares of its parts add up to no more than the budget.

    Raises
    ------
    InvalidArgument
        If the study has fewer variants than asked for.
    InfeasibleTarget
        If no noise meets the target.
    """
    if request.top > size.variants:
        raise InvalidArgument(
            f"Expected top <= {size.variants}, the number of variants, got top={request.top}."
        )
    check_strata(request.score, given=bool(size.strata))
    study_filters = filters or StudyFilters()
    study_filters.check_panel(fills=request.missing is MissingRule.PANEL)
    calibration = study_budget(
        cases=size.cases,
        controls=size.controls,
        adjacency=request.adjacency,
        prior=request.prior,
        strata=size.divided,
        **{request.target.kind: request.target.value},
    )
    first, second = shares(
        calibration.epsilon,
        statistics=request.statistics,
        whole_units=request.dataset is not None,
    )
    line = None
    if request.score.has_threshold:
        line = chi_squared_threshold(request.threshold, size.variants)
    return PreparedStudy(
        request=request,
        size=size,
        calibration=calibration,
        line=line,
        selection=_selection(request, size, Share(epsilon=first)),
        statistics=_statistics(request, Share(epsilon=second)) if request.statistics else None,
        chromosomes=chromosomes,
        words=words,
        filters=study_filters,
    )


def check_strata(score: Score, *, given: bool) -> None:
    """Refuse a stratified score without strata, and strata that nothing would look at.

    Raises
    ------
    InvalidArgument
        If only one of the two is there.
    """
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
    """Of the choice of variants and of what is published of them; together at most ε.

    For a ledger both are rounded down to whole units, so that exactly these are charged.

    Examples
    --------
    >>> shares(2.0, statistics=True), shares(2.0, statistics=False)
    ((1.0, 1.0), (2.0, 0.0))
    """
    with directed() as r:
        total = Fraction(epsilon)
        second = total * _STATISTICS_SHARE if statistics else Fraction(0)
        if whole_units:
            second = in_whole_units(second) if statistics else second
            return lower(r(in_whole_units(total - second))), lower(r(second))
        published = lower(r(second))
        return lower(r(total - Fraction(published))), published


def _selection(request: StudyRequest, size: StudySize, share: Share) -> NoisedPart:
    grid = public_grid(request.score, request.adjacency, size.cases, size.controls, size.divided)
    part = grid.selection(request.top, size.variants)
    mechanism = calibrate_mechanism(part, share)
    if not isinstance(mechanism, NoisyTopK):
        raise AssertionError("a selection was calibrated to other noise")
    return NoisedPart(
        part, share, mechanism, mechanism.score_gap(size.variants, CONFIDENCE) * part.step
    )


def _statistics(request: StudyRequest, share: Share) -> NoisedPart:
    part: VectorPart = allele_count_part(request.adjacency, request.top)
    mechanism = calibrate_mechanism(part, share)
    if not isinstance(mechanism, DiscreteLaplace):
        raise AssertionError("allele counts were calibrated to other noise")
    return NoisedPart(part, share, mechanism, float(mechanism.half_width(CONFIDENCE)))
