#!/bin/bash
# What: R's survival package codes status as 1 for censored and 2 for dead (its data set `lung` does, and `Surv` takes
#   it); Python's libraries mean 0 and 1. Given R's codes, lifelines 0.30.3 counts everybody as dead: in curves, in
#   log-rank tests and in Cox models. statsmodels 0.15.0 multiplies by the code, so that each death is two and each
#   censored person is one. Neither says anything; scikit-survival 0.28.0 refuses. Here, of six people of whom three
#   died, 80 % are alive after month 3. It is 50 % by lifelines and 37.5 % by statsmodels.
# Hurt: anyone who publishes survival from a file that was made for R, and the people whose risk it states.
# We: take a column of true and false, or the code that the plan names as the event (`is = 2`).
# Needs R with its package survival (apt install r-cran-survival; seen with 3.5.3).
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet lifelines==0.30.3 statsmodels==0.15.0 scikit-survival==0.28.0 pandas==2.3.3
cat > people.csv <<'CSV'
months,status
1,1
2,2
3,1
4,1
5,2
6,2
CSV
Rscript --vanilla - <<'R'
library(survival)
people <- read.csv("people.csv")
curve <- summary(survfit(Surv(months, status) ~ 1, people), times = 3)
cat("R", as.character(getRversion()), "survival", as.character(packageVersion("survival")), "\n")
cat(format(curve$surv), file = "true")
R
venv/bin/python -W ignore - <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from lifelines import CoxPHFitter, KaplanMeierFitter
from lifelines.statistics import logrank_test
from sksurv.util import Surv
from statsmodels.duration.survfunc import SurvfuncRight

true = float(Path("true").read_text())
people = pd.read_csv("people.csv")
print(*(f"{name} {version(name)}" for name in ("lifelines", "statsmodels", "scikit-survival")))
first = KaplanMeierFitter().fit(people["months"], people["status"]).predict(3)
second = SurvfuncRight(people["months"], people["status"])
second = second.surv_prob[list(second.surv_times).index(3)]
print(f"alive after month 3: R {true:.3f}, lifelines {first:.3f}, statsmodels {second:.3f}")
random = np.random.default_rng(0)
many = pd.DataFrame({"months": random.integers(1, 30, 60), "status": random.integers(1, 3, 60)})
many["age"] = random.normal(size=60)
models, tests = {}, {}
codes = {"R's codes": many["status"], "died": many["status"] - 1, "everybody died": many["status"] * 0 + 1}
for name, status in codes.items():
    data = many.assign(status=status)
    old = data["age"] > 0
    models[name] = CoxPHFitter().fit(data, "months", "status").params_["age"]
    tests[name] = logrank_test(data["months"][old], data["months"][~old], status[old], status[~old]).test_statistic
    print(f"lifelines, {name}: Cox model {models[name]:.4f}, log-rank {tests[name]:.4f}")
try:
    Surv.from_arrays(people["status"], people["months"])
    refused = False
except ValueError as error:
    refused = True
    print("scikit-survival:", error)
same = all(
    np.isclose(each["R's codes"], each["everybody died"]) and not np.isclose(each["R's codes"], each["died"])
    for each in (models, tests)
)
sys.exit(not (round(true, 3) == 0.8 and round(first, 3) == 0.5 and round(second, 3) == 0.375 and same and refused))
PYTHON
