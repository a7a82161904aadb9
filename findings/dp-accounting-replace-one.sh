#!/bin/sh
# dp-accounting: REPLACE_ONE means two neighbourhoods, by the accountant.
#
# What: one Gaussian release with noise multiplier 1, at delta 1e-5. A noise multiplier is noise per
#   clipping norm. Replacing one record moves a sum of clipped records by two norms, so the noise per
#   move is 1/2. PLDAccountant counts that: 9.997. RdpAccountant with the same relation does not: it
#   prints 4.729, its number for adding or removing a record, though the two numbers bound one thing.
# Who is hurt: anyone who reports replace-one epsilon from the Rényi accountant: it is less than half.
# What Deniable does: noise is stated per sensitivity, and sensitivity depends on the neighbours;
#   add-remove guarantees become replace-one ones by a theorem (mu doubles: 9.997).
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet dp-accounting==0.6.0
"$work/venv/bin/python" - <<'PYTHON'
import math
import sys
from importlib.metadata import version

import dp_accounting
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant
from scipy.stats import norm

print("dp-accounting", version("dp-accounting"))
delta, epsilons = 1e-5, {}
for relation in ("ADD_OR_REMOVE_ONE", "REPLACE_ONE"):
    for kind in (RdpAccountant, PLDAccountant):
        accountant = kind(neighboring_relation=dp_accounting.NeighboringRelation[relation])
        accountant.compose(dp_accounting.GaussianDpEvent(1.0))
        epsilons[relation, kind] = epsilon = accountant.get_epsilon(delta)
        print(f"{relation:18} {kind.__name__:14} epsilon at {delta}: {epsilon:.4f}")


def delta_of(epsilon, mu):
    return norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)


claimed = epsilons["REPLACE_ONE", RdpAccountant]
true = delta_of(claimed, 2.0)
print(f"delta of N(-1, 1) against N(1, 1) at epsilon {claimed:.4f}: {true:.4f}, claimed {delta}")
same = math.isclose(claimed, epsilons["ADD_OR_REMOVE_ONE", RdpAccountant])
right = abs(epsilons["REPLACE_ONE", PLDAccountant] - 9.997) < 1e-3
as_described = same and right and true > 1000 * delta
print("as described" if as_described else "CHANGED")
sys.exit(not as_described)
PYTHON
