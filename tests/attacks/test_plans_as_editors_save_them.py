"""A right plan is one however an editor saves it: every command reads it, and no step crashes."""

import pytest
from click.testing import CliRunner

from tests.cases.command_line import app

PLAN = """[data]
source = "visits.csv"
entity = "person"
[target]
gamma = 2.0
[limits]
rows_per_entity = 1
[[query]]
name = "visits"
statistic = "count"
group_by = ["sex"]
keys = { sex = ["F", "M"] }
"""
SAVED = {
    "mark": "\ufeff" + PLAN,
    "mark and carriage returns": "\ufeff" + PLAN.replace("\n", "\r\n"),
    "carriage returns": PLAN.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("name", SAVED)
def test_it_is_read_by_every_command(tmp_path, name):
    lines = ["person,sex", *(f"{person},{'FM'[person % 2]}" for person in range(30))]
    (tmp_path / "visits.csv").write_text("\n".join(lines), encoding="utf-8")
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    plan.write_bytes(SAVED[name].encode("utf-8"))
    for words in (
        ("plan", plan),
        ("preview", plan),
        ("release", plan, "--out", out),
        ("check", out),
    ):
        answer = CliRunner().invoke(app, [str(word) for word in words])
        assert answer.exit_code == 0, (words[0], answer.stderr)
