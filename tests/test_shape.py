"""The house itself: sizes, mirrored tests, where imports stand, what is documented.

Docstrings, names and formatting are ruff's, layers and doors import-linter's.
"""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

import deniable
from deniable.cli.main import app

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "deniable"
UNIT = ROOT / "tests" / "unit"
SOURCES = sorted(PACKAGE.rglob("*.py"))
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def commands(group, path: str = "") -> Iterator[tuple[str, object]]:
    """Every command that can be run, by the words that name it."""
    for word, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{path}{word} ")
        else:
            yield f"{path}{word}", command


COMMANDS = dict(commands(typer.main.get_command(app)))
REFERENCE = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def nodes(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def tracked() -> list[Path]:
    """Files that are, or are about to be, in the repository."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [ROOT / line for line in listing.split("\0") if line and (ROOT / line).is_file()]


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_a_module_has_at_most_400_lines(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Length without the docstring, which numpydoc makes long."""
    docstring = ast.get_docstring(function) and function.body[0]
    length = function.end_lineno - function.lineno + 1
    return length - (docstring.end_lineno - docstring.lineno + 1 if docstring else 0)


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_a_function_has_at_most_60_lines(path):
    functions = [node for node in nodes(path) if isinstance(node, FUNCTION)]
    assert {f.name: lines(f) for f in functions if lines(f) > 60} == {}


@pytest.mark.parametrize(
    "path", [path for path in SOURCES if path.stem not in {"__init__", "__main__"}], ids=name
)
def test_a_module_has_its_unit_tests(path):
    folder = UNIT / path.parent.relative_to(PACKAGE)
    assert (folder / f"test_{path.stem.lstrip('_')}.py").is_file()


@pytest.mark.parametrize("path", sorted(UNIT.rglob("test_*.py")), ids=name)
def test_a_unit_test_mirrors_a_module(path):
    folder = PACKAGE / path.parent.relative_to(UNIT)
    stem = path.stem.removeprefix("test_")
    mirrored = [f"{stem}.py", f"_{stem}.py", f"{stem}/__init__.py", f"__{stem}__.py"]
    assert any((folder / candidate).is_file() for candidate in mirrored)


def depends_on_speed(node: ast.AST) -> bool:
    """A limit on how long something may take, a clock ahead, or a process nobody waits for."""
    match node:
        case ast.keyword(arg="timeout"):
            return True
        case ast.Attribute(attr="perf_counter" | "process_time" | "Popen"):
            return True
        case ast.BinOp(left=ast.Call(func=ast.Attribute(attr="monotonic")), op=ast.Add()):
            return True
        case ast.Call(func=ast.Attribute(attr="wait" | "join"), args=[ast.Constant(value=limit)]):
            return isinstance(limit, int | float)
    return False


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("*.py")), ids=name)
def test_a_test_does_not_depend_on_how_fast_the_machine_is(path):
    if path == ROOT / "tests" / "processes.py":
        return  # starts every process, and waits until it has ended
    assert [node.lineno for node in nodes(path) if depends_on_speed(node)] == []


@pytest.mark.parametrize(
    "path",
    [path for path in SOURCES if PACKAGE / "cli" not in path.parents],
    ids=name,
)
def test_imports_stand_at_the_top(path):
    if path == PACKAGE / "__init__.py":
        return
    inside = [
        statement.lineno
        for node in nodes(path)
        if isinstance(node, FUNCTION)
        for statement in ast.walk(node)
        if isinstance(statement, ast.Import | ast.ImportFrom)
    ]
    assert not inside


@pytest.mark.parametrize("word", COMMANDS)
def test_a_command_is_a_public_function_and_shows_an_example(word):
    shown = CliRunner().invoke(app, [*word.split(), "--help"])
    assert shown.exit_code == 0
    assert re.search(rf"Example: deniable {word} \S", shown.output)
    assert callable(getattr(deniable, re.sub(r"\W", "_", word)))


@pytest.mark.parametrize("word", COMMANDS)
def test_a_command_is_documented_with_all_its_options(word):
    section = re.search(rf"^## deniable {word}\n(.*?)(?=^## |\Z)", REFERENCE, re.M | re.S)
    assert section
    options = [option for parameter in COMMANDS[word].params for option in parameter.opts]
    assert [option for option in options if option[:2] == "--" and option not in section[1]] == []


def test_every_documented_command_exists():
    assert sorted(re.findall(r"^## deniable (.+)$", REFERENCE, re.M)) == sorted(COMMANDS)


in_a_checkout = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")


@in_a_checkout
def test_no_path_of_one_machine_and_nothing_left_open():
    forbidden = re.compile(
        rb"(?<![A-Za-z0-9_.])/(?:home|root|Users)/" rb"|\b(?:TO" rb"DO|FIX" rb"ME)\b"
    )
    assert [name(path) for path in tracked() if forbidden.search(path.read_bytes())] == []


def test_the_lock_names_no_index():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert not re.search(r"://|index-url|find-links|^-e|^\.|^/", lock, flags=re.MULTILINE)
    assert "--hash=sha256:" in lock
