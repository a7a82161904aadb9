#!/bin/bash
# What: pycanon 1.3.6 groups people by the labels of a pandas index, and then takes these labels for places. If a table
#   was sorted, filtered or shuffled before, its l-diversity, t-closeness, β-likeness, δ-disclosure and (α, k) are those
#   of groups of other people. Here 8 people of two ages are shuffled. The four aged 40 are all ill with the same
#   disease: l is 1, t is 0.375. After the shuffle pycanon says 2 and 0.25. Only k-anonymity is right. The same values
#   with `reset_index(drop=True)` are right again. A missing age makes a person vanish if age is the only
#   quasi-identifier: the one person without an age has k = 1, and pycanon says 4.
# Hurt: anyone who checks a table of groups with it before publication. Nothing is said if all labels are places.
# We: publish no such figures. Who uses pycanon beside us resets the index first and fills missing values.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pycanon==1.3.6 pandas==2.3.3 numpy==2.0.2
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import math
import sys
from importlib.metadata import version

import pandas as pd
from pycanon import anonymity

print("pycanon", version("pycanon"), "pandas", version("pandas"))
people = pd.DataFrame({"age": [30] * 4 + [40] * 4, "disease": ["a", "b", "c", "d"] + ["a"] * 4})
shuffled = people.sample(frac=1, random_state=1)


def figures(data):
    ways = anonymity.l_diversity, anonymity.t_closeness, anonymity.delta_disclosure
    alpha, _ = anonymity.alpha_k_anonymity(data, ["age"], ["disease"])
    others = [round(float(way(data, ["age"], ["disease"])), 4) for way in ways]
    return [anonymity.k_anonymity(data, ["age"]), *others, round(float(alpha), 4)]


def direct(data):
    """The same five figures, from pandas alone."""
    whole = data["disease"].value_counts(normalize=True)
    groups = [group["disease"].value_counts() for _, group in data.groupby("age")]
    shares = [group.div(group.sum()) for group in groups]
    apart = [share.reindex(whole.index, fill_value=0) - whole for share in shares]
    ratios = [share / whole[share.index] for share in shares]
    delta = max(max(abs(math.log(each)) for each in ratio) for ratio in ratios)
    return [
        min(int(group.sum()) for group in groups),
        min(len(group) for group in groups),
        round(max(float(each.abs().sum()) / 2 for each in apart), 4),
        round(delta, 4),
        max(float(share.max()) for share in shares),
    ]


print("k, l, t, δ and α")
print("truly:         ", direct(shuffled))
print("as written:    ", figures(people))
print("shuffled:      ", figures(shuffled))
print("index reset:   ", figures(shuffled.reset_index(drop=True)))
nobody_else = pd.concat([people, pd.DataFrame({"age": [None], "disease": ["q"]})], ignore_index=True)
alone = anonymity.k_anonymity(nobody_else, ["age"])
print("k with one person whose age is missing:", alone)
true = direct(people)
right = figures(people) == figures(shuffled.reset_index(drop=True)) == true == direct(shuffled)
sys.exit(not (right and figures(shuffled) != true and figures(shuffled)[1] > true[1] and alone == 4))
PYTHON
