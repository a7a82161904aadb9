"""Who may draw for numbers that are not released."""

import ast
from pathlib import Path

import deniable

SOURCE = Path(deniable.__file__).parent
DRAWING = {"rehearse_noise", "SimulatedNumbers"}


def test_only_attacks_draw_for_made_up_numbers():
    users = set()
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if not any(name in text for name in DRAWING):
            continue  # and is not parsed
        names = {
            node.id if isinstance(node, ast.Name) else node.name
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Name | ast.alias)
        }
        if names & DRAWING:
            users.add(path.relative_to(SOURCE).parts[:2])
    assert users == {("pipeline", "release.py"), ("auditing", "plans")}
