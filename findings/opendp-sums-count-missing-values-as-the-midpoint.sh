#!/bin/bash
# What: OpenDP 0.16.0 takes a missing value for the middle of the bounds in `dp.sum` and `dp.mean` of polars tables, and
#   says nothing. Its guide says that a sum requires values that are not null, and that `fill_null` is how to say what
#   they are taken for. Here 3,000 people have 429 without an income. The sum is 16.8 % too high, at any privacy
#   budget, and the sum by the number of known values (`dp.count`) gives 58.0 for a mean of 49.6. With wider bounds
#   it is further off: bounds are to be wide, and the middle of wide bounds is nobody's value.
# Hurt: anyone who publishes a total or a mean of a column with missing values and reads "noise" for the error.
# We: count a missing value as 0 in a sum and leave it out of a mean, or refuse it, as the plan says.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "opendp[polars]==0.16.0"
"$folder/venv/bin/python" -W ignore - 2>"$folder/warnings" <<'PYTHON' || { cat "$folder/warnings"; exit 1; }
import sys
from importlib.metadata import version

import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib")
people = pl.DataFrame({"income": [None if i % 7 == 0 else float(i % 101) for i in range(3000)]})
income = people["income"]


def released(expression):
    """An answer with so large a budget that the noise is far below one."""
    context = dp.Context.compositor(
        data=people.lazy(),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=1e6),
        split_evenly_over=1,
        margins=[dp.polars.Margin(max_length=10_000)],
    )
    return context.query().select(expression).release().collect().item()


print("opendp", version("opendp"), "polars", pl.__version__)
known, total, missing = income.count(), income.sum(), income.null_count()
print(f"true: sum {total}, mean {income.mean():.2f}, known {known}, missing {missing}")
count = released(pl.col("income").dp.count())
seen = count == known
for bound in (100, 1000):
    answer = released(pl.col("income").dp.sum((0, bound)))
    mean = released(pl.col("income").dp.mean((0, bound)))
    print(f"bounds (0, {bound}): sum {answer:.1f}, by dp.count {answer / count:.2f}, dp.mean {mean:.2f}")
    seen = seen and abs(answer - total - missing * bound / 2) < 1
    seen = seen and abs(mean - (total + missing * bound / 2) / len(people)) < 0.01
sys.exit(not seen)
PYTHON
