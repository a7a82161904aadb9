"""Sound mechanisms audited 500 times each, or 2,000: no more alarms than the level allows.

Each leaks exactly what it claims, so that a test which errs by a little raises too many alarms. At
5 % more than 51 alarms of 500 have a chance of 1e-6; wrong ways to count raise far more.
"""

import math
from bisect import bisect_left

import numpy as np
import pytest
from scipy import stats

from deniable import audit
from deniable.auditing.attacks.black_box import BLACK_BOX
from deniable.auditing.attacks.classifier import LikelihoodRatio
from deniable.auditing.runs import Runs
from deniable.auditing.statistics.cut import Cut, accusing, counted, worst_records
from deniable.auditing.statistics.exact import RunShares, anytime_limit, lower_limit
from deniable.mechanisms import DiscreteLaplace
from tests.cases.effort import some_pairs, usual

AUDITS, RUNS = usual(500, 2000), 120
MOST = stats.binom.isf(1e-6, AUDITS, 0.05)


def tell(members, share, rng):
    """1 or 0, right with a probability."""
    return np.where(rng.random(members.shape) < share, members, ~members).astype(float)


def revealing(epsilon, delta):
    """The hardest target of (ε, δ): scores ±2 where the bit is revealed."""

    def answer(members, rng):
        told = 2 * tell(members, 1 / (1 + math.exp(-epsilon)), rng) - 1
        return np.where(rng.random(members.shape) < delta, 4.0 * members - 2, told)

    return answer


TARGETS = {
    "randomised response": (revealing(1.0, 0.0), 1.0, 0.0),
    "with delta": (revealing(0.5, 0.05), 0.5, 0.05),
    "with much delta": (revealing(0.0, 0.3), 0.0, 0.3),
    "ties": (lambda m, rng: m + DiscreteLaplace(1.0).draws(rng, m.size), 1.0, 0.0),
    "nothing": (lambda m, rng: rng.normal(size=m.shape), 0.0, 0.0),
    "nothing but ties": (lambda m, rng: rng.integers(0, 3, m.shape).astype(float), 0.0, 0.0),
}


@pytest.mark.parametrize(("name", "guess"), some_pairs([*TARGETS], ["chosen", "everywhere"]))
def test_one_record(name, guess):
    answer, epsilon, delta = TARGETS[name]
    rng, alarms = np.random.default_rng(11), 0
    for _ in range(AUDITS):
        members = rng.random(RUNS) < 0.5
        scores, half = answer(members, rng), RUNS // 2
        if guess == "chosen":
            cut = Cut.select(scores[:half], members[:half], delta=delta)
        else:
            cut = Cut.select(scores[:half], members[:half], abstain=False)
        seen = counted(cut, scores[half:], members[half:], delta=delta)
        alarms += lower_limit(RUNS - half, *seen, delta=delta) > epsilon
    assert alarms <= MOST


def test_a_cut_chosen_on_the_runs_that_measure_it_raises_too_many():
    rng, alarms = np.random.default_rng(12), 0
    for _ in range(AUDITS):
        members, scores = rng.random(RUNS) < 0.5, rng.normal(size=RUNS)
        alarms += lower_limit(RUNS, *counted(Cut.select(scores, members), scores, members)) > 0
    assert alarms > 0.15 * AUDITS


def test_with_delta_guessing_the_revealed_alone_and_counting_as_if_all_were_meant():
    """The precision is 1 and the claim holds: the limit must be what is compared."""
    rng, alarms, precise = np.random.default_rng(13), 0, 0
    for _ in range(AUDITS):
        members = rng.random(RUNS) < 0.5
        scores = revealing(0.0, 0.1)(members, rng)
        sure = np.abs(scores) == 2
        alarms += lower_limit(RUNS, int(sure.sum()), int(sure.sum()), delta=0.1) > 0
        precise += lower_limit(RUNS, int(sure.sum()), int(sure.sum())) > 0
    assert alarms <= MOST
    assert precise > AUDITS / 2


@pytest.mark.parametrize("attack", BLACK_BOX, ids=lambda attack: attack.name)
def test_attacks_that_learn(attack):
    """Two numbers a run, one of them noise; learnt, cut and measured on three parts."""
    rng, alarms = np.random.default_rng(14), 0
    a, b = RUNS // 3, 2 * RUNS // 3
    for _ in range(AUDITS // 4):
        members = rng.random((RUNS, 1)) < 0.5
        told = members + DiscreteLaplace(1.0).draws(rng, RUNS)[:, None]
        signals = np.stack([told, rng.normal(size=told.shape)], axis=2)
        score = attack.fit(Runs(members[:a], signals[:a]))
        cut = Cut.select(score(signals[a:b])[:, 0], members[a:b, 0])
        seen = counted(cut, score(signals[b:])[:, 0], members[b:, 0])
        alarms += lower_limit(RUNS - b, *seen) > 1.0
    assert alarms <= stats.binom.isf(1e-6, AUDITS // 4, 0.05)


def least(alarm, most):
    """The least number of right guesses that raises an alarm; one more than all where none does."""
    return bisect_left(range(most + 1), True, key=alarm)


def complement(members, epsilon, rng):
    """The members or all others: every record has ε, and all are right or wrong together."""
    right = rng.random((len(members), 1)) < 1 / (1 + math.exp(-epsilon))
    return np.where(right, members, ~members)


def test_records_that_are_right_or_wrong_together():
    rng, alarms, pooled, worst = np.random.default_rng(15), 0, 0, 0
    bets = least(lambda v: anytime_limit(RunShares([0.0, 1.0], [RUNS - v, v])) > 1.0, RUNS)
    as_if = least(lambda v: lower_limit(32 * RUNS, 32 * RUNS, v) > 1.0, 32 * RUNS)
    for _ in range(AUDITS):
        members = rng.random((RUNS, 32)) < 0.5
        guesses = np.where(complement(members, 1.0, rng), 1, -1).astype(np.int8)
        shares = RunShares.of(members, guesses, delta=0.0)
        assert set(shares.shares) <= {0.0, 1.0}
        right = int(shares.runs[shares.shares == 1.0].sum())
        alarms += right >= bets
        pooled += 32 * right >= as_if
    for _ in range(AUDITS // 20):
        members = rng.random((RUNS, 32)) < 0.5
        scores, half = complement(members, 1.0, rng).astype(float), RUNS // 2
        pair = (scores[:half], members[:half]), (scores[half:], members[half:])
        worst += worst_records(*pair)[0].found > 1.0
    assert alarms <= MOST
    assert worst <= stats.binom.isf(1e-6, AUDITS // 20, 0.05)
    assert pooled > 0.3 * AUDITS  # as if 32 records were 32 runs


def test_looking_after_every_run_raises_no_more():
    """The exact test holds for one look, and raises too many alarms where one looks always."""
    bets, tests = [], []
    for n in range(1, 61):
        bets.append(least(lambda v, n=n: anytime_limit(RunShares([0.0, 1.0], [n - v, v])) > 1.0, n))
        tests.append(least(lambda v, n=n: lower_limit(n, n, v) > 1.0, n))
    rng = np.random.default_rng(16)
    right = np.cumsum(rng.random((AUDITS, 60)) < 1 / (1 + math.exp(-1.0)), axis=1)
    assert (right >= bets).any(axis=1).sum() <= MOST
    assert (right >= tests).any(axis=1).sum() > MOST


def audited(scale, runs, seed, confidence=0.95):
    """The limit of a count with discrete Laplace noise, half of the runs for the cut."""
    rng, half = np.random.default_rng(seed), runs // 2
    members = rng.random((runs, 1)) < 0.5
    signals = (members[:, 0] + DiscreteLaplace(scale).draws(rng, runs))[:, None, None]
    attack = LikelihoodRatio(lambda y: (np.abs(y[:, 0]) - np.abs(y[:, 0] - 1)) / scale)
    score = attack.fit(Runs(members[:half], signals[:half].astype(float)))
    scores = score(signals.astype(float))[:, 0]
    cut = Cut.select(scores[:half], members[:half, 0])
    guesses = counted(cut, scores[half:], members[half:, 0])
    return lower_limit(runs - half, *guesses, confidence=confidence)


@pytest.mark.parametrize(("scale", "runs"), [(0.5, 20_000), (1 / 1.1, 1_000_000)])
def test_too_little_noise_is_found(scale, runs):
    assert audited(scale, runs, 1, accusing(0.95)) > 1.0


def test_the_count_that_keeps_its_claim_is_found_within_a_twentieth():
    audits = usual(12, 40)
    limits = np.array([audited(1.0, 100_000, seed) for seed in range(audits)])
    assert np.median(limits) > 0.98
    assert (limits <= 0.95).sum() <= 2
    assert (limits > 1.0).sum() <= stats.binom.isf(1e-6, audits, 0.05)
    assert all(audited(1.0, 100_000, seed, accusing(0.95)) <= 1.0 for seed in range(audits))


def test_a_tenth_more_than_claimed_is_a_violation_and_never_consistent():
    """Randomised response of 1.1 ε, 100,000 runs counted: right guesses are binomial.

    In 4 of 100 audits the cut drops one of two sides, and with it half of the guesses.
    """
    runs, level, verdicts = 100_000, accusing(0.95), []
    claims = usual((0.5, 1.0, 4.0), (0.5, 1.0, 2.0, 4.0))
    for claimed in claims:
        needed = least(lambda v: lower_limit(runs, runs, v, confidence=level) > claimed, runs)  # noqa: B023
        share = [1 / (1 + math.exp(-e)) for e in (claimed, 1.1 * claimed)]
        sound, false = stats.binom.sf(needed - 1, runs, share)
        assert sound <= 1 - level
        assert false > 0.999

        def mechanism(bit, rng, draws, right=share[1]):
            return np.where(rng.random(draws) < right, bit, 1 - bit)

        named = f"pure-dp:{claimed}"
        answer = audit(mechanism, neighbours=(0, 1), claimed=named, runs=2 * runs)
        verdicts.append(answer.verdict)
    assert "consistent" not in verdicts
    assert verdicts.count("violated") >= len(claims) - 1
