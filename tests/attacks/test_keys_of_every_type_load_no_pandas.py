"""A release of a file loads no pandas, whatever type its keys have."""

import datetime

import pyarrow as pa
import pyarrow.parquet as pq

from tests.test_light import ran

DAY = datetime.date(2024, 1, 31)
KEYS = {
    "text": (["a", "b"], '["a", "b"]'),
    "whole numbers": ([1, 2], "[1, 2]"),
    "numbers": ([1.5, 2.0], "[1.5, 2.0]"),
    "truth values": ([True, False], "[true, false]"),
    "dates": ([DAY, DAY.replace(day=1)], "[2024-01-31, 2024-01-01]"),
}


def test_keys_of_no_type_load_pandas(tmp_path):
    columns = {name: pa.array(values) for name, (values, _) in KEYS.items()}
    pq.write_table(pa.table(columns), tmp_path / "rows.parquet")
    plan = '[data]\nsource = "rows.parquet"\n[target]\nepsilon = 1.0\n'
    for name, (_, written) in KEYS.items():
        query = f'statistic = "count"\ngroup_by = ["{name}"]\nkeys = {{ "{name}" = {written} }}\n'
        plan += f'[[query]]\nname = "by {name}"\n{query}'
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    status, errors, loaded = ran("release", "plan.toml", "--out", "out", cwd=tmp_path)
    assert status == 0, errors
    assert "pandas" not in loaded
