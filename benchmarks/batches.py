"""Random allocation, and noise of it and of Poisson samples, beside PLD_accounting and opake.

They run in Pythons that are named in the environment, and are skipped where none is. Opake's
accounting needs no PyTorch, and a Python after 3.11.7:

    python -m venv theirs && theirs/bin/pip install pld_accounting==2.0
    python -m venv opake && opake/bin/pip install opake-accounting==0.16.1
    opake/bin/pip install --no-deps opake-dpsgd==0.16.1 opake-engine==0.16.1
    export DENIABLE_OTHER_ALLOCATIONS=theirs/bin/python DENIABLE_OPAKE=opake/bin/python
    python -m benchmarks.batches

All times are CPU seconds of one process; what counts is their ratio in one run.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import deniable
from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable.notions import Adjacency, FalseNegativeRate
from deniable.training.batches.curve import BatchCurve
from deniable.training.noisy_gradients import least_noise_multiplier
from deniable.training.noisy_gradients.curve import Direction

SIGMA, STEPS, EPOCHS, DELTA = 1.0, 100, 10, 1e-6
MANY = sized(10_000, 400)
PLD_ACCOUNTING = """
import json, time
from PLD_accounting.random_allocation_api import gaussian_allocation_epsilon_range as range_of
began = time.process_time()
ends = range_of(delta=DELTA, sigma=SIGMA, num_steps=STEPS, num_epochs=EPOCHS)
print(json.dumps([ends[1], ends[0], time.process_time() - began]))
"""
OPAKE = """
import json, time
from opake.accounting import beta_budget, calibrate
from opake.api.accounting.dpsgd.amplification import k_out_of_t, poisson
from opake.api.accounting.dpsgd.mechanisms import gaussian
began = time.process_time()
run = k_out_of_t(gaussian(SIGMA), k=EPOCHS, t=STEPS * EPOCHS, allocation="block")
epsilon = run.pld().epsilon_at(DELTA)
middle = time.process_time()
found = calibrate(
    beta_budget(beta=FNR, alpha=FPR), lambda noise: poisson(gaussian(noise), RATE) * SAMPLED,
    0.3, 3.0, tolerance=1e-4,
)
print(json.dumps([epsilon, middle - began, found.param, time.process_time() - middle]))
"""
RATE, SAMPLED, FPR, FNR = 0.002, sized(10_000, 100), 0.01, 0.95
"""Poisson samples, as in `benchmarks.training_curve`."""
MEMORY = {
    "allocation": "BatchCurve(deniable.BatchedTraining('allocation', 1.0, 100, 10)).epsilon(1e-6)",
    "poisson": "privacy_curve([Phase(1.0, 0.01, 1000)], gap=5e-4).epsilon(1e-6)",
}


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What it gives, and its CPU seconds."""
    began = time.process_time()
    return call(), time.process_time() - began


def allocation(steps: int) -> Any:
    """Both ends of ε of a record that is removed."""
    training = deniable.BatchedTraining("allocation", SIGMA, steps, EPOCHS)
    return BatchCurve(training).epsilon(DELTA, Direction.REMOVE)


def peak(code: str) -> float:
    """Megabytes of a process that does only this."""
    head = (
        "import deniable\n"
        "from deniable.training.noisy_gradients import Phase, privacy_curve\n"
        "from deniable.training.batches.curve import BatchCurve\n"
    )
    # VmHWM, for ru_maxrss begins with what this process had when it made the other.
    tail = "\nprint(next(x for x in open('/proc/self/status') if x.startswith('VmHWM')).split()[1])"
    ran = subprocess.run(
        [sys.executable, "-c", head + code + tail], capture_output=True, text=True, check=True
    )
    return float(ran.stdout) / 1024


def theirs(place: str, code: str) -> list[float] | None:
    """What code prints in another Python, or nothing where that is not there."""
    python = os.environ.get(place)
    if not python:
        return None
    numbers = {"SIGMA": SIGMA, "STEPS": STEPS, "EPOCHS": EPOCHS, "DELTA": DELTA}
    numbers |= {"RATE": RATE, "SAMPLED": SAMPLED, "FPR": FPR, "FNR": FNR}
    head = "".join(f"{name} = {value!r}\n" for name, value in numbers.items())
    ran = subprocess.run([python, "-c", head + code], capture_output=True, text=True, check=False)
    if ran.returncode:
        print(f"  theirs failed: {ran.stderr.strip().splitlines()[-1]}")
        return None
    answer: list[float] = json.loads(ran.stdout.splitlines()[-1])
    return answer


def main() -> None:
    """Print what was measured."""
    allocation(10)  # imports and tables
    bound, few = timed(lambda: allocation(STEPS))
    width = (bound.upper - bound.lower) / bound.lower
    print(f"allocation: [{bound.lower:.4f}, {bound.upper:.4f}], {width:.2%} wide, {few:.2f} s")
    if (ends := theirs("DENIABLE_OTHER_ALLOCATIONS", PLD_ACCOUNTING)) is not None:
        print(f"  PLD_accounting: [{ends[0]:.4f}, {ends[1]:.4f}], {ends[2]:.2f} s")
    if (opake := theirs("DENIABLE_OPAKE", OPAKE)) is not None:
        print(f"  opake: {opake[0]:.4f} (above only), {opake[1]:.2f} s")
    asked = FalseNegativeRate(FNR, FPR, Adjacency.ADD_REMOVE)
    least, seconds = timed(lambda: least_noise_multiplier(asked, sample_rate=RATE, steps=SAMPLED))
    print(
        f"Poisson samples, FPR {FPR}, FNR {FNR}: sigma in [{least.necessary:.5f}, "
        f"{least.noise_multiplier:.5f}], {seconds:.2f} s"
    )
    if opake is not None:
        print(f"  opake: sigma {opake[2]:.5f}, {opake[3]:.2f} s")
    _, many = timed(lambda: allocation(MANY))
    print(f"{MANY:,} steps an epoch: {many:.2f} s, {many / few:.2f} times {STEPS} steps")
    drawn = deniable.BatchedTraining("allocation", SIGMA, STEPS, EPOCHS)
    targets: tuple[dict[str, float], ...] = ({"advantage": 0.1}, {"fnr": 0.95, "fpr": 0.01})
    for target in targets:
        answer, seconds = timed(lambda t=target: deniable.calibrate_training(batches=drawn, **t))
        low, high = answer.noise_multiplier_lower, answer.noise_multiplier
        print(f"calibrate {target}: sigma in [{low:.5f}, {high:.5f}], {seconds:.2f} s")
    same = {"noise_multiplier": SIGMA, "steps_per_epoch": STEPS, "epochs": EPOCHS}
    print(f"compare: {timed(lambda: deniable.compare_training(**same))[1]:.2f} s")
    peaks = {name: peak(code) for name, code in MEMORY.items()}
    print(f"memory: {peaks['allocation']:.0f} MB, Poisson samples {peaks['poisson']:.0f} MB")


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
