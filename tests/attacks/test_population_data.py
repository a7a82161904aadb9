"""Parent sets that an adversary would try: far from 0, next to nothing, all alike, one far out.

Every door gives an interval that is one, or refuses in one sentence. Where numbers are dyadic a
shift is exact, and changes nothing at all; of two records and one sample the answer is known.
"""

import functools
import math

import numpy as np
import pytest
from scipy.special import ndtr

from deniable import Effort, LinearQuery, population
from deniable.errors import DataError, InfeasibleTarget, InvalidArgument
from tests.cases.effort import one_in, some_pairs
from tests.cases.refusals import refuses
from tests.oracles import real_sums as brute

QUICK = Effort(time_limit=0.05, gap=0.5)
BASE = np.array([0.0, 1.0, 2.0, 5.0, 7.0, 3.0])
RECORDS = {
    "far from 0": BASE + 1e7,
    "far below 0": BASE - 1e15,
    "farther": 1e99 + BASE * 1e84,
    "too large": 1e300 + BASE,
    "next to nothing": BASE * 1e-90,
    "squares underflow": BASE * 1e-150,
    "denormal": BASE * 5e-324,
    "all alike": np.full(6, 1e90),
    "one far out": np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1e6]),
    "one very far out": np.array([0.0, 1.0, 2.0, 3.0, 4.0, 1e99]),
    "both ends": np.array([-1e99, 1e99, 0.0, 1.0, 2.0, 3.0]),
    "a float apart": 1.0 + np.arange(6) * 2.0**-52,
    "every size": 10.0 ** np.array([-9, -6, -3, 0, 3, 6]),
    "minus 0": np.array([0.0, -0.0, 1.0, -1.0, 0.0, -0.0]),
    "not a number": np.array([0.0, 1.0, math.nan, 2.0, 3.0, 4.0]),
    "infinite": np.array([0.0, 1.0, math.inf, 2.0, 3.0, 4.0]),
}
NOISES = [5e-324, 1e-120, 1e-12, 1e-4, 1.0, 1e3, 1e12, 1e120, 1e300]
DOORS = {
    "gaussian": lambda x, n, s: population.gaussian(x, n, sigma=s, delta=0.01, effort=QUICK),
    "gaussian, least delta": lambda x, n, s: population.gaussian(
        x, n, sigma=s, delta=1e-300, effort=QUICK
    ),
    "gaussian, great delta": lambda x, n, s: population.gaussian(
        x, n, sigma=s, delta=0.9, effort=QUICK
    ),
    "crowd": lambda x, n, s: population.gaussian(
        np.stack([x, x[::-1]], axis=1), n, sigma=s, delta=0.01, effort=QUICK
    ),
    "pairwise": lambda x, n, s: population.gaussian(
        x, n, sigma=s, delta=0.01, method="pairwise", effort=QUICK
    ),
    "laplace": lambda x, n, s: population.laplace(x, n, scale=s, effort=QUICK),
    "laplace, delta": lambda x, n, s: population.laplace(x, n, scale=s, delta=0.01, effort=QUICK),
    "whole laplace": lambda x, n, s: population.discrete_laplace(x, n, scale=s, effort=QUICK),
    "whole laplace, delta": lambda x, n, s: population.discrete_laplace(
        x, n, scale=s, delta=0.01, effort=QUICK
    ),
    "whole gaussian": lambda x, n, s: population.discrete_gaussian(
        x, n, scale=s, delta=0.01, effort=QUICK
    ),
    "count": lambda x, n, s: population.count(len(x) // 2, len(x), n, scale=s, effort=QUICK),
    "joint": lambda x, n, s: population.joint(
        [LinearQuery(x, s), LinearQuery(x[::-1], s)], n, delta=0.01, effort=QUICK
    ),
    "any query": lambda x, n, s: population.query(
        lambda rows: [rows.sum()], x, n, sigma=s, delta=0.01, records=[0, 5], effort=QUICK
    ),
    "exponential": lambda x, n, s: population.exponential(
        x, [[-1.0], [3.0], [4.5]], n, epsilon=s, clip=1e100, effort=QUICK
    ),
    "exponential, sampled": lambda x, n, s: population.exponential(
        x, [[-1.0], [3.0], [4.5]], n, epsilon=s, clip=10.0, method="sample", effort=QUICK
    ),
    "losses": lambda x, n, s: population.exponential(
        losses=np.stack([x, -x, x[::-1]], axis=1),
        size=n,
        epsilon=s,
        loss_bounds=(-1e90, 1e90),
        effort=QUICK,
    ),
    "losses, sensitivity": lambda x, n, s: population.exponential(
        losses=np.stack([x, -x, x[::-1]], axis=1),
        size=n,
        epsilon=1.0,
        sensitivity=s,
        effort=QUICK,
    ),
    "any loss": lambda x, n, s: population.exponential(
        x,
        [0.0, 3.0],
        n,
        epsilon=1.0,
        sensitivity=s,
        effort=QUICK,
        loss=lambda w, rows: abs(w - float(np.median(rows))),
    ),
    "any loss, sampled": lambda x, n, s: population.exponential(
        x,
        [0.0, 3.0],
        n,
        epsilon=s,
        sensitivity=1e7,
        method="sample",
        effort=QUICK,
        loss=lambda w, rows: abs(w - float(np.median(rows))),
    ),
}


@pytest.mark.parametrize(
    ("door", "records"),
    [(door, each) for place, door in enumerate(DOORS) for each in one_in(3, [*RECORDS], place)],
)
def test_an_interval_or_one_sentence(door, records):
    asked = [(1, 1.0), (5, 1.0), *((3, noise) for noise in NOISES)]
    turn = [*RECORDS].index(records) + [*DOORS].index(door)
    for size, noise in one_in(6, asked, turn):
        try:
            found = DOORS[door](RECORDS[records], size, noise)
        except (InvalidArgument, DataError, InfeasibleTarget) as refusal:
            sentence = str(refusal)
            assert sentence.startswith("Expected ")
            assert "\n" not in sentence
            continue
        bound = found.population_epsilon
        assert 0 <= bound.lower <= bound.upper
        if found.epsilon_restricted_sensitivity is not None:
            assert bound.upper <= found.epsilon_restricted_sensitivity
        assert 0.5 <= found.attack_success <= 1
        if records == "all alike" and door not in ("count", "losses", "losses, sensitivity"):
            assert bound.lower == 0


EXACT = ["gaussian", "laplace", "laplace, delta", "whole laplace", "whole gaussian", "pairwise"]


@pytest.mark.parametrize("door", EXACT)
def test_a_shift_that_floats_hold_changes_nothing(door, monkeypatch):
    monkeypatch.setattr(f"{__name__}.QUICK", Effort())
    here = functools.cache(lambda noise: DOORS[door](BASE, 3, noise))
    asked = some_pairs([2.0**24, -(2.0**30), 2.0**45, -(2.0**49)], [0.3, 2.0, 40.0])
    for offset, noise in one_in(4, asked, EXACT.index(door)):
        plain, there = here(noise), DOORS[door](BASE + offset, 3, noise)
        assert plain.population_epsilon == there.population_epsilon
        assert plain.epsilon_restricted_sensitivity == there.epsilon_restricted_sensitivity


@pytest.mark.parametrize(("offset", "noise"), [(1e7, 2.0), (-1e12, 0.5), (2.0**60, 2.0)])
def test_far_from_0_against_every_sample(offset, noise):
    near = [0.0, 1.0, 1.5, 4.0] if abs(offset) < 2**50 else [0.0, 256.0, 1024.0, 4096.0]
    unit = 1.0 if abs(offset) < 2**50 else 1024.0
    values = np.array(near) + offset
    exact = max(
        brute.population_epsilon(near, 2, noise * unit, "gaussian", 0.01, x, 60) for x in (0, 3)
    )
    bound = population.gaussian(
        values, 2, sigma=noise * unit, query="sum", delta=0.01
    ).population_epsilon
    assert bound.lower <= exact + 1e-6
    assert exact - 1e-6 <= bound.upper <= exact + 1e-3
    pure = max(brute.pure_epsilon(near, 2, noise * unit, x) for x in range(4))
    bound = population.laplace(values, 2, scale=noise * unit, query="sum").population_epsilon
    assert bound.lower <= pure + 1e-9
    assert pure - 1e-9 <= bound.upper <= pure + 1e-6


@pytest.mark.parametrize(
    ("ratio", "offset"),
    some_pairs([1e-7, 1e-3, 1.0, 5.0, 300.0, 1e5, 9e7], [0.0, 2.0**40, -(2.0**400) / 2.0**80]),
)
def test_one_of_two_records_is_the_exchange_of_two(offset, ratio):
    """In and out are N(0, σ²) and N(d, σ²): the exact curve, and d/b for Laplace noise."""
    apart = 2.0**-3 if abs(offset) < 2**50 else abs(offset) * 2.0**-50
    values, noise = np.array([offset, offset + apart]), apart / ratio
    pure = population.laplace(values, 1, scale=noise, query="sum").population_epsilon
    assert pure.lower <= ratio * (1 + 1e-12)
    assert ratio * (1 - 1e-12) <= pure.upper
    bound = population.gaussian(values, 1, sigma=noise, query="sum", delta=0.01).population_epsilon
    assert normal_divergence(bound.upper * (1 + 1e-9) + 1e-12, ratio) <= 0.01
    if bound.lower > 0:
        assert normal_divergence(bound.lower * (1 - 1e-9), ratio) >= 0.01 * (1 - 1e-6)


def normal_divergence(epsilon, mu):
    """Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ); the second term by its logarithm."""
    below = -mu / 2 - epsilon / mu
    fall = math.exp(epsilon + math.log(ndtr(below))) if below > -30 else mills(epsilon, below)
    return ndtr(mu / 2 - epsilon / mu) - fall


def mills(epsilon, x):
    """e^ε Φ(x) for x far below 0, by the first terms of the asymptotic series."""
    log = epsilon - x * x / 2 - math.log(-x * math.sqrt(2 * math.pi))
    return math.exp(log) * (1 - 1 / x**2 + 3 / x**4) if log > -700 else 0.0


@pytest.mark.parametrize("door", ["laplace", "whole laplace"])
def test_whole_numbers_that_floats_cannot_tell_apart_are_refused(door):
    with refuses(InvalidArgument, "whole-numbers-up-to-2-53"):
        DOORS[door]([10**17, 10**17 + 1, 10**17 + 3], 1, 1.0)
