#!/bin/bash
# What: PipelineDP 0.3.1 computes a variance from three noisy numbers: the count, the sum, and the sum of squares of the
#   distance to the middle of the bounds (`min_value`, `max_value`). The noise of the squares is for another sum: squares
#   of the values themselves, centred. If the bounds lie as far below 0 as above, that noise is half of what is needed:
#   here one person of bounds −1 to 1 moves the squares by 1, and the noise is for 1/2. The three numbers follow from
#   the published count, mean and variance. At ε = 3 one person's presence changes the probability of the outcome below
#   by a factor of about e⁴; at most e³ is allowed. The accountant books 3; what was spent is 4. With 0 as a bound
#   the noise is twice too large instead.
# Hurt: the people behind a variance of differences, z-scores, temperatures or opinions from −2 to 2.
# We: take a variance from sums whose largest change by one person is attained in tests, on all pairs of small tables.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pipeline-dp==0.3.1 python-dp==1.1.5 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import math
import operator
import sys
from importlib.metadata import version

import numpy as np
import pipeline_dp

print("pipeline-dp", version("pipeline-dp"), "python-dp", version("python-dp"))
EPSILON, TABLES = 3.0, 8000


def release(values, low, high):
    """Return the noisy count, sum and sum of squares of many tables; each person is in one table with one row."""
    rows = [(f"{table}/{person}", table, value) for table in range(TABLES) for person, value in enumerate(values)]
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=EPSILON, total_delta=1e-9)
    metrics = pipeline_dp.Metrics
    result = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend()).aggregate(
        rows,
        pipeline_dp.AggregateParams(
            noise_kind=pipeline_dp.NoiseKind.LAPLACE, metrics=[metrics.COUNT, metrics.MEAN, metrics.VARIANCE],
            max_partitions_contributed=1, max_contributions_per_partition=1, min_value=low, max_value=high,
        ),
        pipeline_dp.DataExtractors(*map(operator.itemgetter, (0, 1, 2))),
        public_partitions=list(range(TABLES)),
    )  # fmt: skip
    accountant.compute_budgets()
    count, mean, variance = np.array([(each.count, each.mean, each.variance) for _, each in result]).T
    people, mean = np.maximum(1, count), mean - (low + high) / 2
    return count, mean * people, (variance + mean**2) * people


without = release([-1.0, 0.0, 1.0] * 3, -1.0, 1.0)
with_person = release([-1.0, 0.0, 1.0] * 3 + [1.0], -1.0, 1.0)
needed = math.sqrt(2) / (EPSILON / 3)  # Laplace noise for a change of 1 at a third of ε
deviations = [float(each.std()) for each in without]
print("standard deviation of the noise in count, sum, squares:", *np.round(deviations, 2), "needed", round(needed, 2))
seen = [int(np.sum((count >= 10) & (total >= 1) & (squares >= 7))) for count, total, squares in (with_person, without)]
allowed = seen[0] * math.exp(-EPSILON)
print(f"outcome with the person {seen[0]}, without {seen[1]} times; ε = 3 asks for at least {allowed:.0f}")
shifted = float(release([0.0, 1.0, 2.0] * 3, 0.0, 2.0)[2].std())
print("bounds 0 to 2: squares", round(shifted, 2))
as_seen = (
    max(abs(each / needed - 1) for each in deviations[:2]) < 0.1 and abs(deviations[2] / needed - 0.5) < 0.05
    and seen[1] < 0.8 * allowed and abs(shifted / needed - 2) < 0.2
)  # fmt: skip
sys.exit(not as_seen)
PYTHON
