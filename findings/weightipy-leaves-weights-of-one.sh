#!/bin/bash
# What: weightipy 0.4.2 weights a survey so that its shares are a population's, and with `Rim(name, total=...)` so that
#   the weights sum to the number of its people. While it scales, 1 is its mark for "not weighted". A group whose
#   share was right from the start has weight exactly 1, is taken for not weighted, and is not scaled. Here 20 of 100
#   people are young, as in the population of 1,000,000. They get weight 1, and the other 80 people get 1,000,000
#   between them: the young are 20 people, not 200,000. With men and women as a second target, which the sample meets,
#   rounding saves them: their weight before is 1.0000000000000002. If the sample meets all targets, nobody has a
#   weight at all. Nothing is said.
# Hurt: anyone who publishes counts or shares of a population: a group vanishes because it was sampled well.
# We: weight nothing. Leave `total` out and multiply the weights by population / people yourself.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet weightipy==0.4.2 pandas==2.3.3 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys
from importlib.metadata import version

import pandas as pd
import weightipy

print("weightipy", version("weightipy"), "pandas", version("pandas"))
people = pd.DataFrame({"age": ["young"] * 20 + ["middle"] * 30 + ["old"] * 50, "sex": ["f", "m"] * 50})
ages = {"age": {"young": 20, "middle": 40, "old": 40}}
sexes = {"sex": {"f": 50, "m": 50}}


def weighted(targets, by, total):
    scheme = weightipy.Rim("scheme", total=total)
    scheme.set_targets(targets)
    rows = weightipy.weight_dataframe(people, scheme, weight_column="weight")
    return rows.groupby(by)["weight"].sum().round(6).to_dict(), int(rows["weight"].isna().sum())


shares, _ = weighted([ages], "age", 0)
alone, _ = weighted([ages], "age", 1_000_000)
both, _ = weighted([ages, sexes], "age", 1_000_000)
right, missing = weighted([sexes], "sex", 1_000_000)
print("by age, without a total:  ", shares)
print("by age, to 1,000,000:     ", alone)
print("by age and sex, likewise: ", both)
print("by sex, right as it is:   ", right, "people without a weight:", missing)
as_seen = (
    shares == {"middle": 40, "old": 40, "young": 20}
    and alone == {"middle": 500_000, "old": 500_000, "young": 20}
    and both == {"middle": 400_000, "old": 400_000, "young": 200_000}
    and missing == 100
)
sys.exit(not as_seen)
PYTHON
