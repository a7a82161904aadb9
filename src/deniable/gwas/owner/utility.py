"""What a private release would be worth: for the owner's eyes, itself unprotected."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.gwas.chromosomes import AUTOSOMES
from deniable.gwas.files.filters import Filters
from deniable.gwas.files.reading import counted_study
from deniable.gwas.genotypes import CountedStudy, MissingRule
from deniable.gwas.owner.locus_hits import locus_hits
from deniable.gwas.owner.selection_law import MOST_EXACT, exact_top_probability
from deniable.gwas.owner.top_hits import mean_share, share, top_hits
from deniable.gwas.public_filters import Window
from deniable.gwas.publication.beliefs import study_budget
from deniable.gwas.publication.request import check_strata, shares
from deniable.gwas.publication.windows import Loci, check_rounds, window_of
from deniable.gwas.scores.adjacency import StudyAdjacency
from deniable.gwas.scores.scores import Score, Scores, scores
from deniable.mechanisms import NoisyTopK, SelectionNoise
from deniable.numerics.answer import Answer
from deniable.numerics.bound import Bound
from deniable.numerics.effort import Effort
from deniable.pipeline.noise.shares import Share, calibrate_mechanism

NOT_PRIVATE = (
    "For the owner only: these figures were computed from the data without protection. "
    "Publishing them costs privacy that no budget here accounts for."
)


@attrs.frozen(repr=False)
class Utility(Answer):
    """How well the release of the top variants would do.

    Parameters
    ----------
    probability_exact_top : Bound
        That the released variants are ones which no other outscores; with a window, that the choice
        is one without noise, ties broken somehow.
    recall : Bound
        Expected share of the released variants that are among those; with a window, of the loci
        chosen without noise, those in whose window a variant is released.
    score : Scores
        What variants were ranked by.
    mechanism : NoisyTopK
        The law of the release, its scale in steps of the score.
    epsilon : float
        What it would spend.
    gamma : float
        What that means for beliefs within `prior`.
    prior : (float, float)
        The ends of what the adversary may believe before.
    epsilon_of_choice : float
        What of ε the choice of variants has; the rest is for published statistics.
    not_autosomal : int
        Variants on X, Y and mitochondria, which are left out.
    window : Window or None
        What would be removed around each chosen variant.
    """

    OWNER_ONLY = True

    probability_exact_top: Bound
    recall: Bound
    score: Scores
    mechanism: NoisyTopK
    epsilon: float
    gamma: float
    prior: tuple[float, float]
    epsilon_of_choice: float
    not_autosomal: int = 0
    window: Window | None = None

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        answer = {
            "probability_exact_top": self.probability_exact_top.as_json(),
            "recall": self.recall.as_json(),
            "top": self.mechanism.number,
            "epsilon": self.epsilon,
            "epsilon_of_choice": self.epsilon_of_choice,
            "gamma": self.gamma,
            "prior": list(self.prior),
            "adjacency": str(self.score.adjacency),
            "score": str(self.score.score),
            "sensitivity": self.score.sensitivity,
            "mechanism": self.mechanism.name,
            "scale": self.mechanism.scale * self.score.step,
            "not_autosomal": self.not_autosomal,
            "warning": NOT_PRIVATE,
        }
        return answer if self.window is None else answer | {"window": self.window.as_json()}


def utility(
    study: CountedStudy | str | Path,
    *,
    top: int,
    gamma: float | None = None,
    epsilon: float | None = None,
    prior: tuple[float, float] | None = None,
    adjacency: StudyAdjacency | str = StudyAdjacency.GENOTYPE,
    score: Score | str = Score.DISTANCE,
    threshold: str | float = "bonferroni",
    phenotype: str | Path | None = None,
    phenotype_name: str | None = None,
    missing: str | MissingRule = MissingRule.REFUSE,
    multiallelic: str = "refuse",
    filters: Filters | None = None,
    autosomes: int = AUTOSOMES,
    strata: str | Path | None = None,
    publish_statistics: bool = False,
    window_kb: float | None = None,
    window_cm: float | None = None,
    genetic_map: str | Path | None = None,
    noise: SelectionNoise | str = SelectionNoise.EXPONENTIAL,
    trials: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Utility:
    """How often a private release of the top variants would be right. Not private.

    Parameters
    ----------
    study : CountedStudy or path
        The owner's counts, or where they are read from.
    top : int
        How many variants would be released, >= 1.
    gamma, epsilon, prior
        As in `study_budget`: exactly one of the first two.
    adjacency : StudyAdjacency or str
        "genotype" or "swap".
    score : Score or str
        "distance", "allelic", "genotypic", "trend" or "stratified".
    threshold : "bonferroni" or float
        The p-value at which significance begins, for the distance.
    phenotype, phenotype_name, missing, multiallelic, filters, autosomes
        As in `counted_study`, where a path is given; "leave" is refused.
    strata : path, optional
        As in `counted_study`, where a path is given; for the stratified score.
    publish_statistics : bool
        Whether half of the budget goes to noisy allele counts of the chosen variants.
    window_kb, window_cm, genetic_map : float, float and path, optional
        As in `release`: what is removed around each chosen variant.
    noise : SelectionNoise or str
        "exponential", what releases use under pure DP, or "gumbel", the exponential mechanism of
        the literature, at the same ε.
    trials : int
        Simulated selections, >= 1: for the recall, and for both above three variants or with a
        window.
    seed : int
        Non-negative; the same seed gives the same answer.
    confidence : float
        Probability in (0, 1) with which a simulated bound must cover.

    Returns
    -------
    Utility
        The probability is an enclosure up to three variants, and one with a window.

    Raises
    ------
    InvalidArgument
        If an argument is out of range, or calls are missing and no rule fills them.
    InfeasibleTarget
        If no noise meets γ.

    References
    ----------
    tramer-2015, §4.

    Examples
    --------
    >>> from deniable import gwas
    >>> from deniable.gwas.genotypes import GenotypeCounts, Variants
    >>> variants = Variants(["9", "9"], ["rs1", "rs2"], [10, 20], ["A", "A"], ["C", "C"])
    >>> counts = GenotypeCounts(
    ...     [[70, 10, 20, 0], [40, 40, 20, 0]], [[30, 30, 40, 0], [40, 39, 21, 0]]
    ... )
    >>> study = CountedStudy(variants, counts, 200, 100, 100, 0, MissingRule.REFUSE)
    >>> round(gwas.utility(study, top=1, gamma=1.2).probability_exact_top.lower, 3)
    0.964
    """
    divided = study.strata if isinstance(study, CountedStudy) else strata
    check_strata(Score.of(score), given=divided is not None)
    files = {"phenotype": phenotype, "phenotype_name": phenotype_name, "strata": strata}
    rules: dict[str, Any] = {"missing": missing, "multiallelic": multiallelic}
    rules |= {"filters": filters, "autosomes": autosomes}
    window = window_of(window_kb, window_cm, genetic_map)
    counted = _counted(study, files, rules)
    found = _ranked(counted, adjacency, score, threshold)
    law = SelectionNoise(validate.one_of(noise, SelectionNoise, "noise"))
    effort = Effort(confidence=confidence, seed=seed)
    target = {"gamma": gamma, "epsilon": epsilon, "prior": prior}
    loci = None if window is None else Loci.of(counted.variants, window, genetic_map)
    answer = _utility(counted, found, top, target, publish_statistics, law, trials, effort, loci)
    return attrs.evolve(answer, window=window)


def _counted(
    study: CountedStudy | str | Path,
    files: Mapping[str, Any],
    rules: Mapping[str, Any],
) -> CountedStudy:
    if not isinstance(study, CountedStudy):
        return counted_study(study, **files, **rules)
    if files["phenotype"] is not None or files["strata"] is not None or rules["filters"]:
        raise InvalidArgument(
            "Expected no files of phenotypes or strata and no filters for a study that is counted, "
            "got one."
        )
    return study


def _ranked(
    study: CountedStudy,
    adjacency: StudyAdjacency | str,
    score: Score | str,
    threshold: str | float,
) -> Scores:
    return scores(
        study.counts,
        score=Score.of(score),
        adjacency=StudyAdjacency.of(adjacency),
        threshold=threshold,
        strata=study.strata,
    )


def _utility(
    study: CountedStudy,
    ranked: Scores,
    top: int,
    target: Mapping[str, Any],
    statistics: bool,
    noise: SelectionNoise,
    trials: int,
    effort: Effort,
    loci: Loci | None,
) -> Utility:
    budget = study_budget(
        cases=study.cases,
        controls=study.controls,
        adjacency=ranked.adjacency,
        strata=() if study.strata is None else study.strata.sizes,
        **target,
    )
    choice, _ = shares(budget.epsilon, statistics=statistics)
    mechanism = selection_mechanism(ranked, top, choice, noise)
    number = validate.integer(trials, "trials", least=1)
    if loci is not None:
        check_rounds(mechanism.number, loci)
    probability, recall = _figures(ranked.steps, mechanism, loci, number, effort)
    return Utility(
        probability_exact_top=probability,
        recall=recall,
        score=ranked,
        mechanism=mechanism,
        epsilon=budget.epsilon,
        gamma=budget.gamma,
        prior=(budget.adversary.low, budget.adversary.high),
        epsilon_of_choice=choice,
        not_autosomal=study.not_autosomal,
    )


def selection_mechanism(
    ranked: Scores, top: int, epsilon: float, noise: SelectionNoise = SelectionNoise.EXPONENTIAL
) -> NoisyTopK:
    """The noisy selection that a release at ε uses: scale 2 · top · Δ/ε, as OpenDP certifies it.

    With Gumbel noise of the same scale it is the exponential mechanism, ε-DP too, which OpenDP
    accounts for in zero-concentrated DP only.
    """
    released = calibrate_mechanism(ranked.selection(top), Share(epsilon=epsilon))
    return NoisyTopK(released.scale, ranked.selection(top).number, noise)


def _figures(
    steps: NDArray[np.int64],
    mechanism: NoisyTopK,
    loci: Loci | None,
    trials: int,
    effort: Effort,
) -> tuple[Bound, Bound]:
    """The probability of an exact top, and the recall."""
    if mechanism.number == 1:
        alone = exact_top_probability(steps, mechanism)
        return alone, alone
    if loci is not None:
        found, same = locus_hits(steps, mechanism, loci, trials, effort)
        return share(same, trials, 1, effort), mean_share(found, mechanism, effort)
    hits = top_hits(steps, mechanism, trials, effort)
    recall = mean_share(hits, mechanism, effort)
    if mechanism.number <= MOST_EXACT:
        return exact_top_probability(steps, mechanism), recall
    complete = int(np.count_nonzero(hits == mechanism.number))
    return share(complete, trials, 1, effort), recall
