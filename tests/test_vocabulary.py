"""Names say what they hold, in the field's words (`docs/reference/identifiers.md`)."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "deniable"
SAY_NOTHING = {
    "found", "told", "held", "taken", "opened", "settled", "asked", "whole", "chosen", "shown",
    "ends", "made_up", "door", "house", "room", "believer",
}  # fmt: skip
"""Participles and everyday words where the field has a term."""
PUBLIC = {
    "ledger/ledger.py": {"shown"},  # Ledger.shown, without a password
    "ledger/costs.py": {"shown"},
    "ledger/summary.py": {"shown"},
    "publish/explorer/explore.py": {"opened"},  # Explored.opened
    "cli/publishing.py": {"opened"},
    "auditing/audit.py": {"found"},  # Audit.found
    "auditing/sentences.py": {"found"},
    "auditing/page.py": {"found"},
    "cli/auditing.py": {"found"},
}
"""Public names of long standing, by file."""


def names(path: Path) -> Iterator[tuple[int, str]]:
    """Identifiers that a file gives or uses, with their lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.keyword(arg=str(name)):
                yield node.value.lineno, name


def test_names_say_what_they_hold():
    used = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        file = str(path.relative_to(PACKAGE))
        bad = SAY_NOTHING - PUBLIC.get(file, set())
        if lines := [
            f"{line}: {name}" for line, name in names(path) if name.strip("_").lower() in bad
        ]:
            used[file] = lines
    assert used == {}
