"""How long judging sums of values takes: cells with hierarchies, hidden cells, contributors.

Run ``python benchmarks/rules_values.py``; each line is one table in a process of its own.
"""

import csv
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks._help import end_for_help
from benchmarks._sizes import sized

SIZES = sized([1_600, 6_400, 25_600, 102_400], [64])
"""Cells: a hierarchy of towns in regions, crossed with sectors."""
RULES = """
[[table]]
columns = ["region", "town", "sector"]
sum = "turnover"

[values]
file = "contributors.csv"

[rule]
steps = [{ p_percent = 0.1 }]
"""


def write(folder: Path, cells: int) -> None:
    """Simulate contributors, hide by the p % rule, then hide a second and third cell beside."""
    draw = random.Random(51)
    side = round(cells**0.5)
    towns, sectors = [f"t{n}" for n in range(side)], [f"s{n}" for n in range(side)]
    regions = {town: f"r{n // 8}" for n, town in enumerate(towns)}
    totals: dict[tuple[str, str, str], int] = {}
    hidden = set()
    with (folder / "contributors.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["region", "town", "sector", "contributor", "value"])
        for town in towns:
            for sector in sectors:
                values = sorted(
                    (int(draw.lognormvariate(6, 1)) + 1 for _ in range(draw.randint(3, 8))),
                    reverse=True,
                )
                key = (regions[town], town, sector)
                for n, value in enumerate(values):
                    writer.writerow([*key, f"{town}-{sector}-{n}", value])
                for around in (
                    key, (regions[town], town, "Total"), (regions[town], "Total", sector),
                    (regions[town], "Total", "Total"), ("Total", "Total", sector),
                    ("Total", "Total", "Total"),
                ):  # fmt: skip
                    totals[around] = totals.get(around, 0) + sum(values)
                if sum(values[2:]) < 0.1 * values[0]:
                    hidden.add(key)
    # Beside each, the largest cells of its town, and of its sector within the region.
    for region, town, sector in sorted(hidden):
        for some in (
            [(region, town, s) for s in sectors],
            [(region, t, sector) for t in towns if regions[t] == region],
        ):
            others = sorted((totals[each], each) for each in some if each not in hidden)
            if sum(each in hidden for each in some) < 3 and others:
                hidden |= {each for _, each in others[-2:]}
    with (folder / "table.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["region", "town", "sector", "turnover"])
        writer.writerows([*key, "*" if key in hidden else total] for key, total in totals.items())
    (folder / "rules.toml").write_text(RULES)


def judge_one(folder: Path) -> None:
    """Judge one table, and print what it took."""
    from deniable.rules import judge_values

    start, before = time.perf_counter(), time.process_time()
    answer = judge_values(folder / "rules.toml", folder / "table.csv")
    seconds = time.perf_counter() - start
    cpu = time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    bad = sum(each.verdict in ("revealed", "too close") for each in answer.values)
    unsure = sum(each.verdict == "undecided" for each in answer.values)
    print(
        f"{answer.cells:,} cells, {answer.hidden:,} hidden: {seconds:.2f} s, {cpu:.2f} s of CPU, "
        f"{peak:.0f} MB; {bad} too close, {unsure} undecided"
    )


def main() -> None:
    """Judge tables of growing size, each in a process of its own."""
    if len(sys.argv) > 1:
        judge_one(Path(sys.argv[1]))
        return
    for cells in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), cells)
            subprocess.run([sys.executable, "-m", "benchmarks.rules_values", folder], check=True)


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
