#!/bin/bash
# What: NewRowSynthesis of sdmetrics 0.32.0 says which share of synthetic rows is in nobody's data. A number matches if
#   it is within 1 % of another; a date is taken as the nanoseconds since 1970, and matches within 1 % of these. So
#   two visits of 2024 are one if they are at most 197 days apart, two births of 1990 within 73 days, two of
#   January 1970 only on the same day. Of 300 synthetic rows of strangers with a date and a sex 86 % are new, and the
#   score is 0 for births of 1990 and for visits of 2022. The metric was proposed with values scaled by their range.
# Hurt: anyone who publishes the score: good data look copied, and the same data have another score ten years later.
# We: compute no such score.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet sdmetrics==0.32.0 pandas==2.3.3 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import pandas as pd
from sdmetrics.single_table import NewRowSynthesis

print("sdmetrics", version("sdmetrics"), "pandas", version("pandas"))
random = np.random.default_rng(0)
metadata = {"columns": {
    "date": {"sdtype": "datetime", "datetime_format": "%Y-%m-%d"},
    "sex": {"sdtype": "categorical"},
}}  # fmt: skip


def people(year):
    days = pd.to_timedelta(random.integers(0, 3 * 365, 300), "D")
    return pd.DataFrame({"date": pd.Timestamp(f"{year}-01-01") + days, "sex": random.choice(["f", "m"], 300)})


seen = True
for year in (1968, 1990, 2022):
    original, synthetic = people(year), people(year)
    known = set(original.itertuples(index=False, name=None))
    true = sum(row not in known for row in synthetic.itertuples(index=False, name=None)) / 300
    score = NewRowSynthesis.compute(original.copy(), synthetic.copy(), metadata)
    print(f"dates of {year} to {year + 2}: score {score:.3f}, rows that are truly new {true:.3f}")
    seen = seen and 0.8 < true < 0.95 and (0.3 < score < 0.7 if year == 1968 else score < 0.01)
apart = {}
for days in (190, 205):
    two = [pd.DataFrame({"date": [pd.Timestamp(each)], "sex": ["f"]}) for each in ("2023-12-01", "2023-12-01")]
    two[1]["date"] += pd.Timedelta(days, "D")
    apart[days] = NewRowSynthesis.compute(*two, metadata)
    print(f"one visit, {days} days later: score {apart[days]:.0f}")
sys.exit(not (seen and apart == {190: 0, 205: 1}))
PYTHON
