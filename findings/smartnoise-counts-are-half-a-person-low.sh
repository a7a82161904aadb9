#!/bin/bash
# What: SmartNoise SQL 1.0.10 adds noise with fractions to counts and sums of whole numbers, and then cuts the
#   fraction off, towards 0. Each count is half a person too low on average, at any privacy budget. Here 10,000 people
#   live in 2,000 places, five in each. With so large a budget that the noise is far below one, half of the places
#   have 5 and half have 4, and they add up to 9,000 people. At ε = 1 the mean of the 2,000 errors is −0.5, too,
#   although noise has mean 0. Negative sums are half too high. Nothing is said.
# Hurt: anyone who adds up published cells, or compares many small ones with another source: 10 % for cells of five.
# We: draw whole noise for whole numbers, with mean 0.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet smartnoise-sql==1.0.10 opendp==0.14.2 pandas==2.3.3
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import pandas as pd
import snsql

print("smartnoise-sql", version("smartnoise-sql"), "opendp", version("opendp"))
people = pd.DataFrame({"id": range(10_000)})
people["place"] = [f"p{each % 2000}" for each in people["id"]]
people["one"] = 1
people["debt"] = -1
columns = {
    "id": {"type": "int", "private_id": True},
    "place": {"type": "string"},
    "one": {"type": "int", "lower": 0, "upper": 1},
    "debt": {"type": "int", "lower": -1, "upper": 0},
}
metadata = {"": {"d": {"people": {"rows": 10_000, "censor_dims": False, "clamp_counts": False, **columns}}}}


def released(query, epsilon):
    reader = snsql.from_df(people, privacy=snsql.Privacy(epsilon=epsilon, delta=1e-5), metadata=metadata)
    return reader.execute(query)[1:]


groups = "SELECT place, COUNT(*) AS n, SUM(one) AS s, SUM(debt) AS t FROM d.people GROUP BY place"
seen = True
for epsilon in (1e4, 1.0):
    rows = released(groups, epsilon)
    counts, sums, debts = (np.array([row[place] for row in rows]) for place in (1, 2, 3))
    error, spread = counts.mean() - 5, counts.std() / len(counts) ** 0.5
    print(f"ε = {epsilon:g}: {len(counts)} groups add up to {counts.sum()} by COUNT, "
          f"{sums.sum()} by SUM of 1, {debts.sum()} by SUM of −1; "
          f"mean error of a count {error:.3f} ± {2 * spread:.3f}")  # fmt: skip
    seen = seen and abs(error + 0.5) < 6 * spread < 0.45 
    seen = seen and abs(sums.mean() - 4.5) < 6 * spread and abs(debts.mean() + 4.5) < 6 * spread
    if epsilon > 1:
        print("  counts of 4:", int((counts == 4).sum()), "counts of 5:", int((counts == 5).sum()))
        seen = seen and set(counts.tolist()) == {4, 5}
sys.exit(not seen)
PYTHON
