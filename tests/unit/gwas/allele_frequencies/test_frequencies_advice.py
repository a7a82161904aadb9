"""Frequencies with more noise than they can be told by."""

import json

import pytest
from click.testing import CliRunner

import deniable
from deniable.errors import ReleaseCancelled
from tests.cases.command_line import app

PEOPLE = 60


@pytest.fixture
def study(tmp_path):
    """Counts of so many people at 30 variants."""
    names = ["variant", "cases_0", "cases_1", "cases_2", "controls_0", "controls_1", "controls_2"]
    rows = [names, *([f"rs{i}", "5", "15", "10", "10", "10", "10"] for i in range(30))]
    path = tmp_path / "counts.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_it_is_said_before_anything_is_spent_and_is_not_published(study, tmp_path):
    said = []

    def confirm(advice):
        said.append(advice)
        return len(said) > 1

    options = {"all_variants": True, "gamma": 1.2, "confirm": confirm}
    ledger = tmp_path / "a.ledger"
    deniable.ledger.new(ledger, "study", epsilon=1.0, unit="genotype")
    options |= {"ledger": ledger, "dataset": "study"}
    with pytest.raises(ReleaseCancelled):
        deniable.gwas.frequencies(study, tmp_path / "out", **options)
    assert deniable.Ledger(ledger).spent("study") == 0
    assert not (tmp_path / "out").exists() or not any((tmp_path / "out").iterdir())
    answer = deniable.gwas.frequencies(study, tmp_path / "out", **options)
    ((advice,), (again,)) = said
    width = answer.certificate.counted.part.half_width_95
    assert 2 * width >= 2 * PEOPLE
    assert advice == again
    assert f"± {width:,.0f} of {2 * PEOPLE} copies" in advice
    assert answer.as_json()["advice"] == [advice]
    assert advice in str(answer)
    for file in (tmp_path / "out").iterdir():
        assert b"contains every possible value" not in file.read_bytes()


def test_the_command_says_it_on_standard_error_and_nothing_where_all_is_well(study, tmp_path):
    words = ["gwas", "frequencies", str(study), "--all-variants", "--json"]
    shown = CliRunner().invoke(app, [*words, "--gamma", "1.2", "--out", str(tmp_path / "a")])
    assert shown.exit_code == 0
    assert shown.stderr.startswith("Advice: Each frequency would be known to ±")
    (advice,) = json.loads(shown.stdout)["advice"]
    assert shown.stderr == f"Advice: {advice}\n"
    shown = CliRunner().invoke(app, [*words, "--epsilon", "90", "--out", str(tmp_path / "b")])
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert json.loads(shown.stdout)["advice"] == []
