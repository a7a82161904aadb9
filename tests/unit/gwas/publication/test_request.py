import math
from fractions import Fraction

import pytest

from deniable.certificate.study import StudySize
from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.gwas.genotypes import GenotypeCounts, MissingRule
from deniable.gwas.scores.scores import Score, scores
from tests.cases.sample_study import SIZE, prepared, request


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gamma": None}, "exactly one of gamma and epsilon, got none"),
        ({"gamma": 2.0, "epsilon": 1.0}, "exactly one of gamma and epsilon, got both"),
        ({"gamma": 0.5}, "Expected gamma >= 1"),
        ({"epsilon": 0.0}, "Expected epsilon > 0"),
        ({"top": 0}, "Expected top >= 1"),
        ({"top": 1.5}, "a whole number"),
        ({"prior": (0.7, 0.3)}, "Put the lower end first"),
        ({"prior": 0.5}, "Expected prior to be two numbers"),
        ({"adjacency": "replace-one"}, "one of genotype, swap, got 'replace-one'"),
        ({"score": "trend"}, "one of distance, allelic, genotypic"),
        ({"threshold": "fdr"}, "one of bonferroni"),
        ({"threshold": 2.0}, "Expected 0 < threshold < 1"),
        ({"missing": "leave"}, "one of refuse, major, got 'leave'"),
        ({"missing": MissingRule.LEAVE}, "one of refuse, major, got 'leave'"),
    ],
    ids=str,
)
def test_wrong_arguments(changes, message):
    with pytest.raises(InvalidArgument, match=message):
        request(**changes)


def test_more_variants_than_there_are_and_targets_that_no_noise_meets():
    with pytest.raises(InvalidArgument, match="top <= 5000, the number of variants, got top=5001"):
        prepared(top=5001)
    with pytest.raises(InfeasibleTarget):
        prepared(gamma=1.0)


@pytest.mark.parametrize("adjacency", ["genotype", "swap"])
@pytest.mark.parametrize("score", list(Score))
def test_step_and_sensitivity_are_those_of_the_scores(adjacency, score):
    """The real scores of any study of the size, computed from its counts."""
    asked = request(adjacency=adjacency, score=score, top=2)
    counts = GenotypeCounts(
        [[4, 5, 1, 0], [10, 0, 0, 0], [2, 2, 6, 0]], [[3, 10, 7, 0], [0, 0, 20, 0], [18, 1, 1, 0]]
    )
    found = scores(counts, score=asked.score, adjacency=asked.adjacency)
    made = prepared(StudySize(10, 20, 3), adjacency=adjacency, score=score, top=2)
    assert made.selection.part == found.selection(2)
    assert made.line == found.threshold


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
