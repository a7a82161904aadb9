"""The exact test: against every rule of an adversary, and against sixty digits."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy import optimize

from deniable.auditing.statistics import lower_limit, p_value
from deniable.errors import InvalidArgument
from deniable.mechanisms import dominating_laws
from deniable.notions import ApproxDP
from tests.cases.effort import some_pairs
from tests.cases.refusals import refuses
from tests.oracles import audits

THIRDS = Fraction(2, 3)  # e^ε = 2


@pytest.mark.parametrize(
    ("shown", "delta"),
    some_pairs(
        [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 2)],
        [Fraction(0), Fraction(1, 10), Fraction(1, 2)],
    ),
)
def test_no_rule_does_better_than_the_p_value_and_one_attains_it(shown, delta):
    runs, guesses = shown
    for right in range(guesses + 1):
        best = audits.best_attack(runs, guesses, right, THIRDS, delta)
        claimed = p_value(runs, guesses, right, math.log(2), delta=float(delta))
        assert claimed == pytest.approx(float(best), rel=1e-14, abs=0)


def test_with_delta_a_number_of_guesses_that_follows_the_outputs_is_not_covered():
    """Why it must be fixed: guess the revealed bits alone, and all are right."""
    runs, delta = 3, 0.5
    one = p_value(runs, 1, 1, 0.0, delta=delta)
    assert one < 1  # yet "guess one revealed bit where there is one" reaches 1 given a guess
    assert p_value(runs, 1, 1, 0.0, delta=delta) >= 1 - (1 - delta) ** runs


def test_every_pair_of_laws_comes_from_the_hardest_one_by_a_map():
    """A linear program finds the map, for random pairs whose ε and δ are read off."""
    rng = np.random.default_rng(4)
    for _ in range(40):
        first, second = rng.dirichlet(np.full(4, 0.5), size=2)
        epsilon = float(rng.uniform(0, 1.5))
        delta = max(
            float(np.maximum(p - math.exp(epsilon) * q, 0).sum())
            for p, q in ((first, second), (second, first))
        )
        hardest = dominating_laws(ApproxDP(epsilon, min(delta * (1 + 1e-9) + 1e-12, 1.0)))
        pushed = np.kron(hardest, np.eye(4))  # both laws of the hardest pair, through the map
        whole = np.kron(np.eye(4), np.ones(4))
        found = optimize.linprog(
            np.zeros(16),
            A_eq=np.vstack([pushed, whole]),
            b_eq=np.concatenate([first, second, np.ones(4)]),
            bounds=(0, 1),
        )
        assert found.status == 0


def cases() -> list[tuple[int, int, int, float, float]]:
    rng = np.random.default_rng(8)
    table = []
    for _ in range(60):
        runs = int(rng.integers(5, 60))
        guesses = int(rng.integers(4, runs + 1))
        right = int(rng.integers(guesses // 2 + 1, guesses + 1))
        delta = float(rng.choice([0.0, 1e-9, 1e-3, 0.05, 0.3]))
        table.append((runs, guesses, right, delta, float(rng.choice([0.8, 0.95, 0.999999]))))
    return table


@pytest.mark.parametrize(("runs", "guesses", "right", "delta", "confidence"), cases())
def test_a_limit_is_never_above_the_truth_and_hardly_below(runs, guesses, right, delta, confidence):
    limit = lower_limit(runs, guesses, right, delta=delta, confidence=confidence)
    level = 1 - Decimal(confidence)
    above = limit * (1 + 1e-10) + 1e-10
    assert limit == 0 or audits.p_value(runs, guesses, right, limit, delta) <= level
    assert audits.p_value(runs, guesses, right, above, delta) > level


@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.1])
def test_a_million_runs_give_what_a_normal_law_says(delta):
    runs, share = 10**6, (math.e + delta) / (1 + math.e)
    limit = lower_limit(runs, runs, round(runs * share), delta=delta)
    q = 1 / (1 + math.exp(-limit))
    mean = runs * (delta + (1 - delta) * q)
    variance = runs * (delta * (1 - delta) * (1 - q) ** 2 + (1 - delta) * q * (1 - q))
    assert (round(runs * share) - mean) / math.sqrt(variance) == pytest.approx(1.645, abs=0.01)


def test_limits_grow_with_right_guesses_and_fall_with_delta_and_confidence():
    by_right = [lower_limit(50, 40, right, delta=0.01) for right in range(41)]
    by_delta = [lower_limit(50, 40, 38, delta=delta) for delta in (0.0, 1e-9, 0.01, 0.2, 0.9)]
    by_confidence = [lower_limit(50, 40, 38, confidence=c) for c in (0.5, 0.9, 0.99, 1 - 1e-12)]
    assert by_right == sorted(by_right)
    assert by_delta == sorted(by_delta, reverse=True)
    assert by_confidence == sorted(by_confidence, reverse=True)


@pytest.mark.parametrize("counts", [(0, 0, 0), (3, 4, 2), (3, 2, 3), (3, 2, -1), (3.5, 2, 1)])
def test_counts_that_do_not_belong_together_are_refused(counts):
    with refuses(InvalidArgument, "expects-something"):
        lower_limit(*counts)


@pytest.mark.parametrize(
    "options", [{"delta": 1.0}, {"delta": -0.1}, {"confidence": 1.0}, {"confidence": 95}]
)
def test_a_level_out_of_range_is_refused(options):
    with refuses(InvalidArgument, "expects-something"):
        lower_limit(10, 10, 10, **options)


def test_no_guess_proves_nothing():
    assert lower_limit(100, 0, 0) == 0.0
    assert p_value(100, 0, 0, 0.0, delta=0.1) == 1.0
