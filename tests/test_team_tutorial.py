"""The tutorial of a team's year: every command is run, and prints what the page shows first."""

import re
import shlex
import shutil
from pathlib import Path

from click.testing import CliRunner

import deniable
from tests.cases.command_line import app

PAGE = Path(__file__).resolve().parents[1] / "docs" / "tutorials" / "a-year-of-releases.md"
BLOCKS = re.compile(r"```(python|toml|console)\n(.*?)```", re.DOTALL)


def steps():
    """Blocks in their order; a console's as a command and the lines that it prints."""
    for kind, block in BLOCKS.findall(PAGE.read_text(encoding="utf-8")):
        if kind != "console":
            yield kind, block, ""
            continue
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            yield kind, command, shown


def replaced(expression, file):
    """What `sed -i` does with substitutions."""
    text = Path(file).read_text(encoding="utf-8")
    for each in expression.split("; "):
        _, old, new, _ = each.split("/")
        text = text.replace(old, new)
    Path(file).write_text(text, encoding="utf-8")


def test_the_year_goes_as_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    compared = 0
    for kind, step, shown in steps():
        match kind, shlex.split(step) if kind == "console" else []:
            case "python", _:
                exec(compile(step, str(PAGE), "exec"), {})
            case "toml", _:
                Path(step.split()[1]).write_text(step, encoding="utf-8")
            case _, ["cp", *files]:
                shutil.copyfile(*files)
            case _, ["sed", "-i", expression, file]:
                replaced(expression, file)
            case _, ["deniable", *words]:
                charges = []
                if "ID" in words:
                    charges = [each.id[:8] for each in deniable.ledger.show(words[2]).open_charges]
                found = CliRunner().invoke(app, [charges[0] if w == "ID" else w for w in words])
                refused = "does not fit" in shown, "its charge is not" in shown
                assert found.exit_code == {(True, False): 3, (False, True): 2}.get(refused, 0)
                assert found.stdout.startswith(shown), (step, found.stdout)
                compared += bool(shown)
    assert compared == 7
    assert deniable.ledger.check("hospital.ledger", ["march", "june", "october"]).holds
