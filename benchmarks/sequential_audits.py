"""How many runs find noise that is a tenth too small: by all test runs at once, by bets, at best.

Each mechanism leaks 1.1 times the ε (or μ) that it claims. *At once* is the exact test of the
second half of the runs, whose number is fixed beforehand; *bets* is `deniable.audit`, which ends
as soon as it accuses. Both accuse wrongly with probability 5e-5 at most. *No audit* is what
information allows: an audit that accuses the mechanism in 9 of 10 cases and everything that keeps
the claim in 1 of 20,000 needs kl(.9, 5e-5)/KL runs on average, where KL is the divergence of a run
(the coin and the output) from that of some mechanism that keeps the claim. *False* are accusations
of the same mechanism with the noise that it claims, *above* its limits above the claim, at 5 %.
"""

import math
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable import Effort, audit
from deniable.auditing.audit import Audit

AUDITS, MOST, SOUND = sized((40, 160_000, 300), (1, 2_000, 1))
"""Audits of each mechanism and size, runs of one at most, and audits of what keeps its claim."""
SIZES = [n for n in (20_000, 28_000, 40_000, 56_000, 80_000, 113_000, 160_000) if n <= MOST]
ALARM, POWER, WORSE = 5e-5, 0.9, 1.1
NEIGHBOURS = (0, 1)
GRID = 1024
"""Steps to 1 of continuous noise: the last bits of floats would tell at once."""

Floats = NDArray[np.float64]
Draw = Callable[..., Any]


@attrs.frozen
class Case:
    """A mechanism by how much more it leaks than it claims, its claim, and a run's information."""

    name: str
    claim: str
    at: Callable[[float], Draw]
    information: float


def kl(p: float, q: float) -> float:
    """Divergence of two coins."""
    return float(special.rel_entr(p, q) + special.rel_entr(1 - p, 1 - q))


def projected(one: Floats, other: Floats, epsilon: float) -> float:
    """Divergence from what has the same outputs, and tells the coin with e^ε/(1 + e^ε) at most."""
    both = (one + other) / 2
    belief = np.where(both > 0, one / np.maximum(one + other, 1e-300), 0.5)
    q = special.expit(epsilon)
    clipped = np.clip(belief, 1 - q, q)
    return float(sum(m * kl(p, c) for m, p, c in zip(both, belief, clipped, strict=True)))


def finite(laws: Callable[[float], tuple[Floats, Floats]]) -> Callable[[float], Draw]:
    """A mechanism with few outputs."""

    def at(worse: float) -> Draw:
        def draw(data: int, rng: np.random.Generator, draws: int) -> Any:
            return rng.choice(len(laws(worse)[data]), size=draws, p=laws(worse)[data])

        return draw

    return at


def responses(worse: float) -> tuple[Floats, Floats]:
    """Randomised response of a bit."""
    q = special.expit(worse)
    return np.array([q, 1 - q]), np.array([1 - q, q])


def choice(worse: float) -> tuple[Floats, Floats]:
    """The exponential mechanism over four candidates, two of whose scores change places."""
    scores = np.array([[1.0, 0.0, 0.5, 0.5], [0.0, 1.0, 0.5, 0.5]])
    weights = np.exp(worse * scores)
    one, other = weights / weights.sum(axis=1, keepdims=True)
    return one, other


def geometric(worse: float) -> Draw:
    """A count with two-sided geometric noise."""
    p = -math.expm1(-worse)

    def draw(data: int, rng: np.random.Generator, draws: int) -> Any:
        return data + rng.geometric(p, draws) - rng.geometric(p, draws)

    return draw


def laplace(worse: float) -> Draw:
    """Laplace noise on a fine grid."""

    def draw(data: int, rng: np.random.Generator, draws: int) -> Any:
        return np.rint(GRID * (data + rng.laplace(scale=1 / worse, size=draws)))

    return draw


def gaussian(worse: float) -> Draw:
    """Gaussian noise on a fine grid."""

    def draw(data: int, rng: np.random.Generator, draws: int) -> Any:
        return np.rint(GRID * (data + rng.normal(scale=1 / worse, size=draws)))

    return draw


def cases() -> list[Case]:
    """All mechanisms, each with a claim that it attains at 1."""
    k = np.arange(-200, 201)
    mass = np.exp(-WORSE * np.abs(k)) * math.tanh(WORSE / 2)
    shifted = np.exp(-WORSE * np.abs(k - 1)) * math.tanh(WORSE / 2)
    q, s = special.expit(1.0), special.expit(WORSE)
    # Moving both centres together by a twentieth gives μ = 1 with the same variance.
    moved = (1 - 1 / WORSE) / 2
    return [
        Case("randomised response", "pure-dp:1", finite(responses), kl(s, q)),
        Case("geometric noise", "pure-dp:1", geometric, projected(mass, shifted, 1.0)),
        Case("Laplace noise", "pure-dp:1", laplace, (1 + math.exp(-WORSE)) / 2 * kl(s, q)),
        Case(
            "exponential mechanism", "pure-dp:1", finite(choice), projected(*choice(WORSE), 1.0)
        ),
        Case("Gaussian noise", "gaussian-dp:1", gaussian, (moved * WORSE) ** 2 / 2),
    ]  # fmt: skip


def audited(case: Case, worse: float, runs: int, seed: int, **options: Any) -> Audit:
    """One audit."""
    return audit(
        case.at(worse), neighbours=NEIGHBOURS, runs=runs, effort=Effort(seed=seed), **options
    )


def at_once(case: Case) -> int | None:
    """The least number of runs tried in which nine of ten audits by all test runs accuse."""
    if not case.claim.startswith("pure"):
        return None
    claimed = float(case.claim.partition(":")[2])
    for runs in SIZES:
        found = [
            audited(case, WORSE, runs, seed, confidence=1 - ALARM).found.lower
            for seed in range(AUDITS)
        ]
        if np.mean(np.array(found) > claimed) >= POWER:
            return runs
    return None


def main() -> None:
    """Print the table, and accusations of what keeps its claim."""
    print(
        "| mechanism | at once, 9 of 10 | bets, mean | bets, 9 of 10 | no audit | false | above |"
    )
    print("|---|---|---|---|---|---|---|")
    for case in cases():
        ends = [audited(case, WORSE, MOST, seed, claimed=case.claim) for seed in range(AUDITS)]
        runs = [end.runs if end.verdict == "violated" else math.inf for end in ends]
        sound = [audited(case, 1.0, 20_000, seed, claimed=case.claim) for seed in range(SOUND)]
        above = sum(each.found.lower > (each.claimed_epsilon or 0.0) for each in sound)
        false = [each.verdict for each in sound].count("violated")
        least = kl(POWER, ALARM) / case.information
        old = at_once(case)
        print(
            f"| {case.name} | {f'{old:,}' if old else f'> {MOST:,}'} | {np.mean(runs):,.0f} | "
            f"{np.sort(runs)[math.ceil(POWER * AUDITS) - 1]:,.0f} | {least:,.0f} | "
            f"{false} of {SOUND} | {above} of {SOUND} |",
            flush=True,
        )


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
