#!/bin/bash
# What: SynthEval 1.7.3 has a "privacy loss": the share of real people who are closer to a synthetic row than to each
#   other (identifiability risk), minus that share among people who were kept out (`holdout_dataframe`). It divides
#   the second count by the number of the first. If as many are kept out as in, strangers have a loss of −0.04, that is
#   none, and half a copy of the real data has 0.10. With the usual fifth kept out, strangers have 0.33: 76 of 100 people
#   are counted as 76 of 400. With 1,600 kept out they have −0.30, and the half copy −0.15, less than nothing. (The
#   share itself falls as more people are kept out, since they are closer to each other.) Nothing is said.
# Hurt: anyone who publishes the loss or chooses a synthesizer by it: the ratio of two tables' sizes decides.
# We: state no such loss. Keep out as many people as you keep in, if you read SynthEval's.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet syntheval==1.7.3 pandas==2.3.3 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - > log <<'PYTHON'
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


real, strangers, outside = people(400), people(400), people(1600)
half_a_copy = pd.concat([real[:200], strangers[:200]], ignore_index=True)
losses, counts = {}, {}
for name, synthetic in (("strangers", strangers), ("half a copy", half_a_copy)):
    for size in (100, 400, 1600):
        judge = SynthEval(real, holdout_dataframe=outside[:size].copy(), cat_cols=["sex", "region"], verbose=False)
        measures = judge.evaluate(synthetic, analysis_target_var="sex", eps_risk={})
        value = measures.set_index("metric")["val"]
        losses[name, size] = float(value["priv_loss_eps"])
        share = float(value["eps_identif_risk"])
        counts[name, size] = (share - losses[name, size]) * len(real)
        print("#", f"{name}, 400 real people, {size:4} kept out: risk {share:.3f}, loss {losses[name, size]:+.3f}, "
              f"which is {share * 400:.0f}/400 − {counts[name, size]:.0f}/400")  # fmt: skip
as_seen = (
    abs(losses["strangers", 400]) < 0.1 and losses["strangers", 100] > 0.25 and losses["strangers", 1600] < -0.2
    and losses["half a copy", 1600] < -0.05 < 0.05 < losses["half a copy", 400]
    and all(abs(count - round(count)) < 1e-6 for count in counts.values())
    and counts["strangers", 100] <= 100 and counts["strangers", 1600] > 300
)  # fmt: skip
print("# as seen" if as_seen else "# CHANGED")
PYTHON
sed -n 's/^# //p' log
grep -q '^# as seen' log || exit 1
