"""SDMX-CSV 2.0: read by the standard library and by pysdmx."""

import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pysdmx.io
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deniable
from deniable.errors import InvalidArgument
from deniable.exchange.sdmx import _component_ids
from tests.cases.refusals import refuses

KEYS = [
    "QUERY", "STATISTIC", "COLUMN", "AREA", "MONTH", "SEX", "BIN_LOW", "BIN_HIGH", "CATEGORY",
    "RANK",
]  # fmt: skip


@pytest.fixture(scope="module")
def content(published):
    return deniable.export(published, to="sdmx-csv").content.decode("utf-8")


@pytest.fixture(scope="module")
def lines(content):
    return [*csv.DictReader(io.StringIO(content))]


def test_every_row_is_a_line_with_the_published_numbers(published, lines):
    rows = pq.read_table(published / "results.parquet").to_pylist()
    assert len(lines) == len(rows)
    for line, row in zip(lines, rows, strict=True):
        assert line["QUERY"] == row["query"]
        assert line["OBS_VALUE"] == ("NaN" if row["value"] is None else repr(row["value"]))
        width = row["half_width_95"]
        assert line["HALF_WIDTH_95"] == ("" if width is None else repr(width))
        whole = row["whole_number"]
        assert line["WHOLE_NUMBER"] == ("" if whole is None else str(whole))
        assert line["CONF_STATUS"] == "F"
        assert line["OBS_STATUS"] == ("M" if row["statistic"] == "top" else "A")


def test_codes_are_texts_totals_have_a_code_and_what_does_not_apply_another(published, lines):
    rows = pq.read_table(published / "results.parquet").to_pylist()
    for line, row in zip(lines, rows, strict=True):
        area = row["group:area"]
        if row["query"] in ("admissions", "pairs of three", "AGE [a b]"):
            assert line["AREA"] == ("_T" if area is None else {"=1+1": "'=1+1"}.get(area, area))
        else:
            assert line["AREA"] == "_Z"
        assert line["BIN_LOW"] == ("_Z" if row["bin_low"] is None else repr(row["bin_low"]))
    assert {line["AREA"] for line in lines} >= {"01", "1", "02", "1e3", "true", "_T", "_Z"}


def test_dimensions_tell_every_line_from_the_others(lines):
    assert len({tuple(line[each] for each in KEYS) for line in lines}) == len(lines)


def test_the_structure_is_the_plan_and_the_action_that_of_the_version(published, lines):
    document = json.loads((published / "certificate.json").read_text(encoding="utf-8"))
    digest = document["plan_sha256"]
    assert {(line["STRUCTURE"], line["STRUCTURE_ID"], line["ACTION"]) for line in lines} == {
        ("datastructure", f"DENIABLE:PLAN_{digest[:12].upper()}(1.0)", "I")
    }


def test_pysdmx_reads_the_same(content, lines):
    [dataset] = pysdmx.io.get_datasets(content)
    read = dataset.data.astype(str).to_dict("records")
    assert len(read) == len(lines)
    for one, other in zip(read, lines, strict=True):
        for name, value in one.items():
            if name in ("OBS_VALUE", "HALF_WIDTH_95"):
                # Its parser of floats may be wrong in the last digit (findings).
                number = float(other[name] or "nan")
                assert float(value or "nan") == pytest.approx(number, rel=1e-15, nan_ok=True)
            else:
                assert value in (other[name], f"{other[name]}.0")


@given(
    st.lists(
        st.one_of(st.text(max_size=6), st.sampled_from(["query", "obs_value", "Äge", "AGE"])),
        unique=True, max_size=6,
    )
)  # fmt: skip
def test_components_have_ids_of_their_own_that_sdmx_takes(groups):
    names = ["query", "statistic", "value", "half_width_95", *(f"group:{each}" for each in groups)]
    ids = _component_ids(dict.fromkeys(names))
    assert (ids["query"], ids["value"], ids["half_width_95"]) == (
        "QUERY", "OBS_VALUE", "HALF_WIDTH_95",
    )  # fmt: skip
    assert len({*ids.values(), "OBS_STATUS", "CONF_STATUS", "ACTION"}) == len(names) + 3
    assert all(
        each[0].isalpha() and each.replace("_", "").isalnum() and each.isascii()
        for each in ids.values()
    )


@pytest.mark.parametrize("key", ["_T", "_Z", ""])
def test_a_key_that_would_be_another_code_is_refused(tmp_path, key):
    query = {"name": "n", "statistic": "count", "group_by": ["a"], "keys": {"a": [key, "b"]}}
    plan = {"data": {"nulls": []}, "target": {"epsilon": 1.0}, "query": [query]}
    deniable.release(plan, tmp_path / "out", data=pa.table({"a": [key, "b"]}))
    with refuses(InvalidArgument, "keys-of-that-can-codes"):
        deniable.export(tmp_path / "out", to="sdmx-csv")
    assert deniable.export(tmp_path / "out", to="xlsx").content
