"""Run the tests of every optional part as on a machine that has none: `python -m tests.stranger`.

Continuous integration installs these parts first, and so cannot see what a new user's `make test`
meets. Here the path leads to every program but those of `tests.cases.programs`, nothing says CI,
and Spark must not be installed. Words after the command go to pytest.
"""

import ast
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.cases.effort import half_of_this_commit
from tests.cases.programs import OPTIONAL, WITHOUT

ROOT = Path(__file__).resolve().parents[1]
PARTS = re.compile(
    r"need\(|left_out\(|importorskip|find_spec|spark|postgres|browser|chromium|signed_release"
)
"""What stands in every test that knows of an optional part, or in what it uses."""
HIDDEN = re.compile(
    r"java.*|initdb|postgres.*|psql|pg_.*|chrom(e|ium).*|google-chrome.*|plink.*|R|Rscript|ssh-.*|node"
)


def tests_of_optional_parts() -> list[str]:
    """Return the tests that know of an optional part, for pytest.

    A test knows of one where its lines say so, or those of a function, fixture or constant of its
    file that it names. Of a file where only other lines say so, it is every test.
    """
    chosen = []
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        text = file.read_text("utf-8")
        if PARTS.search(text):
            name = file.relative_to(ROOT).as_posix()
            chosen += [f"{name}::{each}" for each in knowing(text)] or [name]
    return chosen


def knowing(text: str) -> list[str]:
    """Name a file's tests that know of an optional part, themselves or by what they use."""
    defined, lines = {}, text.split("\n")
    for node in ast.parse(text).body:
        match node:
            case ast.FunctionDef(name=name, decorator_list=decorators):
                first = min(part.lineno for part in [*decorators, node])
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                first = node.lineno
            case _:
                continue
        defined[name] = "\n".join(lines[first - 1 : node.end_lineno])
    known = {name for name, lines in defined.items() if PARTS.search(lines)}
    words = {name: set(re.findall(r"\w+", lines)) for name, lines in defined.items()}
    while more := {name for name in defined if name not in known and words[name] & known}:
        known |= more
    if "pytestmark" in known or any("autouse=True" in defined[name] for name in known):
        return []
    return [name for name in defined if name in known and name.startswith("test_")]


def link_programs(folder: Path) -> None:
    """Link every program of the path into a folder, but those of optional parts."""
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).glob("*"):
            link = folder / program.name
            if HIDDEN.fullmatch(program.name) is None and not link.is_symlink():
                link.symlink_to(program)


def main(words: list[str]) -> int:
    """Run pytest on these tests and return its status."""
    if importlib.util.find_spec("pyspark") is not None:
        print("Spark is in this environment. Run this in a fresh clone, before `make spark`.")
        return 2
    environment = {
        name: value for name, value in os.environ.items() if name not in ("CI", "JAVA_HOME")
    }
    with tempfile.TemporaryDirectory(prefix="deniable-stranger-") as folder:
        link_programs(Path(folder))
        environment |= {"PATH": folder, WITHOUT: " ".join(OPTIONAL)}
        environment.setdefault("DENIABLE_HALF", str(half_of_this_commit()))
        command = [sys.executable, "-m", "pytest", *words, *tests_of_optional_parts()]
        return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
