"""What a stranger looks for is there, is read by those who read it, and agrees with the package."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import deniable
from tests.cases.command_line import app

ROOT = Path(__file__).resolve().parents[1]
KEY = re.compile(r"^([\w-]+): ?(.*)$", re.M)


def citation() -> dict[str, str]:
    """Keys at the top of CITATION.cff, which is YAML; values of one line."""
    return dict(KEY.findall((ROOT / "CITATION.cff").read_text(encoding="utf-8")))


def test_the_citation_has_what_its_format_requires_and_the_version_of_the_package():
    told = citation()
    assert {"cff-version", "message", "title", "authors"} <= told.keys()
    assert told["cff-version"] == "1.2.0"
    assert told["version"] == deniable.__version__
    assert told["license"] == "Apache-2.0"
    assert told["type"] in {"software", "dataset"}


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.md")), ids=lambda p: p.name)
def test_a_template_has_its_head_and_names_files_that_are_there(path):
    text = path.read_text(encoding="utf-8")
    if path.parent.name == "ISSUE_TEMPLATE":
        head = dict(KEY.findall(text.split("---")[1]))
        assert head.keys() >= {"name", "about"}
    for name in re.findall(r"\b[A-Z]+\.md\b", text):
        assert (ROOT / name).is_file()


def test_a_report_of_a_flaw_goes_to_nobodys_invented_address():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert re.findall(r"[\w.]+@[\w.]+", text) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion_offers_the_commands(shell):
    """As the shell asks: with the words of the line in the environment."""
    done = subprocess.run(
        [sys.executable, "-m", "deniable"], capture_output=True, text=True,
        env={"PATH": "/usr/bin:/bin", "_DENIABLE_COMPLETE": f"{shell}_complete",
             "COMP_WORDS": "deniable ", "COMP_CWORD": "" if shell == "fish" else "1",
             "DENIABLE_LINE": "deniable ", "DENIABLE_WORD": ""} | path_of_the_package(),
    )  # fmt: skip
    commands = app.commands
    for name in commands:
        assert re.search(rf"\b{name}\b", done.stdout), done.stderr


def path_of_the_package() -> dict[str, str]:
    return {"PYTHONPATH": str(Path(deniable.__file__).resolve().parents[1])}
