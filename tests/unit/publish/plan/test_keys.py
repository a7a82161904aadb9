"""Keys that are said once, or stand in a file; the published plan holds them all."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.errors import PlanError
from deniable.notions import Adjacency
from deniable.publish.plan import as_toml, public_plan, read_plan
from deniable.publish.query import Protection
from deniable.publish.totals import exact_totals
from tests.cases.effort import some_pairs
from tests.cases.prose import refusal_of
from tests.cases.refusals import refuses

PLAN = """
[data]
source = "x.parquet"
[target]
gamma = 2.0
{shared}
[[query]]
name = "n"
statistic = "count"
group_by = {group_by}
{own}
"""
FILES = {
    "r.txt": "north\r\nsouth\n\n",
    "r.csv": '\ufeffcode,region\n1,north\n2,"so, uth"\n',
    "n.tsv": "year\tx\n1980\ta\n1981\tb\n",
    "bad.csv": "year\n1980\nlater\n",
    "empty.txt": "",
}


def read(folder, shared="", own="", group_by='["region"]'):
    for name, text in FILES.items():
        (folder / name).write_bytes(text.encode())
    (folder / "latin.txt").write_bytes(b"\xe9\n")
    pq.write_table(pa.table({"region": ["north"], "year": [1980]}), folder / "x.parquet")
    text = PLAN.format(shared=shared, own=own, group_by=group_by)
    (folder / "p.toml").write_text(text, encoding="utf-8")
    return read_plan(folder / "p.toml")


KEYS = [
    ('[keys]\nregion = ["a", "b"]', "", (("a", "b"),)),
    ('[keys]\nregion = ["a", "b"]', 'keys = { region = ["c"] }', (("c",),)),
    ('[keys]\nregion = { file = "r.txt" }', "", (("north", "south"),)),
    ('[keys]\nregion = { file = "r.csv" }', "", (("north", "so, uth"),)),
    ("", 'keys = { file = "r.csv" }', (("north", "so, uth"),)),
    ("", 'keys = { region = { file = "r.txt" } }', (("north", "south"),)),
]


@pytest.mark.parametrize(("shared", "own", "keys"), KEYS)
def test_keys_are_found_and_published_whole(tmp_path, shared, own, keys):
    plan = read(tmp_path, shared, own)
    assert plan.queries[0].grouping.keys == keys
    again = public_plan(json.loads(json.dumps(plan.published)))
    assert again.queries == plan.queries
    assert "r.txt" not in as_toml(plan.published)
    assert "r.csv" not in as_toml(plan.published)


STRANGE = [
    "a\u2028b", "a\x85b", "a\x0bb", "a\x0cb", "a\x1cb", "a\x1ab", "\x01", "\x7f",
    "\ufffe", "\uffff", "\ufdd0", "\U0010ffff", "\u202ea", "\ufeffa", "e\u0301", "x" * 100_000,
]  # fmt: skip
"""Texts at which a reader of lines or an engine could stop, cut or change something."""


@pytest.mark.parametrize(("suffix", "end"), some_pairs(["txt", "csv"], ["\n", "\r\n"]))
def test_a_key_in_a_file_is_the_key_in_the_plan(tmp_path, suffix, end):
    """Only the end of a line ends a key, and what is read is what the engine counts."""
    head = ["region"] if suffix == "csv" else []
    (tmp_path / f"k.{suffix}").write_bytes(end.join([*head, "first", *STRANGE, ""]).encode())
    plan = read(tmp_path, "", f'keys = {{ file = "k.{suffix}" }}')
    assert plan.queries[0].grouping.keys == (("first", *STRANGE),)
    pq.write_table(pa.table({"region": STRANGE, "year": STRANGE}), tmp_path / "x.parquet")
    work = [(plan.queries[0], Protection(Adjacency.ADD_REMOVE, 1))]
    (found,) = exact_totals(plan.source, "region", work)
    assert found.ravel().tolist() == [0, *([1] * len(STRANGE))]


def test_line_ends_within_a_field_stay(tmp_path):
    (tmp_path / "k.csv").write_bytes(b'region\n"a\r\nb"\n"a\nb"\n"a\rb"\n')
    plan = read(tmp_path, "", 'keys = { file = "k.csv" }')
    assert plan.queries[0].grouping.keys == (("a\r\nb", "a\nb", "a\rb"),)


@pytest.mark.parametrize("suffix", ["txt", "csv"])
@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("a\0b", {"expected": "keys without U+0000", "got": "it in line 2"}),
        ("\0", {"expected": "keys without U+0000", "got": "it in line 2"}),
    ],
)
def test_a_key_that_no_engine_takes_is_told_with_its_line(tmp_path, suffix, key, said):
    (tmp_path / f"k.{suffix}").write_text(f"region\n{key}\n")
    with pytest.raises(PlanError) as caught:
        read(tmp_path, f'[keys]\nregion = {{ file = "k.{suffix}" }}')
    said = said | {"place": "[keys], region.file"}
    assert refusal_of(caught.value, "p.toml").parts(*said) == said


def test_a_field_that_is_too_long_is_told_with_its_line(tmp_path):
    (tmp_path / "k.csv").write_text("region\nok\n" + "x" * 200_000 + "\n")
    with pytest.raises(PlanError) as caught:
        read(tmp_path, '[keys]\nregion = { file = "k.csv" }')
    said = {"place": "[keys], region.file", "got": "more in line 3"}
    assert refusal_of(caught.value, "p.toml").parts(*said) == said


def test_own_keys_win_and_others_are_filled_in(tmp_path):
    shared = '[keys]\nregion = ["a"]\nyear = { file = "n.tsv", type = "integer" }'
    plan = read(tmp_path, shared, 'keys = { region = ["b"] }', '["region", "year"]')
    assert plan.queries[0].grouping.keys == (("b",), (1980, 1981))


@pytest.mark.parametrize(
    ("shared", "said"),
    [
        ("[keys]\nregion = []", {"place": "[keys], region"}),
        ("[keys]\nregion = 1", {"place": "[keys], region"}),
        ('[keys]\nregion = { file = "none.txt" }', {"place": "[keys], region.file"}),
        ('[keys]\nregion = { file = "x.parquet" }', {"place": "[keys], region.file"}),
        (
            '[keys]\nregion = { file = "latin.txt" }',
            {"place": "[keys], region.file", "remedy": "Save it as UTF-8."},
        ),
        ('[keys]\nregion = { file = "empty.txt" }', {"place": "[keys], region.file"}),
        ('[keys]\nregion = { file = "r.txt", type = "word" }', {"place": "[keys], region.type"}),
        ('[keys]\nregion = { file = "bad.csv", type = "integer" }', {"got": '"later" in line 3'}),
        ('[keys]\nregion = { files = "r.txt" }', {"place": "[keys], region.files"}),
        ('[keys]\nregion = ["a", "a"]', {"got": '"a" twice'}),
    ],
)
def test_wrong_keys_are_one_sentence_with_their_place(tmp_path, shared, said):
    with pytest.raises(PlanError) as caught:
        read(tmp_path, shared)
    assert refusal_of(caught.value, "p.toml").parts(*said) == said


def test_one_file_for_two_columns_is_refused(tmp_path):
    with refuses(PlanError, "column-for-each-file"):
        read(tmp_path, "", 'keys = { file = "r.txt" }', '["region", "year"]')
