#!/bin/bash
# What: `nanmean`, `nanvar` and `nanstd` of diffprivlib 0.6.6 leave missing values out, and draw noise for as many people
#   as have a row. The mean is over those who answered, and one of them moves it by (upper − lower) / answers. If 100
#   of 10,000 people answer, the noise is a hundredth of what ε = 1 needs. Here all of them answer 50 of 0 to 100.
#   One says 100 instead: the mean is 50.5 instead of 50, and the noise is 0.01. Of 2,000 releases of each, all lie on
#   their own side of 50.25. At ε = 1, an attacker is right at most 73 % of the time. The accountant books 1; what was
#   spent is 100. If everybody has a value, the noise is right.
# Hurt: the people who answer a question that few answer, such as one asked of a part of the survey only.
# We: compute noise and half-widths from the plan, before the data are read. A mean's noise is that of its sum and count.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet diffprivlib==0.6.6 scikit-learn==1.6.1 numpy==2.2.6 pandas==2.3.3
"$folder/venv/bin/python" - <<'PYTHON'
import math
import sys
from importlib.metadata import version

import numpy as np
from diffprivlib import BudgetAccountant, tools

print("diffprivlib", version("diffprivlib"), "numpy", version("numpy"))
EPSILON, RELEASES = 1.0, 2000
best = math.exp(EPSILON) / (1 + math.exp(EPSILON))  # who guesses one of two neighbours is right this often at most


def right(function, rows, answers, middle):
    """Return how often a release lies on the side of its data set, and the budget that the accountant books."""
    one = np.full(rows, np.nan)
    one[:answers] = 50
    other = one.copy()
    other[0] = 100
    book = BudgetAccountant()
    draws = [
        [function(data, epsilon=EPSILON, bounds=(0, 100), accountant=book, random_state=seed) for seed in range(RELEASES)]
        for data in (one, other)
    ]
    low, high = np.array(draws[0]), np.array(draws[1])
    return ((low < middle).mean() + (high > middle).mean()) / 2, max(book.total()[0], 0) / (2 * RELEASES)


seen = {}
for rows in (10_000, 100):
    for name, middle in (("nanmean", 50.25), ("nanvar", 12.375)):
        seen[name, rows], booked = right(getattr(tools, name), rows, 100, middle)
        print(f"{name}, 100 answers in {rows:6} rows: right {seen[name, rows]:.3f} of the time; "
              f"ε = {EPSILON:g} allows {best:.3f}; booked for each release {booked:.2f}")  # fmt: skip
as_seen = (
    seen["nanmean", 10_000] > 0.99 and seen["nanvar", 10_000] > 0.95
    and seen["nanmean", 100] < best + 0.03 and seen["nanvar", 100] < best + 0.03
)  # fmt: skip
sys.exit(not as_seen)
PYTHON
