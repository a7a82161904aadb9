"""Every bound on choices beside sums holds for releases made at random, by brute force."""

import math

import numpy as np
import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, NoisyTopK
from deniable.numerics.effort import Effort
from deniable.population.api.integer_vectors import IntegerVectors
from deniable.population.api.sums_and_selections import Together, sums_and_selections
from deniable.population.question import Selection
from tests.cases.effort import usual
from tests.oracles.selections import laws, selection_law

KINDS = {DiscreteLaplace: "exponential", DiscreteGaussian: "gumbel"}
OUTPUTS = range(-20, 30)
EFFORT = Effort(time_limit=5.0, gap=1.0)


def a_choice(rng, types, kind):
    """A top k, or the candidate whose sum is nearest to 0; sometimes of one candidate only."""
    cells, candidates = rng.integers(1, 3), rng.integers(1, 4)
    absolute = bool(rng.integers(2))
    number = 1 if absolute or cells == 2 else int(rng.integers(1, candidates + 1))
    moves = rng.integers(-1 if absolute else 0, 3, (types, cells, candidates))
    return Selection(moves, absolute, NoisyTopK(float(rng.uniform(1, 8)), number, kind))


def a_release(rng, noise):
    types = int(rng.integers(2, 4))
    counts = rng.integers(1, 4, types)
    size = int(rng.integers(1, counts.sum()))
    columns = int(rng.integers(0, 2))
    sums = IntegerVectors(rng.integers(-2, 4, (types, columns)), counts, size)
    choice = a_choice(rng, types, KINDS[noise])
    return Together(sums, rng.uniform(1, 5, columns), noise, [choice])


def written_out(released):
    """As a function of the sampled types, by every output."""
    (choice,), sums, noise = released.selections, released.sums, released.noise
    power = 1 if noise is DiscreteLaplace else 2

    def release(sample):
        law = {(): 1.0}
        for cell in range(choice.moves.shape[1]):
            scores = choice.moves[sample, cell].sum(axis=0)
            rounds = selection_law(
                (-abs(scores) if choice.absolute else scores).tolist(),
                choice.mechanism.number, choice.mechanism.scale, KINDS[noise],
            )  # fmt: skip
            law = {(*o, q): p * chance for o, p in law.items() for q, chance in rounds.items()}
        for column, scale in enumerate(released.scales):
            total = int(sums.values[sample, column].sum())
            chances = {y: math.exp(-((abs(y - total) / scale) ** power) / power) for y in OUTPUTS}
            whole = sum(math.exp(-((abs(k) / scale) ** power) / power) for k in range(-200, 201))
            law = {(*o, y): p * c / whole for o, p in law.items() for y, c in chances.items()}
        return law

    return release


def both_laws(released):
    people = [int(kind) for kind in np.repeat(np.arange(len(released.sums.counts)),
                                               released.sums.counts)]  # fmt: skip
    release = written_out(released)
    firsts = [people.index(kind) for kind in sorted(set(people))]
    return [laws(people, released.sums.size, record, release) for record in firsts]


@pytest.mark.parametrize("seed", range(usual(12, 20)))
def test_pure_releases_keep_to_both_bounds(seed):
    released = a_release(np.random.default_rng(seed), DiscreteLaplace)
    truth = max(
        abs(math.log(inside[o] / outside[o]))
        for inside, outside in both_laws(released)
        for o in inside
    )
    for demand in (9.0, 0.0):  # the quick bound, and everything
        found = sums_and_selections(released, 0.0, demand, EFFORT)
        assert truth <= found.bound.upper + 1e-12
    assert found.bound.upper <= truth + 1e-8


@pytest.mark.parametrize("noise", KINDS)
@pytest.mark.parametrize("seed", range(100, usual(104, 110)))
def test_with_delta_both_hockey_sticks_are_at_most_delta(seed, noise):
    released = a_release(np.random.default_rng(seed), noise)
    pairs = [pair for both in both_laws(released) for pair in (both, both[::-1])]
    for delta in (0.3, 1e-2):
        for demand in (9.0, 0.0):
            found = sums_and_selections(released, delta, demand, EFFORT)
            odds = math.exp(found.bound.upper)
            most = max(sum(max(p[o] - odds * q[o], 0.0) for o in p) for p, q in pairs)
            assert most <= delta * (1 + 1e-9)
