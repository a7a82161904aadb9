import json
import math

import attrs
import numpy as np
import pytest

from deniable import gwas
from deniable.bounds import Evidence
from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.gwas.genotypes import CountedStudy, GenotypeCounts, MissingRule, Variants
from deniable.gwas.owner.selection_law import exact_top_probability
from deniable.gwas.owner.utility import NOT_PRIVATE, selection_mechanism
from deniable.gwas.scores.adjacency import StudyAdjacency
from deniable.gwas.scores.scores import Score, scores
from deniable.mechanisms import NoisyTopK

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
    found = gwas.utility(STUDY, top=2, epsilon=3.0, adjacency=adjacency, score=score, trials=500)
    ranked = scores(STUDY.counts, score=score, adjacency=adjacency)
    select = NoisyTopK(2 * 2 * ranked.sensitivity_steps / 3.0, 2, "exponential")
    assert found.mechanism.noise == "exponential"
    assert found.mechanism.scale == pytest.approx(select.scale, rel=1e-9)
    assert found.mechanism.epsilon(ranked.sensitivity_steps, monotone=False) <= 3.0
    expected = exact_top_probability(ranked.steps, select)
    assert found.probability_exact_top.evidence is Evidence.ENCLOSURE
    assert found.probability_exact_top.lower == pytest.approx(expected.lower, rel=1e-6)


def test_published_statistics_leave_the_choice_half_of_the_budget():
    whole, half = (gwas.utility(STUDY, top=2, epsilon=e, trials=200) for e in (6.0, 3.0))
    found = gwas.utility(STUDY, top=2, epsilon=6.0, trials=200, publish_statistics=True)
    assert (found.epsilon, found.epsilon_of_choice) == (6.0, 3.0)
    assert (whole.epsilon, whole.epsilon_of_choice) == (6.0, 6.0)
    assert found.probability_exact_top == half.probability_exact_top
    assert found.probability_exact_top.upper < whole.probability_exact_top.lower


@pytest.mark.parametrize("noise", ["exponential", "gumbel"])
@pytest.mark.parametrize("top", [2, 3])
def test_simulated_bounds_cover_the_exact_ones(top, noise):
    arguments = {"epsilon": 6.0, "noise": noise, "confidence": 1 - 1e-9, "score": "allelic"}
    found = gwas.utility(study(CASES[:8], CONTROLS[:8]), top=top, trials=20_000, **arguments)
    law = NoisyTopK(found.mechanism.scale, top, noise).law(found.score.steps)
    best = np.sort(found.score.steps)[::-1][:top]
    assert len(np.unique(found.score.steps[found.score.steps >= best[-1]])) == top  # no ties
    best_positions = set(np.argsort(-found.score.steps)[:top].tolist())
    recall = math.fsum(p * len(best_positions.intersection(o)) / top for o, p in law.items())
    assert found.recall.lower <= recall <= found.recall.upper
    assert found.recall.upper - found.recall.lower < 0.15


def test_above_three_everything_is_simulated():
    found = gwas.utility(STUDY, top=5, epsilon=20.0, trials=2_000, seed=4)
    for bound in (found.probability_exact_top, found.recall):
        assert bound.evidence is Evidence.CONFIDENCE
        assert (bound.confidence, bound.draws, bound.seed) == (0.95, 2_000, 4)
    assert found.recall.lower >= found.probability_exact_top.lower
    again = gwas.utility(STUDY, top=5, epsilon=20.0, trials=2_000, seed=4)
    assert again.recall == found.recall
    assert gwas.utility(STUDY, top=5, epsilon=20.0, trials=2_000, seed=5).recall != found.recall


def test_ties_at_the_last_place_all_count():
    tied = study([[10, 0, 0], [0, 0, 10], [0, 0, 10], [0, 0, 10]], [[10, 0, 0]] * 4)
    found = gwas.utility(tied, top=2, epsilon=500.0, threshold=0.01, trials=100)
    assert found.probability_exact_top.lower > 1 - 1e-9
    assert found.recall.upper == 1.0
    assert found.recall.lower > 0.9


def test_one_variant_needs_no_draws():
    found = gwas.utility(STUDY, top=1, epsilon=2.0)
    assert found.recall == found.probability_exact_top


def test_the_prior_of_the_adjacency_sets_epsilon():
    assert gwas.utility(STUDY, top=1, gamma=2.0).epsilon == pytest.approx(math.log(2))
    swapped = gwas.utility(STUDY, top=1, gamma=2.0, adjacency="swap")
    assert swapped.epsilon == pytest.approx(math.log(3))
    assert swapped.prior == (0.5, 0.5)
    assert gwas.utility(STUDY, top=1, gamma=2.0, prior=(0.5, 0.5)).epsilon == swapped.epsilon


def test_json_says_that_it_is_not_private():
    found = gwas.utility(STUDY, top=2, gamma=2.0, score="genotypic", trials=50).as_json()
    assert json.loads(json.dumps(found)) == found
    assert found["warning"] == NOT_PRIVATE
    assert "For the owner only" in NOT_PRIVATE
    assert found["probability_exact_top"]["evidence"] == "enclosure"
    assert found["recall"]["evidence"] == "confidence"
    assert (found["adjacency"], found["score"], found["top"]) == ("genotype", "genotypic", 2)
    assert found["scale"] == pytest.approx(2 * 2 * found["sensitivity"] / found["epsilon"])


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
        ({"top": 0, "epsilon": 1.0}, "top >= 1"),
        ({"top": 99, "epsilon": 1.0}, "Expected top <= 43"),
        ({"top": 1}, "exactly one of gamma and epsilon"),
        ({"top": 1, "epsilon": 1.0, "adjacency": "x"}, "adjacency"),
        ({"top": 1, "epsilon": 1.0, "score": "x"}, "score"),
        ({"top": 1, "epsilon": 1.0, "noise": "x"}, "noise"),
        ({"top": 2, "epsilon": 1.0, "trials": 0}, "trials >= 1"),
        ({"top": 2, "epsilon": 1.0, "seed": -1}, "seed >= 0"),
        ({"top": 1, "epsilon": 1.0, "phenotype": "x.txt"}, "no phenotype file"),
    ],
)
def test_arguments_are_checked(arguments, match):
    with pytest.raises(InvalidArgument, match=match):
        gwas.utility(STUDY, **arguments)
    with pytest.raises(InfeasibleTarget):
        gwas.utility(STUDY, top=1, gamma=1.0)


def test_missing_calls_without_a_rule_are_refused():
    cases = STUDY.counts.cases.copy()
    cases[0] += [-1, 0, 0, 1]
    left = attrs.evolve(STUDY, counts=GenotypeCounts(cases, STUDY.counts.controls))
    with pytest.raises(InvalidArgument, match="no missing calls"):
        gwas.utility(left, top=1, epsilon=1.0)
