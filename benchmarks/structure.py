"""How the source hangs together, in numbers: packages, imports, modules, names.

    python -m benchmarks.structure [--markdown]

Imports are read from the text, also those inside functions and those for type checkers, which stand
for names that are loaded when they are asked for. Who imports a name from a package uses the module
where it stands; a package within a package that passes a name of its own on does not use it.

A release opens a module if a function that stands in it runs while a plan of one mean is released
from the command line. What runs because a module is imported does not count: nobody who follows the
walk has to read it. What is imported counts in the rows of the smallest release.

Core is what has to be trusted to publish a table with a guarantee; everything else at the top is a
guest. An import from core to a guest counts wherever a string names it, `late("deniable.…")` and
entries of a table of public names included. Entry points are in no file of the source.
"""

import argparse
import ast
import collections
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "deniable"
CORE = (
    "errors", "numerics", "notions", "theorems", "certificate", "ledger", "report", "pipeline",
    "publish", "cli",
)  # fmt: skip
WORDS = ("found", "told", "held", "taken", "opened", "settled", "asked", "whole", "chosen", "shown")
"""Participles and everyday words that say nothing of what a name holds."""
PLAN = """
[data]
source = "visits.csv"
types = { age = "integer" }
[target]
gamma = 2.0
[[query]]
name = "age"
statistic = "mean"
column = "age"
bounds = [0, 100]
"""
SMALLEST = """
[data]
source = "visits.csv"
types = { visits = "integer" }
[target]
gamma = 2.0
[[query]]
name = "visits"
statistic = "sum"
column = "visits"
bounds = [0, 50]
"""
"""One sum of a file of three rows."""
LOADED = """
import sys
sys.argv = ["deniable", "release", "plan.toml", "--out", "published"]
try:
    from deniable.cli import main
    main()
finally:
    for name, module in sorted(sys.modules.items()):
        if name.split(".")[0] == "deniable" and getattr(module, "__file__", None):
            print(name, module.__file__, file=sys.stderr)
"""
TRACED = """
import sys, threading
files = set()

def profile(frame, event, _):
    code, caller = frame.f_code, frame
    if event == "call" and "/deniable/" in code.co_filename and code.co_flags & 2:  # a function
        while caller and not (
            caller.f_code.co_name == "<module>" and "/deniable/" in caller.f_code.co_filename
        ):
            caller = caller.f_back
        if caller is None:
            files.add(code.co_filename)

threading.setprofile(profile)
sys.setprofile(profile)
sys.argv = ["deniable", "release", "plan.toml", "--out", "published"]
try:
    from deniable.cli import main
    main()
finally:
    sys.setprofile(None)
    print(len(files), file=sys.stderr)
"""


def main() -> None:
    """Print a row a figure, as text or as a table of Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.structure", description=__doc__)
    parser.add_argument("--markdown", action="store_true")
    as_markdown = parser.parse_args().markdown
    if as_markdown:
        print("| measured | |\n|---|---|")
    for label, figure in figures().items():
        print(f"| {label} | {figure} |" if as_markdown else f"{label:<44} {figure}")


def figures() -> dict[str, object]:
    """All figures by what they are of, in the order in which they are printed."""
    trees = {name_of(path): ast.parse(path.read_text("utf-8")) for path in SOURCE.rglob("*.py")}
    arrows = {(one, other) for one in trees for other in imports(one, trees)}
    for stub in SOURCE.rglob("*.pyi"):  # names that are loaded when they are used, by a string
        trees[name_of(stub)].body += ast.parse(stub.read_text("utf-8")).body
    used = {(one, other) for one in trees for other in uses(one, trees)}
    boxes = {(top(one), top(other)) for one, other in arrows if top(one) != top(other)}
    core = {(one, other) for one, other in boxes if one in CORE and other in CORE}
    importers = collections.Counter(other for one, other in used if one != other)
    folders = collections.Counter(path.parent.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))
    largest = ", ".join(f"{folder} {count - 1}" for folder, count in folders.most_common(7))
    called = list(private_calls(trees))
    loaded = modules_loaded()
    return {
        "lines of the source": lines_of(SOURCE.rglob("*.py")),
        "lines of core": sum(lines_of((SOURCE / name).rglob("*.py")) for name in CORE),
        "boxes, arrows and floors of core": f"{len(CORE)}, {len(core)}, {levels(core)}",
        "imports from core to a guest, strings too": len(list(core_to_guests())),
        "modules and lines that the smallest release loads": (
            f"{len(loaded)}; {lines_of(loaded.values())}"
        ),
        "circles between files": circles(arrows),
        "packages and files at the top": len({top(name) for name in trees} - {""}),
        "imports between them": len({pair for pair in boxes if "" not in pair}),
        "levels of them": levels({pair for pair in boxes if "" not in pair}),
        "modules": len(trees),
        "modules in a folder, most": largest,
        "modules with one importer": sum(
            importers[name] == 1 for name in trees if not is_package(name)
        ),
        "private functions called once": f"{sum(n == 1 for n in called)} of {len(called)}",
        "modules that a plan's release opens": released(),
        "unit tests that import three levels deep": sum(map(is_deep, tests())),
        **{f"lines that name a thing {word}": len(lines) for word, lines in lines_with().items()},
        **{f"classes called {name}": many for name, many in classes(trees).most_common(8)},
    }


def lines_of(paths: Iterable[Path]) -> int:
    """Lines of some files, all of them counted."""
    return sum(len(path.read_text("utf-8").splitlines()) for path in paths)


def core_to_guests() -> Iterator[tuple[str, str]]:
    """Each file of core, with a string or import that names a guest of the source."""
    guests = {path.stem for path in SOURCE.iterdir() if not path.name.startswith("_")} - {*CORE}
    named = re.compile(rf"\bdeniable\.({'|'.join(guests - {'py'})})\b(?!\.\w*`)")
    for name in CORE:
        for path in sorted((*(SOURCE / name).rglob("*.py"), *(SOURCE / name).rglob("*.pyi"))):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                match node:
                    case ast.ImportFrom(module=str(module)):
                        texts = [module]
                    case ast.Import(names=names):
                        texts = [each.name for each in names]
                    case ast.Call(args=[ast.Constant(value=str(text)), *_]):
                        texts = [text]
                    case _:
                        continue
                yield from ((str(path), text) for text in texts if named.match(text))


def circles(arrows: set[tuple[str, str]]) -> int:
    """How many sets of files import one another, directly or through others."""
    below = collections.defaultdict(set)
    for one, other in arrows:
        below[one].add(other)

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        left = [start]
        while left:
            new = below[left.pop()] - seen
            seen |= new
            left += new
        return seen

    reach = {name: reached(name) for name in list(below)}
    return len(
        {
            frozenset(other for other in names if name in reach.get(other, ()))
            for name, names in reach.items()
            if name in names
        }
    )


def modules_loaded() -> dict[str, Path]:
    """Modules of ours, with their files, that one sum of three rows loads to be released."""
    with tempfile.TemporaryDirectory() as folder:
        rows = "person,visits\na,3\nb,4\nc,5\n"
        (Path(folder) / "visits.csv").write_text(rows, encoding="utf-8")
        (Path(folder) / "plan.toml").write_text(SMALLEST, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-c", LOADED], cwd=folder, capture_output=True, text=True, check=True
        )
    lines = [line.split(" ", 1) for line in done.stderr.splitlines() if ".py" in line]
    return {name: Path(file) for name, file in lines}


def name_of(path: Path) -> str:
    """A module's name, without the package's own."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def top(name: str) -> str:
    """The package or file at the top that a module belongs to."""
    return name.split(".")[0]


def is_package(name: str) -> bool:
    """Whether a module's name is that of a folder."""
    return (SOURCE / name.replace(".", "/")).is_dir()


def imports(name: str, trees: dict[str, ast.Module]) -> set[str]:
    """The modules that one imports, as far down as it names them."""
    named = set()
    for node in ast.walk(trees[name]):
        match node:
            case ast.ImportFrom(module=str(module), names=names) if module.startswith("deniable"):
                named |= {module, *(f"{module}.{each.name}" for each in names)}
            case ast.Import(names=names):
                named |= {each.name for each in names}
    inner = {
        text.removeprefix("deniable").removeprefix(".") for text in named if "deniable" in text
    }
    known = {text for text in inner if text in trees and text != name}
    return {text for text in known if not any(other.startswith(f"{text}.") for other in known)}


def uses(name: str, trees: dict[str, ast.Module]) -> set[str]:
    """The modules that one imports, or imports a name of, by whatever package."""
    pairs = {place_of(pair, trees) for pair in names_imported(trees[name])}
    used = imports(name, trees) | {module for module, _ in pairs if module in trees}
    passed_on = f"{name}." if is_package(name) and "." in name else "-"
    return {module for module in used - {name} if not module.startswith(passed_on)}


def place_of(pair: tuple[str, str], trees: dict[str, ast.Module]) -> tuple[str, str]:
    """The module in which a name of a module or package stands."""
    module, name = pair
    if is_package(module) and module in trees:
        for place, other in names_imported(trees[module]):
            if other == name and place != module:
                return place_of((place, other), trees)
    return pair


def names_imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Each name that a module imports from one of ours, and that one's name."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), names=names) if module.startswith("deniable"):
                for each in names:
                    yield module.removeprefix("deniable").removeprefix("."), each.name


def levels(pairs: set[tuple[str, str]]) -> int:
    """How many packages stand above one another at most."""
    below = collections.defaultdict(set)
    for one, other in pairs:
        below[one].add(other)

    def depth(name: str, path: tuple[str, ...] = ()) -> int:
        if name in path:
            raise SystemExit(f"{' → '.join((*path, name))} is a circle.")
        return 1 + max((depth(other, (*path, name)) for other in below[name]), default=0)

    return max(map(depth, list(below)))


def private_calls(trees: dict[str, ast.Module]) -> Iterator[int]:
    """How often each private function of a module is named there."""
    for tree in trees.values():
        own = [
            node.name
            for node in tree.body
            if isinstance(node, ast.FunctionDef) and node.name.startswith("_")
        ]
        named = collections.Counter(
            node.id for node in ast.walk(tree) if isinstance(node, ast.Name)
        )
        yield from (named[name] for name in own)


def released() -> int:
    """Modules of which a function runs while a plan is released, imports left out."""
    with tempfile.TemporaryDirectory() as folder:
        ages = "\n".join(["age", *map(str, range(100))])
        (Path(folder) / "visits.csv").write_text(ages, encoding="utf-8")
        (Path(folder) / "plan.toml").write_text(PLAN, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-c", TRACED], cwd=folder, capture_output=True, text=True, check=True
        )
        return int(done.stderr.split()[-1])


def tests() -> list[Path]:
    """The files of unit tests."""
    return sorted((ROOT / "tests" / "unit").rglob("test_*.py"))


def is_deep(path: Path) -> bool:
    """Whether a test imports a module within a package within a package."""
    return re.search(r"from deniable(\.\w+){3,} import", path.read_text("utf-8")) is not None


def lines_with() -> dict[str, set[tuple[Path, int]]]:
    """By word the lines of code on which a function or variable has that name, the whole of it."""
    lines: dict[str, set[tuple[Path, int]]] = {word: set() for word in WORDS}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            for part in ("id", "name", "arg", "attr"):
                name = getattr(node, part, None)
                if name in lines:
                    lines[name].add((path, node.lineno))
    return lines


def classes(trees: dict[str, ast.Module]) -> collections.Counter[str]:
    """Names of classes, private marks left out, that more than one module defines."""
    named = collections.Counter(
        node.name.lstrip("_")
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    )
    return collections.Counter({name: many for name, many in named.items() if many > 1})


if __name__ == "__main__":
    main()
