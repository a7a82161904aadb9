#!/bin/bash
# What: SynthEval 1.7.3 judges synthetic data by the distance of each row to its nearest neighbour in the real data. To
#   leave out each row's distance 0 to itself, it looks whether the two tables are equal. If the synthetic data are the
#   real ones, in their order, they are equal, too: each row's neighbour is then another person. So a copy has a
#   relative distance (DCR) of 1, a ratio of distances (NNDR) of 0.67 as strangers have, and an identifiability risk
#   of 0, the best there is; strangers have 0.46. Shuffled, the same copy has 0, 0 and 1. Nothing is said. The share
#   of hits is 1 for both.
# Hurt: anyone who tries the measures on the worst case, or compares releases by them: no release looks safer than the
#   data themselves, and a pipeline that hands through its input passes.
# We: bound what synthetic rows reveal by the noise of the tables that they follow, and measure no distance.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet syntheval==1.7.3 pandas==2.3.3 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - > log <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import pandas as pd
from syntheval import SynthEval

print("#", "syntheval", version("syntheval"), "pandas", version("pandas"))
random = np.random.default_rng(0)


def people(count):
    return pd.DataFrame({
        "age": random.integers(18, 90, count),
        "bmi": random.normal(27, 4, count).round(1),
        "sex": random.choice(["f", "m"], count),
        "region": random.choice(list("abcdefgh"), count),
    })  # fmt: skip


real, strangers = people(500), people(500)
shuffled = real.sample(frac=1, random_state=1).reset_index(drop=True)
one_other = pd.concat([real[:499], strangers[:1]], ignore_index=True)
tables = {"strangers": strangers, "a copy": real.copy(), "the copy, shuffled": shuffled,
          "a copy, one row a stranger's": one_other}  # fmt: skip
seen = {}
for name, synthetic in tables.items():
    judge = SynthEval(real, cat_cols=["sex", "region"], verbose=False)
    measures = judge.evaluate(synthetic, analysis_target_var="sex", hit_rate={}, dcr={}, nndr={}, eps_risk={})
    seen[name] = measures.set_index("metric")["val"].to_dict()
    print("#", f"{name}:", {measure: round(float(value), 3) for measure, value in seen[name].items()})
copy, mixed, other = seen["a copy"], seen["the copy, shuffled"], seen["strangers"]
as_seen = (
    copy["median_DCR"] == 1 and copy["eps_identif_risk"] == 0 and copy["avg_nndr"] > 0.5
    and mixed["median_DCR"] == 0 and mixed["eps_identif_risk"] > 0.95 and mixed["avg_nndr"] < 0.05
    and 0.4 < other["eps_identif_risk"] < 0.6 and other["avg_nndr"] > 0.5
)  # fmt: skip
print("# as seen" if as_seen else "# CHANGED")
PYTHON
sed -n 's/^# //p' log
grep -q '^# as seen' log || exit 1
