"""Published tables, all together, against an enumeration of everybody's membership."""

import pytest

from tests.cases.effort import usual
from tests.cases.joint_rules import differences, random_case
from tests.cases.larger_rules import misses


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_random_tables_are_judged_as_by_enumeration(tmp_path, first):
    """`python -m tests.cases.joint_rules 10000` goes on from here."""
    cases = range(first, first + usual(9, 50))
    assert {
        seed: wrong for seed in cases if (wrong := differences(random_case(seed), tmp_path))
    } == {}


def test_beliefs_of_larger_tables_are_enclosed():
    """`python -m tests.cases.larger_rules 10000` goes on from here."""
    answers = [misses(seed) for seed in range(usual(7, 20))]
    assert [wrong for wrong, _ in answers if wrong] == []
    assert all(enclosed for _, enclosed in answers)
