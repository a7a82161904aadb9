"""What a private release would be worth: for the owner's eyes, itself unprotected."""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.gwas.files import FamilyPath, Filters, StudyPath, count_study
from deniable.gwas.genotypes import AUTOSOMES, CountedStudy, Floats, MissingRule
from deniable.gwas.owner.selection_draws import locus_hits, mean_share, share, top_hits
from deniable.gwas.public_filters import Families, Window
from deniable.gwas.publication import (
    Loci,
    check_rounds,
    check_strata,
    epsilon_of_person,
    parse_window,
    shares,
    study_budget,
)
from deniable.gwas.scores import Score, Scores, StudyAdjacency, scores
from deniable.mechanisms import NoisyTopK, SelectionNoise
from deniable.numerics.answer import Answer, fields_of
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.effort import Effort
from deniable.pipeline.noise import Share, calibrate_mechanism

# A round of exponential noise chooses i with probability q_i ∫ g(u) du over [0, 1], where g(u) is
# the product of 1 − u q_j over the others, q = exp((x − max x)/s). Every factor falls and the
# derivatives of g alternate in sign, so Gauss's rule is too small and Lobatto's too large on every
# interval. Scores are held by distinct value, with how many variants have each, so that 100,000
# variants are no trouble.


MOST_EXACT = 3
"""Largest number of variants whose selection is computed exactly: 2^number sums."""

_NODES = 12
"""Nodes of a rule on each piece; pieces are short enough for twelve digits with these."""
_SERIES = 12
"""Terms of ln(1 − uq) = −Σ (uq)^k/k. With q <= 1/16 the next is below 16^−13/13 = 2e-17."""
_SMALL = 1 / 16
"""q up to which the series is used."""
_ULP = 2.0**-50
"""Four times the distance from 1 to the next float: a few operations are wrong by less."""
_REST = 1e-18
"""Share of the integral at which its rest is only bounded, and added to the upper bound."""
_FARTHEST = 690.0
"""The exponent of the smallest q that is computed: the rest lies between 0 and that."""

Interval = tuple[float, float]


def set_probability(scores: ArrayLike, selection: Sequence[int], mechanism: NoisyTopK) -> Bound:
    """The probability, enclosed, that exactly these variants are chosen, in whatever order.

    Scores are whole steps, (n_variants,), and so is the mechanism's scale. The selection is
    positions from 0, as many as `mechanism.number`, at most `MOST_EXACT`.
    """
    values, members = _check_selection(scores, selection, mechanism)
    return _bound(*_all_orders(_ScoreCounts.of(values), members, mechanism))


def exact_top_probability(scores: ArrayLike, mechanism: NoisyTopK) -> Bound:
    """The probability, enclosed, that the chosen variants are ones that no other outscores.

    Where several have the last score that makes it, any of them will do.
    """
    values = np.asarray(scores)
    best = np.argsort(-values, kind="stable")[: mechanism.number]
    _, members = _check_selection(values, best.tolist(), mechanism)
    last = members[-1]
    tied, needed = int(np.count_nonzero(values == last)), members.count(last)
    low, high = _all_orders(_ScoreCounts.of(values), members, mechanism)
    # As many sets are as good as this one as there are ways to choose among those that tie.
    choices = math.comb(tied, needed)
    return _bound(low * choices, high * choices)


def _check_selection(
    scores: ArrayLike, selection: Sequence[int], mechanism: NoisyTopK
) -> tuple[NDArray[np.int64], list[int]]:
    values = np.asarray(scores)
    if values.ndim != 1 or not np.issubdtype(values.dtype, np.integer):
        raise InvalidArgument("Expected whole-number scores in one row, got others.")
    positions = [validate.integer(i, "a position", least=0) for i in selection]
    if len(set(positions)) != mechanism.number or max(positions) >= len(values):
        raise InvalidArgument(
            f"Expected {mechanism.number} different positions below {len(values)}, got {positions}."
        )
    if mechanism.number > MOST_EXACT:
        raise InvalidArgument(
            f"Expected at most {MOST_EXACT} variants for an exact law, got {mechanism.number}. "
            "Draw selections instead."
        )
    return values.astype(np.int64), values[positions].tolist()


@attrs.frozen
class _ScoreCounts:
    """Distinct scores, falling, and how many variants have each."""

    scores: NDArray[np.int64]
    variants: NDArray[np.int64]

    @classmethod
    def of(cls, values: NDArray[np.int64]) -> "_ScoreCounts":
        scores, variants = np.unique(values, return_counts=True)
        return cls(scores[::-1], variants[::-1])

    def without(self, members: Sequence[int]) -> "_ScoreCounts":
        """The field after one variant of each of these scores has left."""
        variants = self.variants.copy()
        for score in members:
            variants[np.searchsorted(-self.scores, -score)] -= 1
        left = variants > 0
        return _ScoreCounts(self.scores[left], variants[left])


def _all_orders(field: _ScoreCounts, members: list[int], mechanism: NoisyTopK) -> Interval:
    """Enclosure of the probability that the members come out in some order."""
    if not members:
        return 1.0, 1.0
    low = high = 0.0
    # Pr[set] = Σ over its members i of Pr[i first] Pr[the rest, in some order]; equal scores once.
    for score in sorted(set(members)):
        rest = members.copy()
        rest.remove(score)
        now = _round(field, score, mechanism)
        later = _all_orders(field.without([score]), rest, mechanism)
        low += members.count(score) * now[0] * later[0]
        high += members.count(score) * now[1] * later[1]
    return low, high


def _round(field: _ScoreCounts, score: int, mechanism: NoisyTopK) -> Interval:
    """Enclosure of the probability that one round chooses one variant of this score."""
    # q_j = e^((x_j − max x)/s). With q below e^−690 only 0 and the upper bound are known.
    away = (field.scores - field.scores[0]) / mechanism.scale
    q = np.exp(away)
    distance = (score - int(field.scores[0])) / mechanism.scale
    own = math.exp(max(distance, -_FARTHEST))
    others = field.without([score])
    kept = np.isin(field.scores, others.scores)
    q_others, away_others = q[kept], away[kept]
    if mechanism.noise is SelectionNoise.GUMBEL:
        # Gumbel noise: q_i/Σ_j q_j.
        weights = others.variants * q_others
        low = high = own / (own + float(weights.sum()))
        # The q_j are wrong by their logarithms' errors, on average as their weights say.
        slack = _ULP * (64 - distance - float(weights @ away_others) / max(weights.sum(), 0.5))
    else:
        # Exponential noise: q_i ∫ Π_{j≠i} (1 − u q_j) du over [0, 1].
        low, high = (own * bound for bound in _integral(q_others, others.variants))
        # Relative rounding error of the integral. q_j is wrong by a factor 1 ± (4 − ln q_j)
        # 2^-53. Since the integrand without factor j falls at least like exp(−Λu), Λ the sum of
        # the other q, u is at most min(½, 1/Λ) on average there and one q_j moves the integral by
        # at most twice that share. Sums and logarithms cost the rest.
        total = float((others.variants * q_others).sum())
        wrong = float(
            (others.variants * q_others * np.where(away_others < 0, 4 - away_others, 0.0)).sum()
        )
        slack = (_ULP * (256 + 2 * wrong * min(0.5, 1 / max(total - 1, 1.0)))) - _ULP * distance
    low = low * (1 - slack) if distance >= -_FARTHEST else 0.0
    return max(low, 0.0), min(high * (1 + slack), 1.0)


def _integral(q: Floats, variants: NDArray[np.int64]) -> Interval:
    """Enclosure, but for rounding, of ∫ Π (1 − u q_j) du over [0, 1]."""
    if not len(q):
        return 1.0, 1.0
    log_product = _LogProduct.of(q, variants.astype(np.float64))
    low = high = 0.0
    # Pieces of length 1/Λ, then as long as all before them, with Λ = Σ q: the integrand falls
    # about like e^(−Λu). Gauss below, Lobatto above; what is left after u is at most g(u)(1 − u).
    start, width = 0.0, 1 / max(float((variants * q).sum()), 1.0)
    while start < 1:
        end = min(start + width, 1.0)
        inner, outer = (
            (end - start) * float(weights @ np.exp(log_product(start + (end - start) * nodes)))
            for nodes, weights in _rules()
        )
        low, high = low + inner, high + outer
        rest = float(np.exp(log_product(np.array([end])))[0]) * (1 - end)
        if rest < _REST * low:
            return low, high + rest
        start, width = end, end
    return low, high


@attrs.frozen
class _LogProduct:
    """u -> Σ ln(1 − u q_j): large q one by one, small ones by their power sums."""

    large: Floats
    variants: Floats
    series: Floats

    @classmethod
    def of(cls, q: Floats, variants: Floats) -> "_LogProduct":
        # Σ_j ln(1 − u q_j) = Σ over large q of log1p(−u q_j) − Σ_k (u^k/k) Σ over small q of
        # q_j^k.
        small = q <= _SMALL
        powers = np.arange(1, _SERIES + 1)
        sums = [float((variants[small] * q[small] ** k).sum()) for k in powers]
        return cls(q[~small], variants[~small], np.array(sums) / powers)

    def __call__(self, u: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            logs = np.log1p(-u[:, None] * self.large)
        series = (self.series * u[:, None] ** np.arange(1, _SERIES + 1)).sum(axis=1)
        return np.asarray((self.variants * logs).sum(axis=1) - series)


@cache
def _rules() -> list[tuple[Floats, Floats]]:
    """Nodes and weights on [0, 1] of Gauss's rule, and of Lobatto's."""
    legendre = np.polynomial.Legendre.basis(_NODES)
    # Nodes ±1 and the roots of P'_n, n = _NODES; weights 2/(n(n + 1) P_n(x)²).
    inner = np.sort(np.real(legendre.deriv().roots()))
    lobatto = np.concatenate([[-1.0], inner, [1.0]])
    weights = 2 / (_NODES * (_NODES + 1) * legendre(lobatto) ** 2)
    rules = np.polynomial.legendre.leggauss(_NODES), (lobatto, weights)
    return [((nodes + 1) / 2, weights / 2) for nodes, weights in rules]


def _bound(low: float, high: float) -> Bound:
    """Products and sums of a few numbers in [0, 1]; both bounds outwards."""
    return Bound(
        max(low * (1 - 64 * _ULP), 0.0), min(high * (1 + 64 * _ULP), 1.0), Evidence.ENCLOSURE
    )


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
    score, mechanism : Scores, NoisyTopK
        What variants were ranked by, and the law of the release, its scale in steps of the score.
    epsilon, epsilon_of_choice : float
        What it would spend, and what of that the choice has; the rest is for published statistics.
    gamma, prior : float, (float, float)
        What that means for beliefs within these bounds.
    not_autosomal, window : int, Window or None
        Variants on X, Y and mitochondria, and what would be removed around each chosen variant.
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
            **fields_of(self, "probability_exact_top", "recall"),
            "top": self.mechanism.number,
            **fields_of(self, "epsilon", "epsilon_of_choice", "gamma", "prior"),
            **fields_of(self.score, "adjacency", "score", "sensitivity"),
            "mechanism": self.mechanism.name,
            "scale": self.mechanism.scale * self.score.step,
            "not_autosomal": self.not_autosomal,
            "warning": NOT_PRIVATE,
        }
        return answer if self.window is None else answer | {"window": self.window.as_json()}


def utility(
    study: CountedStudy | StudyPath,
    *,
    top: int,
    gamma: float | None = None,
    max_posterior: float | None = None,
    attack_success: float | None = None,
    advantage: float | None = None,
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
    family_size: int | None = None,
    families: FamilyPath | None = None,
    publish_statistics: bool = False,
    window_kb: float | None = None,
    window_cm: float | None = None,
    genetic_map: str | Path | None = None,
    noise: SelectionNoise | str = SelectionNoise.EXPONENTIAL,
    trials: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    effort: Effort | None = None,
) -> Utility:
    """Return how often a private release of the top variants would be right; not private.

    Parameters
    ----------
    study : CountedStudy or path
        The owner's counts, or where they are read from.
    top, gamma, max_posterior, attack_success, advantage, epsilon, prior, adjacency, score
        As in `release`.
    threshold, family_size, families, publish_statistics, window_kb, window_cm, genetic_map
        As in `release`.
    phenotype, phenotype_name, missing, multiallelic, filters, autosomes, strata, effort
        As in `scan`, where a path is given.
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
    by, near = Score(score), StudyAdjacency(adjacency)
    check_strata(by, given=divided is not None)
    how: dict[str, Any] = {"phenotype": phenotype, "phenotype_name": phenotype_name}
    how |= {"missing": missing, "multiallelic": multiallelic, "filters": filters, "strata": strata}
    relatives = Families.of(families, family_size, near)
    how |= {"autosomes": autosomes, "families": relatives}
    window = parse_window(window_kb, window_cm, genetic_map)
    if not isinstance(study, CountedStudy):
        counted = count_study(study, **how, owner=True, effort=effort)
    elif phenotype is not None or strata is not None or families is not None or filters:
        raise InvalidArgument(
            "Expected no files of phenotypes, strata or families and no filters for a study that "
            "is counted, got one."
        )
    else:
        counted = study
    ranked = scores(
        counted.counts, score=by, adjacency=near, threshold=threshold, strata=counted.strata
    )
    law = SelectionNoise(validate.one_of(noise, SelectionNoise, "noise"))
    drawn = Effort(confidence=confidence, seed=seed)
    target: dict[str, Any] = {"gamma": gamma, "max_posterior": max_posterior, "prior": prior}
    target |= {"attack_success": attack_success, "advantage": advantage, "epsilon": epsilon}
    target |= {"families": relatives}
    loci = None if window is None else Loci.of(counted.variants, window, genetic_map)
    answer = _utility(counted, ranked, top, target, publish_statistics, law, trials, drawn, loci)
    return attrs.evolve(answer, window=window)


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
    choice, _ = shares(epsilon_of_person(target["families"], budget), statistics=statistics)
    mechanism = selection_mechanism(ranked, top, choice, noise)
    number = validate.integer(trials, "trials", least=1)
    if loci is not None:
        check_rounds(mechanism.number, loci)
    steps = ranked.steps
    if mechanism.number == 1:
        probability = recall = exact_top_probability(steps, mechanism)
    elif loci is not None:
        recalled, same = locus_hits(steps, mechanism, loci, number, effort)
        probability = share(same, number, 1, effort)
        recall = mean_share(recalled, mechanism, effort)
    else:
        hits = top_hits(steps, mechanism, number, effort)
        recall = mean_share(hits, mechanism, effort)
        if mechanism.number <= MOST_EXACT:
            probability = exact_top_probability(steps, mechanism)
        else:
            complete = int(np.count_nonzero(hits == mechanism.number))
            probability = share(complete, number, 1, effort)
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
