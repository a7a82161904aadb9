import pytest

from deniable.bounds import Bound, Evidence
from deniable.errors import NotApplicable
from deniable.population.answer.answer import Noise, RecordBound
from deniable.population.answer.bracket import Bracket, Promise, Setting, answer
from deniable.population.answer.record_bounds import RecordBounds

FOUND = RecordBounds([3, 5, 8], [0.1, 0.4, 0.0], [0.3, 0.6, 0.7], Evidence.ENCLOSURE)
MIXED = Bracket(FOUND, ("projection", "threshold", "none"), ("crowd", "crowd", "pairwise"))


def test_the_worst_record_gives_the_method():
    assert MIXED.population_epsilon == Bound(0.4, 0.7, Evidence.ENCLOSURE)
    assert MIXED.upper() == 0.7
    assert MIXED.method == "pairwise"
    assert MIXED.each()[1] == RecordBound(
        5, Bound(0.4, 0.6, Evidence.ENCLOSURE), "threshold", "crowd"
    )


def test_another_theorem_cuts_every_record():
    found = MIXED.capped(0.35).found
    assert found.upper.tolist() == [0.3, 0.35, 0.35]
    assert found.lower.tolist() == [0.1, 0.35, 0.0]


def test_an_estimate_certifies_nothing():
    guess = Bracket.by("guess", RecordBounds([0], [0.1], [0.2], Evidence.ESTIMATE))
    with pytest.raises(NotApplicable, match="got an estimate"):
        guess.upper()


@pytest.mark.parametrize(("asked", "listed"), [("worst", []), ("all", [3, 5, 8])])
def test_the_answer(asked, listed):
    found = answer(MIXED, Setting(2, 8, 0.1, asked), Noise("sigma", 2.0), Promise(5.0, 2.0, 1.0))
    assert [each.record for each in found.records] == listed
    assert found.worst_record == 8
    assert (found.epsilon, found.epsilon_restricted_sensitivity) == (5.0, 2.0)
    assert found.attack_success == pytest.approx(0.70137, abs=1e-5)
    assert found.bayes_success == pytest.approx(0.775)
    assert found.seconds >= 0
