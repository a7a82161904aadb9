#!/bin/bash
# What: SurvfuncRight of statsmodels 0.15.0 takes a table of counts (`freq_weights`: so many people died in that month),
#   as a published table has them. Its curve is that of the same people row by row. Its standard errors are not: they
#   are those of the logarithm of survival, and are not multiplied by survival. Of 1,000 people here 5.6 % are alive
#   after the last month, with an error of 0.0073. Given as counts, the error is 0.125, seventeen times as much, and the
#   interval goes from below 0 to 30 %. The median's interval is months 9 to 11 by rows, and 9 to infinity by counts.
#   The manual says "standard errors for the values in surv_prob". Nothing is said.
# Hurt: anyone who puts an interval beside survival from grouped or aggregated data, or calls two groups alike by it.
# We: state the half-width of the noise, which has its own law, and no sampling error.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet statsmodels==0.15.0 pandas==2.3.3 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from statsmodels.duration.survfunc import SurvfuncRight

print("statsmodels", version("statsmodels"), "numpy", version("numpy"))
months = np.arange(1, 41)
alive, people = 1000, []
for month in months:
    died = round(0.07 * alive)
    people.append(died)
    alive -= died
counts = np.array([*people, alive])
times = np.array([*months, 41])
status = np.array([1] * 40 + [0])
table = SurvfuncRight(times, status, freq_weights=counts)
rows = SurvfuncRight(np.repeat(times, counts), np.repeat(status, counts))
assert counts.sum() == 1000 and np.allclose(table.surv_prob, rows.surv_prob)
binomial = np.sqrt(rows.surv_prob * (1 - rows.surv_prob) / 1000)  # nobody leaves before the end
for place in (0, 9, 19, 39):
    print(f"month {table.surv_times[place]:2}: alive {rows.surv_prob[place]:.3f}, error by rows "
          f"{rows.surv_prob_se[place]:.4f}, binomial {binomial[place]:.4f}, by counts {table.surv_prob_se[place]:.4f}")  # fmt: skip
last = table.surv_prob[-1] + 1.96 * table.surv_prob_se[-1] * np.array([-1, 1])
print("interval after the last month, by counts:", last.round(3).tolist())
medians = {name: [float(each) for each in curve.quantile_ci(0.5)] for name, curve in (("rows", rows), ("counts", table))}
print("interval of the median:", medians)
ratio = table.surv_prob_se / rows.surv_prob_se
as_seen = (
    np.allclose(rows.surv_prob_se, binomial) and ratio[-1] > 15 and last[0] < 0
    and np.allclose(ratio * rows.surv_prob, 1, atol=0.05) and medians["rows"] != medians["counts"]
)  # fmt: skip
print("counts' error times survival, over rows' error:", (ratio * rows.surv_prob)[[0, 19, 39]].round(3).tolist())
sys.exit(not as_seen)
PYTHON
