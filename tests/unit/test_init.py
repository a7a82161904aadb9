import importlib.metadata
import subprocess
import sys

import pytest

import deniable

HEAVY = (
    "altair",
    "deniable.theorems.analysis",
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


def test_no_other_name_is_there_and_python_does_not_guess_a_second_time():
    script = "import deniable; deniable.calibarte"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == (
        "AttributeError: Expected a public name of deniable, got 'calibarte'. "
        'Did you mean "calibrate"?'
    )


def test_the_version_is_the_distribution_s():
    assert importlib.metadata.version("deniable") == deniable.__version__


@pytest.mark.parametrize("room", ["", ".errors", ".gwas", ".notions", ".population", ".priors"])
def test_importing_loads_nothing_heavy(room):
    script = f"import sys, deniable{room}; print(*(set({HEAVY!r}) & set(sys.modules)))"
    found = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert found.stdout.split() == []
