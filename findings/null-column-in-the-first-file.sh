#!/usr/bin/env bash
# Surprise: Parquet files of one table, a file a month, can be read or not by one cell of the first.
#
# polars writes a column in which nobody has a value with the type null. Where that is the first
# file, polars, pyarrow and DuckDB refuse the set, since they take the first file's schema for all;
# where it is a later one, DuckDB reads it, and DESCRIBE calls the column INTEGER although typeof
# says "NULL". One value in one cell of the first month makes everything readable.
#
# Who is hurt: anyone who collects monthly files, and a person whose value is the only one: a report
# reveals that there is one.
# What we do: a column without a value in a polars or Arrow table is of the type that the plan takes
# it for. Parquet files whose schemas differ are refused, with what to do.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet polars==2.1.0 duckdb==1.5.6 pyarrow==26.0.1
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds

print("polars", pl.__version__, "duckdb", duckdb.__version__, "pyarrow", pa.__version__)


def files(january, february):
    for name, notes in (("2024-01.parquet", january), ("2024-02.parquet", february)):
        pl.DataFrame({"person": [1, 2], "note": notes}).write_parquet(name)


READERS = {
    "polars": lambda: pl.read_parquet("2024-*.parquet")["note"].count(),
    "pyarrow": lambda: len(
        ds.dataset(["2024-01.parquet", "2024-02.parquet"]).to_table()["note"].drop_null()
    ),
    "duckdb": lambda: duckdb.sql("SELECT count(note) FROM '2024-*.parquet'").fetchone()[0],
}
seen = []
for case, january, february in (
    ("no value in January", [None, None], ["ill", None]),
    ("one value in January", ["well", None], ["ill", None]),
    ("no value in February", ["well", None], [None, None]),
):
    files(january, february)
    for name, read in READERS.items():
        try:
            answer = read()
        except Exception as failure:
            answer = type(failure).__name__
        print(f"{case}, {name}: {answer}")
        seen.append(answer)
files([None, None], [None, None])
described = duckdb.sql("DESCRIBE FROM '2024-01.parquet'").fetchall()[1][1]
typed = duckdb.sql("SELECT typeof(note) FROM '2024-01.parquet' LIMIT 1").fetchone()[0]
print(f"DESCRIBE {described}, typeof {typed}")
expected = ["SchemaError", "ArrowNotImplementedError", "ConversionException", 2, 2, 2]
same = seen[:6] == expected and seen[8] == 1 and (described, typed) == ("INTEGER", '"NULL"')
print("as before" if same else "this has changed")
sys.exit(not same)
PYTHON
