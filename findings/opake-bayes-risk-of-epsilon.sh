#!/bin/sh
# opake 0.16.1 gives a mechanism of which only ε is known (`eps_delta`) a Bayes risk of 0 at prior ½, for every ε > 0, and
# a false-negative rate of 0 at a false-positive rate of 0.1. Of ε-DP the risk is 1/(1 + e^ε) at least. Its own
# advantage, 1 − e^−ε, contradicts it: a Bayes risk at prior ½ is (1 − advantage)/2.
# Hurt: anyone who reads or calibrates a risk of such a mechanism. One answer at ε = 0.1 beside noise that hides
# everything reads as a certain attack. It is the safe side, and says nothing.
# Deniable: says 0.4750, 0.2689 and 0.0474 for ε = 0.1, 1 and 3; "Deniable beside others" has both.
# The compiled module is loaded by its path: with Python 3.11.7 `import opake.accounting` is a TypeError.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q opake-accounting==0.16.1
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import importlib.util
import math
import sys
from importlib.metadata import files, version

(compiled,) = [f.locate() for f in files("opake-accounting") if f.name.startswith("opake_accounting") and f.suffix in (".so", ".pyd")]
spec = importlib.util.spec_from_file_location("opake_accounting", compiled)
native = importlib.util.module_from_spec(spec)
spec.loader.exec_module(native)
grid = native.DiscretizationConfig()

print("opake-accounting", version("opake-accounting"))
same = True
for epsilon in (0.1, 1.0, 3.0):
    loss = native.eps_delta_pld(epsilon, 0.0, grid)
    risk, advantage, missed = loss.risk_at(0.5), loss.advantage(), loss.beta_at(0.1)
    true = 1 / (1 + math.exp(epsilon))
    print(
        f"ε = {epsilon}: Bayes risk {risk:.2g} (true {true:.4f}), advantage {advantage:.4f} "
        f"(true {1 - 2 * true:.4f}; of it follows a risk of {(1 - advantage) / 2:.4f}), "
        f"missed at .1: {missed:.2g}"
    )
    same = same and max(risk, missed) < 1e-6 and abs(advantage + math.expm1(-epsilon)) < 1e-6
noise = native.gaussian_pld(2.0, grid)
print(f"Gaussian, multiplier 2: risk {noise.risk_at(0.5):.4f} and advantage {noise.advantage():.4f} agree")
sys.exit(0 if same else "the behaviour changed")
PYTHON
