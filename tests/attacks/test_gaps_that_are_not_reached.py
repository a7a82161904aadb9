"""An interval that stays wider than --gap is said to be: every population command, and a page."""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

from deniable import Effort, LinearQuery, population
from deniable.report.html import text
from tests.cases.command_line import app
from tests.cases.effort import one_in

NUMBERS = [0.0, 0.5, 1.5, 1.5, 4.0, -2.0]
VECTORS = [[0.0, 0.5], [1.0, 2.0], [0.3, -1.0], [2.0, 2.0], [-1.0, 0.1]]
LOSSES = [[0.0, 1.0], [1.0, 0.0], [1.0, 0.5], [0.2, 0.9], [0.4, 0.4]]
SUM = ["--data", "numbers.csv", "--size", "2", "--query", "sum"]
TWO = ["--data", "vectors.csv", "--size", "2", "--query", "sum", "--sigma", "1", "--delta", ".05"]
COUNT = ["count", "--ones", "30", "--population", "100", "--size", "20"]
COMMANDS = {
    "one column": ["gaussian", *SUM, "--sigma", "1", "--delta", "1e-5"],
    "least sigma": ["gaussian", *SUM, "--target", "1", "--delta", ".01"],
    "pairwise": ["gaussian", *TWO, "--method", "pairwise"],
    "crowd": ["gaussian", *TWO, "--time-limit", ".3"],
    "laplace": ["laplace", *SUM, "--scale", "1"],
    "laplace with delta": ["laplace", *SUM, "--scale", "1", "--delta", "1e-5"],
    "discrete laplace": ["discrete-laplace", *SUM, "--scale", "2"],
    "least scale": ["discrete-laplace", *SUM, "--target", "1"],
    "discrete gaussian": ["discrete-gaussian", *SUM, "--scale", "2", "--delta", ".01"],
    "count": [*COUNT, "--scale", "2"],
    "count with delta": [*COUNT, "--epsilon", "1", "--delta", ".01"],
    "enumerated": ["exponential", "--losses", "losses.csv", "--size", "2", "--sensitivity", "1"],
    "sampled": ["exponential", "--losses", "losses.csv", "--size", "2", "--sensitivity", "1"],
}  # fmt: skip
for each in ("one column", "laplace with delta"):  # finer and finer, to no other end
    COMMANDS[each] += ["--time-limit", ".3"]
COMMANDS["enumerated"] += ["--epsilon", "2", "--method", "enumerate"]
COMMANDS["sampled"] += ["--epsilon", "2", "--method", "sample", "--time-limit", ".3"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    whole = [0, 1, 1, 3, 6, 2]
    for name, values in (
        ("numbers", NUMBERS), ("vectors", VECTORS), ("losses", LOSSES), ("whole", whole),
    ):  # fmt: skip
        np.savetxt(tmp_path / f"{name}.csv", np.asarray(values), delimiter=",")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "gap"),
    [(each, 1e-14) for each in COMMANDS] + [(each, 5.0) for each in one_in(3, [*COMMANDS], 1)],
)
def test_a_command_says_so(folder, command, gap):
    words = COMMANDS[command]
    if words[0].startswith("discrete"):
        words = ["whole.csv" if word == "numbers.csv" else word for word in words]
    page = folder / "page.html"
    words = [*words, "--gap", str(gap), "--json"]
    if command == "laplace":
        words += ["--page", str(page)]
    ran = CliRunner().invoke(app, ["population", *words])
    assert ran.exit_code == 0, ran.stderr
    found = json.loads(ran.stdout)
    low, high = (float(found["population_epsilon"][end]) for end in ("lower", "upper"))
    assert found["gap"]["goal"] == gap
    reached = float(found["gap"]["reached"])
    wide = reached > gap * (1 + 1e-6)
    if high == low:
        assert reached == 0
    else:
        assert reached == (pytest.approx((high - low) / low) if low else math.inf)
    said = f"The gap of {gap:g} is not reached"
    assert (said in ran.stderr) == wide
    if page.exists():
        assert (text(said) in page.read_text()) == wide


@pytest.mark.usefixtures("folder")
def test_either_is_said_where_numbers_are_printed():
    for command, gap, reached in (("pairwise", 0.01, False), ("pairwise", 50, True)):
        ran = CliRunner().invoke(app, ["population", *COMMANDS[command], "--gap", str(gap)])
        assert ran.exit_code == 0
        assert ("is not reached" in ran.stderr) != reached
        assert "is not reached" not in ran.stdout


def test_an_answer_in_python_says_so():
    effort = Effort(gap=1e-12, time_limit=0.3)
    both = [LinearQuery([row[k] for row in VECTORS], 3.0, "sum") for k in (0, 1)]
    answers = (
        population.joint(both, 2, delta=0.01, method="pairwise", effort=effort),
        population.query(
            lambda rows: [np.median(rows)], NUMBERS, 2, sigma=2.0, delta=0.05, effort=effort
        ),
        population.gaussian(VECTORS, 2, sigma=1.0, delta=0.01, method="pairwise", effort=effort),
    )
    for found in answers:
        bound = found.population_epsilon
        assert bound.upper > bound.lower
        assert found.gap.goal == 1e-12
        assert not found.gap.is_reached
        assert "1e-12 is not reached" in found.gap.note()
        assert found.gap.note() in found.page() or str(text(found.gap.note())) in found.page()
    done = population.gaussian(NUMBERS, 2, sigma=1.0, delta=0.01)
    assert done.gap.is_reached
    assert done.gap.note() is None


def test_a_small_gap_is_reached_where_one_record_lies_far_out():
    """Grids of tilted laws grow finer: [31.751, 31.770] was all that was known."""
    numbers = [*np.random.default_rng(1).normal(size=60), 60.0]
    found = population.gaussian(
        numbers, 20, sigma=12.0, delta=1e-5, query="sum", records=[60], effort=Effort(gap=1e-4)
    )
    assert found.gap.is_reached
