"""The how-to about samples: its plan runs on its table, and what it says of a thousand holds."""

import csv
import re
from fractions import Fraction
from pathlib import Path

import deniable
from deniable.mechanisms import DiscreteLaplace
from deniable.publish.margins import ErrorTerm
from deniable.publish.survey import SimpleRandomSample, noise_tail, population_interval

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "how-to" / "say-what-a-sample-tells-of-a-population.md"
SHOWN = re.findall(r"```(?:text|toml)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)


def test_the_plan_that_the_guide_shows_is_released_and_checked(tmp_path):
    table, plan = SHOWN
    (tmp_path / "homes.csv").write_text(table, encoding="utf-8")
    path = tmp_path / "homes.toml"
    path.write_text(plan, encoding="utf-8")
    out = tmp_path / "published"
    deniable.release(path, out)
    assert deniable.check(out).holds
    with (out / "results.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["query"] for row in rows] == ["damp homes", "damp homes", "rent"]
    bounds = [(float(row["population_low"]), float(row["population_high"])) for row in rows]
    assert all(0 <= low <= high <= 20_000 for low, high in bounds)


def test_a_thousand_say_as_much_as_the_guide_says(tmp_path):
    path = tmp_path / "homes.toml"
    path.write_text(SHOWN[1], encoding="utf-8")
    (tmp_path / "homes.csv").write_text(SHOWN[0], encoding="utf-8")
    scale = deniable.plan(path).queries[0].mechanisms[0].scale
    tail = noise_tail((ErrorTerm(Fraction(1), 1, DiscreteLaplace(scale)),))
    low, high = population_interval(320.0, SimpleRandomSample(1000, 20_000), tail)
    assert "some 29 % to 35 % where 32 % were found" in PAGE.read_text(encoding="utf-8")
    assert (round(low / 200), round(high / 200)) == (29, 35)
