import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.gwas.genotypes import CountedStudy, GenotypeCounts, MissingRule, Variants
from tests.cases.refusals import refuses

VARIANTS = Variants(["1", "2"], ["rs1", "rs2"], [10, 20], ["A", "C"], ["G", "T"])
COUNTS = GenotypeCounts([[3, 2, 1, 0], [2, 2, 1, 1]], [[1, 1, 1, 1], [4, 0, 0, 0]])


def study(**changes):
    given = {"individuals": 12, "cases": 6, "controls": 4, "missing_calls": 2}
    return CountedStudy(VARIANTS, COUNTS, rule=MissingRule.LEAVE, **(given | changes))


def test_columns_cannot_be_changed():
    for column in (VARIANTS.position, VARIANTS.identifier, COUNTS.cases):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = column[1]
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        COUNTS.cases = COUNTS.controls


def test_arguments_are_copied():
    mine = np.array([[3, 2, 1, 0]])
    counts = GenotypeCounts(mine, mine)
    mine[0, 0] = 99
    assert counts.cases[0, 0] == 3


def test_equal_columns_are_equal():
    assert Variants(["1", "2"], ["rs1", "rs2"], [10, 20], ["A", "C"], ["G", "T"]) == VARIANTS
    assert Variants(["1", "2"], ["rs1", "rs3"], [10, 20], ["A", "C"], ["G", "T"]) != VARIANTS
    assert GenotypeCounts(COUNTS.controls, COUNTS.cases) != COUNTS


def test_variants_are_taken_in_the_order_asked_for():
    picked = VARIANTS.take(np.array([1, 0]))
    assert (len(picked), picked.identifier.tolist(), picked.position.tolist()) == (
        2,
        ["rs2", "rs1"],
        [20, 10],
    )


def test_columns_of_different_length():
    with refuses(InvalidArgument, "five-columns-of-one-length"):
        Variants(["1"], ["rs1", "rs2"], [10, 20], ["A", "C"], ["G", "T"])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([[1, 2, 3]], "shape-n-variants-4: (1, 3)"),
        ([[1, 2, 3, -1]], "negative-one"),
        ([["a", "b", "c", "d"]], "whole-numbers-others"),
        ([[1, 2, 3, 4]] * 2, "as-many-variants-in-cases"),
    ],
)
def test_counts_that_are_none(wrong, message):
    with refuses(InvalidArgument, message):
        GenotypeCounts(wrong, [[1, 2, 3, 4]])


def test_missing_calls_are_counted_and_filled():
    assert COUNTS.missing_calls == 2
    filled = COUNTS.fill_missing()
    assert filled.missing_calls == 0
    assert filled.cases.tolist() == [[3, 2, 1, 0], [3, 2, 1, 0]]
    assert filled.controls.tolist() == [[2, 1, 1, 0], [4, 0, 0, 0]]
    assert COUNTS.missing_calls == 2


def test_a_study_adds_up():
    assert study().cases == 6
    with refuses(InvalidArgument, "every-row-to-add-up: 7"):
        study(cases=7)
    with refuses(InvalidArgument, "row-of-counts-for-each: 2 | 1"):
        attrs.evolve(study(), variants=VARIANTS.take(np.array([0])))


def test_rules_have_words():
    assert MissingRule("major") is MissingRule.MAJOR
    assert MissingRule(MissingRule.LEAVE) is MissingRule.LEAVE
    with refuses(InvalidArgument, "not-one-of: _ | refuse, major, panel, leave | 'mean'"):
        MissingRule("mean")
