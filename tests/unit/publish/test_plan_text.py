import datetime
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.publish.plan_text import quoted, shown, suggestion, written_key

texts = st.text(st.characters(exclude_categories=("Cs",)))


@given(texts)
def test_quoted_text_and_keys_are_toml_on_one_line(text):
    line = f"{written_key(text)} = {quoted(text)} # {quoted(text)}"
    assert tomllib.loads(line) == {text: text}
    assert len(line.splitlines()) == 1


@pytest.mark.parametrize(("key", "written"), [("a-1_B", "a-1_B"), ("a b", '"a b"'), ("", '""')])
def test_a_key_is_bare_where_it_can_be(key, written):
    assert written_key(key) == written


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
    assert shown(value) == expected


def test_long_values_are_cut():
    assert shown("x" * 1000) == '"' + "x" * 58 + "…"


def test_suggestions():
    assert suggestion("colunm", ["column", "name"]) == 'Did you mean "column"?'
    assert suggestion("AGE", ["age", "sex"]) == 'Did you mean "age"?'
    assert suggestion("zzz", ["b", "a"]) == 'Known: "a", "b".'
    assert suggestion("zzz", map(str, range(30))).endswith(", ….")
    assert suggestion("zzz", []) == "Remove it."
