"""Bets against a claim: fair games at most, and an end as soon as a claim is refuted."""

import itertools
import math

import numpy as np
import pytest
from scipy import special, stats

from deniable import Effort, audit
from deniable.auditing.bets import CURVE, SHARES, Bets, _log_earned, fit_all, log_wealth_of
from deniable.auditing.runs import Runs
from tests.cases.audited import ByValue
from tests.cases.effort import usual

ATTACKS = (ByValue(),)


def laws(epsilon, delta):
    """Chances of right, wrong and none where all is guessed, and where revealed bits are alone."""
    q = special.expit(epsilon)
    right = delta + (1 - delta) * q
    yield right, 1 - right, 0.0
    yield delta, 0.0, 1 - delta
    yield delta / 2, 0.0, 1 - delta / 2


@pytest.mark.parametrize("delta", [0.0, 0.1, 0.6])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0])
def test_the_mean_wealth_is_at_most_1_against_what_attains_a_claim(epsilon, delta):
    runs, point = 9, (epsilon, delta)
    for law in laws(epsilon, delta):
        mean = 0.0
        for right, wrong in itertools.product(range(runs + 1), repeat=2):
            none = runs - right - wrong
            if none < 0:
                continue
            chance = stats.multinomial.pmf([right, wrong, none], runs, law)
            counts = np.array([[[right, wrong, none]]])
            mean += chance * math.exp(log_wealth_of(counts, [point], runs))
        assert mean <= 1 + 1e-9
        # and against half as much more it grows, unless nothing is ever wrong by law
    worse = next(iter(laws(epsilon + 0.5, delta)))
    counts = np.array([[np.rint(1e5 * np.array(worse)).astype(int)]])
    assert log_wealth_of(counts, [point], 10**5) > 20


@pytest.mark.parametrize("delta", [0.0, 0.1, 0.6])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0])
def test_a_share_of_a_stake_earns_nothing_against_what_attains_a_claim(epsilon, delta):
    """On either side a share of its own; of revealed bits the guess is right."""
    stakes, n = np.array([1.0, 0.25]), len(SHARES)
    for law in laws(epsilon, delta):
        for first, second in itertools.product((0, 5, n - 1), repeat=2):
            mean = np.zeros(len(stakes))
            for place, kind in itertools.product((first, second), range(3)):
                counts = np.zeros((1, 1, n, 3), dtype=np.int64)
                counts[0, 0, place, kind] = 1
                earned = np.exp(_log_earned(counts, [(epsilon, delta)], SHARES, stakes))[0]
                mean += law[kind] / 2 * earned
            assert (mean <= 1 + 1e-9).all()
    # and if more leaks, it grows
    right = special.expit(epsilon + 0.5) * np.array([1, 0, 0]) + [0, 1, 0]
    right[1] -= right[0]
    counts = np.zeros((1, 1, n, 3), dtype=np.int64)
    counts[0, 0, 4] = np.rint(1e5 * right)
    assert _log_earned(counts, [(epsilon, 0.0)], SHARES, stakes).max() > 20


def test_a_limit_of_shares_falls_where_less_is_earned():
    """The largest ε that is refuted is one, whatever the shares: the wealth falls with ε."""
    for delta, least in ((0.0, 1.3), (0.05, 0.2)):
        bets = Bets([(1.0, delta)], ATTACKS, 10_000, 0.05)
        bets._by_belief[0, 0, 2], bets._by_belief[0, 0, 9] = (600, 100, 40), (3000, 900, 0)
        wealth = [bets._log_wealth(1, [(e, delta)], idle=0.0) for e in np.linspace(0, 4, 60)]
        assert (np.diff(wealth) <= 0).all()
        assert least < bets.limit(0.05) < math.log(6)
        if not delta:
            name, counts = bets.best()
            assert (name, counts.tolist()) == ("by-value", [[3600, 1000, 40]])


def responses(epsilon, runs, rng):
    members = rng.random((runs, 1)) < 0.5
    says = members ^ (rng.random((runs, 1)) > special.expit(epsilon))
    return Runs(members, (says + rng.random((runs, 1)) / 2)[..., None])


def refuted(epsilon, rng, *, looks_ahead=False, level=0.05):
    bets, parts = Bets([(1.0, 0.0)], ATTACKS, 2_000, level), []
    for part in (responses(epsilon, 100, rng) for _ in range(20)):
        if looks_ahead:
            bets.learn(fit_all(part, ATTACKS), part)
        if bets.place(part):
            return True
        parts.append(part)
        done = 100 * len(parts)
        if done >= bets.next_learning and not looks_ahead:
            every = Runs(*(np.concatenate([getattr(p, x) for p in parts]) for x in NAMES))
            bets.learn(fit_all(every, ATTACKS), every)
    return False


NAMES = ("members", "signals")


def test_an_attained_claim_is_refuted_as_rarely_as_the_level_says():
    """At .05; 1e-9 is the chance that a sound test has more than `most`."""
    rng, audits = np.random.default_rng(1), usual(100, 600)
    most = stats.binom.isf(1e-9, audits, 0.05)
    assert sum(refuted(1.0, rng) for _ in range(audits)) <= most
    # cuts that were chosen on the very runs that are bet on do not pass
    ahead = (refuted(1.0, rng, looks_ahead=True) for _ in range(audits))
    assert any(number > most for number in itertools.accumulate(ahead))


def test_more_than_is_claimed_is_refuted():
    rng = np.random.default_rng(2)
    assert sum(refuted(2.0, rng) for _ in range(20)) == 20


@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.05])
def test_a_limit_is_the_least_that_is_not_refuted(delta):
    bets = Bets([(1.0, delta)], ATTACKS, 10_000, 0.05)
    bets._counts[0, 0] = 900, 100, 50
    limit = bets.limit(0.05)
    assert 1.5 < limit < math.log(9)
    assert log_wealth_of(bets._counts, [(limit, delta)], 10_000) >= math.log(20)


def test_a_limit_that_another_point_lets_one_see_holds_at_what_all_runs_leave():
    """The first point is true, as a rule bets end the audit, and most of α is the other way's."""
    bets = Bets([(1.0, 0.0), (0.0, 0.2)], ATTACKS, 10_000, 0.05)
    bets._counts[0, 0] = 620, 300, 0
    shown, accused = bets.limits(0.05)
    assert shown == accused == bets.limit(0.05 / 1000)
    assert 0 < shown < bets.limit(0.05 / 2) < 1.0
    # of one point it is the claim itself that was refuted
    assert all(each > 1.0 for each in Bets([(1.0, 0.0)], ATTACKS, 10_000, 0.05).limits(0.05))
    bets._counts[0, 0] = 900, 100, 0
    shown, accused = bets.limits(0.05)
    assert 1.0 < accused < shown == bets.limit(0.05 / 2)


def noisy(scale):
    def mechanism(data, rng, draws):
        return np.rint(1024 * (data + rng.normal(scale=scale, size=draws)))

    return mechanism


def test_noise_a_tenth_too_small_is_found_where_delta_is_large():
    """At δ = 1e-6 alone a million runs do not tell."""
    answer = audit(
        noisy(1 / 1.1),
        neighbours=(0, 1),
        claimed="gaussian-dp:1",
        runs=80_000,
        effort=Effort(seed=1),
    )
    assert answer.verdict == "violated"
    assert answer.runs < 50_000
    assert [each.name for each in answer.findings] == [CURVE]


def test_gaussian_noise_that_keeps_its_claim_is_not_accused():
    answer = audit(noisy(1.0), neighbours=(0, 1), claimed="gaussian-dp:1", runs=40_000)
    assert (answer.verdict, answer.runs) == ("consistent", 40_000)


def test_an_audit_ends_when_it_has_its_verdict_and_says_how_many_runs_it_made():
    def answers(data, rng, draws):
        return np.where(rng.random(draws) < special.expit(2.0), data, 1 - data)

    kinds = {}
    for claimed in ("pure-dp:1", "pure-dp:2", None):
        kinds[claimed] = audit(answers, neighbours=(0, 1), claimed=claimed, runs=20_000)
    early = kinds["pure-dp:1"]
    assert early.verdict == "violated"
    assert 160 < early.runs < 2_000
    assert early.pilot + early.found.draws == early.runs
    assert 1 < early.found.lower < 2
    assert early.curve == ()
    assert kinds["pure-dp:2"].runs == kinds[None].runs == 20_000
    assert kinds[None].found.lower > 1.8


def test_a_claim_with_delta_that_is_refuted_is_passed_by_what_is_found():
    def answers(data, rng, draws):
        told = rng.random(draws) < 0.004
        return np.where(told, 1000 + data, np.rint(100 * rng.normal(size=draws)))

    answer = audit(answers, neighbours=(0, 1), claimed="approx-dp:0.5,0.001", runs=40_000)
    assert answer.verdict == "violated"
    assert answer.runs < 40_000
    assert answer.found.lower > 0.5
