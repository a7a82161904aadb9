import csv
import datetime
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.certificate.results import ResultRow, csv_bytes, parquet_bytes, table
from tests.cases.sample_certificate import sample_rows

NUMBERS = ["bin_low", "bin_high", "category", "rank", "value", "half_width_95", "half_width_unit"]
LIMITS = ["rows_per_entity", "max_contribution", "bound_low", "bound_high"]
FIXED = (["query", "statistic", "column"], [*NUMBERS, *LIMITS])


def test_columns_stand_in_the_order_of_the_interface():
    groups = ["group:plan", "group:since"]
    assert table(sample_rows()).column_names == FIXED[0] + groups + FIXED[1]
    assert table([]).column_names == FIXED[0] + FIXED[1]


def test_rows_keep_their_order_and_values():
    rows = sample_rows()
    found = table(rows).to_pylist()
    assert [row["query"] for row in found] == [row.query for row in rows]
    assert found[3]["group:since"] == datetime.date(1974, 1, 1)
    assert found[0]["group:since"] is None


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        ([1, 2], pa.int64()),
        ([1, 2.5], pa.float64()),
        ([True, False], pa.bool_()),
        ([True, 1], pa.string()),
        (["a", 1], pa.string()),
        ([2**70, 1], pa.string()),
        ([datetime.date(2020, 1, 2)], pa.date32()),
        ([datetime.datetime(2020, 1, 2)], pa.string()),
    ],
)
def test_a_group_column_has_its_keys_type_if_they_share_one(keys, kind):
    rows = [ResultRow("q", "count", groups={"g": key}, value=1.0) for key in keys]
    assert table(rows).schema.field("group:g").type == kind


def test_mixed_keys_are_written_as_text():
    rows = [ResultRow("q", "count", groups={"g": key}) for key in (True, 2, datetime.date.min)]
    assert table(rows)["group:g"].to_pylist() == ["true", "2", "0001-01-01"]


def test_csv_is_rfc_4180(tmp_path):
    keys = ['say "hi"', "a,b", "two\nlines", "", " edge ", "名"]
    rows = [ResultRow("q", "count", groups={"g": key}, value=0.1) for key in keys]
    (tmp_path / "r.csv").write_bytes(csv_bytes(table(rows)))
    raw = (tmp_path / "r.csv").read_bytes().decode("utf-8")
    assert raw.startswith("query,statistic,column,group:g,bin_low")
    assert 'q,count,,"say ""hi""",,,,,0.1,,,,,,\r\n' in raw
    assert 'q,count,,"",' in raw
    assert [line["group:g"] for line in csv.DictReader(io.StringIO(raw, newline=""))] == keys


def test_csv_writes_dates_iso_floats_by_repr_and_null_empty(tmp_path):
    row = ResultRow("q", "sum", "x", {"d": datetime.date(2020, 1, 2), "b": False}, value=0.1 + 0.2)
    (tmp_path / "r.csv").write_bytes(csv_bytes(table([row])))
    line = (tmp_path / "r.csv").read_text("utf-8").splitlines()[1]
    assert line == "q,sum,x,2020-01-02,false,,,,,0.30000000000000004,,,,,,"


def test_equal_tables_give_equal_bytes():
    about = {b"a": b"1"}
    assert csv_bytes(table(sample_rows())) == csv_bytes(table(sample_rows()))
    one, other = (parquet_bytes(table(sample_rows()), about) for _ in range(2))
    assert one == other


def test_parquet_gives_the_table_back_with_the_metadata_asked_for(tmp_path):
    results = table(sample_rows())
    (tmp_path / "r.parquet").write_bytes(parquet_bytes(results, {b"a": b"1"}))
    assert pq.read_table(tmp_path / "r.parquet").equals(results)
    metadata = pq.read_metadata(tmp_path / "r.parquet")
    assert set(metadata.metadata) <= {b"ARROW:schema", b"a"}
    assert metadata.created_by.startswith("parquet-cpp")
