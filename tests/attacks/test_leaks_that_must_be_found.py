"""Leaks that a reader would see at once are found; those who keep a claim are not accused.

Outputs lie on a grid, so that the last bits of floats tell nothing.
"""

import math

import numpy as np
import pytest
from scipy import stats

from deniable import Effort, audit
from tests.cases.effort import THOROUGH, usual


def steps(rng, *shape):
    """Normal noise on a grid of 1/64."""
    return np.rint(64 * rng.normal(size=shape)) / 64


def with_pair(width):
    def answer(bit, rng, n):
        x = steps(rng, n, width)
        x[:, -1] = x[:, -2] * bit + x[:, -1] * (1 - bit)
        return x

    return answer


def late(bit, rng, n):
    rows = steps(rng, n, 5)
    return np.sort(rows, axis=1) if bit else rows


LEAKS = {
    "parity of large counts": lambda b, rng, n: 2 * rng.integers(-(10**9), 10**9, n) + b,
    "remainders by 7": lambda b, rng, n: 7 * rng.integers(-(10**9), 10**9, n) + b,
    "last digits of floats": lambda b, rng, n: 10.0 * rng.integers(-(10**9), 10**9, n) + 5 * b,
    "remainders by 29 in one of 20": lambda b, rng, n: (
        rng.integers(-(10**9), 10**9, (n, 20)) * (1 + 28 * np.eye(20, dtype=int)[3])
        + b * np.eye(20, dtype=int)[3]
    ),
    "sums of two that are odd": lambda b, rng, n: np.stack(
        [x := rng.integers(-(10**9), 10**9, n), 2 * rng.integers(-(10**9), 10**9, n) - x + b], 1
    ),
    "the last bit beyond 2^60": lambda b, rng, n: 2**60 + 8 * rng.integers(1000, size=n) + b,
    "the last digit beyond 2^80": lambda b, rng, n: [
        2**80 + 10 * int(x) + 5 * b for x in rng.integers(10**9, size=n)
    ],
    "sizes beyond 2^80": lambda b, rng, n: [
        -(2**80) + int(x) + 2 * 10**6 * b for x in rng.integers(3 * 10**6, size=n)
    ],
    "last digits of long texts": lambda b, rng, n: [
        f"{10**20 + 6 * int(x) + b}.50" for x in rng.integers(10**9, size=n)
    ],
    "parity in one of 20": lambda b, rng, n: (
        rng.integers(-(10**9), 10**9, (n, 20)) * (1 + np.eye(20, dtype=int)[3]) + b * np.eye(20)[3]
    ),
    "two outputs with one noise, of 50": with_pair(50),
    "two outputs with one noise, of 120": with_pair(120),
    "halves of steps": lambda b, rng, n: (np.rint(2**20 * rng.normal(size=n)) + b / 2) / 2**20,
    "decimals of floats": lambda b, rng, n: (10 * rng.integers(10**9, size=n) + 3 * b) / 1000,
    "a digit in the middle": lambda b, rng, n: [
        10**7 * int(x) + 10**6 * (3 + 2 * b) + int(x) % 10**6 for x in rng.integers(10**8, size=n)
    ],
    "a digit in the middle of a text": lambda b, rng, n: [
        f"{x % 90 + 10}{3 + 2 * b}{x % 9973}" for x in rng.integers(10**9, size=n)
    ],
    "a letter in the middle of a text": lambda b, rng, n: [
        f"{''.join(map(chr, row))}{'ab'[b]}{''.join(map(chr, row[:9]))}"
        for row in rng.integers(97, 123, (n, 40))
    ],
    "the last bit of bytes": lambda b, rng, n: [
        bytes(row) + bytes([2 * int(row[0] % 99) + b]) for row in rng.integers(256, size=(n, 9))
    ],
    "a text among numbers": lambda b, rng, n: [
        {"x": float(x), "note": f"id {'xy'[b]}{x:.9f}", "y": None} for x in steps(rng, n)
    ],
    "spread": lambda b, rng, n: (1 + b) * steps(rng, n),
    "order": late,
    "a little in each of 150": lambda b, rng, n: steps(rng, n, 150) + b / 4,
    "one of 50": lambda b, rng, n: steps(rng, n, 50) + 3 * b * np.eye(50)[7],
    "one in a hundred exact": lambda b, rng, n: np.where(
        rng.random(n) < 0.02, 100 + b, 100 + 128 * steps(rng, n)
    ),
}


RUNS = {"one in a hundred exact": 10_000}
"""As many as show what 3,000 do not."""
ALIKE = {"two outputs with one noise, of 50", "parity in one of 20"}
"""What a harder one shows, too."""


@pytest.mark.parametrize("name", [each for each in LEAKS if THOROUGH or each not in ALIKE])
def test_a_plain_leak_is_found(name):
    def mechanism(bit, rng, draws):
        return LEAKS[name](bit, rng, draws)

    answer = audit(
        mechanism,
        neighbours=(0, 1),
        claimed="pure-dp:0.2@add-remove",
        adjacency="add-remove",
        runs=usual(RUNS.get(name, 3_000), 20_000),
    )
    assert answer.verdict == "violated"
    assert answer.found.lower > 0.2


def test_numbers_written_as_text_are_numbers():
    def page(bit, rng):
        return {"visits": f"{3 * bit + rng.laplace():.4f}", "state": "final"}

    answer = audit(page, neighbours=(0, 1), claimed="pure-dp:0.5", runs=4000)
    assert answer.verdict == "violated"


def bounded_geometric(bit, rng, n):
    """Noise e^-|k| on 0…3, what lies beyond at the ends: ε = 1."""
    noise = rng.geometric(1 - math.exp(-1), n) - rng.geometric(1 - math.exp(-1), n)
    return np.clip(1 + bit + noise, 0, 3)


def subsampled(bit, rng, n):
    """The record is taken with probability 0.3, then randomised response: ln(1 + 0.3(e² − 1))."""
    taken = bit * (rng.random(n) < 0.3)
    return np.where(rng.random(n) < math.e**2 / (1 + math.e**2), taken, 1 - taken)


def selection(bit, rng, n):
    """Of four candidates one, with scores 0 and 1 of sensitivity 1 and opposite moves: ε = 1."""
    scores = np.array([0.5, 0.0, -0.5, 0.0]) * (1 if bit else -1)
    return (scores + rng.gumbel(size=(n, 4))).argmax(axis=1) * 1000


def revealing(bit, rng, n):
    """The bit itself with δ = 0.1, else a coin: (0, 0.1) exactly."""
    return np.where(rng.random(n) < 0.1, 2 + bit, rng.integers(0, 2, n))


def heavy(bit, rng, n):
    """50 outputs without a mean that know nothing, one that tells rightly with e/(1+e)."""
    rest = np.rint(rng.standard_cauchy((n, 50)) * 64) / 64
    rest[:, 9] = np.where(rng.random(n) < math.e / (1 + math.e), bit, 1 - bit)
    return rest


def beyond(bit, rng, n):
    """The same far beyond all floats, in whole numbers."""
    return [10**30 + int(x) for x in bounded_geometric(bit, rng, n)]


def remainder(bit, rng, n):
    """Randomised response in the remainder by 7: ε = 1."""
    answer = np.where(rng.random(n) < math.e / (1 + math.e), bit, 1 - bit)
    return 7 * rng.integers(10**9, size=n) + answer


KEPT = {
    "beyond floats": (beyond, "pure-dp:1"),
    "remainders": (remainder, "pure-dp:1"),
    "bounded geometric": (bounded_geometric, "pure-dp:1"),
    "subsampled": (subsampled, f"pure-dp:{math.log1p(0.3 * math.expm1(2)):.12f}"),
    "selection": (selection, "pure-dp:1"),
    "attained delta": (revealing, "approx-dp:0,0.1"),
    "one of 50 outputs": (heavy, "pure-dp:1"),
}
AUDITS, LEVEL = usual(1, 4), 0.2


def test_claims_that_are_kept_are_passed_no_more_often_than_said():
    above = 0
    for answer, claimed in KEPT.values():

        def mechanism(bit, rng, draws, answer=answer):
            return answer(bit, rng, draws)

        for seed in range(AUDITS):
            found = audit(
                mechanism,
                neighbours=(0, 1),
                claimed=claimed,
                runs=300,
                confidence=1 - LEVEL,
                effort=Effort(seed=seed),
            )
            above += found.found.lower > found.claimed_epsilon
    assert above <= stats.binom.isf(1e-4, AUDITS * len(KEPT), LEVEL)
