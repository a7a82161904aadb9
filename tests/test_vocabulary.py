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
    "auditing/attacked.py": {"found"},
    "auditing/models/single.py": {"found"},
    "auditing/statistics/cut.py": {"found"},
    "auditing/sentences.py": {"found"},
    "auditing/page.py": {"found"},
    "cli/auditing.py": {"found"},
    "gwas/attacks/safe_answer.py": {"chosen"},  # SafeStudy.chosen, what gwas.safe returns
    "gwas/attacks/safe.py": {"chosen"},
    "gwas/files/filters.py": {"opened"},  # gwas.Filters.opened
    "gwas/attacks/attack.py": {"opened"},
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
