import attrs
import pytest

from deniable.errors import InvalidArgument, PlanError
from deniable.publish.plan import PlanTable, PlanText, parse_plan
from tests.cases.prose import refusal_of
from tests.cases.refusals import refuses


def table(**entries):
    return PlanTable("p.toml", "[data]", entries)


def test_a_table_is_frozen():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        table().name = "x"


@pytest.mark.parametrize(
    ("method", "value", "said"),
    [
        (
            "text",
            3,
            {
                "expected": "text",
                "got": "3",
                "place": "[data], a",
                "remedy": "Write it in quotation marks.",
            },
        ),
        (
            "text",
            " ",
            {
                "expected": "text",
                "got": "an empty text",
                "place": "[data], a",
                "remedy": "Fill it in.",
            },
        ),
        (
            "number",
            "3",
            {
                "expected": "a number",
                "got": '"3"',
                "place": "[data], a",
                "remedy": "Write it without quotation marks.",
            },
        ),
        ("number", True, {"expected": "a number", "got": "true", "place": "[data], a"}),
        ("number", float("inf"), {"expected": "a finite number", "got": "inf"}),
        ("number", float("nan"), {"expected": "a finite number", "got": "nan"}),
        ("number", 10**400, {"expected": "a finite number", "got": "a number of 1329 bits"}),
        ("integer", 1.0, {"expected": "a whole number", "got": "1.0"}),
        ("integer", False, {"expected": "a whole number", "got": "false"}),
        (
            "items",
            "a",
            {
                "expected": "a list",
                "got": '"a"',
                "place": "[data], a",
                "remedy": "Put it in square brackets.",
            },
        ),
        ("numbers", [1, "2"], {"expected": "a number", "got": '"2"'}),
        ("texts", ["a", 1], {"expected": "a list of texts", "got": '["a", 1]'}),
        ("table", 1, {"expected": "a table", "got": "1"}),
    ],
)
def test_a_wrong_type_is_named_with_its_place(method, value, said):
    with pytest.raises(PlanError) as caught:
        getattr(table(a=value), method)("a")
    assert refusal_of(caught.value, "p.toml").parts(*said) == said


@pytest.mark.parametrize("method", ["text", "number", "integer", "items", "numbers", "texts"])
def test_a_missing_key_is_named(method):
    with refuses(PlanError, "value-missing: p.toml, [data], a"):
        getattr(table(), method)("a")


def test_right_values_pass():
    full = table(a="x", b=2, c=[1, 2.5], d=["", "y"], e={"f": 1})
    assert full.text("a") == "x"
    assert full.number("b") == 2.0
    assert full.integer("b") == 2
    assert full.pair("c", "") == (1.0, 2.5)
    assert full.texts("d") == ("", "y")
    assert full.table("e").integer("f") == 1


def test_a_pair_has_two_numbers():
    with refuses(PlanError, "two-numbers-low-high-at-look"):
        table(a=[]).pair("a", "Look up.")


def test_an_unknown_key_meets_a_suggestion():
    with refuses(PlanError, 'unknown-key-near-another: "entiy" | entiy. | "entity"'):
        table(entiy="x").only({"entity", "source"})


def test_keys_of_an_inner_table_carry_its_name():
    with refuses(PlanError, "text-continue-write: p.toml, [data], types.age."):
        table(types={"age": 3}).table("types").text("age")


def test_places_of_the_top_level():
    top = parse_plan("a = 1\n[data]\nb = 2\n[[query]]\nc = 1\n[[query]]\nname = 'x'", "p.toml")
    assert top.table("data").name == "[data]"
    assert [query.name for query in top.tables("query")] == ["[[query]] 1", '[[query]] "x"']
    assert top.tables("none") == []
    assert top.section("limits").name == "[limits]"
    assert str(top.error("a", "b", "c")) == "Expected b, got c at p.toml, a."
    with refuses(PlanError, "table-missing"):
        top.table("target")


@pytest.mark.parametrize("text", ["[query]", "query = 1", "query = [1]"])
def test_tables_of_an_array_are_written_with_two_brackets(text):
    with refuses(PlanError, "write-above-each: query"):
        parse_plan(text, "p.toml").tables("query")


def test_an_invalid_argument_gets_the_place_that_it_names_first():
    with (
        pytest.raises(PlanError) as caught,
        table().locate_errors("candidates", "bounds", "nulls"),
    ):
        raise InvalidArgument("Expected nulls within bounds, got nulls=3.5. Mend it.")
    assert str(caught.value) == (
        "Expected nulls within bounds, got nulls=3.5 at p.toml, [data], nulls. Mend it."
    )


def test_an_invalid_argument_that_names_no_key_gets_the_first():
    with (
        refuses(PlanError, "x-p-data: x | 0.5 | p.toml, [data], a."),
        table().locate_errors("a", "b"),
    ):
        raise InvalidArgument("Expected x, got 0.5.")


def test_a_plan_error_about_the_source_says_which_key_names_it():
    with (
        refuses(PlanError, "error-of-the-source-with-its-key"),
        table().naming("source"),
    ):
        raise PlanError("No x. Look.")


def test_a_name_that_the_system_refuses_is_a_plan_error():
    with (
        refuses(PlanError, "looked-up-file-name-too"),
        table().naming("source"),
    ):
        open("x" * 10_000, encoding="utf-8").close()


@pytest.mark.parametrize(
    "text", ['a = "\\u0000"', '[a]\n"\\u0000" = 1', '[[a]]\nb = [["x", "\\U00000000"]]']
)
def test_a_character_that_no_engine_takes_is_refused(text):
    with refuses(PlanError, "text-without-u-0000"):
        parse_plan(text, "p.toml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[data]\nsource = \n", {"place": "line 2, column 10"}),
        ("[data]\na = 1\na = 2", {}),
        ("[data]\n[data]", {"place": "line 2, column 6"}),
        ('a = "', {"place": "last line"}),
        ("a = 2024-13-01", {"place": "line 1, column 9"}),
        ("a = " + "9" * 5000, {"got": "an error (a value that is too long or nested too deeply)"}),
        (
            "a = " + "[" * 20_000,
            {"got": "an error (a value that is too long or nested too deeply)"},
        ),
    ],
)
def test_broken_toml_is_named_with_its_line(text, said):
    with pytest.raises(PlanError) as caught:
        parse_plan(text, "p.toml")
    found = refusal_of(caught.value, "p.toml")
    assert found.expected == "valid TOML"
    assert found.parts(*said) == said


def test_a_byte_order_mark_and_windows_line_ends_are_no_error(tmp_path):
    raw = b"\xef\xbb\xbfa = 1\r\nb = 2\r\n"
    (tmp_path / "p.toml").write_bytes(raw)
    text = PlanText.of(tmp_path / "p.toml").text
    assert text.encode() == raw
    assert parse_plan(text, "p.toml").entries == {"a": 1, "b": 2}


def test_a_plan_that_is_not_there_or_not_text(tmp_path):
    with refuses(PlanError, "plan-does-not-exist: p"):
        PlanText.of(tmp_path / "p.toml")
    with refuses(PlanError, "cannot-read-plan: Is a directory"):
        PlanText.of(tmp_path)
    with refuses(PlanError, "cannot-read-plan: not a path"):
        PlanText.of(tmp_path / "a\0b")
    (tmp_path / "p.toml").write_bytes(b"[data]\n# \xff\n")
    with refuses(PlanError, "utf-8-other-bytes: p.toml, line 2"):
        PlanText.of(tmp_path / "p.toml")
