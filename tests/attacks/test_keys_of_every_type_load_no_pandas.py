"""A release of a file loads no pandas, whatever type its keys have."""

import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cases.effort import one_in
from tests.test_light import ran

DAY = datetime.date(2024, 1, 31)
KEYS = {
    "text": (["a", "b"], '["a", "b"]'),
    "whole numbers": ([1, 2], "[1, 2]"),
    "numbers": ([1.5, 2.0], "[1.5, 2.0]"),
    "truth values": ([True, False], "[true, false]"),
    "dates": ([DAY, DAY.replace(day=1)], "[2024-01-31, 2024-01-01]"),
}


@pytest.mark.parametrize("keys", one_in(2, [*KEYS]))
def test_keys_of_no_type_load_pandas(tmp_path, keys):
    values, written = KEYS[keys]
    pq.write_table(pa.table({"k": pa.array(values)}), tmp_path / "rows.parquet")
    data = '[data]\nsource = "rows.parquet"\n[target]\nepsilon = 1.0\n'
    query = f'statistic = "count"\ngroup_by = ["k"]\nkeys = {{ k = {written} }}\n'
    plan = f'{data}[[query]]\nname = "q"\n{query}'
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    status, errors, loaded = ran("release", "plan.toml", "--out", "out", cwd=tmp_path)
    assert status == 0, errors
    assert "pandas" not in loaded
