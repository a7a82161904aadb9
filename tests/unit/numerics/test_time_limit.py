import math

import pytest

from deniable.numerics.effort import (
    GLANCE,
    PACE,
    OutOfTime,
    check,
    counted,
    ends_at,
    is_counted,
    late,
    left,
    limited,
    moment,
    spend,
)


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


def test_without_a_limit_there_is_always_time():
    check()
    assert not late()
    assert left() == moment() == math.inf


def test_time_runs_out(clock):
    with limited(5.0):
        clock[0] = 4.0
        check()
        assert left() == 1.0
        clock[0] = 5.5
        assert late()
        assert left() == 0.0
        with pytest.raises(OutOfTime):
            check()
    check()


def test_an_inner_limit_can_only_be_earlier(clock):
    with limited(5.0):
        with limited(60.0):
            assert moment() == 5.0
        with limited(2.0):
            assert moment() == 2.0
        with ends_at(3.0):
            clock[0] = 4.0
            assert late()
        assert not late()


def test_counted_time_is_what_the_work_says_and_not_the_clock(clock):
    with limited(5.0), counted(), limited(2.0):
        clock[0] = 1000.0
        assert is_counted()
        assert left() == 2.0
        spend(1.5 * PACE)
        assert left() == 0.5
        check(0.25 * PACE)
        assert left() == 0.25
        assert not late(0.0)
        with pytest.raises(OutOfTime):
            check(0.5 * PACE)
    assert not is_counted()
    assert moment() == math.inf


def test_every_look_counts_so_that_no_work_is_without_end():
    with counted(), limited(3 * GLANCE / PACE):
        looks = 0
        while not late():
            looks += 1
        assert looks <= 3


def test_operations_say_nothing_where_a_clock_is_looked_at(clock):
    with limited(1.0):
        clock[0] = 0.5
        spend(100 * PACE)
        assert left() == 0.5
