"""Sums that other programs protect, judged by us: pytauargus, GaussSuppression and sdcTable.

`python -m reproductions.sums_beside_peers [--r-library FOLDER]... [--write FOLDER]`

Made-up values of contributors go to each program: a list of cells for the verdicts of rules alone,
and tables with margins that it protects. pytauargus comes from the Python package index, into a
temporary folder. The R packages are used where Rscript finds them; each `--r-library` is a folder
to look in. With `--write`, what they said is kept as the data of
`tests/unit/rules/test_peers.py`, which compares it with our rules and intervals.

A cell is its keys, its sum, whether the rule hides it, whether it is hidden, the least and the
largest sum that an outsider can infer, and of pytauargus the same by its own audit.
"""

import argparse
import csv
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

VERSION = "0.6.0"
RULES = {
    "P(10,1)": {"p_percent": 0.1}, "P(15,2)": {"p_percent": 0.15, "intruders": 2},
    "P(10,50,1)": {"prior_posterior": [0.1, 0.5]}, "NK(1,75)": {"dominance": [1, 0.75]},
    "NK(2,90)": {"dominance": [2, 0.9]},
}  # fmt: skip
"""Rules as pytauargus writes them, and as we do."""
PROTECTED = ("P(10,1)", "NK(2,90)")
"""Rules under which whole tables are protected."""
CELLS, TABLES = 1_500, 12
"""Cells for the verdicts of rules, and tables to protect."""

BATCH = """
import json, re, sys
from pathlib import Path
import pytauargus.engine as engine
from pytauargus import protect
from pytauargus.result import TableResult

rules, protected = json.loads(sys.argv[2]), json.loads(sys.argv[3])
asked = json.loads(Path(sys.argv[1]).read_text())
audit = engine.audit_jj
def from_zero(path):  # all that an outsider knows of a sum is that it is not negative
    lines = Path(path).read_text().splitlines()
    for number in range(2, 2 + int(lines[1])):
        parts = lines[number].split()
        parts[4] = "0"
        lines[number] = " ".join(parts)
    Path(path).write_text("\\n".join(lines) + "\\n")
    return audit(path)
cells = {"cell": [], "value": []}
for number, values in enumerate(asked["cells"]):
    for value in values:
        cells["cell"].append(f"{number:04d}")
        cells["value"].append(float(value))
verdicts = {}
for rule in rules:
    job = protect(cells, ["cell"], response="value", safety_rules=rule, run=False)
    batch = Path(job.files["arb"])
    batch.write_text(re.sub("(?m)^ *<SUPPRESS>.*$", "", batch.read_text()))
    engine.run_batch(str(batch))
    rows = TableResult(job.files["tab1"], ["cell"], "value").rows
    hidden = {row["cell"] for row in rows if row["status"] == "U"}
    verdicts[rule] = "".join("01"[f"{n:04d}" in hidden] for n in range(len(asked["cells"])))
tables = []
for number, rows in enumerate(asked["tables"]):
    columns = dict(zip(("r", "s", "value"), ([row[k] for row in rows] for k in (0, 1, 3))))
    columns["value"] = [float(value) for value in columns["value"]]
    for rule in protected:
        said = protect(columns, ["r", "s"], response="value", safety_rules=rule)
        engine.audit_jj = audit
        own = {row["cell"]: [row["min"], row["max"]] for row in said.engine.audit(0)}
        engine.audit_jj = from_zero
        ends = {row["cell"]: [row["min"], row["max"]] for row in said.engine.audit(0)}
        tables.append({"table": number, "rule": rule, "cells": [
            [row["r"], row["s"], int(row["value"]), row["status"] == "U", row["status"] in "UM",
             *map(round, ends.get(k, ())), *map(round, own.get(k, ()))]
            for k, row in enumerate(said.tables[0].rows)
        ]})
print(json.dumps({"verdicts": verdicts, "tables": tables}))
"""

GAUSS = """
suppressMessages(library(GaussSuppression))
asked <- commandArgs(TRUE)[1]
rows <- read.csv(asked)
magnitude <- SSBtools::SSBtoolsData("magnitude1")
said <- list()
one <- function(data, number, formula, rule, contributor) {
  more <- if (rule == "P(10,1)") list(pPercent = 10) else list(n = 2, k = 90)
  out <- do.call(SuppressDominantCells, c(list(
    data = data, numVar = "value", formula = formula, contributorVar = contributor,
    lpPackage = "Rglpk", printInc = FALSE), more))
  names(out)[1:2] <- c("r", "s")
  if (is.null(out$lo)) out$lo <- out$up <- NA
  columns <- c("r", "s", "value", "primary", "suppressed", "lo", "up")
  list(table = number, rule = rule, cells = out[columns])
}
for (rule in c("P(10,1)", "NK(2,90)")) {
  for (number in unique(rows$table)) {
    some <- rows[rows$table == number, ]
    said[[length(said) + 1]] <- one(some, number, ~r * s, rule, "contributor")
  }
  magnitude$value <- round(10 * SSBtools::SSBtoolsData("magnitude1")$value)
  said[[length(said) + 1]] <- one(magnitude, -1, ~sector4 * geo, rule, "company")
  said[[length(said) + 1]] <- one(magnitude, -1, ~sector4 * geo + sector2 * eu, rule, "company")
}
cat(jsonlite::toJSON(list(
  version = as.character(packageVersion("GaussSuppression")), magnitude = magnitude,
  tables = said), dataframe = "values", na = "null", auto_unbox = TRUE, digits = NA), "\\n")
"""

SDCTABLE = """
suppressMessages(library(sdcTable))
rows <- read.csv(commandArgs(TRUE)[1])
said <- list()
flat <- function(codes) sdcHierarchies::hier_create("Total", nodes = sort(unique(codes)))
for (number in unique(rows$table)) {
  some <- rows[rows$table == number, ]
  for (rule in c("P(10,1)", "NK(2,90)")) {
    problem <- makeProblem(some, list(r = flat(some$r), s = flat(some$s)), numVarInd = "value")
    problem <- if (rule == "P(10,1)") {
      primarySuppression(problem, type = "p", p = 10, numVarName = "value")
    } else {
      primarySuppression(problem, type = "nk", n = 2, k = 90, numVarName = "value")
    }
    first <- sdcProb2df(problem, addNumVars = TRUE, dimCodes = "original", addDups = FALSE)
    out <- protectTable(problem, method = "GAUSS")
    out <- as.data.frame(getInfo(out, type = "finalData"))
    out$primary <- first$sdcStatus[match(paste(out$r, out$s), paste(first$r, first$s))] == "u"
    out$suppressed <- out$sdcStatus %in% c("u", "x")
    said[[length(said) + 1]] <- list(
      table = number, rule = rule, cells = out[c("r", "s", "value", "primary", "suppressed")])
  }
}
cat(jsonlite::toJSON(list(version = as.character(packageVersion("sdcTable")), tables = said),
                     dataframe = "values", auto_unbox = TRUE, digits = NA), "\\n")
"""


def cells(number: int) -> list[list[int]]:
    """Make values of cells, ties, zeros and lone contributors among them."""
    draw = random.Random(1_500)
    some = []
    for _ in range(number):
        top = draw.choice([3, 10, 100, 1_000])
        some.append(sorted((draw.randint(0, top) for _ in range(draw.randint(1, 6))), reverse=True))
    return some


def tables(number: int) -> list[list[tuple[str, str, str, int]]]:
    """Make tables of four regions and four sectors: region, sector, contributor and value."""
    draw = random.Random(12)
    return [
        [
            (f"r{r}", f"s{s}", f"{r}{s}{n}", int(draw.lognormvariate(5, 1)) + 1)
            for r in range(4)
            for s in range(4)
            for n in range(draw.choice([1, 2, 3, 5, 8]))
        ]
        for _ in range(number)
    ]


def of_pytauargus(folder: Path) -> dict[str, object]:
    """Install pytauargus into a folder, and return what it says."""
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    packages = [f"pytauargus=={VERSION}", "pandas==2.3.3", "numpy==2.3.3"]
    subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
    asked = folder / "asked.json"
    asked.write_text(json.dumps({"cells": cells(CELLS), "tables": tables(TABLES)}))
    words = [str(asked), json.dumps(list(RULES)), json.dumps(PROTECTED)]
    said = subprocess.run(
        [python, "-c", BATCH, *words], check=True, stdout=subprocess.PIPE, text=True, cwd=folder
    )
    answer: dict[str, object] = json.loads(said.stdout.splitlines()[-1])
    return {"version": VERSION, **answer}


def of_r(folder: Path, program: str, libraries: list[str]) -> dict[str, object] | None:
    """Return what an R package says; None if it is not here."""
    asked = folder / "asked.csv"
    with asked.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["table", "r", "s", "contributor", "value"])
        for number, rows in enumerate(tables(TABLES)):
            writer.writerows([number, *row] for row in rows)
    said = subprocess.run(
        ["Rscript", "-e", program, asked], stdout=subprocess.PIPE, text=True, check=False,
        env={**os.environ, "R_LIBS": os.pathsep.join(libraries)}, cwd=folder,
    )  # fmt: skip
    if said.returncode:
        return None
    answer: dict[str, object] = json.loads(said.stdout.splitlines()[-1])
    return answer


def main() -> None:
    """Ask each program that is here."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--r-library", action="append", default=[], help="where R looks first")
    parser.add_argument("--write", type=Path, help="a folder for what they said")
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        said = {"pytauargus": of_pytauargus(Path(folder))}
        for name, program in (("GaussSuppression", GAUSS), ("sdcTable", SDCTABLE)):
            answer = (
                of_r(Path(folder), program, words.r_library) if shutil.which("Rscript") else None
            )
            if answer is None:
                print(f"{name} is not here.")
            else:
                said[name] = answer
    for name, each in said.items():
        print(name, each["version"], f"{len(each['tables'])} protected tables")
        if words.write:
            lines = (json.dumps(table, separators=(",", ":")) for table in each.pop("tables"))
            head = json.dumps({**each, "tables": []}).removesuffix("]}")
            text = head + "\n" + ",\n".join(lines) + "\n]}\n"
            (words.write / f"{name}.json").write_text(text)


if __name__ == "__main__":
    main()
