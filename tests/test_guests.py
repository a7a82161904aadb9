"""The core names no guest: no import, no string that is loaded late, no stub.

A guest is found by what it registers in pyproject.toml (`deniable.adversaries`,
`deniable.commands`, `deniable.explorer`, `deniable.exports`, `deniable.kinds`, `deniable.ledgers`,
`deniable.names`, `deniable.sources`, `deniable.statistics`, `deniable.theorems`), so that it could
leave with its folder, its tests and those lines. The front of the distribution,
`deniable/__init__.pyi`, shows guests' names to type checkers; Python reads them from the entry
points.
"""

import ast
import re
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import deniable

PACKAGE = Path(deniable.__file__).parent
CORE = (
    "certificate", "cli", "errors", "ledger", "notions", "numerics", "pipeline", "publish",
    "report", "theorems",
)  # fmt: skip
GUESTS = (
    "airlock", "auditing", "computing", "correlation", "crosstabs", "exchange", "explorer", "gwas",
    "judge", "mechanisms", "more_statistics", "population", "priors", "rules", "serve", "servers",
    "statistics_files", "studio", "survival", "training",
)  # fmt: skip
MODULE = re.compile(rf"deniable[.:]({'|'.join(GUESTS)})\b")


def modules(path: Path) -> Iterator[str]:
    """Modules that a file names: in imports, and in strings that are a module's name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (each.name for each in names)
            case ast.ImportFrom(module="deniable", names=names):
                yield from (f"deniable.{each.name}" for each in names)
            case ast.ImportFrom(module=str(module)):
                yield module
            case ast.Constant(value=str(text)) if re.fullmatch(r"[\w.:]+", text):
                yield text


def files() -> list[Path]:
    found = [PACKAGE / "__init__.py", PACKAGE / "__main__.py"]
    for each in CORE:
        found += [*(PACKAGE / each).rglob("*.py"), *(PACKAGE / each).rglob("*.pyi")]
    return found


def test_the_core_names_no_guest():
    named = {
        (path.relative_to(PACKAGE).as_posix(), module)
        for path in files()
        for module in modules(path)
        if MODULE.match(module)
    }
    assert named == set()


def test_every_package_is_core_or_a_guest():
    there = {
        path.stem for path in PACKAGE.iterdir()
        if path.is_dir() or (path.suffix == ".py" and path.stem[:2] != "__")
    }  # fmt: skip
    assert there - {"__pycache__", "py"} == {*CORE, *GUESTS}


@pytest.mark.parametrize(
    "group",
    [
        "deniable.adversaries", "deniable.commands", "deniable.explorer", "deniable.exports",
        "deniable.ledgers", "deniable.names", "deniable.sources", "deniable.statistics",
        "deniable.theorems",
    ],
)  # fmt: skip
def test_what_is_registered_stands_in_guests(group):
    registered = {each.name: each for each in entry_points(group=group)}
    assert registered
    for each in registered.values():
        assert MODULE.match(each.value), each
        assert each.load() is not None


def test_type_checkers_see_the_names_that_guests_register():
    stub = (PACKAGE / "__init__.pyi").read_text(encoding="utf-8")
    shown = re.findall(r"^    from ([\w.]+) import (\w+) as", stub, re.M)
    places = {name: f"{module}:{name}" for module, name in shown}
    registered = {each.name: each.value for each in entry_points(group="deniable.names")}
    modules = {name: place.replace("deniable:", "deniable.") for name, place in places.items()}
    assert modules == registered
