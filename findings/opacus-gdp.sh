#!/bin/sh
# Opacus: the accountant "gdp" prints an epsilon that is no bound.
#
# What: GaussianAccountant replaces Poisson-sampled Gaussian steps by their limit for infinitely many
#   steps, and prints its epsilon as get_epsilon. For one step at rate 0.05 and noise multiplier 0.5 it
#   prints 1.41 at delta 1e-5, where delta is 0.004 by the closed form. For 1,000 steps at rate 0.01
#   and noise multiplier 0.6, where a limit looks safe, it prints 5.56; the true number lies between
#   7.38 and 7.43. A warning at construction calls it experimental; the number has no mark.
# Who is hurt: anyone who chooses it as the smallest of the three accountants, which it usually is.
# What Deniable does: `training` encloses the curve from both sides and never uses the limit; a
#   history that Opacus kept is accounted anew, whichever accountant wrote it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet dp-accounting==0.6.0
"$work/venv/bin/pip" install --quiet --no-deps opacus==1.6.0
"$work/venv/bin/python" -W ignore - <<'PYTHON'
import importlib.util
import math
import sys
import types
from importlib.metadata import version

from scipy.stats import norm

# The formulas need no torch, which the packages around them import.
(place,) = importlib.util.find_spec("opacus").submodule_search_locations
for name in ("opacus", "opacus.accountants"):
    sys.modules[name] = package = types.ModuleType(name)
    package.__path__ = [f"{place}/accountants" if "." in name else place]
from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent
from dp_accounting.pld import PLDAccountant, privacy_loss_distribution
from opacus.accountants.analysis import gdp

print("opacus", version("opacus"), "dp-accounting", version("dp-accounting"))
delta = 1e-5


def claimed(rate, noise, steps):
    # What GaussianAccountant.get_epsilon returns for its history.
    return gdp.compute_eps_poisson(
        steps=steps, noise_multiplier=noise, sample_rate=rate, delta=delta
    )


# One step: (1 - q) N(0, s^2) + q N(1, s^2) against N(0, s^2), which rises with x.
rate, noise = 0.05, 0.5
epsilon = claimed(rate, noise, 1)
above = noise**2 * math.log((math.exp(epsilon) - 1 + rate) / rate) + 0.5
true = rate * norm.sf((above - 1) / noise) + (1 - rate - math.exp(epsilon)) * norm.sf(above / noise)
print(f"1 step, rate {rate}, noise {noise}: epsilon {epsilon:.4f} at {delta}; delta there: {true:.5f}")

rate, noise, steps = 0.01, 0.6, 1000
many = claimed(rate, noise, steps)
ends = []
for pessimistic in (False, True):
    curve = privacy_loss_distribution.from_gaussian_mechanism(
        noise, pessimistic_estimate=pessimistic, sampling_prob=rate
    )
    ends.append(curve.self_compose(steps).get_epsilon_for_delta(delta))
print(f"{steps} steps, rate {rate}, noise {noise}: epsilon {many:.4f}; in truth {ends[0]:.4f} to {ends[1]:.4f}")
as_described = true > 100 * delta and many < ends[0] - 1
print("as described" if as_described else "CHANGED")
sys.exit(not as_described)
PYTHON
