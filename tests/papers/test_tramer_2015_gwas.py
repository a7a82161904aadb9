"""Tramèr et al. 2015, §4: the genome study, on the data that the paper used where it is present."""

import numpy as np
import pytest

from deniable.gwas.association.statistics import allele_frequency, genotypic_chi_squared
from deniable.gwas.genotypes import GenotypeCounts
from deniable.gwas.owner.utility import set_probability
from deniable.gwas.publication.request import study_budget
from deniable.gwas.scores.adjacency import StudyAdjacency
from deniable.gwas.scores.scores import Score, scores
from deniable.mechanisms import NoisyTopK
from reproductions._data import shared_data
from reproductions.tramer_2015.studies import hapsample

ANY, HALF = (0.0, 1.0), (0.5, 0.5)


@pytest.fixture(name="study", scope="module")
def the_papers_study():
    folder = shared_data()
    if folder is None:
        pytest.skip("hapsample is not here; $DENIABLE_DATA names its folder")
    return hapsample(folder)


def chance(study, ranked, gamma, prior, noise="gumbel"):
    """The exact probability that the two causal variants are released, at scale 2MΔ/ε, M = 2."""
    budget = study_budget(cases=1, controls=1, adjacency=ranked.adjacency, gamma=gamma, prior=prior)
    scale = 4 * ranked.sensitivity_steps / budget.epsilon
    bound = set_probability(ranked.steps, study.causal, NoisyTopK(scale, 2, noise))
    return bound.lower


def mean_chance(study, size, score, adjacency, gamma, prior):
    chances = [
        chance(study, scores(counts, score=score, adjacency=adjacency), gamma, prior)
        for counts in study.resampled(size, 4, seed=7)
    ]
    return np.mean(chances)


def test_section_4_1_example_by_the_library():
    """Cases 70/10/20, controls 40/30/30: allele frequency .35, χ² 20.181818."""
    counts = GenotypeCounts([[70, 10, 20, 0]], [[40, 30, 30, 0]])
    assert allele_frequency(counts).tolist() == pytest.approx([0.35])
    assert genotypic_chi_squared(counts).tolist() == pytest.approx([20.181818], abs=5e-7)


def test_headline_10000_or_7500_participants_at_gamma_2(study):
    """§4.3: with genotypes as neighbours the unbounded adversary needs 10,000, prior ½ 7,500."""
    setting = study, Score.GENOTYPIC, StudyAdjacency.GENOTYPE

    def measured(size, prior):
        return mean_chance(setting[0], size, *setting[1:], 2.0, prior)

    assert measured(7500, ANY) < 0.9
    assert measured(7500, HALF) > 0.98
    assert measured(10_000, ANY) > 0.9


def test_the_headlines_prior_belongs_to_another_adjacency(study):
    """Prior ½ is about who is a case; under that swap 7,500 participants are not enough."""
    swap = mean_chance(study, 7500, Score.GENOTYPIC, StudyAdjacency.SWAP, 2.0, HALF)
    genotype = mean_chance(study, 7500, Score.GENOTYPIC, StudyAdjacency.GENOTYPE, 2.0, HALF)
    assert swap < 0.5 < genotype


def test_the_distance_score_needs_the_2000_participants_of_the_study_itself(study):
    """At ε = ln 2: .937 with Gumbel noise, .964 with the exponential noise of a release."""
    counts = GenotypeCounts(
        *(
            np.pad(group.sum(axis=2).T.astype(np.int64), ((0, 0), (0, 1)))
            for group in (study.cases, study.controls)
        )
    )
    ranked = scores(counts, score=Score.DISTANCE, adjacency=StudyAdjacency.GENOTYPE)
    assert chance(study, ranked, 2.0, ANY) == pytest.approx(0.937, abs=5e-4)
    assert chance(study, ranked, 2.0, ANY, "exponential") == pytest.approx(0.964, abs=5e-4)
