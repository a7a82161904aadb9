#!/bin/bash
# What: microdf 1.5.12 has weighted deciles of people by income (`decile_rank`, and `rank`, `quintile_rank` and so on). A
#   person without an income is ranked above everybody else. Its mean, median, count and quantiles leave such people
#   out. Here 8 % of 10,000 people did not answer. Decile 10 has 1,000 people, of whom 796 have no income; the mean of
#   the other 204, the richest 2 % of those who answered, is 148,666. Among those who answered, the richest tenth has
#   94,210. All other deciles are too rich, too: the means of 8 and 9 are 46,072 and 72,868 in place of 38,547 and
#   51,510. The same library's quantile puts the end of the ninth decile at 61,528, where nobody in decile 10
#   has less than 109,000. pandas gives a missing value no rank. Nothing is said.
# Hurt: anyone who publishes incomes, taxes or benefits by decile from a survey in which some people did not answer: the
#   rich look half as rich again, and a measure of inequality by deciles with them.
# We: rank nobody; a query leaves out rows without a value in its column. Leave them out before you rank.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet microdf-python==1.5.12 pandas==2.3.3 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys
from importlib.metadata import version

import microdf as mdf
import numpy as np
import pandas as pd

print("microdf-python", version("microdf-python"), "pandas", version("pandas"))
random = np.random.default_rng(0)
income = np.round(random.lognormal(10, 0.8, 10_000))
silent = random.random(10_000) < 0.08
income[silent] = np.nan


def deciles(values):
    """Return the number of people, the number with an income, and their mean income, by decile."""
    people = mdf.MicroSeries(values, weights=np.ones(len(values)))
    table = pd.DataFrame({"decile": np.asarray(people.decile_rank()), "income": values})
    return table.groupby("decile")["income"].agg(["size", "count", "mean"]).round()


everybody, answered = deciles(income), deciles(income[~silent])
print("all people:", everybody, "those who answered:", answered, sep="\n")
series = mdf.MicroSeries(income, weights=np.ones(len(income)))
top = income[np.asarray(series.decile_rank()) == 10]
print("quantile .9:", series.quantile(0.9), "smallest income in decile 10:", np.nanmin(top), "count:", series.count())
print("people with a rank in pandas:", int(pd.Series(income).rank().count()))
as_seen = (
    np.isnan(top).sum() == silent.sum() == len(income) - series.count() and list(everybody["size"]) == [1000] * 10
    and everybody["mean"][10] > 1.4 * answered["mean"][10] and np.nanmin(top) > 1.5 * series.quantile(0.9)
)  # fmt: skip
sys.exit(not as_seen)
PYTHON
