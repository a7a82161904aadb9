"""Names say what they hold, in the field's words (`docs/reference/identifiers.md`)."""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "deniable"
SAY_NOTHING = {
    "found", "told", "held", "taken", "opened", "settled", "asked", "whole", "chosen", "shown",
    "ends", "made_up", "door", "house", "room", "believer",
}  # fmt: skip
"""Participles and everyday words where the field has a term."""
WORDS = re.compile(rf"(?i)(?<![a-z0-9])(?:{'|'.join(SAY_NOTHING)})(?![a-z0-9])")
PUBLIC = {
    "ledger/ledger.py": {"shown"},  # Ledger.shown, without a password
    "ledger/costs.py": {"shown"},
    "ledger/summary.py": {"shown"},
    "explorer/explore.py": {"opened"},  # Explored.opened
    "explorer/commands.py": {"opened"},
    "auditing/audit.py": {"found"},  # Audit.found
    "auditing/attacked.py": {"found"},
    "auditing/models/single.py": {"found"},
    "auditing/statistics/cut.py": {"found"},
    "auditing/page.py": {"found"},
    "auditing/commands.py": {"found"},
    "pipeline/charging.py": {"shown"},  # Ledger.shown
    "gwas/attacks/safe_answer.py": {"chosen"},  # SafeStudy.chosen, what gwas.safe returns
    "gwas/attacks/safe.py": {"chosen"},
    "gwas/files/filters.py": {"opened"},  # gwas.Filters.opened
    "gwas/attacks/attack.py": {"opened"},
}
"""Public names of long standing, by file."""


@functools.cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def names(path: Path) -> Iterator[tuple[int, str]]:
    """Identifiers that a file gives or uses, with their lines; of none where no word stands."""
    if not WORDS.search(path.read_text(encoding="utf-8")):
        return
    for node in ast.walk(parsed(path)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.keyword(arg=str(name)):
                yield node.value.lineno, name


def said_nothing() -> Iterator[tuple[str, int, str]]:
    """File, line and word of each use that no public name excuses."""
    for path in sorted(PACKAGE.rglob("*.py")):
        file = str(path.relative_to(PACKAGE))
        for line, name in names(path):
            word = name.strip("_").lower()
            if word in SAY_NOTHING - PUBLIC.get(file, set()):
                yield file, line, word


def test_names_say_what_they_hold():
    assert list(said_nothing()) == []


Definition = tuple[str, str]
"""The module that defines a name, and the name there."""


def parsed_modules() -> dict[str, ast.Module]:
    """The modules by name; of a package with a stub, the stub, which says where its names are."""
    modules = {}
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")]):  # a stub comes after
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        modules[name] = parsed(path)
    return modules


def named_types(module: ast.Module) -> dict[str, Definition | str]:
    """Classes and aliases of a module: what it imports, or the source of what it defines."""
    types: dict[str, Definition | str] = {}
    for node in module.body:
        match node:
            case ast.ImportFrom(module=str(origin), names=aliases) if origin.startswith("deniable"):
                types |= {each.asname or each.name: (origin, each.name) for each in aliases}
            case ast.ClassDef(name=name):
                types[name] = "class"
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                types[name] = ast.unparse(value)
    return {
        name: meaning
        for name, meaning in types.items()
        if name[0].isupper() and not name.isupper() and not str(meaning).startswith("Annotated[")
    }  # an annotated type is an option of one command


def test_a_type_has_one_meaning_within_a_package():
    """Who reads a package meets no two classes, nor aliases of two types, by one name."""
    types = {module: named_types(tree) for module, tree in parsed_modules().items()}

    def meaning(module: str, name: str) -> str:
        origin = types.get(module, {}).get(name)
        if isinstance(origin, tuple):
            return meaning(*origin)
        return f"class of {module}" if origin in (None, "class") else origin

    meanings: dict[tuple[str, str], set[str]] = {}
    for module, names_ in types.items():
        package = ".".join(module.split(".")[:2])
        for name in names_:
            meanings.setdefault((package, name), set()).add(meaning(module, name))
    assert {name: among for name, among in meanings.items() if len(among) > 1} == {}


CUT = re.compile(r"\b(?:values?|records|losses)\b[^.;]{0,30}\bcut\s+to\b|\bis cut to \{")


def test_values_are_clipped_to_bounds_and_never_cut():
    pages = [ROOT / "README.md", *ROOT.glob("docs/*/*.md"), *ROOT.glob("docs/reference/*/*.md")]
    pages = [path for path in pages if path.parent.name != "decisions"]
    sources = [each for kind in ("py", "html") for each in PACKAGE.rglob(f"*.{kind}")]
    said = {
        str(path.relative_to(ROOT)): match[0]
        for path in [*pages, *sources]
        if (match := CUT.search(path.read_text(encoding="utf-8")))
    }
    assert said == {}
