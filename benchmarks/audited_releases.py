"""Every statistic of a release attacked, with both ways of bounding and both adjacencies.

One query a plan, so that the whole budget is the query's and its worst neighbours can show all of
it. Rows that are made are kept in a file, and the table of a page is written from them:

    python -m benchmarks.audited_releases --runs 1000000 --kept ROWS --page PAGE
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from benchmarks._sizes import sized
from deniable.auditing.plans.audit import audit_plan

FEW = sized(20_000, 20)
"""Runs where nobody says: a minute for all rows."""

ERROR = 0.05 / 40
"""Of each audit, so that all forty hold at once with 95 %."""

COUNTED = 'statistic = "count"\nwhere = [["age", ">=", 18]]'
SUMMED = (
    'statistic = "sum"\ncolumn = "visits"\nbounds = [0, 10]\n'
    'group_by = ["plan"]\nkeys = { plan = ["a", "b"] }'
)
BINNED = 'statistic = "histogram"\ncolumn = "age"\nedges = [0, 30, 60]'
KEYS = 'group_by = ["plan"]\nkeys = { plan = ["a", "b"] }'
QUERIES = {
    ("count", "rows"): COUNTED,
    ("count", "scaled"): f"{COUNTED}\nmax_contribution = 2",
    ("entities", "rows"): f'statistic = "entities"\n{KEYS}',
    ("sum", "rows"): SUMMED,
    ("sum", "scaled"): f"{SUMMED}\nmax_contribution = 25",
    ("mean", "rows"): 'statistic = "mean"\ncolumn = "age"\nbounds = [0, 100]',
    ("histogram", "rows"): BINNED,
    ("histogram", "scaled"): f"{BINNED}\nmax_contribution = 1.5",
    ("quantile", "rows"): (
        'statistic = "quantile"\ncolumn = "age"\nbounds = [0, 100]\ncandidates = 3'
    ),
    ("top", "rows"): (
        'statistic = "top"\ncolumn = "plan"\nkeys = { plan = ["a", "b", "c"] }\nnumber = 1'
    ),
}
ASKED = sized(None, 1)
"""Rows of the table; all of them, if None."""
TARGETS = {"0": "epsilon = 1.0", "10⁻⁶": "epsilon = 1.0\ndelta = 1e-6"}
HEAD = (
    "| statistic | bounded by | neighbours | δ | claimed ε | visible | found | attack | runs | "
    "CPU s | verdict |\n|---|---|---|---|---|---|---|---|---|---|---|"
)
BEGIN, END = "<!-- audited releases -->", "<!-- end -->"


def plan(query: str, bounded: str, adjacency: str, target: str) -> str:
    """A plan of one query; rows are limited where nothing is scaled."""
    limits = "\n[limits]\nrows_per_entity = 3\n" if bounded == "rows" else ""
    return (
        f'[data]\nsource = "memory"\nentity = "person"\nadjacency = "{adjacency}"\n\n'
        f'[target]\n{target}\n{limits}\n[[query]]\nname = "it"\n{query}\n'
    )


def row(statistic: str, bounded: str, adjacency: str, delta: str, runs: int) -> dict[str, object]:
    """One audit."""
    begun = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.toml"
        text = plan(QUERIES[statistic, bounded], bounded, adjacency, TARGETS[delta])
        path.write_text(text, encoding="utf-8")
        answer = audit_plan(path, runs=runs, confidence=1 - ERROR)
    return {
        "statistic": statistic,
        "bounded": bounded,
        "adjacency": adjacency,
        "delta": delta,
        "claimed": answer.claimed_epsilon,
        "visible": answer.visible,
        "found": answer.found.lower,
        "attack": answer.attack,
        "runs": answer.runs,
        "seconds": time.process_time() - begun,
        "verdict": answer.verdict,
        "findings": [each.name for each in answer.findings if each.breaks],
    }


def told(row: dict[str, object]) -> str:
    """One line of the table."""
    numbers = [f"{row[key]:.3f}" for key in ("claimed", "visible", "found")]
    rest = [row["attack"], f"{row['runs']:,}", f"{row['seconds']:.0f}", row["verdict"]]
    first = [row[key] for key in ("statistic", "bounded", "adjacency", "delta")]
    return "| " + " | ".join(map(str, [*first, *numbers, *rest])) + " |"


def main() -> int:
    """Make the rows that are not kept yet, with few runs first; print or write the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=FEW)
    options.add_argument("--kept", type=Path)
    options.add_argument("--page", type=Path)
    given = options.parse_args()
    kept: dict[tuple[object, ...], dict[str, object]] = {}
    if given.kept and given.kept.exists():
        for line in given.kept.read_text(encoding="utf-8").splitlines():
            found = json.loads(line)
            kept[place(found)] = max(found, kept.get(place(found), found), key=lambda r: r["runs"])
    names = [
        (*each, a, d) for d in TARGETS for a in ("add-remove", "replace-one") for each in QUERIES
    ]
    for name in names[:ASKED]:
        if name in kept and (given.page or kept[name]["runs"] >= given.runs):
            continue
        kept[name] = row(*name, given.runs)
        print(told(kept[name]), flush=True)
        if given.kept:
            with given.kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(kept[name]) + "\n")
    if given.page:
        text = given.page.read_text(encoding="utf-8")
        before, after = text.split(BEGIN)[0], text.split(END)[1]
        lines = "\n".join([HEAD, *(told(kept[name]) for name in sorted(names))])
        given.page.write_text(f"{before}{BEGIN}\n{lines}\n{END}{after}", encoding="utf-8")
    return int(any(each["verdict"] == "violated" for each in kept.values()))


def place(row: dict[str, object]) -> tuple[object, ...]:
    """What a row is about."""
    return tuple(row[key] for key in ("statistic", "bounded", "adjacency", "delta"))


if __name__ == "__main__":
    sys.exit(main())
