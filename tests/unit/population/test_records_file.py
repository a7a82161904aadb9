"""--out-records: a file of records, and what is refused before any work."""

import csv

import pytest
from click.testing import CliRunner

from tests.cases.command_line import app

VALUES = "1\n2\n2.5\n9\n"


def run(folder, *options):
    (folder / "x.csv").write_text(VALUES, encoding="utf-8")
    words = ["population", "gaussian", "--data", str(folder / "x.csv"), "--size", "2"]
    words += ["--sigma", "1", "--delta", "0.01", *map(str, options)]
    return CliRunner().invoke(app, words)


def test_a_record_a_line_with_its_interval_and_its_distance(tmp_path):
    place = tmp_path / "records.csv"
    assert run(tmp_path, "--records", "all", "--out-records", place).exit_code == 0
    rows = list(csv.DictReader(place.read_text(encoding="utf-8").splitlines()))
    assert [int(row["record"]) for row in rows] == [0, 1, 2, 3]
    assert all(float(row["lower"]) <= float(row["upper"]) for row in rows)
    mean = (1 + 2 + 2.5 + 9) / 4
    distances = [float(row["distance"]) for row in rows]
    assert distances == pytest.approx([abs(x - mean) for x in (1, 2, 2.5, 9)])
    assert max(rows, key=lambda row: float(row["upper"]))["record"] == "3"
    assert [path.name for path in tmp_path.iterdir() if path.name[0] == "."] == []


def test_what_could_not_be_written_is_refused_before_the_work(tmp_path):
    place = tmp_path / "records.csv"
    place.write_text("kept", encoding="utf-8")
    assert run(tmp_path, "--records", "all", "--out-records", place).exit_code == 2
    assert place.read_text(encoding="utf-8") == "kept"
    assert run(tmp_path, "--out-records", tmp_path / "new.csv").exit_code == 2
    nowhere = tmp_path / "nowhere" / "new.csv"
    assert run(tmp_path, "--records", "all", "--out-records", nowhere).exit_code == 2
    assert not (tmp_path / "new.csv").exists()
