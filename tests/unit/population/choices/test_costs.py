import math

from deniable.population.choices.costs import TUNING, adjacent, allowed_operations, enumeration


def test_operations_grow_with_the_work_and_with_large_scores():
    assert enumeration(24, 12, 32) < enumeration(30, 15, 32)
    assert enumeration(30, 15, 32) < enumeration(30, 15, 320)
    assert enumeration(30, 15, 32) < enumeration(30, 15, 32, spread=1e3)
    assert adjacent(24, 12, 32) < adjacent(30, 15, 32) < adjacent(30, 15, 320)


def test_more_samples_than_floats_count():
    assert enumeration(5000, 2500, 32) == adjacent(5000, 2500, 32) == math.inf


def test_what_a_time_limit_allows():
    assert allowed_operations(2.0) == 2 * TUNING.pace
    assert enumeration(36, 18, 32) > allowed_operations(60.0) > enumeration(32, 16, 32)
