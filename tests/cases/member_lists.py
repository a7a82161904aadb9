"""A list of members, the data that were drawn from it, and a plan on them."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

HEAD = """
[data]
source = "data.parquet"
{entity}

[adversary]
knows = "population"
population = "members.parquet"
values_are_public = true

[floor]
{floor}

[target]
{target}

{limits}
"""
COUNT = """
[[query]]
name = "older"
statistic = "count"
where = [["age", ">=", 65]]
"""
TABLE = """
[[query]]
name = "visits"
statistic = "sum"
column = "visits"
bounds = [0, 12]
group_by = ["plan"]
keys = { plan = ["free", "shared"] }

[[query]]
name = "age"
statistic = "mean"
column = "age"
bounds = [0, 100]
"""


def members(number=60):
    """The list, one row a member."""
    rng = np.random.default_rng(7)
    return pa.table(
        {
            "id": pa.array(np.arange(number)),
            "age": pa.array(rng.integers(18, 90, number)),
            "visits": pa.array(rng.poisson(3, number)),
            "plan": pa.array(rng.choice(["free", "shared"], number).tolist()),
        }
    )


def drawn(table, number=30):
    """A uniform sample of its rows."""
    rng = np.random.default_rng(8)
    return table.take(pa.array(np.sort(rng.permutation(len(table))[:number])))


def write(
    folder,
    text=COUNT,
    *,
    entity=True,
    floor="epsilon = 4",
    target="epsilon = 0.5",
    list_=None,
    data=None,
):
    """The plan's path; list and data beside it."""
    known = members() if list_ is None else list_
    pq.write_table(known, folder / "members.parquet")
    pq.write_table(drawn(known) if data is None else data, folder / "data.parquet")
    head = HEAD.format(
        entity='entity = "id"' if entity else "",
        floor=floor,
        target=target,
        limits="[limits]\nrows_per_entity = 1\n" if entity else "",
    )
    path = folder / "plan.toml"
    path.write_text(head + text, encoding="utf-8")
    return path
