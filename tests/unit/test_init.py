import ast
import importlib.metadata
import inspect
import subprocess
import sys
import textwrap

import pytest

import deniable
import deniable.publish.release

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


def test_help_begins_with_lines_that_can_be_typed():
    """Each is Python, calls what is public, and by names that this takes."""
    lines = deniable.__doc__.split("::")[1].split("``dir")[0]
    calls = [
        node
        for node in ast.walk(ast.parse(textwrap.dedent(lines)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    assert len(calls) >= 9
    for call in calls:
        if call.func.value.id == "deniable":
            words = {each.arg: None for each in call.keywords}
            inspect.signature(getattr(deniable, call.func.attr)).bind(*call.args, **words)
        else:
            assert hasattr(deniable.publish.release.Released, call.func.attr)
