"""The how-to about samples: its plan runs on its table, and what it says of a thousand holds."""

import csv
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa

import deniable
from deniable.mechanisms import DiscreteLaplace
from deniable.publish.plan import SimpleRandomSample
from deniable.publish.query import ErrorTerm
from deniable.publish.survey import noise_tail, population_interval

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
    assert [row["query"] for row in rows] == [
        *["damp homes"] * 2, *["rent"] * 5, *["rents"] * 9
    ]  # fmt: skip
    counted = [row for row in rows if row["population_low"]]
    assert [row["statistic"] for row in counted] == [*["count"] * 3, *["histogram"] * 8]
    bounds = [(float(row["population_low"]), float(row["population_high"])) for row in counted]
    assert all(0 <= low <= high <= 20_000 for low, high in bounds)
    about = {row["statistic"]: row for row in rows if row["approximate_low"]}
    assert list(about) == ["mean", "sum", "median"]
    for what, times in (("mean", 1), ("sum", 20_000), ("median", 1)):
        low, high = (float(about[what][f"approximate_{end}"]) for end in ("low", "high"))
        assert 0 <= low <= high <= 1500 * times


def test_a_variance_has_a_narrower_interval_than_a_mean(tmp_path):
    """1,000 rents, of a bell between 200 and 1,500: as the guide says, a half to a sixth."""
    rng = np.random.default_rng(6)
    rents = np.clip(rng.normal(700, 150, 1000), 200, 1500)
    plan = {
        "data": {},
        "target": {"epsilon": 4.0},
        "sample": {"design": "simple-random", "size": 1000, "population": 20_000},
        "query": [
            {"name": kind, "statistic": kind, "column": "rent", "bounds": [200, 1500]}
            for kind in ("mean", "variance")
        ],
    }
    rows = deniable.release(plan, tmp_path / "out", data=pa.table({"rent": rents})).rows
    means = {row.query: row for row in rows if row.statistic == "mean"}
    proved = means["mean"].population_high - means["mean"].population_low
    about = means["variance"].approximate_high - means["variance"].approximate_low
    assert 2 < proved / about < 8


def test_a_thousand_say_as_much_as_the_guide_says(tmp_path):
    path = tmp_path / "homes.toml"
    path.write_text(SHOWN[1], encoding="utf-8")
    (tmp_path / "homes.csv").write_text(SHOWN[0], encoding="utf-8")
    scale = deniable.plan(path).queries[0].mechanisms[0].scale
    tail = noise_tail((ErrorTerm(Fraction(1), 1, DiscreteLaplace(scale)),))
    low, high = population_interval(320.0, SimpleRandomSample(1000, 20_000), tail)
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert "an interval around 32 % would be about 29 % to 35 %" in text
    assert (round(low / 200), round(high / 200)) == (29, 35)
