"""Exact beliefs under other people's p-tables: the ONS' package, and cellKey's tests.

`python -m reproductions.p_tables [--ons FOLDER] [--cellkey FILE.csv]`

The ONS' sample table, of 192,000 rows, comes from the Python package index (pip, into a temporary
folder) or from a checkout. Its program is run on counts of 1 to 1,600, and each number that it
publishes has to be one that our rule gives. cellKey's tests make their table with the R package
ptable (D = 5, V = 3, js = 2, pstay = ½): by Rscript where ptable is installed, or as a file of its
columns i, j and p. Prints a table; exits with 1 where a belief is not that of enumeration, or takes
more than 2 seconds.
"""

import argparse
import csv
import json
import math
import resource
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

PACKAGE, VERSION = "cell-key-perturbation", "3.1.0"
TABLE = "ptable_10_5_rule.csv"
THRESHOLD = 10
"""Below which the ONS' package publishes nothing."""
MEMBERS = (12, 20, 50, 100, 800, 1500)
MOST_SECONDS = 2.0

Law = Callable[[int], dict[int | str, Fraction]]

PUBLISHED = """
import sys
import pandas as pd
from cell_key_perturbation.create_perturbed_table import create_perturbed_table
counts = range(1, 1601, 7)
data = pd.DataFrame({"group": [c for c in counts for _ in range(c)]})
data["key"] = [(17 * place) % 256 for place in range(len(data))]
table = create_perturbed_table(
    data=data, ptable=pd.read_csv(sys.argv[1]), geog=[], tab_vars=["group"], record_key="key"
)
for group, count in zip(table["group"], table["count"]):
    print(group, "*" if pd.isna(count) else int(count))
"""

RSCRIPT = """
p <- ptable::create_cnt_ptable(D = 5, V = 3, js = 2, pstay = 0.5, optim = 1, mono = TRUE)
write.csv(as.data.frame(p@pTable), commandArgs(TRUE)[1])
"""


def main() -> None:
    """Compare each p-table that is there."""
    parser = argparse.ArgumentParser(prog="python -m reproductions.p_tables", description=__doc__)
    parser.add_argument("--ons", type=Path, help="a checkout or an installed folder")
    parser.add_argument("--cellkey", type=Path, help="cellKey's table as CSV: i, j and p")
    arguments = parser.parse_args()
    print(f"{'p-table':8} {'listed':>6} {'worst belief':>14} {'after':>6} {'seconds':>8}  verdict")
    with tempfile.TemporaryDirectory() as name:
        wrong = _ons(arguments.ons or _downloaded(Path(name)))
        wrong += _cellkey(arguments.cellkey, Path(name))
    sys.exit(1 if wrong else 0)


def _downloaded(folder: Path) -> Path:
    """The package's files, unpacked."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
    subprocess.run([*pip, f"{PACKAGE}=={VERSION}"], check=True)
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "ons")
    return folder / "ons"


def _ons(folder: Path) -> int:
    """How many beliefs under the ONS' table are wrong or late."""
    table = next(folder.rglob(TABLE))
    with table.open(encoding="utf-8-sig", newline="") as file:
        noise = {(int(r["pcv"]), int(r["ckey"])): int(r["pvalue"]) for r in csv.DictReader(file)}
    keys = max(key for _, key in noise) + 1

    def law(count: int) -> dict[int | str, Fraction]:
        row = count if count <= 750 else (count - 1) % 250 + 501
        numbers = [count + noise.get((row, key), 0) for key in range(keys)]
        marks = ["*" if number < THRESHOLD else number for number in numbers]
        return {mark: Fraction(marks.count(mark), keys) for mark in set(marks)}

    hide = ["--hide", "0", str(THRESHOLD - 1)]
    wrong = sum(_compared("ONS", table, hide, law, members) for members in MEMBERS)
    package = next(folder.rglob("create_perturbed_table.py")).parent.parent
    run = subprocess.run(
        [sys.executable, "-c", PUBLISHED, str(table)],
        cwd=package, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if run.returncode:
        print(f"ONS: its program was not run ({run.stderr.strip().splitlines()[-1]})")
        return wrong
    lines = [line.split() for line in run.stdout.splitlines()]
    lines = [line for line in lines if len(line) == 2 and line[0].isdigit()]
    alien = [line for line in lines if line[1] not in {str(mark) for mark in law(int(line[0]))}]
    print(f"ONS: {len(lines)} numbers of its program, {len(alien)} that the rule cannot give")
    return wrong + len(alien) + (not lines)


def _cellkey(table: Path | None, folder: Path) -> int:
    if table is None:
        rscript, table = shutil.which("Rscript"), folder / "cellkey.csv"
        if (
            rscript is None
            or subprocess.run(
                [rscript, "-e", RSCRIPT, str(table)], capture_output=True, check=False
            ).returncode
        ):
            print("cellKey: not run. Install R with ptable, or give its table with --cellkey.")
            return 0
    with table.open(encoding="utf-8-sig", newline="") as file:
        entries = [(int(r["i"]), int(r["j"]), Fraction(r["p"])) for r in csv.DictReader(file)]
    last = max(i for i, _, _ in entries)
    facts = len(entries), last, round(float(sum(p for _, _, p in entries)) / len(entries), 3)
    print(f"cellKey: rows, last count, mean probability {facts}; its tests say (66, 8, 0.136)")
    total = [sum(p for i, _, p in entries if i == count) for count in range(last + 1)]

    def law(count: int) -> dict[int | str, Fraction]:
        row = min(count, last)
        return {count + j - row: p / total[row] for i, j, p in entries if i == row and p}

    return sum(_compared("cellKey", table, [], law, m) for m in MEMBERS) + (facts != (66, 8, 0.136))


def _compared(name: str, table: Path, steps: list[str], law: Law, members: int) -> int:
    """1 where our belief is not the largest E[X | y]/m, at a prior of ½, or is late."""
    before = _children()
    run = subprocess.run(
        [sys.executable, "-m", "deniable", "rules", "design", "--cell-key", str(table), *steps,
         "--members", str(members), "--prior", "0.5", "0.5", "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    seconds = _children() - before
    worst = json.loads(run.stdout)["worst"]
    truth = max(_beliefs(law, members))
    low, high = worst["belief"]["lower"], worst["belief"]["upper"]
    is_right = Fraction(low) <= truth <= Fraction(high) and high - low <= math.ulp(1.0)
    verdict = "right" if is_right else f"WRONG, truth {float(truth)}"
    verdict += "" if seconds <= MOST_SECONDS else f", LATE: more than {MOST_SECONDS:g}"
    print(f"{name:8} {members:6} {high:14.10f} {worst['output']!s:>6} {seconds:8.2f}  {verdict}")
    return int(not is_right or seconds > MOST_SECONDS)


def _beliefs(law: Law, members: int) -> Iterator[Fraction]:
    """E[X | y]/m of each mark y, with X binomial, of m and ½."""
    weight: dict[int | str, Fraction] = {}
    mean: dict[int | str, Fraction] = {}
    for count in range(members + 1):
        ways = math.comb(members, count)
        for mark, share in law(count).items():
            weight[mark] = weight.get(mark, Fraction(0)) + ways * share
            mean[mark] = mean.get(mark, Fraction(0)) + ways * share * count
    return (mean[mark] / (members * weight[mark]) for mark in weight)


def _children() -> float:
    """Seconds of processors that programs started here have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
