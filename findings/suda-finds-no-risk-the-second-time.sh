#!/bin/bash
# What: suda 0.2.2 scores each person of a file by how few attributes make them unique ("special uniques"), and spreads
#   the file's risk over the people by these scores (`dis-suda`). It writes two columns, fM and suda, with 0 into the
#   caller's table. At the next call on that table it adds up these instead, so that all scores are 0, whatever is
#   unique and whichever columns are named. `dis-suda` asks these columns, too, and is 0 for everybody from the first
#   call on; the manual's own example has 0.0207. Here one of six people is the only one in the red district. The
#   score is 4 at the first call, and 0 at the second, with larger combinations. NumPy warns of a division by zero.
# Hurt: the people in a file that is judged twice, before and after a change or for combinations of two and of three:
#   the second report, and each report of dis-suda, says that nobody is at risk.
# We: change no table that we are given. Pass suda a copy, and divide dis by the sum of the scores yourself.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet suda==0.2.2 pandas==2.3.3 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys
from importlib.metadata import version

import pandas as pd
from suda import suda

print("suda", version("suda"), "pandas", version("pandas"))
people = pd.DataFrame({
    "sex": ["f", "f", "m", "m", "m", "f"],
    "age": ["20s", "30s", "30s", "20s", "20s", "20s"],
    "district": ["blue"] * 5 + ["red"],
})  # fmt: skip
named = list(people.columns)
calls = {
    "a copy, pairs": suda(people.copy(), max_msu=2),
    "a copy, triples": suda(people.copy(), max_msu=3),
    "the table, pairs": suda(people, max_msu=2),
    "the table again, triples": suda(people, max_msu=3),
    "the table again, its three columns named": suda(people, max_msu=3, columns=named),
}
scores = {name: result["suda"].astype(int).tolist() for name, result in calls.items()}
risks = {name: result["dis-suda"].tolist() for name, result in calls.items()}
for name, result in calls.items():
    print(f"{name}: scores {scores[name]}, smallest unique {result['msu'].astype(int).tolist()}, "
          f"dis-suda {risks[name]}")  # fmt: skip
print("columns of the caller's table:", list(people.columns))
first, larger, table, again, columns = scores.values()
as_seen = (
    first == table == [0, 1, 1, 0, 0, 4] and larger[5] == 5 and set(again + columns) == {0}
    and not any(any(each) for each in risks.values()) and list(people.columns) == [*named, "fM", "suda"]
)  # fmt: skip
sys.exit(not as_seen)
PYTHON
