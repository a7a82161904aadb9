"""Who may draw for numbers that are not released."""

import ast
from pathlib import Path

import deniable

SOURCE = Path(deniable.__file__).parent


def test_only_attacks_draw_for_made_up_numbers():
    users = set()
    for path in SOURCE.rglob("*.py"):
        names = {
            node.id if isinstance(node, ast.Name) else node.name
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Name | ast.alias)
        }
        if names & {"rehearse_noise", "SimulatedNumbers"}:
            users.add(path.relative_to(SOURCE).parts[:2])
    assert users == {("pipeline", "release.py"), ("auditing", "plans")}
