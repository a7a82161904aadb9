"""The source itself: sizes, where tests and imports stand, what is documented.

Docstrings, names and formatting are ruff's, layers and imports import-linter's.
"""

import ast
import functools
import inspect
import operator
import re
import subprocess
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from click.testing import CliRunner

import deniable
from tests.cases.command_line import app

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


COMMANDS = dict(commands(app))
PAGES = ROOT / "docs" / "reference" / "commands"
REFERENCE = "".join(path.read_text(encoding="utf-8") for path in sorted(PAGES.iterdir()))


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def nodes(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements within a node, however deep: a tenth of all nodes."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for statement in getattr(node, part, ()):
            yield statement
            yield from statements(statement)


@attrs.frozen
class Facts:
    """What the tests below ask of a module, so that it is parsed once."""

    lengths: list[tuple[str, int]]
    """Name and lines of each function."""
    inner_imports: list[int]
    """The lines of imports in functions."""
    constants: list[tuple[int, str, bool]]
    """Line, name, and whether a docstring or a comment stands beside it, of numeric constants."""


@functools.cache
def facts(path: Path) -> Facts:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    functions = [node for node in statements(tree) if isinstance(node, FUNCTION)]
    return Facts(
        [(function.name, lines(function)) for function in functions],
        [
            statement.lineno
            for function in functions
            for statement in statements(function)
            if isinstance(statement, ast.Import | ast.ImportFrom)
        ],
        [*constants(path, text, tree)],
    )


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


def imported(path: Path) -> set[str]:
    """Modules, and names out of modules, that a file imports, by their full names."""
    found = set()
    for node in nodes(path):
        match node:
            case ast.Import():
                found |= {alias.name for alias in node.names}
            case ast.ImportFrom(module=str(module)):
                found |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return found


def lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Length without the docstring, which numpydoc makes long."""
    docstring = ast.get_docstring(function) and function.body[0]
    length = function.end_lineno - function.lineno + 1
    return length - (docstring.end_lineno - docstring.lineno + 1 if docstring else 0)


def test_a_module_has_at_most_700_lines():
    length = {name(path): path.read_text(encoding="utf-8").count("\n") for path in SOURCES}
    assert {path: n for path, n in length.items() if n > 700} == {}


def test_a_function_has_at_most_60_lines():
    length = {
        f"{name(path)}: {function}": length
        for path in SOURCES
        for function, length in facts(path).lengths
    }
    assert {function: n for function, n in length.items() if n > 60} == {}


def test_a_package_has_its_unit_tests():
    """A folder of tests for each folder of modules, or a file for one that stands alone."""
    packages = {path.parent for path in SOURCES if path.stem != "__init__"} - {PACKAGE}
    alone = [path for path in PACKAGE.glob("*.py") if not path.stem.startswith("__")]
    missing = {
        package for package in packages if not list(unit_tests_of(package).rglob("test_*.py"))
    }
    missing |= {path for path in alone if not unit_test_of(path).is_file()}
    assert sorted(map(name, missing)) == []


def unit_tests_of(package: Path) -> Path:
    return UNIT / package.relative_to(PACKAGE)


def unit_test_of(module: Path) -> Path:
    return UNIT / f"test_{module.stem.lstrip('_')}.py"


def test_a_unit_test_stands_in_a_package_that_exists():
    folders = {path.parent for path in UNIT.rglob("test_*.py")}
    packages = {folder: PACKAGE / folder.relative_to(UNIT) for folder in folders}
    assert [name(folder) for folder, package in packages.items() if not package.is_dir()] == []


def test_an_oracle_imports_nothing_of_the_package():
    outside = {
        name(path): sorted(module for module in imported(path) if not independent(module))
        for path in (ROOT / "tests" / "oracles").rglob("*.py")
    }
    assert {path: modules for path, modules in outside.items() if modules} == {}


def test_no_test_changes_a_private_name():
    """Code that only a changed constant reaches is not reached by users either."""
    changes = re.compile(r"""setattr\([^)]*?["'.]_[a-zA-Z]""")
    files = (ROOT / "tests").rglob("*.py")
    assert [name(path) for path in files if changes.search(path.read_text("utf-8"))] == []


def independent(module: str) -> bool:
    top, _, rest = module.partition(".")
    return top != "deniable" and (top != "tests" or rest.startswith("oracles"))


ON_SPEED = re.compile(
    r"timeout|perf_counter|process_time|Popen|monotonic|\.(?:wait|join)\(\s*[.\d]"
)
"""A part of the text of each file in which a node depends on speed."""


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


def test_no_test_depends_on_how_fast_the_machine_is():
    # cases/processes.py starts every process, and waits until it has ended.
    files = set((ROOT / "tests").rglob("*.py")) - {ROOT / "tests" / "cases" / "processes.py"}
    places = [
        f"{name(path)}:{node.lineno}"
        for path in files
        if ON_SPEED.search(path.read_text(encoding="utf-8"))
        for node in nodes(path)
        if depends_on_speed(node)
    ]
    assert places == []


def test_imports_stand_at_the_top():
    """Except in commands, which load what they need when they run."""
    commands = [
        *(PACKAGE / "cli").rglob("*.py"),
        *(PACKAGE / "gwas/commands").rglob("*.py"),
        *PACKAGE.glob("*/commands.py"),
    ]
    files = set(SOURCES) - set(commands) - {PACKAGE / "errors" / "public_names.py"}
    inside = [f"{name(path)}:{line}" for path in files for line in facts(path).inner_imports]
    assert inside == []


def numeric(value: ast.AST) -> bool:
    """Whether an expression is made of numbers alone."""
    match value:
        case ast.Constant(value=number):
            return isinstance(number, int | float) and not isinstance(number, bool)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(map(numeric, parts))
        case ast.UnaryOp(operand=part):
            return numeric(part)
        case ast.BinOp(left=left, right=right):
            return numeric(left) or numeric(right)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math")), args=parts):
            return any(map(numeric, parts))
    return False


COMMENT = re.compile(r"""[^"'#]*#""")
"""A line with a comment before which no text stands."""


def commented(path: Path) -> set[int]:
    """The lines with a comment."""
    with path.open("rb") as file:
        tokens = list(tokenize.tokenize(file.readline))
    return {token.start[0] for token in tokens if token.type == tokenize.COMMENT}


def constants(path: Path, text: str, tree: ast.Module) -> Iterator[tuple[int, str, bool]]:
    """Line, name, and whether a docstring or a comment stands beside it, of numeric constants."""
    split = text.split("\n")
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        match node:
            case ast.Assign(targets=[target], value=value):
                pass
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                pass
            case _:
                continue
        names = [part.id for part in ast.walk(target) if isinstance(part, ast.Name)]
        if not names or not all(map(str.isupper, names)) or not numeric(value):
            continue
        said = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        if not said:
            beside = split[max(node.lineno - 2, 0) : node.end_lineno]
            said = any(map(COMMENT.match, beside))  # tokens are needed beside a text only
            if not said and "#" in "".join(beside):
                said = not commented(path).isdisjoint(range(node.lineno - 1, node.end_lineno + 1))
        yield node.lineno, ", ".join(names), said


def test_a_numeric_constant_says_its_unit_and_reason():
    """In a docstring below it, or in a comment beside or above it."""
    bare = [
        f"{name(path)}:{line}: {names}"
        for path in SOURCES
        for line, names, said in facts(path).constants
        if not said
    ]
    assert bare == []


def called(function: object) -> set[str]:
    """Dotted names of what a function calls, as they are written."""
    tree = ast.parse(inspect.getsource(inspect.unwrap(function)))
    return {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}


@pytest.mark.parametrize("word", COMMANDS)
def test_a_command_calls_the_public_function_of_its_name_and_shows_an_example(word):
    shown = CliRunner().invoke(app, [*word.split(), "--help"])
    assert shown.exit_code == 0
    assert re.search(rf"Example: deniable {word} \S", shown.output)
    path = f"deniable.{'.'.join(word.replace('-', '_').split())}"  # gwas scan: deniable.gwas.scan
    if word.startswith("training "):  # three functions make no topic: deniable.explain_training
        path = f"deniable.{word.split()[1]}_training"
    if word == "serve":  # a topic with the command's own name
        path = "deniable.serve.serve"
    assert path in called(COMMANDS[word].callback)
    assert callable(operator.attrgetter(path.partition(".")[2])(deniable))


@pytest.mark.parametrize("word", COMMANDS)
def test_a_command_is_documented_with_all_its_options(word):
    section = re.search(rf"^## deniable {word}\n(.*?)(?=^## |\Z)", REFERENCE, re.M | re.S)
    assert section
    for heading, anchor in re.findall(r"\[(.+)\]\(#(common-options-[\w-]+)\)", section[1]):
        linked = (
            rf"^## {heading} of {anchor.partition('-of-')[2].replace('-', ' ')}\n(.*?)(?=^## |\Z)"
        )
        shared = re.search(linked, REFERENCE, re.M | re.S)
        section = {1: section[1] + shared[1]}
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


@pytest.mark.parametrize("lock", sorted(ROOT.glob("*.lock")), ids=lambda path: path.name)
def test_a_lock_names_no_index(lock):
    text = lock.read_text(encoding="utf-8")
    assert not re.search(r"://|index-url|find-links|^-e|^\.|^/", text, flags=re.MULTILINE)
    assert text.count("--hash=sha256:") >= text.count("==") > 0


def test_what_the_site_needs_is_pinned():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = {re.split("[<>=]", each)[0] for each in settings["dependency-groups"]["docs"]}
    lock = (ROOT / "requirements-docs.lock").read_text(encoding="utf-8")
    assert needed <= set(re.findall(r"^([\w-]+)==", lock, re.M))
