#!/bin/bash
# What: pram 0.2.0 protects microdata by post-randomisation: each value is swapped with some probability, so that nobody
#   knows whether a value is true. It writes the new values into the rows that pandas' `iterrows` hands out. If a
#   column of the table is categorical, these rows are copies, and the table that comes back is the original in every
#   cell of every column. Here 1,000 people have a sex, an age group and an illness. As texts, 273 sexes change.
#   With one categorical column, even one that is not to be changed, nothing does. The package suda, by the same
#   author, makes columns categorical in the caller's table: who measures the risk first gets no protection after.
#   Nothing is said. With pandas 3 pram raises an error.
# Hurt: the people in a file that is published as perturbed, and every analyst who corrects for swaps that never were.
# We: draw noise for counts, and test that it is there. Who uses pram beside us converts to texts, and compares.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pram==0.2.0 suda==0.2.2 pandas==2.3.3 numpy==2.4.6
"$folder/venv/bin/python" -W ignore::FutureWarning - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import pandas as pd
from pram import pram
from suda import suda

print("pram", version("pram"), "suda", version("suda"), "pandas", version("pandas"))
random = np.random.default_rng(0)
people = pd.DataFrame({
    "sex": random.choice(["f", "m"], 1000),
    "age": random.choice(["young", "middle", "old"], 1000),
    "ill": random.choice(["yes", "no"], 1000, p=[0.2, 0.8]),
})  # fmt: skip
measured = people.copy()
suda(measured, max_msu=2)
tables = {
    "texts": (people, None),
    "all columns categorical": (people.astype("category"), None),
    "one column categorical": (people.astype({"age": "category"}), None),
    "one column categorical, others to change": (people.astype({"age": "category"}), ["sex", "ill"]),
    "after suda": (measured[["sex", "age", "ill"]], None),
}
np.random.seed(0)
changes = {}
for name, (table, columns) in tables.items():
    result = pram(table, m=0.5, alpha=0.5, columns=columns)
    changes[name] = {each: int((result[each].astype(str) != people[each]).sum()) for each in people}
    print(f"{name}: values changed, of 1,000: {changes[name]}")
texts = changes.pop("texts")
sys.exit(not (min(texts.values()) > 50 and all(set(each.values()) == {0} for each in changes.values())))
PYTHON
