import pytest

from deniable.certificate.leaves import ON_TRUST
from deniable.pipeline.checked import (
    Check,
    Checked,
    compare_documents,
    has_valid_digest,
    one_line,
    standing,
)


def test_parts_are_named_and_the_first_difference_is_told():
    claimed = {"a": {"x": 1}, "b": [1], "c_d": 2, "more": 1}
    expected = {"a": {"x": 1}, "b": [2], "c_d": 3}
    found = compare_documents({"b": "lists"}, claimed, expected)
    assert [(check.name, check.holds) for check in found] == [
        ("a", True), ("lists", False), ("c d", False), ("more", False),
    ]  # fmt: skip
    assert found[1].finding == "Expected 2, got 1 at /b/0."
    assert found[3].finding == "Expected nothing, got 1 at /more."


def test_nothing_that_a_file_says_moves_a_terminal():
    assert one_line("a\x1b[31m\nb\u202e") == "a\ufffd[31m\ufffdb\ufffd"
    assert len(one_line("x" * 10**6)) < 1000
    (check,) = compare_documents({}, {"a": "y" * 10**6}, {"a": "z"})
    assert len(check.finding) < 1000


def test_every_place_of_the_schema_is_verified_or_on_trust():
    unit = dict.fromkeys(("entity", "adjacency", "sentence", "word"))
    document = {"created": "2026-01-31", "unit": unit}
    verified, trusted = standing("schema.json", (ON_TRUST,), document)
    assert [each.what for each in trusted] == ["/created"]
    assert {each.what for each in verified} == {
        "/unit/entity", "/unit/adjacency", "/unit/sentence", "/unit/word",
    }  # fmt: skip


SCHEMA = {
    "$defs": {"list": {"properties": {"sha256": {}, "names": {}}}},
    "onTrust": "asked for",
    "properties": {
        "filters": {"properties": {"extract": {"$ref": "#/$defs/list"}, "rule": {}}},
        "line": {"anyOf": [{"type": "null"}, {"properties": {"rule": {}}}]},
        "places": {"items": {"properties": {"name": {}, "end": {}}}},
    },
}


@pytest.mark.parametrize(
    ("document", "places"),
    [
        ({}, set()),
        ({"filters": {"rule": "split"}}, {"/filters/rule"}),
        ({"filters": {"extract": {"sha256": "0"}}}, {"/filters/extract/sha256"}),
        # That there is none is a value as well.
        ({"line": None}, {"/line/rule"}),
        ({"places": []}, {"/places/*/name", "/places/*/end"}),
        ({"places": [{"name": "1"}, {"name": "2"}]}, {"/places/*/name"}),
        ({"places": [{"name": "1"}, {"end": 2}]}, {"/places/*/name", "/places/*/end"}),
    ],
)
def test_of_what_a_certificate_leaves_out_nothing_is_on_trust(document, places):
    _, trusted = standing(SCHEMA, (ON_TRUST,), document)
    assert {each.what for each in trusted} == places


def test_one_check_that_does_not_hold_is_enough():
    assert Checked((Check("a", True),)).holds
    assert not Checked((Check("a", True), Check("b", False, "no"))).holds
    assert not has_valid_digest({"a": 1, "statement_sha256": "0" * 64}).holds
