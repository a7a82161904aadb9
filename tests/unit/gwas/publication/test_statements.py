import pytest

from deniable.gwas.genotypes import MissingRule
from deniable.gwas.publication import statements
from deniable.gwas.scores.adjacency import StudyAdjacency
from deniable.gwas.scores.scores import Score
from deniable.priors import BoundedPriors

GENOTYPE, SWAP = StudyAdjacency


def test_the_claim_is_the_adjacencys():
    assert statements.unit(GENOTYPE).claim.endswith("is among the participants' genomes")
    assert statements.unit(SWAP).claim == "a given participant is a case"
    assert (statements.unit(SWAP).members, statements.unit(SWAP).others) == ("cases", "controls")
    for adjacency in StudyAdjacency:
        assert statements.unit(adjacency).sentence == adjacency.sentence


@pytest.mark.parametrize("adjacency", list(StudyAdjacency))
def test_a_given_prior_is_called_an_assumption(adjacency):
    given = statements.adversary(adjacency, BoundedPriors(0.3, 0.7), given=True)
    assert given.source == "assumption"
    assert "assumption of the adversary model" in given.sentence
    assert "[0.3, 0.7]" in given.sentence
    assert statements.unit(adjacency).claim in given.sentence
    default = statements.adversary(adjacency, BoundedPriors(0.3, 0.7), given=False)
    assert default.source == "default"
    assert "assumption" not in default.sentence


def test_a_distance_counts_what_its_adjacency_changes():
    assert statements.score_unit(Score.DISTANCE, GENOTYPE) == "genotypes to replace"
    assert statements.score_unit(Score.DISTANCE, SWAP).startswith("swaps")
    assert statements.score_unit(Score.ALLELIC, SWAP) == "allelic χ²"


@pytest.mark.parametrize("adjacency", list(StudyAdjacency))
def test_the_missing_rule_and_relatives_are_named(adjacency):
    refused = " ".join(statements.assumptions(adjacency, MissingRule.REFUSE))
    filled = " ".join(statements.assumptions(adjacency, MissingRule.MAJOR))
    assert "call at every variant" in refused
    assert "two copies of allele 2" in filled
    told = " ".join(statements.not_covered(adjacency, MissingRule.REFUSE))
    for words in ("Relatives", "quality control", "Other releases", "true of everybody"):
        assert words in told
    assert "which allele is called the first" in refused


def test_each_adjacency_says_what_only_the_other_covers():
    assert "twice the stated ε" in " ".join(statements.not_covered(GENOTYPE, MissingRule.REFUSE))
    assert "Who took part" in " ".join(statements.not_covered(SWAP, MissingRule.MAJOR))


def test_a_release_never_leaves_calls_out():
    with pytest.raises(AssertionError):
        statements.assumptions(GENOTYPE, MissingRule.LEAVE)
