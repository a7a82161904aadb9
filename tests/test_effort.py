"""The whole suite takes half of what is alike, and two commits take it all."""

import pytest

from tests.cases.effort import half_of_this_commit, one_half

NAMES = [
    "docs/page.md::page.md",
    "src/deniable/module.py::deniable.module.function",
    "tests/laws/test_b.py::test_one",
    *(f"tests/attacks/test_c.py::test_crossed[{x}-{y}]" for x in range(8) for y in ("low", "high")),
    *(f"tests/laws/test_d.py::test_{x}" for x in range(3)),
    *(f"tests/unit/test_e.py::test_{x}" for x in "ab"),
    *(f"tests/unit/test_e.py::test_c[{x}]" for x in range(2)),
]


def test_both_halves_together_are_all_and_share_only_what_is_alone():
    first, second = (one_half(NAMES, half) for half in (0, 1))
    assert first | second == set(NAMES)
    assert first & second == {*NAMES[:3], *NAMES[-4:-2]}
    assert (len(first), len(second)) == (3 + 8 + 2 + 2 + 1, 3 + 8 + 1 + 2 + 1)


@pytest.mark.parametrize("half", [0, 1])
def test_of_crossed_parameters_no_value_is_left_out_as_a_whole(half):
    assert {name[-4:] for name in one_half(NAMES, half) if "crossed" in name} == {"low]", "igh]"}


def test_a_commit_has_one_half():
    assert half_of_this_commit() == half_of_this_commit()
    assert half_of_this_commit() in {0, 1}
