"""The audits that jax-privacy tests, by its functions and by ours, on the same counts.

    python -m reproductions.jax_privacy_audits [--python THEIRS]

Without `--python` a temporary environment gets jax-privacy 2.0.0 from the package index. Prints a
table and exits with status 1 where one of our limits is above the truth, below theirs on the same
counts, or outside the interval that their test states. Its `auditing_test.py` has 50 tests: the
figures of 6 are a lower limit or its parts, and stand in the table. 31 are of tools that we do not
have: a frontier of thresholds, raw counts, area under the curve, best accuracy, bootstraps, limits
that take a Gaussian curve for granted. 13 check ties, rates at a false-positive rate, and refusals.
Only equal numbers of records in and out are compared: our limits ask for fair coins.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy import special

from deniable.auditing.models.single import (
    fixed_guesses,
    one_run_limit,
    one_run_p_value,
)
from deniable.auditing.statistics import Cut, counted, lower_limit
from deniable.computing.confidence_limits import binomial_limits

PEER = "jax-privacy==2.0.0"
WITHIN = 0.2
"""Share of the truth: the interval of its own tests of tightness."""
LAST = 2e-6
"""ε: what its root finder leaves open, 10⁻⁶, and as much for rounding outwards."""
SMALL = 1e-9
"""Share of a probability: ours is rounded up by so much."""

SCORES = """
import numpy as np
from scipy import special
def normal_scores(mean, n):
    return special.ndtri(np.linspace(0, 1, n, endpoint=False) + 1 / (2 * n)) + mean
"""
THEIRS = (
    SCORES
    + """
import json
import dp_accounting
from jax_privacy import auditing as a
asked = json.loads(input())
def limit(case):
    n, mean, delta, level = case["each"], case["mean"], case["delta"], case["level"]
    auditor = a.CanaryScoreAuditor(normal_scores(mean, n), normal_scores(0, n))
    how = {"all": a.Bonferroni(), "split": a.Split(seed=0), "many": a.MultiSplit(seed=0)}
    strategy = how[case["how"]] if "how" in case else a.Explicit(case["threshold"])
    method = auditor.epsilon_one_run if case["one_run"] else auditor.epsilon_clopper_pearson
    return float(method(level, delta, threshold_strategy=strategy))
print(json.dumps({
    "limits": [limit(case) for case in asked["limits"]],
    "p": [a._one_run_p_value(*case) for case in asked["p"]],
    "upper": [float(a._clopper_pearson_upper(*case)) for case in asked["upper"]],
    "truth": [dp_accounting.get_epsilon_gaussian(1 / mean, 0.1) for mean in asked["means"]],
}))
"""
)


@attrs.frozen
class Row:
    """One figure of theirs beside ours, and whether ours falls short."""

    job: str
    theirs: float
    ours: float
    holds: bool


def normal_scores(mean: float, n: int) -> NDArray[np.float64]:
    """Return quantiles of a normal distribution in the middle of n equal shares."""
    middles = np.linspace(0, 1, n, endpoint=False) + 1 / (2 * n)
    return np.asarray(special.ndtri(middles) + mean, dtype=np.float64)


def guessed_in(case: dict[str, Any]) -> tuple[int, int]:
    """Count the records from the threshold on, and how many of them are members."""
    right = int((normal_scores(case["mean"], case["each"]) >= case["threshold"]).sum())
    wrong = int((normal_scores(0, case["each"]) >= case["threshold"]).sum())
    return right + wrong, right


def split_limit(mean: float, each: int, delta: float, level: float) -> float:
    """Return our limit: a cut from one half of the runs, tested on the other."""
    scores = np.concatenate([normal_scores(mean, each), normal_scores(0, each)])
    members = np.repeat([True, False], each)
    order = np.random.default_rng(0).permutation(2 * each)
    pilot, test = order[:each], order[each:]
    cut = Cut.select(scores[pilot], members[pilot], delta=delta)
    guesses, right = counted(cut, scores[test], members[test], delta=delta)
    return lower_limit(each, guesses, right, delta=delta, confidence=1 - level)


def whole_run_limit(mean: float, each: int, delta: float, level: float) -> float:
    """Return our limit from one run: the best of three numbers of guesses, corrected."""
    scores = np.concatenate([normal_scores(mean, each), normal_scores(0, each)])
    truth, numbers = np.repeat([1, -1], each), (each, each // 4, each // 16)
    rights = [int((fixed_guesses(scores, number) == truth).sum()) for number in numbers]
    return max(
        one_run_limit(2 * each, 2 * number, right, delta=delta, confidence=1 - level / 3)
        for number, right in zip(numbers, rights, strict=True)
    )


def limit_case(mean: float, each: int, delta: float, level: float, **rest: Any) -> dict[str, Any]:
    """Describe one lower limit for both."""
    return {"mean": mean, "each": each, "delta": delta, "level": level, "one_run": False} | rest


EXPLICIT = [limit_case(1, n, 0.0, 0.1, threshold=t) for n in (100, 1000) for t in (0.0, 0.5, 1.0)]
ONE_RUN = [
    limit_case(mean, 10_000, 1e-6, 0.05, threshold=t, one_run=True)
    for mean in (0, 1, 2, 4)
    for t in (mean / 2, mean, mean + 1)
]
WHOLE_RUN = [limit_case(m, 10_000, 1e-6, 0.05, how="all", one_run=True) for m in (0, 1, 2, 4)]
MEANS = (0.3, 1.0, 1.5)
TIGHT = [limit_case(m, 2_000_000, 0.1, 0.2, how=how) for m in MEANS for how in ("all", "split")]
MANY_MEANS = (0.7, 1.0, 1.5)
MANY = [limit_case(mean, 100_000, 0.1, 0.1, how="many") for mean in MANY_MEANS]
P_VALUES: list[tuple[int, int, int, float, float]] = [
    (m, guesses, guesses - wrong, epsilon, delta)
    for m in (10, 100, 1000)
    for guesses in (1, 10, 100)
    for wrong in (0, 1, 10, 100)
    for epsilon in (0, 0.5, 1.0)
    for delta in (0, 1e-6, 1e-3, 1e-1)
    if wrong <= guesses <= m
]
UPPER: list[tuple[int, int, float]] = [
    (n * tenths // 10, n, level)
    for n in (10, 100, 1000)
    for tenths in (3, 4, 5, 8, 9)
    for level in (0.1, 0.03, 0.01)
]


def ask(python: Path) -> dict[str, list[float]]:
    """Return what jax-privacy answers."""
    asked = {
        "limits": EXPLICIT + ONE_RUN + WHOLE_RUN + TIGHT + MANY,
        "p": P_VALUES,
        "upper": UPPER,
        "means": MEANS + MANY_MEANS,
    }
    done = subprocess.run(
        [str(python), "-c", THEIRS],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    answer: dict[str, list[float]] = json.loads(done.stdout.splitlines()[-1])
    return answer


def compare(theirs: dict[str, list[float]]) -> Iterator[Row]:
    """Yield every figure, theirs and ours."""
    limits, truth = (
        iter(theirs["limits"]),
        dict(zip(MEANS + MANY_MEANS, theirs["truth"], strict=True)),
    )
    for case in EXPLICIT:
        limit, (guesses, right) = next(limits), guessed_in(case)
        ours = lower_limit(2 * case["each"], guesses, right, confidence=1 - case["level"])
        job = f"limit of ε, {case['each']} in and out, guessed in from {case['threshold']}"
        yield Row(job, limit, ours, limit - LAST <= ours)
    for case in ONE_RUN:
        limit, (guesses, right) = next(limits), guessed_in(case)
        ours = one_run_limit(20_000, guesses, right, delta=1e-6, confidence=0.95)
        job = f"one run, shift {case['mean']}, guessed in from {case['threshold']}"
        yield Row(job, limit, ours, abs(limit - ours) <= LAST)
    for case in WHOLE_RUN:
        limit, ours = next(limits), whole_run_limit(case["mean"], 10_000, 1e-6, 0.05)
        yield Row(f"one run, shift {case['mean']}, best guesses", limit, ours, limit - LAST <= ours)
    for case in TIGHT + MANY:
        limit = next(limits)
        ours = split_limit(*(case[key] for key in ("mean", "each", "delta", "level")))
        exact = truth[case["mean"]]
        job = f"shift {case['mean']}, δ .1, their way {case['how']}; true ε {exact:.4f}"
        yield Row(job, limit, ours, (1 - WITHIN) * exact <= ours < exact)
    p_values = [one_run_p_value(*case) for case in P_VALUES]
    upper = [float(binomial_limits(*case)[1]) for case in UPPER]
    for job, key, values in (
        ("p of one run", "p", p_values),
        ("Clopper–Pearson, upper", "upper", upper),
    ):
        ends = list(zip(theirs[key], values, strict=True))
        his, ours = max(ends, key=lambda end: abs(end[0] - end[1]))
        same = all(a * (1 - 1e-12) <= b <= a + SMALL + SMALL * a for a, b in ends)
        yield Row(f"{job}: the farthest apart of {len(ends)}", his, ours, same)


def main() -> int:
    """Print the table; 1 if one of our figures falls short."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", type=Path, help=f"an interpreter that has {PEER}")
    python = parser.parse_args().python
    with tempfile.TemporaryDirectory() as folder:
        if python is None:
            venv.create(folder, with_pip=True)
            python = Path(folder) / "bin" / "python"
            subprocess.run([str(python), "-m", "pip", "install", "-q", PEER], check=True)
        rows = list(compare(ask(python)))
    print(f"{'':<58} {PEER:>18} {'Deniable':>12}")
    for row in rows:
        short = "" if row.holds else "  falls short"
        print(f"{row.job:<58} {row.theirs:>18.9g} {row.ours:>12.9g}{short}")
    return int(not all(row.holds for row in rows))


if __name__ == "__main__":
    sys.exit(main())
