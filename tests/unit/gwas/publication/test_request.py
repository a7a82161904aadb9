"""What is asked for: noise, beliefs, and how far a release reaches."""

import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.gwas.certificates import Stratum, StudySize
from deniable.gwas.genotypes import GenotypeCounts, MissingRule
from deniable.gwas.owner import selection_draws, set_probability
from deniable.gwas.publication import (
    CONFIDENCE,
    CountNoise,
    least_lead,
    least_probability,
    noisy_alleles,
    prior_after_frequencies,
    reach,
    study_budget,
)
from deniable.gwas.scores import Score, StudyAdjacency, scores, signed_distance
from deniable.mechanisms import NoisyTopK, SelectionNoise
from deniable.priors import BoundedPriors
from tests.cases.divided import strata_for
from tests.cases.refusals import refuses
from tests.cases.sample_study import SIZE, prepared, request


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gamma": None}, "exactly-one-target-of-gamma"),
        (
            {"gamma": 2.0, "epsilon": 1.0},
            "exactly-one-target-of-max-posterior: gamma | epsilon | gamma | epsilon",
        ),
        ({"gamma": 0.5}, "below-least: gamma | 1"),
        ({"epsilon": 0.0}, "not-above-0: epsilon"),
        ({"top": 0}, "below-least: top | 1"),
        ({"top": 1.5}, "not-whole"),
        ({"prior": (0.7, 0.3)}, "ends-swapped"),
        ({"prior": 0.5}, "not-two-numbers: prior"),
        ({"adjacency": "replace-one"}, "not-one-of: _ | genotype, swap | 'replace-one'"),
        ({"score": "odds"}, "one-of-score-distance: _ | distance | allelic | genotypic | trend"),
        ({"threshold": "fdr"}, "threshold-to-one-of-bonferroni"),
        ({"threshold": 2.0}, "not-between-0-and-1: threshold"),
        ({"missing": "leave"}, "not-one-of: _ | refuse, major, panel | 'leave'"),
        ({"missing": MissingRule.LEAVE}, "not-one-of: _ | refuse, major, panel | 'leave'"),
    ],
    ids=str,
)
def test_wrong_arguments(changes, message):
    with refuses(InvalidArgument, message):
        request(**changes)


def test_more_variants_than_there_are_and_targets_that_no_noise_meets():
    with refuses(InvalidArgument, "top-at-most-number-of-variants: 5000 | 5001"):
        prepared(top=5001)
    with pytest.raises(InfeasibleTarget):
        prepared(gamma=1.0)


@pytest.mark.parametrize("adjacency", ["genotype", "swap"])
@pytest.mark.parametrize("score", list(Score))
def test_step_and_sensitivity_are_those_of_the_scores(adjacency, score):
    """The real scores of any study of the size, computed from its counts."""
    wanted = request(adjacency=adjacency, score=score, top=2)
    counts = GenotypeCounts(
        [[4, 5, 1, 0], [10, 0, 0, 0], [2, 2, 6, 0]], [[3, 10, 7, 0], [0, 0, 20, 0], [18, 1, 1, 0]]
    )
    strata = strata_for(wanted.score, counts)
    scored = scores(counts, score=wanted.score, adjacency=wanted.adjacency, strata=strata)
    divided = tuple(Stratum(*each) for each in (strata.sizes if strata else ()))
    made = prepared(StudySize(10, 20, 3, divided), adjacency=adjacency, score=score, top=2)
    assert made.selection.part == scored.selection(2)
    assert made.line == scored.threshold


@pytest.mark.parametrize("epsilon", [1e-3, math.log(2), 0.1 + 0.2, 3.0])
def test_shares_are_half_each_and_no_more_than_the_budget(epsilon):
    made = prepared(epsilon=epsilon, statistics=True)
    shares = [Fraction(part.share.epsilon) for part in (made.selection, made.statistics)]
    assert sum(shares) <= Fraction(made.calibration.epsilon) == Fraction(epsilon)
    assert shares[0] == shares[1] == Fraction(epsilon) / 2
    assert Fraction(prepared(epsilon=epsilon).selection.share.epsilon) == Fraction(epsilon)


def test_the_default_prior_is_the_adjacencys():
    assert prepared().calibration.adversary.low == 0
    third = prepared(adjacency="swap").calibration.adversary
    assert third.low <= SIZE.cases / (SIZE.cases + SIZE.controls) <= third.high
    assert third.high - third.low < 1e-15


def test_half_widths_are_the_mechanisms_own():
    made = prepared(score="allelic", statistics=True)
    gap = made.selection.mechanism.score_gap(SIZE.variants, 0.95)
    assert made.selection.half_width_95 == gap * made.selection.part.step
    assert made.statistics.half_width_95 == made.statistics.mechanism.half_width(0.95)


GENOTYPE, SWAP = StudyAdjacency


def budget(adjacency, **target):
    return study_budget(cases=1000, controls=1000, adjacency=adjacency, **target)


def test_each_adjacency_has_its_default_prior():
    assert budget(GENOTYPE, gamma=2.0).epsilon == pytest.approx(math.log(2), abs=1e-12)
    assert budget(SWAP, gamma=2.0).epsilon == pytest.approx(math.log(3), abs=1e-12)
    one_in_four = study_budget(cases=500, controls=1500, adjacency=SWAP, gamma=2.0)
    # ((1 − a)γ/(1 − aγ), (γ + b − 1)/b) = (3, 5)
    assert one_in_four.epsilon == pytest.approx(math.log(3), abs=1e-12)


def test_a_prior_of_the_owner_s_wins():
    calibrated = budget(GENOTYPE, gamma=2.0, prior=(0.1, 0.9))
    assert calibrated.epsilon == pytest.approx(0.747214, abs=1e-6)
    assert calibrated.adversary == BoundedPriors(0.1, 0.9)


def test_epsilon_outright():
    calibrated = budget(GENOTYPE, epsilon=1.0)
    assert calibrated.epsilon == 1.0
    assert calibrated.gamma == pytest.approx(math.e)


@pytest.mark.parametrize("target", [{}, {"gamma": 2.0, "epsilon": 1.0}])
def test_exactly_one_target(target):
    with refuses(InvalidArgument, "exactly-one-target-of-gamma-max-posterior"):
        budget(SWAP, **target)


@pytest.mark.parametrize(
    ("target", "epsilon"),
    [
        ({"max_posterior": 0.75, "prior": (0.0, 0.5)}, math.log(3)),
        ({"attack_success": 0.75}, math.log(3)),
        ({"advantage": 0.5}, math.log(3)),
    ],
)
def test_a_limit_on_beliefs_or_attacks_is_the_budget_that_keeps_to_it(target, epsilon):
    """By hand: odds of .5 that become .8, a guess right 3 times of 4, (e^ε − 1)/(e^ε + 1) = ½."""
    calibrated = budget(GENOTYPE, **target)
    assert calibrated.epsilon == pytest.approx(epsilon, abs=1e-12)
    assert calibrated.epsilon <= epsilon
    assert calibrated.target.value in target.values()


def test_what_is_no_target_of_a_study_is_refused():
    with refuses(InvalidArgument, "not-one-of: target"):
        budget(GENOTYPE, identifiability=0.5)


def test_published_frequencies_widen_the_prior():
    m, n, z = 300, 1000, 2.5
    prior = prior_after_frequencies(0.2, unlinked_variants=m, pool=n, deviations=z)
    shift = m / (2 * n) + z * math.sqrt(m / n)
    for end, sign in ((prior.low, -1), (prior.high, 1)):
        logit = math.log(0.2 / 0.8) + sign * shift
        assert end == pytest.approx(1 / (1 + math.exp(-logit)), rel=1e-12)


def test_extremes_stay_within_0_and_1():
    everything = prior_after_frequencies(0.5, unlinked_variants=10**9, pool=1)
    assert (everything.low, everything.high) == pytest.approx((0.0, 1.0))
    assert prior_after_frequencies(0.3, unlinked_variants=0, pool=5) == BoundedPriors(0.3, 0.3)


@pytest.mark.parametrize(
    ("prior", "m", "n", "z", "match"),
    [
        (0.0, 1, 1, 1.0, "not-between-0-and-1: prior"),
        (0.5, -1, 1, 1.0, "below-least: unlinked_variants"),
        (0.5, 1, 0, 1.0, "below-least: pool"),
        (0.5, 1, 1, -1.0, "below-least: deviations"),
    ],
)
def test_arguments_are_checked(prior, m, n, z, match):
    with refuses(InvalidArgument, match):
        prior_after_frequencies(prior, unlinked_variants=m, pool=n, deviations=z)


@pytest.mark.parametrize("noise", list(SelectionNoise))
@pytest.mark.parametrize("lead", [0, 3, 9, 20])
@pytest.mark.parametrize("others", [1, 4, 30])
def test_a_leading_variant_is_chosen_at_least_as_often_as_said(noise, lead, others):
    exact = set_probability([lead, *[0] * others], [0], NoisyTopK(3.0, 1, noise))
    promised = least_probability(3.0, others, lead)
    assert promised <= exact.upper
    if noise is SelectionNoise.GUMBEL:
        assert promised == pytest.approx(exact.lower, rel=1e-9)


@pytest.mark.parametrize("noise", list(SelectionNoise))
@pytest.mark.parametrize("stronger", [0, 1, 2])
@pytest.mark.parametrize("ahead", [0, 5, 100])
def test_so_it_is_where_fewer_than_all_places_are_taken_by_stronger_ones(noise, stronger, ahead):
    """20,000 choices: six standard errors above the promise would come once in 10^9."""
    scores = np.array([12, *[12 + ahead] * stronger, *[0] * (20 - stronger)])
    mechanism = NoisyTopK(3.0, 3, noise)
    drawn = selection_draws(scores, mechanism, np.random.default_rng(1), 20_000)
    share, promised = np.mean((drawn == 0).any(axis=1)), least_probability(3.0, 20, 12)
    assert share >= promised - 6 * np.sqrt(promised * (1 - promised) / 20_000)


@pytest.mark.parametrize("probability", [0.5, 0.95])
@pytest.mark.parametrize("others", [1, 999])
def test_lead_and_probability_are_inverse(probability, others):
    lead = least_lead(7.0, others, probability)
    assert probability <= least_probability(7.0, others, lead * (1 + 1e-12))
    assert least_probability(7.0, others, lead) == pytest.approx(probability, rel=1e-12)


def test_alone_every_variant_is_chosen():
    assert (least_lead(7.0, 0, 0.95), least_probability(7.0, 0, 0.0)) == (0.0, 1.0)


@pytest.mark.parametrize("adjacency", list(StudyAdjacency))
@pytest.mark.parametrize("threshold", ["bonferroni", 1e-4])
def test_the_example_has_the_distance_that_the_lead_asks_for(adjacency, threshold):
    study = prepared(adjacency=adjacency, threshold=threshold, epsilon=4.0)
    reached = reach(study)
    assert reached.probability == CONFIDENCE
    assert [share for share, _ in reached.chi_squared] == [0.1, 0.5]
    for _, chi_squared in reached.chi_squared:
        assert study.line < chi_squared < 2 * (SIZE.cases + SIZE.controls)
    stricter = reach(prepared(adjacency=adjacency, threshold=threshold, epsilon=1.0))
    assert stricter.lead > reached.lead
    for weak, strong in zip(reached.chi_squared, stricter.chi_squared, strict=True):
        assert strong[1] is None or strong[1] > weak[1]


def test_the_example_by_hand():
    """A tenth of 2,000 controls' alleles; cases in Hardy and Weinberg's ratios, one at a time."""
    study = prepared(epsilon=4.0)
    reached = reach(study)
    controls = np.array([[1620, 360, 20]])
    for share in np.linspace(0.1, 0.5, 1001):
        two, one = round(1000 * share**2), round(2000 * share * (1 - share))
        cases = np.array([[1000 - one - two, one, two]])
        if signed_distance(cases, controls, study.line)[0] >= reached.lead:
            break
    x, y = one + 2 * two, 400
    expected = 6000 * (x * 2000 - y * 1000) ** 2 / (1000 * 2000 * (x + y) * (6000 - x - y))
    assert dict(reached.chi_squared)[0.1] == pytest.approx(expected, rel=0.02)


def test_a_small_budget_finds_nothing_reliably():
    reached = reach(prepared(epsilon=0.01))
    assert not reached.possible
    assert reached.largest_probability < 0.01
    assert dict(reached.chi_squared) == {0.1: None, 0.5: None}
    assert reach(prepared(epsilon=50.0)).possible


def test_scores_that_are_chi_squared_need_no_example():
    reached = reach(prepared(score="allelic"))
    assert reached.chi_squared == ()
    assert reached.largest_lead == pytest.approx(2 * (SIZE.cases + SIZE.controls), rel=1e-5)


@pytest.mark.parametrize("size", [StudySize(20, 45, 10), StudySize(30, 30, 10)])
def test_frequencies_that_differ_by_more_than_said_are_more_than_noise(size):
    study = prepared(size, top=1, epsilon=1.0, statistics=True)
    least = reach(study).frequency_difference
    reaching = CountNoise.of(study.statistics.mechanism, CONFIDENCE)
    pairs = [(x, y) for x in range(2 * size.cases + 1) for y in range(2 * size.controls + 1)]
    alleles = noisy_alleles(np.array(pairs).T.ravel(), size.cases, size.controls, reaching)
    for (x, y), each in zip(pairs, alleles, strict=True):
        apart = abs(x * size.controls - y * size.cases) / (2 * size.cases * size.controls)
        assert each.above_noise is (apart > least * (1 + 1e-12))


def test_only_published_statistics_have_a_difference():
    assert reach(prepared()).frequency_difference is None
