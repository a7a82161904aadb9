"""Plans of one query each, for attacks on every statistic under both ways of bounding."""

from pathlib import Path

QUERIES = {
    "count": 'statistic = "count"\nwhere = [["age", ">=", 18]]',
    "count in cells": 'statistic = "count"\ngroup_by = ["plan"]\nkeys = { plan = ["a", "b", "c"] }',
    "entities": 'statistic = "entities"\nwhere = [["plan", "==", "a"]]',
    "entities in cells": (
        'statistic = "entities"\ngroup_by = ["plan"]\nkeys = { plan = ["a", "b", "c"] }'
    ),
    "sum": 'statistic = "sum"\ncolumn = "visits"\nbounds = [-1, 10]',
    "sum in cells": (
        'statistic = "sum"\ncolumn = "visits"\nbounds = [0, 10]\n'
        'group_by = ["plan"]\nkeys = { plan = ["a", "b"] }'
    ),
    "mean": 'statistic = "mean"\ncolumn = "age"\nbounds = [0, 100]',
    "histogram": 'statistic = "histogram"\ncolumn = "age"\nedges = [0, 30, 60, 100]',
    "quantile": (
        'statistic = "quantile"\ncolumn = "age"\nbounds = [0, 100]\ncandidates = 3\nquantile = 0.5'
    ),
    "tree": (
        'statistic = "tree"\nlevels = ["kind", "plan"]\n'
        'nested = { paying = ["a", "b"], free = ["c"] }'
    ),
    "top": 'statistic = "top"\ncolumn = "plan"\nkeys = { plan = ["a", "b"] }\nnumber = 1',
}
SCALED = {
    "count, scaled": f"{QUERIES['count']}\nmax_contribution = 2",
    "sum, scaled": f"{QUERIES['sum in cells']}\nmax_contribution = 25",
    "histogram, scaled": f"{QUERIES['histogram']}\nmax_contribution = 1.5",
}
REMOVED = {
    "rows removed": 'statistic = "removed"\nmost_rows = 8',
    "entities cut": 'statistic = "removed"',
}
EVERY = {**QUERIES, **SCALED, **REMOVED}


def written(
    folder: Path,
    *queries: str,
    adjacency: str = "replace-one",
    target: str = "epsilon = 1.0",
    entity: bool = True,
    rows: int = 3,
) -> Path:
    """A plan of some of these queries whose table exists nowhere."""
    owner = 'entity = "person"\n' if entity else ""
    text = f'[data]\nsource = "memory"\n{owner}adjacency = "{adjacency}"\n\n[target]\n{target}\n\n'
    if entity:
        text += f"[limits]\nrows_per_entity = {rows}\n\n"
    for name in queries:
        text += f'[[query]]\nname = "{name}"\n{EVERY[name]}\n\n'
    path = folder / "plan.toml"
    path.write_text(text, encoding="utf-8")
    return path
