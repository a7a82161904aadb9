#!/bin/sh
# opacus-dpcr 1.0.0 reuses noise (a tree over steps), and keeps the history that Opacus 1.6.0 keeps of fresh noise.
# Hurt: anyone who reads that history with Opacus' accountant, or with any other. Here 64 steps on everybody with a
# noise multiplier of 16 read as μ = 0.5, ε = 1.99 at δ = 10⁻⁵. The last model alone has a third of the noise that
# the history means, which is at least μ = 1.51, ε = 7.1.
# Deniable: `training certify` asks which engine trained, and refuses opacus-dpcr.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q torch==2.13.0 opacus==1.6.0 dpcrpy==1.0.0
"$folder/venv/bin/pip" install -q --no-deps opacus-dpcr==1.0.0
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import logging
import sys
from importlib.metadata import version

import dpcrpy
import torch
from opacus import PrivacyEngine
from opacus_dpcr import DPCREngine

logging.disable()
torch.manual_seed(0)
torch.set_num_threads(1)
STEPS, NOISE, COORDINATES = 64, 16.0, 4000


def trained(engine):
    """The history, and the standard deviation of the last model, whose gradients are all 0."""
    model = torch.nn.Linear(COORDINATES, 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    data = torch.utils.data.TensorDataset(torch.zeros(4, COORDINATES))
    model, optimizer, loader = engine.make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
        data_loader=torch.utils.data.DataLoader(data, batch_size=4),
        noise_multiplier=NOISE,
        max_grad_norm=1.0,
        loss_reduction="sum",
    )
    for _ in range(STEPS):
        for (rows,) in loader:
            optimizer.zero_grad()
            model(rows).sum().backward()
            optimizer.step()
    return engine.accountant.history, next(iter(model.parameters())).detach().std().item()


fresh, spread = trained(PrivacyEngine(accountant="rdp"))
tree = DPCREngine(dpcrGenerator=lambda _: dpcrpy.BinMech(6))
reused, narrow = trained(tree)
print("opacus", version("opacus"), "opacus-dpcr", version("opacus-dpcr"))
print(f"Opacus:      history {fresh}, noise of the last model {spread:.1f}, as 16 · √64 = 128")
print(f"opacus-dpcr: history {reused}, noise of the last model {narrow:.1f}, as 16 · √7 = 42.3")
print(f"a record that adds 1 in each step moves it by 64: μ = {64 / spread:.2f} and {64 / narrow:.2f}")
same = fresh == reused == [(NOISE, 1.0, STEPS)]
sys.exit(0 if same and 120 < spread < 136 and 40 < narrow < 45 else "the behaviour changed")
PYTHON
