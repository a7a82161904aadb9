"""The how-to about keys that nobody knows: its plan runs, and says what the page says."""

import itertools
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import deniable
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, least_threshold
from tests.cases.command_line import app

PAGE = Path(__file__).resolve().parents[1] / "docs" / "how-to" / "publish-keys-that-nobody-knows.md"
TEXT = PAGE.read_text(encoding="utf-8")
SHOWN = re.findall(r"```(text|toml)\n(.*?)```", TEXT, re.S)


@pytest.fixture
def path(tmp_path):
    (_, table), (_, plan) = SHOWN[:2]
    many = [f"{person},north,I10" for person in range(3, 900)]
    (tmp_path / "visits.csv").write_text(table + "\n".join(many) + "\n", encoding="utf-8")
    path = tmp_path / "visits.toml"
    path.write_text(plan, encoding="utf-8")
    return path


def test_the_plan_that_the_guide_shows_says_what_the_guide_says_and_is_released(path, tmp_path):
    (query,) = deniable.plan(path).as_json()["queries"]
    figures = SHOWN[2][1]
    assert f"{query['threshold']['value']} entities on" in figures
    assert f"{query['threshold']['exposure']:.3e}"[:4] in figures
    answer = deniable.release(path, tmp_path / "out")
    assert [row.groups for row in answer.rows] == [{"diagnosis": "I10"}]
    assert deniable.check(tmp_path / "out").holds


def test_the_ledger_of_the_guide_says_what_the_guide_says(path, monkeypatch):
    """Its command lines, on its table, beside its plan with the ledger that they make."""
    path.write_text(
        path.read_text(encoding="utf-8")
        + '\n[ledger]\nfile = "hospital.ledger"\ndataset = "visits"\n',
        encoding="utf-8",
    )
    monkeypatch.chdir(path.parent)
    for shown in re.findall(r"```console\n\$ deniable (.*?)\n(.*?)```", TEXT, re.S):
        words, printed = shown
        result = CliRunner().invoke(app, shlex.split(words))
        assert result.exit_code == 0, result.output
        assert printed.rstrip() in result.stdout
    deniable.release(path, path.parent / "out")
    book = deniable.Ledger("hospital.ledger")
    assert book.spending("visits").exposure == book.entries("visits")[0].exposure > 0


def test_the_table_of_thresholds_is_that_of_plans(path):
    plan = path.read_text(encoding="utf-8")
    target = SHOWN[3][1]
    head, rest = plan.split("[target]")
    rest = rest[rest.index("[limits]") :]
    shown = [re.findall(r"\d+", line) for line in TEXT.splitlines() if re.match(r"\| \d", line)]
    expected = []
    for rows in (1, 3):
        line = [str(rows)]
        for adjacency, noise in itertools.product(
            ("add-remove", "replace-one"), ("laplace", "gaussian")
        ):
            text = f'{head}adjacency = "{adjacency}"\n{target}{rest}'
            path.write_text(
                text.replace('"laplace"', f'"{noise}"').replace("entity = 3", f"entity = {rows}"),
                encoding="utf-8",
            )
            (query,) = deniable.plan(path).queries
            line.append(str(query.threshold.value))
        expected.append(line)
    assert shown == expected


def test_the_anchors_of_thresholds():
    assert least_threshold(DiscreteLaplace(1.0), 1, 1e-6) == 15
    assert least_threshold(DiscreteLaplace(6.0), 3, 1e-6) == 87
    assert least_threshold(DiscreteGaussian(5.0), 3, 1e-6) == 27
