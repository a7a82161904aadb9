"""The how-to about printed tables: its files, saved as it says, give what it shows."""

import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from tests.cases.command_line import app

PAGE = (
    Path(__file__).resolve().parents[1] / "docs/how-to/judge-tables-as-your-program-prints-them.md"
)
_SAVED = re.compile(r"[Ss]ave [^`]*? as `([\w.]+)`.*?```(?:text|toml)\n(.*?)```", re.S)


def outputs(folder):
    """Each command of the page, and the lines that it prints in a folder with the page's files."""
    text = PAGE.read_text(encoding="utf-8")
    for name, content in _SAVED.findall(text):
        (folder / name).write_text(content, encoding="utf-8")
    for command, shown in re.findall(r"```console\n\$ ([^\n]+)\n(.*?)```", text, re.S):
        words, _, head = command.partition(" | head -")
        result = CliRunner().invoke(app, shlex.split(words)[1:])
        assert result.exit_code == 0, result.output
        lines = result.stdout.splitlines(keepends=True)
        yield "".join(lines[: int(head)] if head else lines), shown


def test_what_the_guide_shows_is_what_its_files_give(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    printed = list(outputs(tmp_path))
    assert len(printed) == 2
    for given, shown in printed:
        assert given == shown
