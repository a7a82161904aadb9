#!/bin/bash
# What: anonymeter 1.1.0 compares its inference attack with an attacker who guesses: n synthetic rows are drawn, and
#   their secrets are the guesses. Then the guesses are matched to the n people by the labels of rows, which have
#   nothing to do with each other, and a person without a match gets no guess. Of 500 guesses about 5,000 people one
#   in ten is left, so the guesser's success is ten times too small; if the tables' labels differ it is 0. Here
#   the synthetic data are of strangers, and an attack does as well as a guess: 0.58. The attack is right for 0.53, the
#   guesser for 0.07. With all 5,000 people attacked, the guesser has 0.57.
# Hurt: anyone who reads the attack's success beside the baseline, as the manual advises: it looks eight times better
#   than guessing, and the warning that an attack is as bad as guessing does not come.
# We: state the success without the release by a bound, not by a draw.
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
    age, region = np.random.randint(18, 90, 5000), np.random.randint(0, 10, 5000).astype(str)
    return pd.DataFrame({"age": age, "region": region, "ill": np.random.choice(["yes", "no"], 5000, p=[0.3, 0.7])})


original, strangers = people(), people()
renamed = strangers.set_index(np.arange(5000) + 10_000)
rates = []
cases = (500, strangers, "0 to 4999"), (500, renamed, "other"), (5000, strangers, "0 to 4999")
for attacks, synthetic, name in cases:
    evaluator = InferenceEvaluator(original, synthetic, ["age", "region"], "ill", n_attacks=attacks)
    results = evaluator.evaluate(n_jobs=1).results()
    rates.append((results.attack_rate.value, results.baseline_rate.value))
    print(f"{attacks} attacks, labels {name}: attack right {rates[-1][0]:.3f}, guesser {rates[-1][1]:.3f}; "
          f"truly {0.3**2 + 0.7**2:.2f}")  # fmt: skip
(some, few), (_, none), (_, all_of_them) = rates
sys.exit(not (some > 0.5 and few < 0.12 and none < 0.01 and all_of_them > 0.55))
PYTHON
