"""Parquet whose marks no reader takes: refused by the schema, wherever the file is first looked at.

A text of a fixed number of bytes, and BSON: the engine reads nothing of the one file and Arrow
nothing of the other, so that a release would end after a plan had gone well.
"""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.errors import PlanError
from tests.cases.refusals import refuses

PLAN = """\
[data]
source = "people.parquet"
adjacency = "add-remove"
[target]
epsilon = 1.0
[[query]]
name = "those of age"
statistic = "count"
where = [["age", ">=", 18]]
"""
TEXT, ENUM, JSON, BSON = 0, 4, 19, 20
"""Numbers of marks, `ConvertedType` in Parquet's description."""


def written(folder, mark, of):
    """A file of two columns, of which one is marked by its footer."""
    place = folder / "people.parquet"
    table = pa.table({"age": [20, 30], "note": pa.array([b"aaaa", b"bbbb"], of)})
    pq.write_table(table, place, store_schema=False, use_dictionary=False)
    content = place.read_bytes()
    length = int.from_bytes(content[-8:-4], "little")
    before, footer = content[: -8 - length], content[-8 - length : -8]
    # A name of four bytes, after which the next field but one of the element is its mark.
    name = b"\x18\x04note"
    footer = footer.replace(name, name + b"\x25" + bytes([2 * mark]), 1)
    place.write_bytes(before + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    (folder / "plan.toml").write_text(PLAN)
    return folder / "plan.toml"


@pytest.mark.parametrize(
    ("mark", "of", "got"),
    [
        (TEXT, pa.binary(4), "a text in FIXED_LEN_BYTE_ARRAY"),
        (ENUM, pa.binary(4), "a text in FIXED_LEN_BYTE_ARRAY"),
        (JSON, pa.binary(4), "a text in FIXED_LEN_BYTE_ARRAY"),
        (BSON, pa.binary(), "BSON"),
    ],
)
@pytest.mark.parametrize("step", ["new", "plan", "preview", "release"])
def test_such_a_column_is_named_before_anything_is_read(tmp_path, mark, of, got, step):
    plan = written(tmp_path, mark, of)
    calls = {
        "new": lambda: deniable.new(str(tmp_path / "people.parquet")),
        "plan": lambda: deniable.plan(plan),
        "preview": lambda: deniable.preview(plan),
        "release": lambda: deniable.release(plan, tmp_path / "out"),
    }
    with refuses(PlanError, f'types-that-can-be-read: {got} in "note"'):
        calls[step]()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("mark", [TEXT, ENUM, JSON])
def test_texts_of_any_length_are_read(tmp_path, mark):
    assert deniable.preview(written(tmp_path, mark, pa.binary())).removed is not None


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_a_span_of_time_is_no_number_although_whole_numbers_are_stored(tmp_path, unit):
    table = pa.table({"age": [20, 30], "followed": pa.array([1, 2], pa.duration(unit))})
    pq.write_table(table, tmp_path / "people.parquet")
    (tmp_path / "age.toml").write_text(PLAN)
    (tmp_path / "span.toml").write_text(PLAN.replace('"age"', '"followed"'))
    assert deniable.plan(tmp_path / "age.toml").queries
    for step in (deniable.plan, deniable.preview):
        with refuses(PlanError, "another-type"):
            step(tmp_path / "span.toml")
    with refuses(PlanError, "another-type"):
        deniable.release(tmp_path / "span.toml", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_note_that_nobody_can_read_says_nothing(tmp_path):
    table = pa.table({"age": [20, 30]}).replace_schema_metadata({"ARROW:schema": "AAAA"})
    pq.write_table(table, tmp_path / "people.parquet", store_schema=False)
    (tmp_path / "plan.toml").write_text(PLAN)
    assert deniable.plan(tmp_path / "plan.toml").queries
