#!/bin/bash
# What: cell-key-perturbation of the ONS gives people whose category is missing cell key 0, whatever their record
#   keys: it counts them with dropna=False and adds up their keys without. The noise of that cell is one entry of the
#   p-table that everybody can look up, so that the published count gives the true one away. It warns of missing
#   values, in words about leaving them out of the table, and not of the key.
# Hurt: anyone who publishes a table of a variable with missing values under a p-table with noise.
# We: say in every answer that nobody knows a record key, which is false of that cell. Give missing values a category
#   of their own before you perturb.
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

import numpy as np
import pandas as pd
from cell_key_perturbation.create_perturbed_table import create_perturbed_table

print("cell-key-perturbation", importlib.metadata.version("cell-key-perturbation"))
keys = range(256)
ptable = pd.DataFrame(
    [(count, key, key % 11 - 5 if count > 15 else 0) for count in range(1, 751) for key in keys],
    columns=["pcv", "ckey", "pvalue"],
)
draw = np.random.default_rng(0)
noise = {"f": set(), "missing": set()}
for _ in range(40):
    data = pd.DataFrame({"sex": ["f"] * 40 + [None] * 40, "key": draw.integers(0, 256, 80)})
    with contextlib.redirect_stdout(io.StringIO()):
        table = create_perturbed_table(data, ptable, [], ["sex"], "key")
    for sex, count in zip(table["sex"].fillna("missing"), table["count"]):
        noise[sex].add(int(count) - 40)
for sex, seen in noise.items():
    print(f"40 people, sex {sex}: noise of 40 draws of record keys {sorted(seen)}")
sys.exit(0 if len(noise["missing"]) == 1 and len(noise["f"]) > 5 else 1)
PYTHON
