#!/bin/bash
# What: `histogram`, `histogram2d` and `histogramdd` of diffprivlib 0.6.6 take survey weights (`weights=`), so that a bin
#   has the people whom its respondents stand for. A respondent of weight 500 moves a bin by 500. The noise is for 1,
#   whatever the weights are. Here 40 respondents of weight 500 are in a bin. Without one of them it has 19,500 and not
#   20,000, and at ε = 1 all of 1,000 releases of each are within 15 of that: everybody sees whether the person
#   answered. The accountant books 1; what was spent is 500. A bin's weight is also cut to a whole number, downwards:
#   if weights have mean 1 and a bin has weight 0.99, that is 0.
# Hurt: every respondent of a survey whose weighted table is released with it, those with large weights most.
# We: take no weights. A count is of people, and each counts once.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet diffprivlib==0.6.6 scikit-learn==1.6.1 numpy==2.2.6 pandas==2.3.3
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from diffprivlib import BudgetAccountant, tools

print("diffprivlib", version("diffprivlib"), "numpy", version("numpy"))


def released(people, weight, seed, epsilon=1.0):
    """Return the first of two bins, which has everybody, of three kinds of histogram."""
    ages, weights, book = np.full(people, 30.0), np.full(people, weight), BudgetAccountant()
    options = {"epsilon": epsilon, "weights": weights, "accountant": book, "random_state": seed}
    bins = [0, 50, 100]
    one, _ = tools.histogram(ages, bins=bins, range=(0, 100), **options)
    two, _, _ = tools.histogram2d(ages, ages, bins=[bins, bins], range=[(0, 100)] * 2, **options)
    three, _ = tools.histogramdd(np.stack([ages] * 3, 1), bins=[bins] * 3, range=[(0, 100)] * 3, **options)
    return (one[0], two[0, 0], three[0, 0, 0]), book.total()[0] / 3


with_one, without = ([released(people, 500.0, seed)[0] for seed in range(1000)] for people in (40, 39))
booked = released(40, 500.0, 0)[1]
for place, name in enumerate(("histogram", "histogram2d", "histogramdd")):
    ranges = [(int(min(each[place] for each in draws)), int(max(each[place] for each in draws)))
              for draws in (with_one, without)]  # fmt: skip
    print(f"{name}: with the person {ranges[0]}, without {ranges[1]}, booked for each {booked:g}")
apart = np.min(with_one) - np.max(without)
(cut, _, _), _ = released(3, 0.33, 0, epsilon=1000.0)
print(f"a bin of three people of weight .33, at ε = 1,000: {cut:g}")
sys.exit(not (apart > 450 and booked == 1 and cut == 0))
PYTHON
