#!/bin/sh
# Opacus 1.6.0 with clipping="adaptive" moves the clipping norm by a noisy count of unclipped records, divided by the
# true size of the batch. It accounts for a count that one record moves by ½ of the noise's unit; the quotient moves by
# nearly 1. Here one step on 20 or 21 records: the next clipping norm alone tells them apart with μ near 1.9, where
# the history (1.0, 1.0, 1) allows gradients and count together μ = 1.
# Hurt: anyone who states the ε of Opacus' accountants for adaptive clipping: at the smallest admitted count noise
# it is that of twice the noise that there is.
# Deniable: `training certify` asks which engine trained, and refuses opacus-adaptive.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q torch==2.13.0 opacus==1.6.0
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import logging
import math
import sys
from importlib.metadata import version
from statistics import mean, stdev

import torch
from opacus import PrivacyEngine

logging.disable()
torch.manual_seed(0)
torch.set_num_threads(1)
NOISE, COUNT_NOISE, RUNS, RATE = 1.0, 0.51, 400, 0.01


def shares_seen(records):
    """What one step's clipping norm says of the share of unclipped records, in many runs."""
    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    data = torch.utils.data.TensorDataset(torch.tensor(records).reshape(-1, 1))
    engine = PrivacyEngine(accountant="rdp")
    model, optimizer, loader = engine.make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
        data_loader=torch.utils.data.DataLoader(data, batch_size=len(records)),
        noise_multiplier=NOISE,
        max_grad_norm=1.0,
        loss_reduction="sum",
        clipping="adaptive",
        target_unclipped_quantile=0.5,
        clipbound_learning_rate=RATE,
        max_clipbound=1e9,
        min_clipbound=1e-9,
        unclipped_num_std=COUNT_NOISE,
    )
    shares = []
    for _ in range(RUNS):
        optimizer.max_grad_norm = 1.0
        for (rows,) in loader:
            optimizer.zero_grad()
            model(rows).sum().backward()
            optimizer.step()
        shares.append(0.5 - math.log(float(optimizer.max_grad_norm)) / RATE)
    return shares, engine.accountant.history


small, history = shares_seen([0.5] * 20)
large, _ = shares_seen([0.5] * 20 + [9.0])
seen = (mean(small) - mean(large)) / stdev(large)
print("opacus", version("opacus"), "history of", RUNS, "such steps:", history)
print(f"20 unclipped records:                  {mean(small):.3f} ± {stdev(small):.3f}")
print(f"the same and one that is clipped:      {mean(large):.3f} ± {stdev(large):.3f}")
print(f"μ of the clipping norm alone, one step: {seen:.2f}; accounted for, with the gradients: 1.00")
print("μ of a count moved by ½, at its noise:", round(0.5 / COUNT_NOISE, 2))
same = history == [(NOISE, 1.0, RUNS)] and 1.6 < seen < 2.2
sys.exit(0 if same else "the behaviour changed")
PYTHON
