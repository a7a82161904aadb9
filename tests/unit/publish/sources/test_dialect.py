import codecs

import pytest

from deniable.publish.sources import ENCODINGS, Cleaning, Dialect

CLEANING = Cleaning(
    trim=("t",), fold=("t", "u"), recode={"t": {"a": "B", "b": "a"}, "v": {"": "x"}}
)


def test_every_encoding_is_one_that_python_reads():
    assert len(set(ENCODINGS)) == len(ENCODINGS)
    assert all(codecs.lookup(encoding)._is_text_encoding for encoding in ENCODINGS)


@pytest.mark.parametrize(
    ("column", "text", "expected"),
    [
        ("t", " A\t", "B"),
        ("t", "\u00a0b\n", "a"),
        ("t", "C", "c"),
        ("u", " A", " a"),
        ("v", "", "x"),
        ("v", " ", " "),
        ("w", " A", " A"),
    ],
)
def test_a_text_is_trimmed_folded_and_recoded_once(column, text, expected):
    assert CLEANING.cleaned(column, text) == expected


@pytest.mark.parametrize(
    ("column", "text", "left"),
    [("t", "B", True), ("t", "a", True), ("t", "b", False), ("t", "C", False), ("w", "C", True)],
)
def test_what_can_be_left(column, text, left):
    assert CLEANING.leaves(column, text) is left


def test_columns_are_named_once():
    assert CLEANING.columns == ("t", "u", "v")


def test_a_dialect_is_a_value():
    assert hash(Dialect()) == hash(Dialect(encoding="utf-8"))
