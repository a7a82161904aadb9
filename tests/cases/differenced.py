"""Pairs of tables that each pass a rule checker alone, and whose difference is a few people.

Run as a program with ACRO's interpreter on the path of its first argument to check the pairs with
ACRO itself: ``python -m tests.cases.differenced PYTHON``.
"""

import json
import random
import subprocess
import sys

THRESHOLD = 10
"""ACRO's default: a cell of fewer people is hidden."""

_CHECK = """
import json, logging, os, sys, tempfile
import pandas as pd
logging.disable(logging.CRITICAL)
os.chdir(tempfile.mkdtemp())
from acro import ACRO
passed = []
for rows in json.load(sys.stdin):
    session = ACRO(suppress=False)
    frame = pd.DataFrame(rows, columns=["row", "column"])
    session.crosstab(frame["row"], frame["column"])
    outputs = list(session.results.results.values())
    passed.append([each.status for each in outputs] == ["pass"])
json.dump(passed, sys.stderr)
"""


def passes(table: dict[str, int]) -> bool:
    """ACRO's rules for counts: no cell, empty or not, below the threshold."""
    return all(count >= THRESHOLD for count in table.values())


def pair(seed: int) -> tuple[dict[str, list[str]], list[dict[str, int]], int, int]:
    """Lists of two tables, their exact counts, who is in the first alone, and who of them counts.

    The second table leaves out one to nine people of one cell, whom nobody would show by
    themselves. Lists hold people who might be counted; of each cell some are not.
    """
    draw = random.Random(seed)
    columns = draw.randint(2, 4)
    cells = [f"{row}/{column}" for row in range(2) for column in range(columns)]
    lists, counted = {}, {}
    for cell in cells:
        size = draw.randint(22, 60)
        lists[cell] = [f"{cell}:{i}" for i in range(size)]
        counted[cell] = set(draw.sample(lists[cell], draw.randint(20, size)))
    few = draw.randint(1, 9)
    cell = draw.choice(cells)
    left_out = set(draw.sample(lists[cell], few))
    second = {f"{name} again": sorted({*some} - left_out) for name, some in lists.items()}
    tables = [
        {name: len(counted[name]) for name in lists},
        {f"{name} again": len(counted[name] - left_out) for name in lists},
    ]
    return lists | second, tables, few, len(left_out & counted[cell])


def main() -> None:
    """Check all tables with ACRO."""
    frames = []
    for seed in range(200):
        for table in pair(seed)[1]:
            cells = [(name.removesuffix(" again").split("/"), n) for name, n in table.items()]
            frames.append([cell for cell, count in cells for _ in range(count)])
    run = subprocess.run(
        [sys.argv[1], "-c", _CHECK], input=json.dumps(frames), text=True, capture_output=True,
        check=True,
    )  # fmt: skip
    passed = json.loads(run.stderr.splitlines()[-1])
    print(f"{sum(passed)} of {len(passed)} tables pass ACRO")


if __name__ == "__main__":
    main()
