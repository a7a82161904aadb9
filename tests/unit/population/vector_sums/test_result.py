import numpy as np
import pytest

from deniable.bounds import Evidence
from deniable.population.vector_sums.result import Budget, CrowdResult, bracket
from deniable.population.work.effort import Effort

EFFORT = Effort(confidence=0.9, seed=3)


def test_the_budget_is_spent_once():
    both, upper = (Budget.of(EFFORT, lower_given=given) for given in (False, True))
    assert both.upper + both.lower == pytest.approx(0.1)
    assert both.upper + both.lower <= 1 - 0.9
    assert upper.upper == pytest.approx(0.1)
    assert upper.lower == 0
    assert both.split(10).upper == pytest.approx(both.upper / 10)


def test_a_bracket_never_crosses_nor_passes_a_known_end():
    ends = np.array([0.5, 0.2, 0.9]), np.array([1.0, np.inf, 2.0])
    found = bracket(np.array([4, 7, 9]), ends, np.array([3.0, 0.6, 0.7]), EFFORT, 12)
    assert found.upper.tolist() == [1.0, 0.6, 0.7]
    assert found.lower.tolist() == [0.5, 0.2, 0.7]
    assert (found.evidence, found.confidence, found.draws, found.seed) == (
        Evidence.CONFIDENCE,
        0.9,
        12,
        3,
    )


def test_a_result_does_not_change():
    ends = np.array([0.5]), np.array([1.0])
    result = CrowdResult(bracket(np.array([0]), ends, None, EFFORT, 1), 2, 1, 0.1, 0.1)
    with pytest.raises(AttributeError):
        result.candidates = 3
