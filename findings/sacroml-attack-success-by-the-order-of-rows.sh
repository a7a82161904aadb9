#!/bin/bash
# What: sacroml 2.0.1 judges an attack on membership by the tenth of the people with the largest scores and the tenth
#   with the smallest: the share of members among the one minus that among the other (FDIF01), with a p-value (PDIF01).
#   People of equal scores are taken in the order in which NumPy's sort leaves them, which follows that of the rows, and
#   its attacks put the members first. `get_metrics` shuffles the rows before (`permute_rows`), but what it shuffles is a
#   copy that nobody reads: with and without, all figures are the same. Here an attack says 0.5 for everybody. With
#   members first it has a difference of −1, with members last of +1 and p = 10⁻⁵⁰; the AUC is 0.5 for both. A tree has
#   learnt 1,000 people by heart, and the attack is its confidence, 0 or 1: 0.475 with members first, 0.905 with members
#   last. Any order by chance has about 0.61. On a processor without AVX-512 it is 0.99 and 0.005, with p = 0.46.
# Hurt: the people in the training data of a tree or another model with few levels. The tool is for the release of
#   models from safe rooms, and its report says by this p-value whether an attack is significant.
# We: count members and others on each side of a threshold, and no order of the rows changes these counts.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet numpy==2.3.3 scipy==1.16.2 scikit-learn==1.7.2
"$folder/venv/bin/pip" install --quiet --no-deps sacroml==2.0.1
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from sacroml.metrics import get_metrics
from sklearn.tree import DecisionTreeClassifier

print("sacroml", version("sacroml"), "numpy", version("numpy"))
random = np.random.default_rng(0)
people, half = 2000, 1000
features = random.normal(size=(people, 5))
ill = (features[:, 0] + random.normal(size=people) > 0).astype(int)
tree = DecisionTreeClassifier(random_state=0).fit(features[:half], ill[:half])
member = np.repeat([1, 0], half)
attacks = {
    "the same score for everybody": np.full(people, 0.5),
    "confidence of a tree": tree.predict_proba(features)[np.arange(people), ill],
}
orders = {
    "members first": np.arange(people), "members last": np.arange(people)[::-1], "any order": random.permutation(people)
}  # fmt: skip
same, difference, areas = True, {}, {}
for attack, scores in attacks.items():
    for name, order in orders.items():
        rows = np.column_stack([1 - scores, scores])[order]
        shuffled, left = (get_metrics(rows.copy(), member[order], permute_rows=choice) for choice in (True, False))
        same &= all(np.array_equal(shuffled[key], left[key], equal_nan=True) for key in shuffled)
        difference[attack, name], areas[attack, name] = float(shuffled["FDIF01"]), float(shuffled["AUC"])
        print(f"{attack}, {name}: AUC {shuffled['AUC']:.3f}, FDIF01 {shuffled['FDIF01']:+.3f}, "
              f"p = {np.exp(-shuffled['PDIF01']):.1e}")  # fmt: skip
print("permute_rows makes no difference:", same)
spread = {name: abs(difference[name, "members last"] - difference[name, "members first"]) for name in attacks}
alike = all(areas[name, "members first"] == areas[name, "members last"] for name in attacks)
sys.exit(not (same and alike and min(spread.values()) > 0.2))
PYTHON
