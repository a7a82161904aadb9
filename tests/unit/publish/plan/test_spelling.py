import datetime
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.errors.public_names import plain
from deniable.publish.plan import (
    TYPES,
    format_key,
    format_toml_value,
    known_keys,
    quote_text,
    spelling,
    suggestion,
)
from deniable.publish.query import OPERATORS, STATISTICS

texts = st.text(st.characters(exclude_categories=("Cs",)))


@given(texts)
def test_quoted_text_and_keys_are_toml_on_one_line(text):
    line = f"{format_key(text)} = {quote_text(text)} # {quote_text(text)}"
    assert tomllib.loads(line) == {text: text}
    assert len(line.splitlines()) == 1


@pytest.mark.parametrize(("key", "written"), [("a-1_B", "a-1_B"), ("a b", '"a b"'), ("", '""')])
def test_a_key_is_bare_where_it_can_be(key, written):
    assert format_key(key) == written


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, "true"),
        ("a\n", '"a\\n"'),
        (1.5, "1.5"),
        ([1, "a", [False]], '[1, "a", [false]]'),
        ({"a b": 1}, '{ "a b" = 1 }'),
        (datetime.date(2024, 1, 31), "2024-01-31"),
        (datetime.time(1, 2), "01:02:00"),
        (1 << 10_000, "a number of 10001 bits"),
    ],
)
def test_values_are_shown_as_a_plan_writes_them(value, expected):
    assert format_toml_value(value) == expected


def test_long_values_are_cut():
    assert format_toml_value("x" * 1000) == '"' + "x" * 58 + "…"


def test_suggestions():
    assert suggestion("colunm", ["column", "name"]) == 'Did you mean "column"?'
    assert suggestion("AGE", ["age", "sex"]) == 'Did you mean "age"?'
    assert suggestion("zzz", ["b", "a"]) == 'Known: "a", "b".'
    assert suggestion("zzz", map(str, range(30))).endswith(", ….")
    assert suggestion("zzz", []) == "Remove it."


OTHERS = {word for made in STATISTICS.values() for word in made.OTHERS}


@pytest.mark.parametrize("words", [OTHERS, spelling.TYPES, known_keys.OTHER_WORDS])
def test_words_of_others_are_written_as_they_are_looked_up(words):
    assert all(plain(word) == word for word in words)


def test_words_of_others_lead_to_words_of_ours():
    assert set(spelling.TYPES.values()) <= set(TYPES)
    assert not OTHERS & set(STATISTICS)
    assert len(OTHERS) == sum(len(made.OTHERS) for made in STATISTICS.values())


@pytest.mark.parametrize(
    ("value", "expected"),
    [("5 %", "Write 0.05 for 5 %."), ("30%", "Write 0.3 for 30 %."), ("half", ""), (30, "")],
)
def test_a_percentage_as_a_number(value, expected):
    assert spelling.share(value) == expected


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("visits > 1", 'where = [["visits", ">", 1]]'),
        ("plan = free", 'where = [["plan", "==", "free"]]'),
        ("plan == 'free'", 'where = [["plan", "==", "free"]]'),
        ('a b<>"x y"', 'where = [["a b", "!=", "x y"]]'),
        ("since >= 2024-01-31", 'where = [["since", ">=", 2024-01-31]]'),
        ("old=true", 'where = [["old", "==", true]]'),
        (["visits", ">", 1], 'where = [["visits", ">", 1]]'),
        (["visits", "=", 1], 'where = [["visits", "==", 1]]'),
        (["plan", "in", ["a", "b"]], 'where = [["plan", "in", ["a", "b"]]]'),
    ],
)
def test_a_condition_in_other_words_is_told_in_the_plans(given, line):
    remedy = spelling.read_where(given, OPERATORS)
    assert remedy == f"Write {line}."
    assert len(tomllib.loads(line)["where"]) == 1


@pytest.mark.parametrize("given", ["", "visits", "> 1", [["a", "==", 1]], [], ["a", "~", 1], 5])
def test_what_is_no_single_condition_gets_no_guess(given):
    assert spelling.read_where(given, OPERATORS) is None


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("0-50", "[0, 50]"), ("0 to 50", "[0, 50]"), ("-5..5", "[-5, 5]"), ("1.5 – 2", "[1.5, 2]"),
        ("0,50", "[0, 50]"), ("-3--1", "[-3, -1]"),
    ],
)  # fmt: skip
def test_a_range_in_other_words_is_told_as_two_numbers(given, line):
    assert spelling.read_range("bounds", given) == f"Write bounds = {line}."


@pytest.mark.parametrize("given", ["", "50", "a-b", "1-2-3", 5, None])
def test_what_is_no_range_gets_no_guess(given):
    assert spelling.read_range("bounds", given) is None
