"""A small table and a plan with every statistic, for tests of whole releases."""

import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

PLAN = """
[data]
source = "visits.parquet"
entity = "person"
adjacency = "{adjacency}"

[adversary]
prior = [0.1, 0.5]

[target]
{target}

[limits]
rows_per_entity = 3

[[query]]
name = "rows by plan"
statistic = "count"
group_by = ["plan"]
keys = {{ plan = ["free", "shared", "nowhere"] }}

[[query]]
name = "people"
statistic = "entities"
group_by = ["plan"]
keys = {{ plan = ["free", "shared"] }}

[[query]]
name = "visits"
statistic = "sum"
column = "visits"
bounds = [0, 10]
where = [["age", ">=", 18]]
weight = 2

[[query]]
name = "visits, scaled"
statistic = "sum"
column = "visits"
bounds = [0, 10]
max_contribution = 20

[[query]]
name = "rows, scaled"
statistic = "count"
group_by = ["plan"]
keys = {{ plan = ["free", "shared"] }}
max_contribution = 2

[[query]]
name = "mean age"
statistic = "mean"
column = "age"
bounds = [0, 100]

[[query]]
name = "ages"
statistic = "histogram"
column = "age"
edges = [0, 30, 60, 100]

[[query]]
name = "median age"
statistic = "quantile"
column = "age"
bounds = [0, 100]
candidates = 11

[[query]]
name = "top plans"
statistic = "top"
column = "plan"
keys = {{ plan = ["free", "shared", "nowhere"] }}
number = 2
"""

QUERIES = 9
_QUERY = "[[query]]"

FEW = ("rows by plan", "visits", "mean age")
"""Enough where what is tested is the release and not its statistics: a third of the time."""


def table(people: int = 40) -> pa.Table:
    """Four rows a person, with NULLs, NaN and infinities among them."""
    rows = [
        {
            "person": f"p{person}",
            "plan": ["free", "shared", None][(person + row) % 3],
            "visits": [float(row), float("inf"), float("nan"), None][(person * row) % 4],
            "age": 15 + (person * 7 + row) % 60,
        }
        for person in range(people)
        for row in range(4)
    ]
    rows.append({"person": None, "plan": "free", "visits": 1.0, "age": 20})
    return pa.Table.from_pylist(
        rows,
        schema=pa.schema(
            [
                ("person", pa.string()),
                ("plan", pa.string()),
                ("visits", pa.float64()),
                ("age", pa.int64()),
            ]
        ),
    )


def write_case(
    folder: Path,
    *,
    adjacency: str = "replace-one",
    target: str = "gamma = 2.0",
    data: pa.Table | None = None,
    queries: Sequence[str] | None = None,
) -> Path:
    """The table and the plan, or some of its queries, in a folder; the plan's path."""
    pq.write_table(table() if data is None else data, folder / "visits.parquet")
    head, *every = PLAN.split(_QUERY)
    kept = [text for text in every if queries is None or text.split('"')[1] in queries]
    path = folder / "visits.toml"
    text = _QUERY.join([head, *kept]).format(adjacency=adjacency, target=target)
    path.write_text(text, encoding="utf-8")
    return path


def certificate_of(out: Path) -> dict:
    """The JSON of a released certificate."""
    return json.loads((out / "certificate.json").read_text(encoding="utf-8"))
