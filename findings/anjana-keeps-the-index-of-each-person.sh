#!/bin/bash
# What: anjana 0.2.2 makes a table k-anonymous: it masks identifiers, coarsens quasi-identifiers, and leaves out people
#   of small groups if that is allowed (`supp_level`). If it leaves out anybody, the table that it returns has one more
#   column, in front, with the labels of the rows that went in: numbers of rows, or people's numbers if these are the
#   index. If it leaves out nobody, there is no such column. Here 60 people have an index of patient numbers, and k is
#   5. The result has no group below 18, masked names, and each person's patient number. Nothing is said.
# Hurt: the people in a table that is published as 5-anonymous. The number joins each row to the person's record; k
#   does not show it, since it counts the quasi-identifiers that were named.
# We: release noisy tables, and synthetic rows that are drawn from them: no row belongs to a person. Who uses anjana
#   beside us drops the first column.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet anjana==0.2.2 pandas==2.1.4 numpy==1.26.4
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import pandas as pd
from anjana.anonymity import k_anonymity

print("anjana", version("anjana"), "pandas", version("pandas"))
random = np.random.default_rng(0)
ages = np.array([25] * 20 + [35] * 20 + [45] * 18 + [85] * 2)
people = pd.DataFrame({"name": [f"name {place}" for place in range(60)], "age": ages})
people["ill"] = random.choice(["yes", "no"], 60)
patients = pd.Index([f"P{number}" for number in random.permutation(np.arange(1000, 1060))], name="patient")
hierarchy = {"age": {0: ages, 1: np.array([f"{age // 10 * 10} to {age // 10 * 10 + 9}" for age in ages]),
                     2: np.array(["any"] * 60)}}  # fmt: skip


def anonymous(table, supp_level):
    """Return the table that is handed out, with groups of 5 and more."""
    return k_anonymity(table.copy(), ["name"], ["age"], 5, supp_level, hierarchy)


numbered = people.set_index(patients)
plain, some, none = anonymous(people, 10), anonymous(numbered, 10), anonymous(numbered, 0)
for name, table in (("labels 0 to 59, two left out", plain), ("patients' numbers, two left out", some),
                    ("patients' numbers, nobody left out", none)):  # fmt: skip
    print(f"{name}: {len(table)} people, smallest group {table.groupby('age').size().min()}, "
          f"columns {list(table.columns)}")  # fmt: skip
print(some.head(3).to_string(index=False))
joined = some.merge(numbered.reset_index(), on="patient", suffixes=("", "_of_the_record"))
known = int((joined["ill"] == joined["ill_of_the_record"]).sum())
print(f"{known} of {len(some)} people are joined to their names by the number")
as_seen = (
    list(plain.columns) == ["index", "name", "age", "ill"]
    and list(some.columns) == ["patient", "name", "age", "ill"]
    and list(none.columns) == ["name", "age", "ill"]
    and set(some["name"]) == {"*"}
    and some.groupby("age").size().min() >= 5
    and known == len(some) == 58
)
sys.exit(not as_seen)
PYTHON
