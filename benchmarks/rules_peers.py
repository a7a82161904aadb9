"""Intervals of hidden sums beside pytauargus' audit and linear programs of HiGHS: one file for all.

Run ``python -m benchmarks.rules_peers THEIRS``, where THEIRS/bin/python is an environment with
pytauargus 0.6.0:

    python -m venv THEIRS && THEIRS/bin/pip install pytauargus==0.6.0

Each line is a process of its own. The audit gets the table as a JJ file, with 0 as the lower
bound of each cell, and every line has to find the same intervals. Linear programs are
solved for the first hidden cells only, and their time is scaled up.
"""

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import rules_values
from benchmarks._help import end_for_help
from benchmarks._sizes import sized

SIZES = sized([1_600, 6_400, 25_600, 102_400], [64])
"""Cells: a hierarchy of towns in regions, crossed with sectors."""
_PROGRAMS = 10
"""Hidden cells whose linear programs are solved: each takes up to seconds."""
_PATIENCE = 1_200
"""Seconds of the CPU for one program and table."""
_MEASURED = """
import json, resource, sys, time
before = time.process_time()
intervals = work(sys.argv[1:])
print(json.dumps({
    "cpu": time.process_time() - before, "intervals": intervals,
    "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
"""
AUDIT = """
from pytauargus._tauargus import audit_jj
def work(arguments):
    return {row["cell"]: [row["min"], row["max"]] for row in audit_jj(arguments[0] + "/table.jj")}
"""
OURS = """
from pathlib import Path
from deniable.rules.attacks import Table
from deniable.rules.files import read_rules
from deniable.rules.holdings import read_magnitudes
def work(arguments):
    folder = Path(arguments[0])
    rules = read_rules(folder / "rules.toml")
    known = read_magnitudes(
        folder / "contributors.csv", [folder / "table.csv"], rules.tables, rules.marks,
        rules.rule, None,
    )
    table = Table(known, ())
    return {
        known.name(cell): bounds[:2]
        for some in table.components
        for cell, bounds in zip(some, table.intervals(some, ()), strict=True)
    }
"""
VERDICTS = """
from pathlib import Path
from deniable.rules import judge_values
def work(arguments):
    folder = Path(arguments[0])
    answer = judge_values(folder / "rules.toml", folder / "table.csv")
    return len(answer.values)
"""
HIGHS = """
import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array
def work(arguments):
    folder, most = arguments
    with open(folder + "/table.jj") as file:
        next(file)
        cells = [next(file).split() for _ in range(int(next(file)))]
        values = np.array([float(each[1]) for each in cells])
        free = [n for n, each in enumerate(cells) if each[3] == "u"]
        place = {cell: column for column, cell in enumerate(free)}
        data, columns, starts, sides = [], [], [0], []
        for _ in range(int(next(file))):
            side = 0.0
            for part in next(file).split(":")[1].replace(" (", "(").split():
                cell, sign = part.rstrip(")").split("(")
                if int(cell) in place:
                    data.append(float(sign))
                    columns.append(place[int(cell)])
                else:
                    side -= float(sign) * values[int(cell)]
            if len(columns) > starts[-1]:
                starts.append(len(columns))
                sides.append(side)
    matrix = csr_array((data, columns, starts), shape=(len(sides), len(free)))
    intervals = {}
    for cell in free[: int(most)]:
        ends = []
        for sign in (1, -1):
            costs = np.zeros(len(free))
            costs[place[cell]] = sign
            ends.append(sign * linprog(costs, A_eq=matrix, b_eq=sides, method="highs").fun)
        intervals[cell] = ends
    return intervals
"""


def write_jj(folder: Path) -> dict[int, str]:
    """Write the table as a JJ file, and return the names of its hidden cells by number."""
    totals: dict[tuple[str, ...], int] = {}
    with (folder / "contributors.csv").open(newline="") as file:
        for region, town, sector, _, value in list(csv.reader(file))[1:]:
            for key in (
                (region, town, sector), (region, town, "Total"), (region, "Total", sector),
                (region, "Total", "Total"), ("Total", "Total", sector), ("Total",) * 3,
            ):  # fmt: skip
                totals[key] = totals.get(key, 0) + int(value)
    with (folder / "table.csv").open(newline="") as file:
        hidden = {tuple(key) for *key, mark in csv.reader(file) if mark == "*"}
    number = {key: n for n, key in enumerate(totals)}
    parts: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for key, n in number.items():
        region, town, sector = key
        if town != "Total":
            parts.setdefault(("town", (region, "Total", sector)), []).append(n)
        elif region != "Total":
            parts.setdefault(("region", ("Total", "Total", sector)), []).append(n)
        if sector != "Total":
            parts.setdefault(("sector", (region, town, "Total")), []).append(n)
    most = totals["Total", "Total", "Total"]
    with (folder / "table.jj").open("w") as file:
        file.write(f"0\n{len(totals)}\n")
        for key, n in number.items():
            total = totals[key]
            file.write(f"{n} {total} 1 {'u' if key in hidden else 's'} 0 {most} 0 0 0\n")
        file.write(f"{len(parts)}\n")
        for (_, key), some in parts.items():
            terms = " ".join(f"{n} (1)" for n in some)
            file.write(f"0 {len(some) + 1} : {number[key]} (-1) {terms}\n")
    return {number[key]: ", ".join(key) for key in hidden}


def measured(python: str, program: str, *arguments: str) -> dict[str, Any] | None:
    """Run a program in a process of its own, and return its intervals and what they took."""
    with tempfile.TemporaryDirectory() as folder:  # the audit writes logs where it runs
        limit = f"import resource\nresource.setrlimit(resource.RLIMIT_CPU, ({_PATIENCE},) * 2)\n"
        said = subprocess.run(
            [python, "-c", limit + program + _MEASURED, *arguments],
            stdout=subprocess.PIPE, text=True, cwd=folder, check=False,
        )  # fmt: skip
    if said.returncode < 0:  # the limit ended it
        return None
    said.check_returncode()
    answer: dict[str, Any] = json.loads(said.stdout.splitlines()[-1])
    return answer


def compare(cells: int, theirs: str | None) -> None:
    """Print what each program took for one table, and how many intervals differ."""
    with tempfile.TemporaryDirectory() as folder:
        rules_values.write(Path(folder), cells)
        names = write_jj(Path(folder))
        verdicts = measured(sys.executable, VERDICTS, folder)
        ours = measured(sys.executable, OURS, folder)
        assert ours is not None, "ours end in time"
        assert verdicts is not None, "ours end in time"
        lines = [("Deniable: verdicts", verdicts, 1.0), ("Deniable: all intervals", ours, 1.0)]
        programs = measured(sys.executable, HIGHS, folder, str(_PROGRAMS))
        lines.append(("HiGHS", programs, max(1.0, len(names) / _PROGRAMS)))
        if theirs is not None:
            lines.append(("pytauargus: audit", measured(theirs, AUDIT, folder), 1.0))
    print(f"{cells:,} cells, {len(names):,} hidden")
    for what, took, scale in lines:
        if took is None:
            print(f"  {what}: not within {_PATIENCE:,} s of CPU")
            continue
        seconds = took["cpu"] * scale
        line = f"  {what}: {seconds:.2f} s of CPU, {took['peak']:.0f} MB"
        if scale > 1:
            line += f" (scaled from {_PROGRAMS} cells)"
        if took not in (ours, verdicts):
            wrong = sum(
                any(
                    abs(a - b) > 1e-3
                    for a, b in zip(ours["intervals"][names[int(n)]], ends, strict=True)
                )
                for n, ends in took["intervals"].items()
            )
            line += f"; ours take {ours['cpu'] / seconds:.4f} of it; {wrong} intervals differ"
        print(line)


def main() -> None:
    """Compare on tables of growing size."""
    theirs = str(Path(sys.argv[1]) / "bin/python") if len(sys.argv) > 1 else None
    if theirs is None or not Path(theirs).exists():
        print("pytauargus is not here: name a folder with an environment that has it.")
        theirs = None
    for cells in SIZES:
        compare(cells, theirs)


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
