import pytest

from deniable.judge.progress import part, silent


def test_parts_follow_one_another():
    told = []
    for start, end in ((0.0, 0.3), (0.3, 0.9), (0.9, 1.0)):
        each = part(told.append, start, end)
        for done in (0.0, 0.5, 1.0):
            each(done)
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0.0, 1.0)
    assert told[4] == pytest.approx(0.6)


def test_a_part_of_a_part():
    told = []
    part(part(told.append, 0.5, 1.0), 0.5, 1.0)(0.5)
    assert told == [0.875]


def test_nobody_watches():
    assert silent(0.5) is None
