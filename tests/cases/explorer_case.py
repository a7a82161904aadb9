"""Plans and settings for the explorer's page."""

import random
from pathlib import Path
from typing import Any

PLAN = """
[data]
source = "visits.csv"
entity = "person"
unit = "patient"
{data}
[adversary]
prior = [0.3, 0.7]
[target]
gamma = 2.0
{target}
[limits]
rows_per_entity = 5
[[query]]
name = "visits by plan"
statistic = "sum"
column = "visits"
bounds = [0, 50]
group_by = ["plan"]
keys = {{ plan = ["free", "shared"] }}
[[query]]
name = "mean age"
statistic = "mean"
column = "age"
bounds = [0, 120]
weight = 2
[[query]]
name = "rows"
statistic = "count"
group_by = ["plan"]
keys = {{ plan = ["free", "shared"] }}
[[query]]
name = "patients"
statistic = "entities"
where = [["age", ">=", 18]]
[[query]]
name = "ages"
statistic = "histogram"
column = "age"
edges = [0, 25, 45, 120]
max_contribution = 2
"""
CHOICES = """
[[query]]
name = "median of visits"
statistic = "quantile"
column = "visits"
bounds = [0, 50]
[[query]]
name = "commonest plan"
statistic = "top"
column = "plan"
keys = { plan = ["free", "shared", "none"] }
number = 2
"""


def written_plan(folder: Path, *, target: str = "", data: str = "", choices: bool = True) -> Path:
    """A plan with every statistic, beside its table."""
    (folder / "visits.csv").write_text("person,plan,age,visits\na,free,20,3\nb,shared,30,4\n")
    path = folder / "visits.toml"
    path.write_text(PLAN.format(target=target, data=data) + (CHOICES if choices else ""))
    return path


def settings(number: int, seed: int, kinds: str = "") -> list[dict[str, Any]]:
    """Random settings of the page that some noise meets, as its script holds them."""
    rng = random.Random(seed)
    return [_setting(rng, kinds) for _ in range(number)]


def _setting(rng: random.Random, kinds: str) -> dict[str, Any]:
    kind = rng.choice(kinds.split() or list(_VALUES))
    low, high = sorted(_belief(rng) for _ in range(2))
    if kind == "max_posterior":
        high = min(max(high, 0.001), 0.95)
        low = min(low, high)
    worlds = rng.choice([2, 5, 8, 100])
    value = {
        "max_posterior": high + (1 - high) * rng.uniform(0.05, 0.95),
        "identifiability": (1 + (worlds - 1) * rng.uniform(0.05, 0.95)) / worlds,
    }.get(kind)
    return {
        "kind": kind,
        "value": round(_VALUES[kind](rng) if value is None else value, 5),
        "worlds": worlds,
        "a": low,
        "b": high,
        "adjacency": rng.choice(["replace-one", "add-remove"]),
        "tail": False,
    }


def _belief(rng: random.Random) -> float:
    """Round as people say it, or next to nothing; 0 and 1 among them."""
    if rng.random() < 0.2:
        return float(f"{10 ** rng.uniform(-8, 0):.3g}")
    return round(rng.uniform(0, 1), rng.choice([1, 2, 4]))


_VALUES = {
    "gamma": lambda rng: 1 + 10 ** rng.uniform(-2, 1.5),
    "max_posterior": None,
    "attack_success": lambda rng: rng.uniform(0.505, 0.99),
    "advantage": lambda rng: rng.uniform(0.01, 0.98),
    "identifiability": None,
    "epsilon": lambda rng: 10 ** rng.uniform(-2, 1),
}


def target(setting: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `deniable.calibrate` for a setting that is no budget outright."""
    worlds = {"worlds": setting["worlds"]} if setting["kind"] == "identifiability" else {}
    return {
        setting["kind"]: setting["value"],
        **worlds,
        "prior": (setting["a"], setting["b"]),
        "adjacency": setting["adjacency"],
    }
