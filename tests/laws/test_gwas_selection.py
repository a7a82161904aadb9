"""What a release samples is the law that `deniable.gwas.utility` computes, and it is private.

OpenDP's samplers take no seed: each check has a false-alarm probability of at most 1e-9, from
exact binomial tails, and shows by calculation that it rejects a named wrong law.
"""

import itertools
import math

import attrs
import numpy as np
import pytest
from scipy.stats import binom

from deniable.gwas.genotypes import GenotypeCounts
from deniable.gwas.owner.utility import selection_mechanism, set_probability
from deniable.gwas.scores.adjacency import StudyAdjacency
from deniable.gwas.scores.scores import Score, scores
from deniable.mechanisms import NoisyTopK
from deniable.pipeline.noise.sampler import release
from tests.cases.divided import strata_for
from tests.cases.effort import some_pairs
from tests.oracles import studies as brute

FALSE_ALARM = 1e-9
FOUR = GenotypeCounts(
    [[8, 20, 12, 0], [10, 20, 10, 0], [22, 12, 6, 0], [20, 14, 6, 0]], [[24, 12, 4, 0]] * 4
)


def law_of(mechanism, steps, orders):
    law = mechanism.law(steps)
    return np.array([law[order] for order in orders])


def limits(p, draws):
    """Counts beyond which each of the orders sounds the alarm, by Bonferroni."""
    tail = FALSE_ALARM / (2 * len(p))
    return binom.ppf(tail, draws, p), binom.isf(tail, draws, p)


@pytest.mark.parametrize(
    ("score", "number"), [(Score.DISTANCE, 1), (Score.ALLELIC, 2), (Score.DISTANCE, 3)]
)
def test_opendp_draws_every_order_of_four_variants_as_computed(score, number):
    draws = 4_000
    ranked = scores(FOUR, score=score, adjacency=StudyAdjacency.GENOTYPE, threshold=0.05)
    spread = float(ranked.steps.std())
    mechanism = selection_mechanism(ranked, number, 3 * number * ranked.sensitivity_steps / spread)
    orders = list(itertools.permutations(range(4), number))
    law = law_of(mechanism, ranked.steps, orders)
    assert math.fsum(law) == pytest.approx(1, abs=1e-9)

    part = attrs.evolve(ranked.selection(number), cells=draws)
    selected = release(mechanism, part, np.tile(ranked.steps, (draws, 1)))
    seen = np.array([np.count_nonzero((selected == order).all(axis=1)) for order in orders])
    low, high = limits(law, draws)
    assert seen.sum() == draws
    assert ((low <= seen) & (seen <= high)).all()

    # The exponential mechanism at the same scale would be noticed.
    gumbel = NoisyTopK(mechanism.scale, number, "gumbel")
    other = law_of(gumbel, ranked.steps, orders)
    noticed = binom.cdf(low - 1, draws, other) + binom.sf(high, draws, other)
    assert noticed.max() > 1 - 1e-3


def ways(adjacency, sizes):
    """All pairs of tables of one variant that a neighbour can lead between, by who changes."""
    if adjacency is StudyAdjacency.SWAP:
        return [
            [
                (one, other)
                for one in brute.tables(*sizes)
                for other in [one, *brute.with_a_swap(one)]
            ]
        ]
    tables = list(brute.tables(*sizes))
    return [
        [
            (one, other)
            for one in tables
            for other in [one, *brute.with_a_replaced_genotype(one)]
            if one[1 - group] == other[1 - group]
        ]
        for group in range(2)
    ]


@pytest.mark.parametrize(
    ("adjacency", "score", "noise"),
    # Scores are odd in number, so that each has either noise.
    [
        (*neighbours, noise)
        for neighbours, noise in some_pairs(
            [*itertools.product(StudyAdjacency, Score)], ["exponential", "gumbel"]
        )
    ],
)
def test_no_neighbour_moves_any_release_by_more_than_epsilon(adjacency, score, noise):
    # One individual's genotypes, or one exchange, move the variants independently of each other,
    # so the pairs of score changes of two and three variants are all combinations of one's.
    sizes, threshold, epsilon = (3, 2), 0.2, 1.5
    tables = list(brute.tables(*sizes))
    groups = (np.pad(np.array(group), ((0, 0), (0, 1))) for group in zip(*tables, strict=True))
    counts = GenotypeCounts(*groups)
    ranked = scores(
        counts,
        score=score,
        adjacency=adjacency,
        threshold=threshold,
        strata=strata_for(score, counts),
    )
    of = dict(zip(tables, ranked.steps.tolist(), strict=True))
    worst = 0.0
    for kind in ways(adjacency, sizes):
        moves = extreme({(of[one], of[other]) for one, other in kind})
        for variants, number in ((2, 1), (3, 1), (3, 2)):
            mechanism = selection_mechanism(ranked, number, epsilon, noise)
            for combination in itertools.combinations_with_replacement(moves, variants):
                before, after = zip(*combination, strict=True)
                law, other = (mechanism.law(side) for side in (before, after))
                worst = max(worst, *(abs(math.log(law[o] / other[o])) for o in law))
    assert worst <= epsilon * (1 + 1e-9)
    # Half of the scale, MΔ/ε, would break the promise.
    assert worst > epsilon / 2


def extreme(moves):
    """The largest changes up and down, and those from the least and the greatest score."""
    by_change = sorted(moves, key=lambda move: move[1] - move[0])
    by_start = sorted(moves)
    return list(dict.fromkeys([*by_change[:2], *by_change[-2:], by_start[0], by_start[-1]]))


def test_one_scale_for_all_variants_together_is_not_enough():
    # MΔ/ε, half of the scale, spends more than ε where one score rises and another falls.
    number, epsilon = 1, 1.0
    half = NoisyTopK(number / epsilon, number, "gumbel")
    law, other = half.law([-30, 0, 0]), half.law([-29, -1, -1])
    assert math.log(other[0,] / law[0,]) > 1.9 * epsilon
    full = NoisyTopK(2 * number / epsilon, number, "gumbel")
    law, other = full.law([-30, 0, 0]), full.law([-29, -1, -1])
    assert math.log(other[0,] / law[0,]) <= epsilon


def test_sets_are_sums_of_orders():
    steps = np.array([9, 4, 4, 1, 0])
    for noise in ("exponential", "gumbel"):
        select = NoisyTopK(2.5, 3, noise)
        sets = itertools.combinations(range(5), 3)
        assert math.fsum(set_probability(steps, one, select).upper for one in sets) == (
            pytest.approx(1, abs=1e-10)
        )
