#!/bin/sh
# python-dp 1.1.4 (PyDP, over Google's differential-privacy library): LaplaceMechanism publishes
# multiples of a power of two, and GaussianMechanism publishes numbers that use all bits of a float.
# The last bits of such sums depend on the exact answer. Hurt is anyone who takes the one's
# protection for the other's. `deniable audit` accuses GaussianMechanism(0.5, 0.001, 1), by its last
# bits, in 100,000 runs; Deniable's own Gaussian noise is whole numbers of steps.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-deps python-dp==1.1.4
"$folder/venv/bin/python" - <<'PY'
import sys
from fractions import Fraction
from importlib.metadata import version

from pydp.algorithms import numerical_mechanisms as mechanisms

print("python-dp", version("python-dp"))
seen = {}
for name, noise in {
    "LaplaceMechanism(1, 1)": mechanisms.LaplaceMechanism(1.0, 1.0),
    "GaussianMechanism(0.5, 0.001, 1)": mechanisms.GaussianMechanism(0.5, 1e-3, 1.0),
}.items():
    steps = [Fraction(noise.add_noise(1.0)).denominator.bit_length() - 1 for _ in range(2000)]
    seen[name] = max(steps)
    print(f"{name}: finest step of 2,000 outputs 2^-{max(steps)}, coarsest 2^-{min(steps)}")
laplace, gaussian = seen.values()
sys.exit(not (laplace <= 45 < 50 <= gaussian))
PY
