"""Four people's whole ways through the command line, from the first command to the last.

A data steward with a messy table, somebody in a notebook, a genome researcher with PLINK files,
and a privacy researcher without data. What they read is parsed.
"""

import csv
import json
import math
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import deniable
from tests.cases.command_line import app
from tests.cases.genotype_files import plink_files

PEOPLE = 400


def run(*words, status=0):
    """Standard output of a command; its exit status must be the one expected."""
    answer = CliRunner().invoke(app, [str(word) for word in words])
    assert answer.exit_code == status, answer.output
    return answer.stdout


def answered(*words, status=0):
    """The one JSON object of a command."""
    return json.loads(run(*words, "--json", status=status))


MESSY_HEADER = "Patient;Clinic;Cost in EUR;Discharged;Remark\r\n"


def messy_rows():
    """Semicolons, decimal commas, dates as written in Europe, words in any case, empty cells."""
    rng = np.random.default_rng(3)
    for person in range(PEOPLE):
        for _ in range(int(rng.integers(1, 5))):
            clinic = rng.choice(["north", " North", "SOUTH ", "south", "west"])
            cost = f"{rng.integers(0, 9)}.{rng.integers(100, 999)},{rng.integers(10, 99)}"
            day = f"{rng.integers(1, 28):02}.{rng.integers(1, 13):02}.2024"
            cost = cost if rng.random() > 0.05 else ""
            yield f'P{person:04};{clinic};{cost};{day};"Köln; Süd"\r\n'


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """A folder with the table in Windows-1252 and the plan that its steward writes."""
    folder = tmp_path_factory.mktemp("clinic")
    text = MESSY_HEADER + "".join(messy_rows())
    (folder / "stays.csv").write_bytes(text.encode("cp1252"))
    (folder / "stays.toml").write_text(MESSY_PLAN, encoding="utf-8")
    return folder


MESSY_PLAN = """
[data]
source = "stays.csv"
entity = "Patient"
unit = "patient"
trim = ["Clinic"]
fold = ["Clinic"]

[data.csv]
delimiter = ";"
decimal = ","
thousands = "."
encoding = "windows-1252"
date_format = "%d.%m.%Y"

[adversary]
prior = [0.1, 0.1]

[target]
max_posterior = 0.3

[limits]
rows_per_entity = 3

[keys]
Clinic = ["north", "south"]

[[query]]
name = "stays"
statistic = "count"
group_by = ["Clinic"]

[[query]]
name = "mean cost"
statistic = "mean"
column = "Cost in EUR"
bounds = [0, 10000]
where = [["Discharged", ">=", 2024-01-01]]

[report]
title = "Stays 2024"
organisation = "The clinics"
"""


def test_a_steward_with_a_messy_table(clinic):
    skeleton = run("new", clinic / "stays.csv")
    assert 'delimiter = ";"' in skeleton  # the suspicion that one column is several
    tomllib.loads(skeleton)

    plan = answered("plan", clinic / "stays.toml")
    assert [query["name"] for query in plan["queries"]] == ["stays", "mean cost"]
    top = [each["upper"] for each in plan["posterior"] if each["prior"] == 0.1]
    assert top[0] == pytest.approx(0.3, rel=1e-9)
    assert top[0] <= 0.3

    preview = run("preview", clinic / "stays.toml")
    assert "NOT FOR PUBLICATION" in preview
    assert "west" in preview  # a value that is no key, for the owner only

    out = clinic / "published"
    released = answered("release", clinic / "stays.toml", "--out", out)
    assert Path(released["out"]) == out
    with open(out / "results.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    stays = {row["group:Clinic"]: row for row in rows if row["query"] == "stays"}
    assert set(stays) == {"north", "south"}
    assert {row["rows_per_entity"] for row in stays.values()} == {"3"}
    published = b"".join(path.read_bytes() for path in out.iterdir() if path.suffix != ".parquet")
    assert b"stays.csv" not in published
    assert b"west" not in published
    assert "Stays 2024" in (out / "report.html").read_text(encoding="utf-8")

    checked = answered("check", out)
    assert checked["holds"]
    assert checked["on_trust"]
    (out / "results.csv").write_bytes(
        (out / "results.csv").read_bytes().replace(b"north", b"North")
    )
    assert not answered("check", out, status=2)["holds"]


def test_somebody_in_a_notebook(clinic, tmp_path):
    budget = deniable.calibrate(max_posterior=0.3, prior=(0.1, 0.1))
    prepared = deniable.plan(clinic / "stays.toml")
    assert prepared.calibration.epsilon == budget.epsilon
    told = []
    shown = deniable.preview(clinic / "stays.toml", progress=told.append)
    assert shown.as_json()
    assert told[-1] == 1.0
    assert told == sorted(told)
    released = deniable.release(clinic / "stays.toml", tmp_path / "out")
    counts = {row.groups["Clinic"]: row.value for row in released.rows if row.query == "stays"}
    assert set(counts) == {"north", "south"}
    assert deniable.check(tmp_path / "out").holds
    two = deniable.compose([f"pure-dp:{budget.epsilon!r}"] * 2, prior=(0.1, 0.1))
    after = {each.prior: each.upper for each in two.posterior}[0.1]
    assert 0.3 < after < 0.7


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Two hundred people, forty variants, the first of which is associated."""
    rng = np.random.default_rng(5)
    groups = ["case", "control"] * 100
    calls = rng.binomial(2, 0.3, (40, 200))
    calls[0] = [rng.binomial(2, 0.75 if group == "case" else 0.25) for group in groups]
    folder = tmp_path_factory.mktemp("study")
    return plink_files(folder, [list(map(int, row)) for row in calls], groups)


def test_a_genome_researcher_with_plink_files(study, tmp_path):
    scan = answered("gwas", "scan", study, "--statistic", "allelic")
    best = scan["top"][0]["variant"]
    assert (scan["cases"], scan["controls"], scan["variants"]) == (100, 100, 40)

    options = ("--top", 1, "--gamma", 4, "--publish-statistics")
    utility = answered("gwas", "utility", study, *options, "--trials", 200, "--seed", 1)
    assert utility["recall"]["upper"] <= 1

    out = tmp_path / "published"
    released = answered("gwas", "release", study, *options, "--out", out)
    assert len(released["released"]) == 1
    assert best.startswith("rs")
    assert released["reach"]
    checked = answered("check", out)
    assert checked["holds"]

    made = tmp_path / "made"
    simulated = ("--individuals", 120, "--cases", 60, "--variants", 200, "--causal", 2)
    run("gwas", "simulate", "--out", made, *simulated, "--seed", 4, "--reference", 80)
    reference = next(path for path in tmp_path.glob("made*reference*.bed")).with_suffix("")
    attack = answered("gwas", "attack", made, "--reference", reference)
    assert not attack["ancestry_differs"]
    assert 0 <= attack["power_lr"] <= 1


def test_a_privacy_researcher_without_data(tmp_path):
    explained = answered("explain", "--epsilon", 1, "--prior", 0.05, 0.5)
    assert explained["attack_success"] == pytest.approx(0.7310585786)

    noise = answered("calibrate", "--advantage", 0.1, "--delta", 1e-6)
    assert "epsilon" not in noise["apply"]
    sigma = noise["apply"]["noise_multiplier"]
    back = answered("derive", f"gaussian-dp:{1 / sigma!r}", "advantage")
    assert back["to"]["parameters"]["value"] <= 0.1

    flip = {"universe": ["a"], "outputs": ["0", "1"], "rows": {"": [0.75, 0.25], "a": [0.25, 0.75]}}
    (tmp_path / "flip.json").write_text(json.dumps(flip))
    verdict = answered("verify", tmp_path / "flip.json", "--family", "independent")
    assert verdict["positive_gamma"] == pytest.approx(3)
    derived = answered("derive", f"pure-dp:{math.log(3)!r}@add-remove", "positive-membership")
    assert derived["to"]["parameters"]["gamma"] == pytest.approx(3)

    together = answered("compose", "pure-dp:0.5", "zcdp:0.01")
    assert together["to"]["spec"].startswith("zcdp:0.13")

    count = ("--ones", 30, "--population", 100, "--size", 50, "--epsilon", 2)
    population = answered("population", "count", *count)
    assert population["population_epsilon"]["upper"] < population["epsilon"] == 2

    refused = CliRunner().invoke(app, ["derive", "population:0.5,0", "pure-dp"])
    assert refused.exit_code == 3
    assert re.match(r"Expected .* got .*", refused.output)
