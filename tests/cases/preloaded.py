"""All of Deniable, and what its commands import when they first need it.

Processes are forked from one that has imported this, which takes seconds: each would otherwise do
so for itself.
"""

import importlib
import pkgutil

import deniable

OTHERS = (
    *("array_api_compat.numpy", "duckdb", "ibis", "ibis.backends.duckdb", "joblib", "jsonschema"),
    *("opendp.measurements", "pandas", "psycopg", "pyarrow.csv", "pyarrow.dataset"),
    *("pyarrow.parquet", "tests.cases.ledger_places", "tests.cases.release_case"),
    "tests.test_shape",
)
for _each in pkgutil.walk_packages(deniable.__path__, "deniable."):
    if not _each.name.endswith("__main__"):
        importlib.import_module(_each.name)
for _name in OTHERS:
    importlib.import_module(_name)
