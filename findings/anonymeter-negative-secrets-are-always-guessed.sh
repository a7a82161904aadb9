#!/bin/bash
# What: anonymeter 1.1.0 takes a guess of a number for right if |guess − secret| / guess is at most 0.05. It divides by
#   the guess and not by its size, so that every guess below 0 is right, whatever the secret is. Bone-density scores,
#   weight-for-age z, debts, logarithms and the longitudes of a whole continent are below 0. The risk is the attack's
#   success beyond that on people who are not in the data; if both are 100 %, it is 0. Here the synthetic data are a
#   copy of 3,000 people's. With their scores times −1, that is above 0, the risk is 0.998. With the scores it is 0.
# Hurt: the people of such a data set: its report of risks, which authorities accept as evidence, says no risk.
# We: bound what synthetic rows reveal by the noise of the tables that they follow; no guess is compared.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet anonymeter==1.1.0 pandas==3.0.6 numpy==1.26.4
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator

print("anonymeter", version("anonymeter"), "pandas", version("pandas"))
np.random.seed(0)


def people():
    """Waist in millimetres and weight in grams, which name a person, and a bone-density score below 0."""
    waist, weight = np.random.uniform(600, 1200, 3000), np.random.uniform(4e4, 1.2e5, 3000)
    return pd.DataFrame({"waist": waist, "weight": weight, "score": -np.random.uniform(0.1, 4, 3000).round(2)})


def judged(original, synthetic, others):
    evaluator = InferenceEvaluator(
        original, synthetic, ["waist", "weight"], "score", regression=True, n_attacks=1000, control=others
    ).evaluate(n_jobs=1)  # fmt: skip
    return evaluator.results().attack_rate.value, evaluator.results().control_rate.value, evaluator.risk()


original, others, strangers = people(), people(), people()
risks = {}
for sign in (-1, 1):
    for name, synthetic in (("a copy", original), ("of strangers", strangers)):
        data = [each.assign(score=sign * each["score"]) for each in (original, synthetic, others)]
        attack, control, risk = judged(*data)
        risks[sign, name] = attack, risk.value
        print(f"scores times {sign:2}, synthetic data {name:12}: attack right {attack:.3f}, "
              f"on others {control:.3f}, risk {risk.value:.3f}")  # fmt: skip
above = risks[-1, "a copy"][1] > 0.99 and risks[-1, "of strangers"][0] < 0.1
below = risks[1, "a copy"][1] < 0.01 and risks[1, "of strangers"][0] > 0.99
sys.exit(not (above and below))
PYTHON
