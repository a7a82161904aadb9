"""Risks at a baseline beside riskcal, and the noise that a conversion through Rényi costs.

riskcal and dp-accounting run in an environment of their own, as for `benchmarks.training_curve`:

    python -m venv theirs && theirs/bin/pip install dp-accounting==0.6.0 riskcal==1.5.1
    DENIABLE_OTHER_ACCOUNTANTS=theirs/bin/python python -m benchmarks.risks

A rate of false negatives that is too high promises too little risk. It is called unsafe only where
attack is named that misses fewer, on a mechanism that keeps the guarantee. Times are of the CPU.
"""

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from scipy.stats import norm

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable import derive
from deniable.training.noisy_gradients import Phase, privacy_curve

BASELINES = (1e-6, 1e-3, 0.01, 0.1, 0.5)
"""What a guess gets without the release: the rate of false positives of a test, too."""
TRAININGS = (
    (0.05, 2.0, 200), (0.002, 1.0251, 10_000), (0.01, 1.0, 1000), (1.0, 100.0, 10_000),
    (1e-4, 0.8, 100_000),
)[: sized(None, 1)]  # fmt: skip
"""Sampling rate, noise multiplier and number of steps."""
CLAIMS = {
    **{f"gaussian-dp:{mu!r}": ("gdp", [mu]) for mu in (0.1, 1.0, 5.0)},
    **{
        f"approx-dp:{e!r},{d!r}": ("adp", [e, d])
        for e, d in ((0.1, 1e-6), (1.0, 1e-5), (5.0, 1e-3))
    },
    **{f"rdp:{a!r},{e!r}": ("rdp", [e, a]) for a, e in ((2.0, 0.1), (8.0, 1.0), (64.0, 3.0))},
    **{f"zcdp:{rho!r}": ("zcdp", [rho]) for rho in (1e-3, 0.1, 1.0, 5.0)},
}
THEIRS = """
import json, time, warnings
warnings.filterwarnings("ignore")
from riskcal import accountants, analysis
rates = {
    "gdp": lambda mu, rate: analysis.get_beta_from_gdp(mu, rate),
    "adp": lambda epsilon, delta, rate: analysis.get_beta_from_adp(epsilon, delta, rate),
    "rdp": lambda epsilon, order, rate: analysis.get_beta_from_rdp(epsilon, rate, order),
    "zcdp": lambda rho, rate: analysis.get_beta_from_zcdp(rho, rate),
}
answers = {}
for name, (kind, numbers) in CLAIMS.items():
    began = time.process_time()
    missed = [float(rates[kind](*numbers, rate)) for rate in BASELINES]
    answers[name] = [missed, time.process_time() - began]
for rate, sigma, steps in TRAININGS:
    accountant = accountants.CTDAccountant()
    accountant.history = [(sigma, rate, steps)]
    for grid in (1e-4, 1e-5):
        began = time.process_time()
        law = accountant.get_pld(grid_step=grid)
        missed = [float(analysis.get_beta_from_pld(law, each)) for each in BASELINES]
        answers[f"{rate!r} {sigma!r} {steps!r} {grid!r}"] = [missed, time.process_time() - began]
print(json.dumps(answers))
"""
RENYI = """
import json
import dp_accounting
from dp_accounting.rdp import RdpAccountant
orders = [1.05, 1.1, 1.2, 1.5, *[2 + n / 4 for n in range(80)], *range(22, 65), 80, 128, 256, 512]
def divergences(sigma):
    accountant = RdpAccountant(orders)
    event = dp_accounting.PoissonSampledDpEvent(RATE, dp_accounting.GaussianDpEvent(sigma))
    accountant.compose(event, STEPS)
    return list(map(float, accountant._rdp))
print(json.dumps([orders, [divergences(sigma) for sigma in SIGMAS]]))
"""

Answer = tuple[list[float], float]


def theirs(code: str, **numbers: object) -> Any:
    """What their Python prints, or nothing where it is not there."""
    python = os.environ.get("DENIABLE_OTHER_ACCOUNTANTS")
    if not python:
        return None
    head = "".join(f"{name} = {value!r}\n" for name, value in numbers.items())
    ran = subprocess.run([python, "-c", head + code], capture_output=True, text=True, check=False)
    if ran.returncode:
        print(f"  theirs failed: {ran.stderr.strip().splitlines()[-1]}")
        return None
    return json.loads(ran.stdout.splitlines()[-1])


def missed_at_least(claim: str, rate: float) -> float:
    """Our rate of false negatives."""
    target = derive(f"{claim}@add-remove", f"false-negative-rate:?,{rate!r}@add-remove").target
    return float(target.fnr)


def attained(claim: str, rate: float, ours: float) -> float:
    """The false negatives of a named attack on a mechanism that keeps the claim."""
    kind, _, text = claim.partition(":")
    numbers = [float(each) for each in text.split(",")]
    coin = 1 - rate
    if kind == "gaussian-dp":
        return float(norm.cdf(norm.isf(rate) - numbers[0]))
    if kind == "zcdp":  # a Gaussian whose shift is √(2ρ) of its deviation is ρ-zCDP
        return float(norm.cdf(norm.isf(rate) - math.sqrt(2 * numbers[0])))
    if kind == "rdp":  # two outputs, as likely as the test that our bound leaves
        order, epsilon = numbers
        level = 1 - ours
        for power in (level * (1 - 1e-9), level * (1 - 1e-6), level * 0.99, level * 0.9):
            pairs = ((power, rate), (rate, power))
            if all(_divergence(p, q, order) <= epsilon for p, q in pairs):
                return 1 - power
    return coin


def _divergence(p: float, q: float, order: float) -> float:
    """Rényi divergence of two coins."""
    parts = [order * math.log(a) + (1 - order) * math.log(b) for a, b in ((p, q), (1 - p, 1 - q))]
    return max(parts) / (order - 1) + math.log(
        sum(math.exp(part - max(parts)) for part in parts)
    ) / (order - 1)


def beside(answers: Mapping[str, Answer]) -> bool:
    """One line a claim; whether ours took a second or less and stayed next to what is attained."""
    met = True
    for claim in CLAIMS:
        began = time.process_time()
        ours = [missed_at_least(claim, rate) for rate in BASELINES]
        seconds = time.process_time() - began
        met &= seconds <= len(BASELINES)
        print(f"{claim:<24} ours   {_row(ours)}  {seconds:.2f} s")
        if claim in answers:
            missed, their_seconds = answers[claim]
            unsafe = [
                rate
                for rate, their, our in zip(BASELINES, missed, ours, strict=True)
                if their > attained(claim, rate, our) + 1e-12
            ]
            note = f"  UNSAFE at {unsafe}" if unsafe else ""
            print(f"{'':<24} theirs {_row(missed)}  {their_seconds:.2f} s{note}")
    return met


def trainings(answers: Mapping[str, Answer]) -> bool:
    """The same of trainings; whether gaps are .1 % of the risk, except at the least baseline."""
    met = True
    for rate, sigma, steps in TRAININGS:
        began = time.process_time()
        curve = privacy_curve([Phase(sigma, rate, steps)], gap=2e-4)
        bounds = [curve.fnr(each) for each in BASELINES]
        seconds = time.process_time() - began
        gaps = [(1 - each.lower) / (1 - each.upper) - 1 for each in bounds]
        met &= max(gaps[1:]) <= 1e-3 and seconds <= 2
        name = f"q {rate:g}, σ {sigma:g}, T {steps}"
        print(f"{name:<30} ours {_row([each.lower for each in bounds])}  {seconds:.2f} s")
        print(f"{'':<30} to   {_row([each.upper for each in bounds])}  risk {max(gaps):.3%} apart")
        for grid in (1e-4, 1e-5):
            if answer := answers.get(f"{rate!r} {sigma!r} {steps!r} {grid!r}"):
                missed, their_seconds = answer
                coin = [a for a, b in zip(BASELINES, missed, strict=True) if b > 1 - a]
                above = [
                    a
                    for a, b, c in zip(BASELINES, missed, bounds, strict=True)
                    if b > c.upper and a not in coin
                ]
                note = f"  UNSAFE: a coin does better at {coin}" if coin else ""
                note += f"  above our enclosure at {above}" if above else ""
                name = f"  theirs, grid {grid:g}"
                print(f"{name:<30}      {_row(missed)}  {their_seconds:.2f} s{note}")
    return met


def _row(numbers: list[float]) -> str:
    return " ".join(f"{each:.9f}" for each in numbers)


def noise() -> bool:
    """Noise at equal risk: by the curve itself, and by the best Rényi order of the same noise."""
    met = True
    print("one Gaussian release: σ for a risk, by its curve / by the best of all Rényi orders")
    for baseline in (0.01, 0.1, 0.5):
        for rho in (0.02, 0.1, 0.5):
            risk = 1 - missed_at_least(f"zcdp:{rho!r}", baseline)
            shift = norm.isf(baseline) - norm.isf(risk)
            less = 1 - math.sqrt(2 * rho) / shift
            print(f"  risk {risk:.4f} at {baseline:g}: {less:.1%} less noise")
    rate, steps = 0.002, 10_000
    sigmas = [0.8 + n / 100 for n in range(80)]
    answer = theirs(RENYI, RATE=rate, STEPS=steps, SIGMAS=sigmas)
    if answer is None:
        print("  riskcal and dp-accounting are not there: see the head of this file")
        return met
    orders, divergences = answer
    print(
        f"training, q {rate:g}, T {steps}: σ for a risk, by its curve / by dp-accounting's orders"
    )
    for baseline, risk in ((1e-3, 0.003), (0.01, 0.02), (0.1, 0.15), (0.5, 0.6)):

        def by_orders(place: int, baseline: float = baseline) -> float:
            pairs = zip(orders, divergences[place], strict=True)
            return 1 - max(missed_at_least(f"rdp:{a!r},{e!r}", baseline) for a, e in pairs if e > 0)

        def by_curve(place: int, baseline: float = baseline) -> float:
            curve = privacy_curve([Phase(sigmas[place], rate, steps)], gap=1e-3)
            return 1 - curve.fnr(baseline).lower

        few, many = (_least(risk_of, risk, len(sigmas)) for risk_of in (by_curve, by_orders))
        if few is None or many is None:
            print(f"  risk {risk:g} at {baseline:g}: beyond the noise tried")
            continue
        less = 1 - sigmas[few] / sigmas[many]
        both = f"{sigmas[few]:.2f} / {sigmas[many]:.2f}"
        print(f"  risk {risk:g} at {baseline:g}: {both}, {less:.1%} less")
    return met


def _least(risk_of: Callable[[int], float], risk: float, many: int) -> int | None:
    """The first place from which the risk is met."""
    low, high = 0, many - 1
    if risk_of(high) > risk:
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if risk_of(middle) <= risk else (middle + 1, high)
    return low


def main() -> int:
    """All tables."""
    answers = theirs(THEIRS, CLAIMS=CLAIMS, BASELINES=BASELINES, TRAININGS=TRAININGS) or {}
    print("false negatives at", *BASELINES)
    met = [beside(answers), trainings(answers), noise()]
    return sized(int(not all(met)), 0)


if __name__ == "__main__":
    end_for_help(__doc__)
    sys.exit(main())
