"""The how-to about PostgreSQL does what it says, on a server."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from deniable.publish.sources.table import Kind, schema
from tests.cases.command_line import app

PAGE = Path(__file__).resolve().parents[1] / "docs" / "how-to" / "publish-from-postgresql.md"
TEXT = PAGE.read_text(encoding="utf-8")
SHOWN = "postgresql://localhost:5432/clinic"
ROWS = """
INSERT INTO care.visits
SELECT md5((i / 3)::text)::uuid, (ARRAY['free', 'shared'])[1 + i % 2]::care.plan,
    i % 9, i % 77 / 2.0,
    timestamptz '2025-12-01' + i * interval '5 hours'
FROM generate_series(1, 300) AS i
"""


@pytest.fixture
def text(postgres):
    """The page, for a server that holds what it shows."""
    url = postgres.database("clinic")
    with postgres.connect("clinic") as session:
        session.execute("DROP ROLE IF EXISTS publisher")
        for block in re.findall(r"```sql\n(.*?)```", TEXT, re.S):
            session.execute(block)
        session.execute(ROWS)
        yield TEXT.replace(SHOWN, url)
        session.execute("DROP OWNED BY publisher; DROP ROLE publisher")


def test_the_commands_of_the_guide_work(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (plan,) = re.findall(r"```toml\n(.*?)```", text, re.S)
    for line in re.findall(r"^\$ deniable (.+)$", text, re.M):
        words, _, file = line.partition(" > ")
        result = CliRunner().invoke(app, shlex.split(words))
        advice = ("Advice: ", "For you only, ")  # the guide's table is small
        told = [each for each in result.stderr.splitlines() if not each.startswith(advice)]
        assert (result.exit_code, told) == (0, []), line
        if file:
            assert tomllib.loads(result.stdout)["data"]["source"] in text
            (tmp_path / file).write_text(plan, encoding="utf-8")
    assert (tmp_path / "published" / "results.csv").is_file()


def test_what_the_guide_writes_down_can_be_read(text, postgres):
    names = re.findall(r"^CREATE (?:TABLE|.*VIEW) (\S+)", text, re.M)
    for name in names:
        assert Kind.OTHER not in schema(postgres.source(name, "clinic")).values()
    assert len(names) == 3
