"""How often a release would be right, exactly and by simulation."""

import itertools
import json
import math

import attrs
import numpy as np
import pytest
from scipy.stats import chi2

from deniable import gwas
from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.gwas.genotypes import CountedStudy, GenotypeCounts, MissingRule, Variants
from deniable.gwas.owner import (
    NOT_PRIVATE,
    exact_top_probability,
    selection_draws,
    selection_mechanism,
    set_probability,
)
from deniable.gwas.scores import Score, StudyAdjacency, scores
from deniable.mechanisms import NoisyTopK
from deniable.numerics.bound import Evidence
from tests.cases.divided import strata_for
from tests.cases.effort import some_pairs
from tests.cases.refusals import refuses

GENOTYPE, SWAP = StudyAdjacency


def study(cases, controls):
    counts = GenotypeCounts(*(np.pad(np.array(g), ((0, 0), (0, 1))) for g in (cases, controls)))
    n, names = len(counts), [f"rs{i}" for i in range(len(counts))]
    variants = Variants(["1"] * n, names, range(n), ["A"] * n, ["C"] * n)
    r, s = (int(np.sum(group[0])) for group in (cases, controls))
    return CountedStudy(variants, counts, r + s, r, s, 0, MissingRule.REFUSE)


rng = np.random.default_rng(3)


CASES = [[100, 60, 40], [105, 60, 35], [110, 55, 35], *rng.multinomial(200, [0.64, 0.32, 0.04], 40)]
CONTROLS = [[140, 50, 10]] * 3 + [*rng.multinomial(200, [0.64, 0.32, 0.04], 40)]
STUDY = study(CASES, CONTROLS)


@pytest.mark.parametrize("adjacency", StudyAdjacency)
@pytest.mark.parametrize("score", Score)
def test_it_is_the_law_of_the_release(adjacency, score):
    strata = strata_for(score, STUDY.counts)
    divided = attrs.evolve(STUDY, strata=strata)
    answer = gwas.utility(divided, top=2, epsilon=3.0, adjacency=adjacency, score=score, trials=500)
    ranked = scores(STUDY.counts, score=score, adjacency=adjacency, strata=strata)
    select = NoisyTopK(2 * 2 * ranked.sensitivity_steps / 3.0, 2, "exponential")
    assert answer.mechanism.noise == "exponential"
    assert answer.mechanism.scale == pytest.approx(select.scale, rel=1e-9)
    assert answer.mechanism.epsilon(ranked.sensitivity_steps, monotone=False) <= 3.0
    expected = exact_top_probability(ranked.steps, select)
    assert answer.probability_exact_top.evidence is Evidence.ENCLOSURE
    assert answer.probability_exact_top.lower == pytest.approx(expected.lower, rel=1e-6)


def test_published_statistics_leave_the_choice_half_of_the_budget():
    full, half = (gwas.utility(STUDY, top=2, epsilon=e, trials=200) for e in (6.0, 3.0))
    answer = gwas.utility(STUDY, top=2, epsilon=6.0, trials=200, publish_statistics=True)
    assert (answer.epsilon, answer.epsilon_of_choice) == (6.0, 3.0)
    assert (full.epsilon, full.epsilon_of_choice) == (6.0, 6.0)
    assert answer.probability_exact_top == half.probability_exact_top
    assert answer.probability_exact_top.upper < full.probability_exact_top.lower


@pytest.mark.parametrize("noise", ["exponential", "gumbel"])
@pytest.mark.parametrize("top", [2, 3])
def test_simulated_bounds_cover_the_exact_ones(top, noise):
    arguments = {"epsilon": 6.0, "noise": noise, "confidence": 1 - 1e-9, "score": "allelic"}
    answer = gwas.utility(study(CASES[:8], CONTROLS[:8]), top=top, trials=20_000, **arguments)
    law = NoisyTopK(answer.mechanism.scale, top, noise).law(answer.score.steps)
    best = np.sort(answer.score.steps)[::-1][:top]
    assert len(np.unique(answer.score.steps[answer.score.steps >= best[-1]])) == top  # no ties
    best_positions = set(np.argsort(-answer.score.steps)[:top].tolist())
    recall = math.fsum(p * len(best_positions.intersection(o)) / top for o, p in law.items())
    assert answer.recall.lower <= recall <= answer.recall.upper
    assert answer.recall.upper - answer.recall.lower < 0.15


def test_above_three_everything_is_simulated():
    answer = gwas.utility(STUDY, top=5, epsilon=20.0, trials=2_000, seed=4)
    for bound in (answer.probability_exact_top, answer.recall):
        assert bound.evidence is Evidence.CONFIDENCE
        assert (bound.confidence, bound.draws, bound.seed) == (0.95, 2_000, 4)
    assert answer.recall.lower >= answer.probability_exact_top.lower
    again = gwas.utility(STUDY, top=5, epsilon=20.0, trials=2_000, seed=4)
    assert again.recall == answer.recall
    assert gwas.utility(STUDY, top=5, epsilon=20.0, trials=2_000, seed=5).recall != answer.recall


def test_ties_at_the_last_place_all_count():
    tied = study([[10, 0, 0], [0, 0, 10], [0, 0, 10], [0, 0, 10]], [[10, 0, 0]] * 4)
    answer = gwas.utility(tied, top=2, epsilon=500.0, threshold=0.01, trials=100)
    assert answer.probability_exact_top.lower > 1 - 1e-9
    assert answer.recall.upper == 1.0
    assert answer.recall.lower > 0.9


def test_one_variant_needs_no_draws():
    answer = gwas.utility(STUDY, top=1, epsilon=2.0)
    assert answer.recall == answer.probability_exact_top


def test_the_prior_of_the_adjacency_sets_epsilon():
    assert gwas.utility(STUDY, top=1, gamma=2.0).epsilon == pytest.approx(math.log(2))
    swapped = gwas.utility(STUDY, top=1, gamma=2.0, adjacency="swap")
    assert swapped.epsilon == pytest.approx(math.log(3))
    assert swapped.prior == (0.5, 0.5)
    assert gwas.utility(STUDY, top=1, gamma=2.0, prior=(0.5, 0.5)).epsilon == swapped.epsilon


def test_json_says_that_it_is_not_private():
    document = gwas.utility(STUDY, top=2, gamma=2.0, score="genotypic", trials=50).as_json()
    assert json.loads(json.dumps(document)) == document
    assert document["warning"] == NOT_PRIVATE
    assert "For the owner only" in NOT_PRIVATE
    assert document["probability_exact_top"]["evidence"] == "enclosure"
    assert document["recall"]["evidence"] == "confidence"
    assert (document["adjacency"], document["score"], document["top"]) == (
        "genotype",
        "genotypic",
        2,
    )
    assert document["scale"] == pytest.approx(2 * 2 * document["sensitivity"] / document["epsilon"])


def test_selection_mechanism_at_both_noises():
    ranked = scores(STUDY.counts, score=Score.DISTANCE, adjacency=GENOTYPE)
    exponential, gumbel = (
        selection_mechanism(ranked, 3, 0.5, noise) for noise in ("exponential", "gumbel")
    )
    assert exponential.scale == gumbel.scale == pytest.approx(12.0)
    assert exponential.epsilon(1, monotone=False) <= 0.5
    assert gumbel.name == "noisy-top-k-gumbel"


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"top": 0, "epsilon": 1.0}, "below-least: top | 1"),
        ({"top": 99, "epsilon": 1.0}, "top-at-most-number: 43"),
        ({"top": 1}, "exactly-one-target-of-gamma"),
        ({"top": 1, "epsilon": 1.0, "adjacency": "x"}, "not-one-of: adjacency"),
        ({"top": 1, "epsilon": 1.0, "score": "x"}, "not-one-of: score"),
        ({"top": 1, "epsilon": 1.0, "noise": "x"}, "not-one-of: noise"),
        ({"top": 2, "epsilon": 1.0, "trials": 0}, "below-least: trials | 1"),
        ({"top": 2, "epsilon": 1.0, "seed": -1}, "below-least: seed | 0"),
        ({"top": 1, "epsilon": 1.0, "phenotype": "x.txt"}, "no-files-of-phenotypes"),
    ],
)
def test_arguments_are_checked(arguments, match):
    with refuses(InvalidArgument, match):
        gwas.utility(STUDY, **arguments)
    with pytest.raises(InfeasibleTarget):
        gwas.utility(STUDY, top=1, gamma=1.0)


def test_missing_calls_without_a_rule_are_refused():
    cases = STUDY.counts.cases.copy()
    cases[0] += [-1, 0, 0, 1]
    left = attrs.evolve(STUDY, counts=GenotypeCounts(cases, STUDY.counts.controls))
    with refuses(InvalidArgument, "no-missing-calls-some-fill"):
        gwas.utility(left, top=1, epsilon=1.0)


NOISES = pytest.mark.parametrize("noise", ["exponential", "gumbel"])
SCORES = [
    [7],
    [0, 1, 2],
    [5, 5, 5],
    [4, 4, 1, 0, 0, -3],
    [900, 30, 31, 29, 12],
    [3, 1, 4, 1, 5, 9, 2, 6, 5, 3],
]


def holds(bound, expected):
    """The bound covers a value that the small law has with error 1e-13, and is narrow."""
    assert bound.evidence is Evidence.ENCLOSURE
    assert bound.lower * (1 - 1e-13) <= expected <= bound.upper * (1 + 1e-13) + 1e-300
    assert bound.upper - bound.lower <= 1e-11 * bound.upper + 1e-290
    return True


@NOISES
@pytest.mark.parametrize(("scores", "scale"), some_pairs(SCORES, [0.4, 3.0, 50.0]))
@pytest.mark.parametrize("number", [1, 2, 3])
def test_equals_the_law_of_every_order(scores, scale, number, noise):
    if number > len(scores):
        return
    select = NoisyTopK(scale, number, noise)
    law = select.law(scores)
    for order in itertools.islice(law, 0, None, max(len(law) // 8, 1)):
        of_set = math.fsum(law[one] for one in itertools.permutations(order))
        assert holds(set_probability(scores, order, select), of_set)
    best = sorted(scores, reverse=True)[:number]
    top = [
        p for order, p in law.items() if sorted((scores[i] for i in order), reverse=True) == best
    ]
    assert holds(exact_top_probability(scores, select), math.fsum(top))


def test_exponential_noise_on_0_1_2():
    select = NoisyTopK(1.0, 1, "exponential")
    e1, e2 = math.exp(-1), math.exp(-2)
    polynomials = [
        e2 * (1 - (1 + e1) / 2 + e1 / 3),
        e1 * (1 - (1 + e2) / 2 + e2 / 3),
        1 - (e1 + e2) / 2 + e1 * e2 / 3,
    ]
    for i, expected in enumerate(polynomials):
        assert holds(set_probability([0, 1, 2], [i], select), expected)


@NOISES
def test_ties_among_very_many(noise):
    scores = np.zeros(100_000, dtype=np.int64)
    select = NoisyTopK(1.0, 2, noise)
    assert holds(set_probability(scores, [5, 99_999], select), 1 / math.comb(100_000, 2))
    assert holds(exact_top_probability(scores, select), 1.0)


def test_one_ahead_of_very_many():
    # ∫ (1 − u q)^n du = (1 − (1 − q)^(n + 1)) / ((n + 1) q)
    n, ahead = 100_000, 9
    scores = np.zeros(n + 1, dtype=np.int64)
    scores[17] = ahead
    for scale in (0.5, 1.0, 4.0):
        q = math.exp(-ahead / scale)
        expected = -math.expm1((n + 1) * math.log1p(-q)) / ((n + 1) * q)
        bound = set_probability(scores, [17], NoisyTopK(scale, 1, "exponential"))
        assert bound.lower * (1 - 1e-10) <= expected <= bound.upper * (1 + 1e-10)
        assert bound.upper - bound.lower <= 1e-10


@NOISES
def test_hopeless_variants(noise):
    select = NoisyTopK(1.0, 1, noise)
    bound = set_probability([0, -(10**6)], [1], select)
    assert bound.lower == 0
    assert 0 < bound.upper < 1e-290
    assert set_probability([0, -(10**6)], [0], select).lower > 1 - 1e-12


@pytest.mark.parametrize(
    ("scores", "selection", "number", "match"),
    [
        ([0, 1, 2, 3, 4], [0, 1, 2, 3], 4, "at-most-variants-for-exact-law: 3 | 4"),
        ([0, 1, 2], [0, 0], 2, "different-positions-below: 2 | 3 | [0, 0]"),
        ([0, 1, 2], [3], 1, "different-positions-below: _ | 3"),
        ([0, 1, 2], [-1], 1, "below-least: a position | 0"),
        ([0.5, 1.0], [0], 1, "whole-number-scores"),
        ([[0, 1]], [0], 1, "whole-number-scores"),
        ([1], [0], 2, "different-positions-below"),
    ],
)
def test_selection_law_arguments_are_checked(scores, selection, number, match):
    with refuses(InvalidArgument, match):
        set_probability(scores, selection, NoisyTopK(1.0, number, "gumbel"))


def misfit(law, drawn):
    """Pearson's statistic over the orders expected five times or more, and its far quantile."""
    orders = list(law)
    base = 1 + max(max(order) for order in orders)
    weights = base ** np.arange(len(orders[0]))
    seen = np.bincount(drawn @ weights, minlength=base ** len(orders[0]))
    expected = np.array([law[order] for order in orders]) * len(drawn)
    counts = seen[np.array(orders) @ weights]
    often = expected >= 5
    pooled = np.append(expected[often], expected[~often].sum() + 1e-9)
    counted = np.append(counts[often], counts[~often].sum())
    return ((counted - pooled) ** 2 / pooled).sum(), chi2.isf(1e-9, len(pooled) - 1)


@NOISES
@pytest.mark.parametrize("scores", [[5, 3, 0, -1, -2, -9], [0, 0, 0, -8, -8], [40, 1, 0, 0, 0, -1]])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_draws_follow_the_law(scores, number, noise):
    select = NoisyTopK(2.0, number, noise)
    rng = np.random.default_rng(7)
    drawn = selection_draws(scores, select, rng, 60_000)
    statistic, limit = misfit(select.law(scores), drawn)
    assert statistic < limit
    other = NoisyTopK(2.0, number, "gumbel" if noise == "exponential" else "exponential")
    if len(set(scores)) > 2 and scores[0] < 40:
        statistic, limit = misfit(other.law(scores), drawn)
        assert statistic > limit


@NOISES
def test_blocks_and_shapes(noise):
    """A block holds some two million cells, so that these are three."""
    select, size = NoisyTopK(1.0, 2, noise), 50_000
    drawn = selection_draws(np.arange(100), select, np.random.default_rng(0), size)
    assert (drawn.shape, drawn.dtype) == ((size, 2), np.int64)
    assert (drawn[:, 0] != drawn[:, 1]).all()
    assert selection_draws([0, 1], select, np.random.default_rng(0), 0).shape == (0, 2)


@NOISES
def test_far_scores_do_not_overflow(noise):
    scores = np.array([2**60, 0, -(2**60), 5])
    drawn = selection_draws(scores, NoisyTopK(1.0, 2, noise), np.random.default_rng(0), 50)
    assert np.isin(drawn, [0, 1, 3]).all()
    assert (drawn[:, 0] == 0).all()


def test_too_few_variants():
    with refuses(InvalidArgument, "at-least-number-variants: 3 | 2"):
        selection_draws([0, 1], NoisyTopK(1.0, 3, "gumbel"), np.random.default_rng(0), 1)


NEAR = [1_000, 1_500, 2_000, *range(100_000, 141_000, 1_000)][: len(CASES)]
"""The first three variants, which rank highest, stand within a kilobase; the others do not."""


def along(counted):
    return attrs.evolve(counted, variants=attrs.evolve(counted.variants, position=NEAR))


def test_a_window_turns_variants_into_loci():
    answer = gwas.utility(along(STUDY), top=2, epsilon=1e5, window_kb=0.75, trials=200)
    assert answer.probability_exact_top.evidence is Evidence.CONFIDENCE
    assert answer.probability_exact_top.upper == answer.recall.upper == 1.0
    assert answer.probability_exact_top.lower > 0.97
    assert answer.as_json()["window"] == {"kb": 0.75}
    assert "window" not in gwas.utility(along(STUDY), top=2, epsilon=1e5, trials=20).as_json()


@pytest.mark.parametrize("number", [2, 3])
def test_loci_are_found_as_often_as_releases_find_them(number):
    small = attrs.evolve(
        study(CASES[:6], CONTROLS[:6]),
        variants=Variants(
            ["1"] * 6, list("abcdef"), [1_000, 1_500, 2_000, 9_000, 9_900, 30_000],
            ["A"] * 6, ["C"] * 6,
        ),
    )  # fmt: skip
    how = {"epsilon": 8.0, "score": "allelic", "window_kb": 0.95, "confidence": 1 - 1e-9}
    answer = gwas.utility(small, top=number, trials=8_000, **how)
    steps, once = answer.score.steps, NoisyTopK(answer.mechanism.scale, 1, "exponential")
    place = np.array([1_000, 1_500, 2_000, 9_000, 9_900, 30_000])

    def near(one):
        return set(np.flatnonzero(abs(place - place[one]) <= 950).tolist())

    best, left = [], set(range(6))
    while len(best) < number:
        best.append(max(sorted(left), key=lambda each: steps[each]))
        left -= near(best[-1])
    exact, recall = [], []

    def walk(selected, left, chance):
        if len(selected) == number:
            exact.append(chance * (set(selected) == set(best)))
            recall.append(chance * sum(bool(near(one) & set(selected)) for one in best) / number)
            return
        for each, share in zip(left, once.round_law(steps[left]), strict=True):
            walk([*selected, each], sorted(set(left) - near(each)), chance * share)

    walk([], list(range(6)), 1.0)
    assert answer.probability_exact_top.lower <= sum(exact) <= answer.probability_exact_top.upper
    assert answer.recall.lower <= sum(recall) <= answer.recall.upper
    assert answer.recall.upper - answer.recall.lower < 0.15


def test_more_loci_than_windows_leave_are_refused():
    with refuses(InvalidArgument, "top-at-most-as-windows-make"):
        gwas.utility(along(STUDY), top=3, epsilon=1.0, window_kb=1e6)


def test_ties_between_loci_all_count():
    # One variant stands above; of the others, all alike, any that is in no window of it will do.
    tied = study([[0, 0, 10], *([[5, 0, 5]] * 6)], [[10, 0, 0]] + [[5, 0, 5]] * 6)
    places = [1_000, 1_200, 5_000, 5_200, 9_000, 20_000, 30_000]
    placed = attrs.evolve(tied, variants=attrs.evolve(tied.variants, position=places))
    answer = gwas.utility(placed, top=3, epsilon=500.0, score="allelic", window_kb=0.5, trials=300)
    assert answer.probability_exact_top.upper == answer.recall.upper == 1.0
    assert answer.probability_exact_top.lower > 0.98
