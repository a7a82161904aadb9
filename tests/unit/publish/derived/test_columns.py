"""What a derived column says before a row is looked at: labels, kinds, keys, what it reads."""

import pytest

from deniable.publish.derived import (
    Arithmetic,
    Bands,
    CalendarPart,
    Days,
    TruthValue,
    default_labels,
)
from deniable.publish.query import Condition
from deniable.publish.sources import Kind, needed, source_columns, with_derived


@pytest.mark.parametrize(
    ("bounds", "labels"),
    [
        ((0.0, 18.0, 65.0, 120.0), ("0-17", "18-64", "65-120")),
        ((0.0, 1.0, 2.0), ("0", "1-2")),
        ((-5.0, -4.0, 0.0, 3.0), ("-5", "-4 to -1", "0-3")),
        ((0.0, 0.5, 1.0), None),
        ((0.0, 1e300), (f"0-{int(1e300)}",)),
    ],
)
def test_labels_of_bands_between_whole_numbers(bounds, labels):
    assert default_labels(bounds) == labels


KINDS = {"i": Kind.INTEGER, "x": Kind.NUMBER, "d": Kind.DATE}
CHAIN = (
    Days("days", "d", "d"),
    Arithmetic("sum", "sum", "days", "i"),
    Arithmetic("ratio", "ratio", "sum", 2),
    Arithmetic("product", "product", "i", "x"),
    Arithmetic("half", "product", 0.5, "i"),
    Bands("band", "sum", (0.0, 1.0), ("a",)),
    TruthValue("long", Condition("days", ">", 14)),
    CalendarPart("year", "d", "year"),
)


def test_a_kind_follows_from_the_kinds_of_what_is_read():
    kinds = with_derived(KINDS, CHAIN)
    assert {each.name: kinds[each.name] for each in CHAIN} == {
        "days": Kind.INTEGER, "sum": Kind.INTEGER, "ratio": Kind.NUMBER, "product": Kind.NUMBER,
        "half": Kind.NUMBER, "band": Kind.TEXT, "long": Kind.BOOLEAN, "year": Kind.TEXT,
    }  # fmt: skip


def test_only_what_is_needed_is_read_and_computed():
    assert [each.name for each in needed(["ratio", "i"], CHAIN)] == ["days", "sum", "ratio"]
    assert source_columns(["ratio", "x", "long"], CHAIN) == ["d", "i", "x"]
    assert (needed(["x"], CHAIN), source_columns(["x"], CHAIN)) == ([], ["x"])


def test_values_that_no_row_can_have_are_known():
    band, year, long = CHAIN[5], CHAIN[7], CHAIN[6]
    assert (band.can_be("a"), band.can_be("b"), band.keys) == (True, False, ("a",))
    assert (year.can_be("2024"), year.can_be("24"), year.keys) == (True, False, ())
    assert (long.can_be(True), long.keys) == (True, (False, True))
    assert CHAIN[0].can_be(10**9)
