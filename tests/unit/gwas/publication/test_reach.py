"""What a release can find: against simulated choices, scans of tables, and its own noise."""

import numpy as np
import pytest

from deniable.certificate.study import StudySize
from deniable.gwas.owner.selection_draws import selection_draws
from deniable.gwas.owner.selection_law import set_probability
from deniable.gwas.publication.noisy_alleles import CountNoise, noisy_alleles
from deniable.gwas.publication.reach import least_lead, least_probability, reach
from deniable.gwas.publication.request import CONFIDENCE
from deniable.gwas.scores.adjacency import StudyAdjacency
from deniable.gwas.scores.distance import signed_distance
from deniable.mechanisms import NoisyTopK, SelectionNoise
from tests.cases.sample_study import SIZE, prepared


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
    asked = prepared(adjacency=adjacency, threshold=threshold, epsilon=4.0)
    found = reach(asked)
    assert found.probability == CONFIDENCE
    assert [share for share, _ in found.chi_squared] == [0.1, 0.5]
    for _, chi_squared in found.chi_squared:
        assert asked.line < chi_squared < 2 * (SIZE.cases + SIZE.controls)
    stricter = reach(prepared(adjacency=adjacency, threshold=threshold, epsilon=1.0))
    assert stricter.lead > found.lead
    for weak, strong in zip(found.chi_squared, stricter.chi_squared, strict=True):
        assert strong[1] is None or strong[1] > weak[1]


def test_the_example_by_hand():
    """A tenth of 2,000 controls' alleles; cases in Hardy and Weinberg's ratios, one at a time."""
    asked = prepared(epsilon=4.0)
    found = reach(asked)
    controls = np.array([[1620, 360, 20]])
    for share in np.linspace(0.1, 0.5, 4001):
        two, one = round(1000 * share**2), round(2000 * share * (1 - share))
        cases = np.array([[1000 - one - two, one, two]])
        if signed_distance(cases, controls, asked.line)[0] >= found.lead:
            break
    x, y = one + 2 * two, 400
    expected = 6000 * (x * 2000 - y * 1000) ** 2 / (1000 * 2000 * (x + y) * (6000 - x - y))
    assert dict(found.chi_squared)[0.1] == pytest.approx(expected, rel=0.02)


def test_a_small_budget_finds_nothing_reliably():
    found = reach(prepared(epsilon=0.01))
    assert not found.possible
    assert found.largest_probability < 0.01
    assert dict(found.chi_squared) == {0.1: None, 0.5: None}
    assert reach(prepared(epsilon=50.0)).possible


def test_scores_that_are_chi_squared_need_no_example():
    found = reach(prepared(score="allelic"))
    assert found.chi_squared == ()
    assert found.largest_lead == pytest.approx(2 * (SIZE.cases + SIZE.controls), rel=1e-5)


@pytest.mark.parametrize("size", [StudySize(40, 90, 10), StudySize(60, 60, 10)])
def test_frequencies_that_differ_by_more_than_said_are_more_than_noise(size):
    asked = prepared(size, top=1, epsilon=1.0, statistics=True)
    least = reach(asked).frequency_difference
    reaching = CountNoise.of(asked.statistics.mechanism, CONFIDENCE)
    pairs = [(x, y) for x in range(2 * size.cases + 1) for y in range(2 * size.controls + 1)]
    found = noisy_alleles(np.array(pairs).T.ravel(), size.cases, size.controls, reaching)
    for (x, y), each in zip(pairs, found, strict=True):
        apart = abs(x * size.controls - y * size.cases) / (2 * size.cases * size.controls)
        assert each.above_noise is (apart > least * (1 + 1e-12))


def test_only_published_statistics_have_a_difference():
    assert reach(prepared()).frequency_difference is None
