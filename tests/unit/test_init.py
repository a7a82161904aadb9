import importlib.metadata
import subprocess
import sys

import pytest

import deniable

HEAVY = (
    "altair",
    "deniable.analysis",
    "duckdb",
    "flint",
    "ibis",
    "numpy",
    "opendp",
    "pandas",
    "pyarrow",
    "scipy",
    "sqlglot",
)


@pytest.mark.parametrize("name", deniable.__all__)
def test_every_public_name_is_there(name):
    assert callable(getattr(deniable, name))
    assert name in dir(deniable)


def test_dir_has_the_module_names_too():
    assert {"__version__", "__doc__"} <= set(dir(deniable))


def test_no_other_name_is_there():
    with pytest.raises(AttributeError, match="module 'deniable' has no attribute 'nonsense'"):
        _ = deniable.nonsense


def test_the_version_is_the_distribution_s():
    assert importlib.metadata.version("deniable") == deniable.__version__


def test_importing_loads_nothing_heavy():
    script = f"import sys, deniable; print(*(set({HEAVY!r}) & set(sys.modules)))"
    found = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert found.stdout.split() == []
