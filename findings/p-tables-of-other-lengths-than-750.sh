#!/bin/bash
# What: cell-key-perturbation of the ONS takes any p-table, but its code knows one length. Counts above 750 take the
#   rows of 501 to 750; rows above 750 are never read; and a count without a row is published as it is. So a table of
#   1,000 rows has 250 without effect, and one of 500 rows leaves all counts above 500 exact. Nothing is said.
#   The R package ptable means something else by its last row: it holds for all larger counts.
# Hurt: anyone who brings a p-table of their own, or one of the R package, to the ONS' program.
# We: read such files as the program does, rows of 501 to 750 in turn, and refuse rows above 750.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-deps cell-key-perturbation==3.1.0
"$folder/venv/bin/pip" install --quiet pandas==2.3.3 numpy==2.3.3
"$folder/venv/bin/python" - <<'PYTHON'
import contextlib
import importlib.metadata
import io
import sys

import pandas as pd
from cell_key_perturbation.create_perturbed_table import create_perturbed_table

print("cell-key-perturbation", importlib.metadata.version("cell-key-perturbation"))
data = pd.DataFrame({"group": ["a"] * 300 + ["b"] * 600 + ["c"] * 900})
data["key"] = [place * 7 % 256 for place in range(len(data))]


def published(rows, noise):
    """Counts under a p-table that adds the same to every count, from its first row to its last."""
    ptable = pd.DataFrame(
        [(count, key, noise(count)) for count in rows for key in range(256)],
        columns=["pcv", "ckey", "pvalue"],
    )
    with contextlib.redirect_stdout(io.StringIO()) as said:
        table = create_perturbed_table(data, ptable, [], ["group"], "key")
    return [int(count) for count in table["count"]], "arning" in said.getvalue()


short = published(range(1, 501), lambda count: 3)
long = published(range(1, 1001), lambda count: 5 if count > 750 else 3)
print("true counts 300, 600, 900; 500 rows that add 3:", *short)
print("true counts 300, 600, 900; 1,000 rows, those above 750 add 5:", *long)
sys.exit(0 if short == ([303, 600, 900], False) and long == ([303, 603, 903], False) else 1)
PYTHON
