import math

import pytest

from deniable.work.time_limit import (
    OutOfTime,
    check,
    ends_at,
    late,
    left,
    limited,
    moment,
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
