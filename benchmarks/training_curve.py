"""Curves and noise of training beside dp-accounting and riskcal, in an environment of their own.

Their requirements clash with ours, so they run in a Python that is named in the environment, and
are skipped where none is:

    python -m venv theirs && theirs/bin/pip install dp-accounting==0.6.0 riskcal==1.5.1
    DENIABLE_OTHER_ACCOUNTANTS=theirs/bin/python python -m benchmarks.training_curve

All times are CPU seconds of one process; what counts is their ratio in one run.
"""

import json
import os
import subprocess
import sys
import time

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable.notions import Adjacency, FalseNegativeRate
from deniable.training.noisy_gradients import Phase, least_noise_multiplier, privacy_curve

SAMPLE_RATE, STEPS, SIGMA = 0.002, sized(10_000, 1_000), 1.0251
FPR, FNR = 0.01, 0.95
WIDE = sized(
    ((1.0, 100.0, 100_000), (1e-6, 1.0, 100_000), (0.01, 0.3, 1000), (0.002, 100.0, 10_000)),
    ((1.0, 100.0, 10),),
)
"""Further settings (q, σ, T): every record in every step, hardly any, little noise, and much."""

DP_ACCOUNTING = """
import json, time
from dp_accounting.pld import privacy_loss_distribution as pld
began = time.process_time()
law = pld.from_gaussian_mechanism(SIGMA, sampling_prob=RATE, value_discretization_interval=1e-4)
advantage = float(law.self_compose(STEPS).get_delta_for_epsilon(0.0))
print(json.dumps([advantage, time.process_time() - began]))
"""
RISKCAL = """
import json, time
from riskcal.calibration.dpsgd import find_noise_multiplier_for_err_rates as find
began = time.process_time()
sigma = float(find(alpha=FPR, beta=FNR, sample_rate=RATE, num_steps=STEPS))
print(json.dumps([sigma, time.process_time() - began]))
"""


def theirs(code: str) -> tuple[float, float] | None:
    """Their answer and CPU seconds, or nothing where they are not there."""
    python = os.environ.get("DENIABLE_OTHER_ACCOUNTANTS")
    if not python:
        return None
    numbers = {"SIGMA": SIGMA, "RATE": SAMPLE_RATE, "STEPS": STEPS, "FPR": FPR, "FNR": FNR}
    head = "".join(f"{name} = {value!r}\n" for name, value in numbers.items())
    ran = subprocess.run([python, "-c", head + code], capture_output=True, text=True, check=False)
    if ran.returncode:
        print(f"  theirs failed: {ran.stderr.strip().splitlines()[-1]}")
        return None
    answer, seconds = json.loads(ran.stdout.splitlines()[-1])
    return answer, seconds


def curves() -> None:
    """The advantage at two gaps, and settings far apart."""
    for gap, target in ((1e-2, 0.2), (1e-3, 1.0)):
        began = time.process_time()
        found = privacy_curve([Phase(SIGMA, SAMPLE_RATE, STEPS)], gap=gap).advantage()
        seconds = time.process_time() - began
        wide = (found.upper - found.lower) / found.lower
        print(
            f"advantage  [{found.lower:.6f}, {found.upper:.6f}]  gap {wide:.3%} (asked {gap:.1%})  "
            f"{seconds:.3f} s (target < {target} s)"
        )
    if answer := theirs(DP_ACCOUNTING):
        print(f"  dp-accounting {answer[0]:.6f} (from above)  {answer[1]:.3f} s")
    for rate, sigma, steps in WIDE:
        began = time.process_time()
        curve = privacy_curve([Phase(sigma, rate, steps)])
        advantage, epsilon = curve.advantage(), curve.epsilon(1e-12)
        seconds = time.process_time() - began
        print(
            f"q {rate:g}, σ {sigma:g}, T {steps}: advantage [{advantage.lower:.6g}, "
            f"{advantage.upper:.6g}], ε(1e-12) [{epsilon.lower:.5g}, {epsilon.upper:.5g}]  "
            f"{seconds:.2f} s"
        )


def noise() -> bool:
    """The least noise for a false-negative rate; whether every target was met."""
    asked = FalseNegativeRate(FNR, FPR, Adjacency.ADD_REMOVE)
    began = time.process_time()
    found = least_noise_multiplier(asked, sample_rate=SAMPLE_RATE, steps=STEPS)
    seconds = time.process_time() - began
    over = found.noise_multiplier / found.necessary - 1
    print(
        f"σ for FNR {FNR} at FPR {FPR}: {found.noise_multiplier:.5f} is enough, "
        f"{found.necessary:.5f} too little ({over:.4%}, target < 0.05%)  {seconds:.2f} s"
    )
    met = over < 5e-4
    answer = theirs(RISKCAL)
    if answer is None:
        print("  riskcal and dp-accounting are not there: see the head of this file")
        return met
    missed = privacy_curve([Phase(answer[0], SAMPLE_RATE, STEPS)], gap=1e-4).fnr(FPR)
    verdict = "misses its target" if missed.upper < FNR else "meets it, or may"
    print(
        f"  riskcal {answer[0]:.5f} (to .001 in FNR, as it is set by default): FNR in "
        f"[{missed.lower:.5f}, {missed.upper:.5f}], {verdict}  "
        f"{answer[1]:.1f} s, {answer[1] / seconds:.0f} times ours (target >= 20)"
    )
    return met and answer[1] >= 20 * seconds


def main() -> int:
    """Both tables."""
    curves()
    return 0 if noise() else 1


if __name__ == "__main__":
    end_for_help(__doc__)
    sys.exit(main())
