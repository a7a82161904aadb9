import math

from deniable.population.choices.enumeration import (
    TUNING,
    allowed_operations,
    count_adjacent_operations,
    count_operations,
)


def test_operations_grow_with_the_work_and_with_large_scores():
    assert count_operations(24, 12, 32) < count_operations(30, 15, 32)
    assert count_operations(30, 15, 32) < count_operations(30, 15, 320)
    assert count_operations(30, 15, 32) < count_operations(30, 15, 32, spread=1e3)
    assert (
        count_adjacent_operations(24, 12, 32)
        < count_adjacent_operations(30, 15, 32)
        < count_adjacent_operations(30, 15, 320)
    )


def test_more_samples_than_floats_count():
    assert count_operations(5000, 2500, 32) == count_adjacent_operations(5000, 2500, 32) == math.inf


def test_what_a_time_limit_allows():
    assert allowed_operations(2.0) == 2 * TUNING.pace
    assert count_operations(36, 18, 32) > allowed_operations(60.0) > count_operations(32, 16, 32)
