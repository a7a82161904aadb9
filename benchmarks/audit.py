"""Lower limits of ε by ours and by others, on the same scores: false alarms, and what is found.

Their requirements clash with ours, so they run in a Python that is named in the environment, and
are skipped where none is:

    python -m venv theirs
    theirs/bin/pip install jax-privacy==2.0.0 adversarial-robustness-toolbox==1.20.1 scikit-learn
    DENIABLE_OTHER_AUDITORS=theirs/bin/python python -m benchmarks.audit

A false alarm is a limit above the true ε. Where a method says 95 %, one audit in twenty may
raise one. What is said by a formula is ours, written from what was published: TensorFlow Privacy's
bound at the best of all cuts (Katz's interval of a ratio of shares), and Clopper and Pearson's.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable.auditing.models.single import one_run_limit
from deniable.auditing.statistics.cut import Cut
from deniable.auditing.statistics.exact import RunShares, anytime_limit, lower_limit

Array: TypeAlias = NDArray[np.float64]
Bits: TypeAlias = NDArray[np.bool_]
Limit: TypeAlias = Callable[[Array, Bits], float]

AUDITS, RUNS = sized((300, 1000), (3, 40))
"""Audits of each target, and runs of each: a share of 5 % is known to 2.5 points."""
CROWDS = sized(((1.0, 20, 50), (1.9, 1, 1000)), ((1.9, 1, 40),))
"""ε̃, runs and records where records depend on each other; the last is one training run."""
CONFIDENCE, ALPHA = 0.95, 0.05
Z = 1.6448536269514722
"""The 95 % quantile of the normal law."""

THEIRS = """
import json, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
from importlib.metadata import version
from jax_privacy import auditing
from art.metrics.privacy.worst_case_mia_score import get_roc_for_fpr

def art(scores, members):
    fpr, tpr, _ = get_roc_for_fpr(scores, members.astype(int), targeted_fpr=0.01)[0]
    return float(np.log(tpr / max(fpr, 1 / (~members).sum()))) if tpr > 0 else 0.0

def jax(name, **how):
    def limit(scores, members):
        both = auditing.CanaryScoreAuditor(scores[members], scores[~members])
        return float(getattr(both, name)(**how))
    return limit

METHODS = {
    "jax-privacy, Clopper-Pearson, Bonferroni": jax("epsilon_clopper_pearson", significance=.05),
    "jax-privacy, Clopper-Pearson, split": jax(
        "epsilon_clopper_pearson", significance=.05,
        threshold_strategy=auditing.Split(threshold_estimation_frac=.5, seed=0)),
    "jax-privacy, Gaussian-shaped": jax("epsilon_from_gdp", significance=.05, delta=1e-5),
    "jax-privacy, one run, Bonferroni": jax("epsilon_one_run", significance=.05, delta=1e-9),
    "jax-privacy, raw counts (an estimate)": jax("epsilon_raw_counts"),
    "ART, ln(TPR/FPR) at 1 % (an estimate)": art,
}
given = np.load(sys.argv[1])
answer = {}
for name in sys.argv[2:]:
    for method, limit in METHODS.items():
        pairs = zip(given[name + " scores"], given[name + " members"])
        answer.setdefault(name, {})[method] = [limit(s.ravel(), m.ravel()) for s, m in pairs]
names = ("jax-privacy", "adversarial-robustness-toolbox")
answer["versions"] = [f"{name} {version(name)}" for name in names]
print(json.dumps(answer))
"""


@attrs.frozen(eq=False)
class Target:
    """Scores of many audits of one target; all have (n_audits, n_runs, n_records)."""

    name: str
    epsilon: float
    scores: Array
    members: Bits


def single(name: str, epsilon: float, scale: float, generator: np.random.Generator) -> Target:
    """One record in a count with Laplace noise; infinite noise leaks nothing."""
    members = generator.integers(0, 2, (AUDITS, RUNS, 1)).astype(bool)
    counts = members if np.isfinite(scale) else np.zeros(members.shape)
    noise = generator.laplace(scale=scale if np.isfinite(scale) else 1.0, size=members.shape)
    return Target(name, epsilon, counts + noise, members)


def crowd(epsilon: float, runs: int, records: int, generator: np.random.Generator) -> Target:
    """A sample of half of the people is published with probability ρ = tanh(ε̃/2), or another is.

    Of each record one believes (1 ± ρ)/2 given the output, so ε̃-population privacy is attained
    and not passed; but a run's guesses are right or random all together.
    """
    rho = np.tanh(epsilon / 2)
    shape = (AUDITS, runs, records)
    order = np.argsort(generator.random((2, *shape)), axis=-1)
    members, others = np.argsort(order, axis=-1) < records // 2
    told = generator.random(shape[:2]) < rho
    output = np.where(told[:, :, None], members, others)
    name = f"population privacy, ε̃ = {epsilon:g}"
    return Target(name, epsilon, output + generator.random(shape) / 2, members)


def exact(scores: Array, members: Bits) -> float:
    """The cut by a pilot half, the exact test on the other half: independent runs."""
    s, m, half = scores[:, 0], members[:, 0], len(scores) // 2
    guesses = Cut.select(s[:half], m[:half]).guesses(s[half:])
    right = int((guesses == np.where(m[half:], 1, -1)).sum())
    made = int(np.count_nonzero(guesses))
    return lower_limit(len(s) - half, made, right, confidence=CONFIDENCE)


def bets(scores: Array, members: Bits) -> float:
    """The same cut, bets over runs: records of a run may depend on each other."""
    half = len(scores) // 2
    cut = Cut.select(scores[:half].ravel(), members[:half].ravel())
    shares = RunShares.of(members[half:], cut.guesses(scores[half:]), delta=0.0)
    return anytime_limit(shares, confidence=CONFIDENCE)


def one_run(scores: Array, members: Bits) -> float:
    """The published one-run test as we have it: every record guessed, the better half in."""
    s, m = scores.ravel(), members.ravel()
    guesses = s > np.median(s)
    return one_run_limit(len(s), len(s), int((guesses == m).sum()), confidence=CONFIDENCE)


def best_cut(bound: Callable[..., Array]) -> Limit:
    """The largest limit over all cuts and both directions, each at the full level."""

    def limit(scores: Array, members: Bits) -> float:
        s, m = scores.ravel(), members.ravel()
        bits = m[np.argsort(-s, kind="stable")]
        tp, fp = np.cumsum(bits), np.cumsum(~bits)
        p, n = int(m.sum()), int((~m).sum())
        ways = ((tp, fp, p, n), (n - fp, p - tp, n, p), (fp, tp, n, p), (p - tp, n - fp, p, n))
        return float(max(0.0, *(bound(*each).max() for each in ways)))

    return limit


def katz(k: Array, j: Array, p: int, n: int) -> Array:
    """ln(k/p)/(j/n) less 1.645 standard errors; nothing where k is 0."""
    j = np.where(j == 0, 0.5, j)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt((1 - k / p) / k + (1 - j / n) / j)
        return np.where(k > 0, np.log(k / p / (j / n)) - Z * spread, -np.inf)


def clopper_pearson(k: Array, j: Array, p: int, n: int) -> Array:
    """ln of the lower end of k/p over the upper end of j/n, each at half of the level."""
    low = np.where(k > 0, special.betaincinv(np.maximum(k, 1), p - k + 1, ALPHA / 2), 0)
    high = np.where(j < n, special.betaincinv(j + 1, np.maximum(n - j, 1), 1 - ALPHA / 2), 1)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(low / high))


OURS: dict[str, Limit] = {
    "deniable, exact test of one record": exact,
    "deniable, bets over runs": bets,
    "one-run test at δ = 0": one_run,
    "best cut, Katz (formula of TensorFlow Privacy)": best_cut(katz),
    "best cut, Clopper–Pearson (formula)": best_cut(clopper_pearson),
}


def theirs(targets: list[Target]) -> dict[str, dict[str, list[float]]]:
    """Their limits and versions, or nothing where they are not there."""
    python = os.environ.get("DENIABLE_OTHER_AUDITORS")
    if not python:
        print("jax-privacy and ART: not here (DENIABLE_OTHER_AUDITORS names no Python)")
        return {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.npz"
        arrays = {f"{t.name} scores": t.scores for t in targets}
        np.savez(path, **arrays, **{f"{t.name} members": t.members for t in targets})
        ran = subprocess.run(
            [python, "-c", THEIRS, str(path), *(t.name for t in targets)],
            capture_output=True,
            text=True,
            check=False,
        )
    if ran.returncode:
        print(f"theirs failed: {ran.stderr.strip().splitlines()[-1]}")
        return {}
    answer: dict[str, dict[str, list[float]]] = json.loads(ran.stdout.splitlines()[-1])
    print(", ".join(map(str, answer.pop("versions"))))
    return answer


def main() -> None:
    """Print, for each method and target, the share of false alarms or the median limit."""
    generator = np.random.default_rng(15)
    sound = [single("no leak", 0.0, np.inf, generator), single("sound, ε = 1", 1.0, 1.0, generator)]
    leaking = single("half the noise, ε = 2", 2.0, 0.5, generator)
    targets = [*sound, leaking, *(crowd(*each, generator) for each in CROWDS)]
    versions = ", ".join(f"{n} {metadata.version(n)}" for n in ("deniable", "numpy", "scipy"))
    print(f"{AUDITS} audits of each, Python {sys.version.split()[0]}, {versions}")
    limits = theirs(targets)
    for target in targets:
        pairs = list(zip(target.scores, target.members, strict=True))
        mine = {
            name: [limit(s, m) for s, m in pairs]
            for name, limit in OURS.items()
            if (limit is not exact or target.scores.shape[2] == 1)
            and (limit is not bets or target.scores.shape[1] > 1)
        }
        print(f"\n{target.name}: {target.scores.shape[1]} runs × {target.scores.shape[2]} records")
        for name, found in (mine | limits.get(target.name, {})).items():
            alarms = np.mean(np.array(found) > target.epsilon + 1e-9)
            median = float(np.median(found))
            print(f"  {name:<48} false alarms {alarms:6.1%}   median limit {median:6.3f}")


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
