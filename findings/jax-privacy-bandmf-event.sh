#!/bin/sh
# The dp_event of jax-privacy 2.0.0 for 16 steps of banded matrix factorisation (four bands) equals, as a value, the
# event of four steps of DP-SGD. Its noise is correlated, its sampling is of groups in turn, and neither is in the event.
# Hurt: anyone who logs the event and reads steps, noise or batches from it. Its ε is right, for neighbours that
# keep the groups; what it says of the training is not, and a plan of DP-SGD cannot be told from it.
# Deniable: `training certify` asks which engine trained, and refuses jax-privacy-bandmf.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q jax-privacy==2.0.0
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from jax_privacy.experimental import accounting
from jax_privacy.experimental.execution_plan import BandMFExecutionPlanConfig

strategy = np.array([1.0, 0.5, 0.25, 0.125])
plan = BandMFExecutionPlanConfig(
    iterations=16,
    strategy=strategy,
    epsilon=None,
    delta=None,
    noise_multiplier=1.0,
    sampling_prob=0.25,
).plan
sgd = accounting.dpsgd_event(noise_multiplier=1.0, iterations=4, sampling_prob=0.25)
steps, bands = plan.batch_selection_strategy.iterations, plan.batch_selection_strategy.cycle_length
print("jax-privacy", version("jax-privacy"))
print(f"{steps} steps of {bands} bands: {plan.dp_event}")
print(f"4 steps of DP-SGD: {sgd}")
print(f"equal: {plan.dp_event == sgd}")
sys.exit(0 if plan.dp_event == sgd and (steps, bands) == (16, 4) else "the behaviour changed")
PYTHON
