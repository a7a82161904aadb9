"""All of Deniable, and what its commands import when they first need it.

Processes are forked from one that has imported this, which takes seconds: each would otherwise do
so for itself.
"""

import contextlib
import importlib
import pkgutil

import deniable

OTHERS = (
    *("array_api_compat.numpy", "duckdb", "ibis", "ibis.backends.duckdb", "joblib", "jsonschema"),
    *("opendp.measurements", "pandas", "psycopg", "pyarrow.csv", "pyarrow.dataset"),
    *("pyarrow.parquet", "tests.cases.ledger_places", "tests.cases.release_case"),
    "tests.test_shape",
)
_MODULES = (each.name for each in pkgutil.walk_packages(deniable.__path__, "deniable."))
for _name in (*(each for each in _MODULES if not each.endswith("__main__")), *OTHERS):
    with contextlib.suppress(ImportError):  # an extra that is not installed
        importlib.import_module(_name)
