"""Simulated selections with windows have the law of rounds written out."""

import math

import numpy as np
import pytest
from scipy.stats import chi2

from deniable.gwas.genotypes import Variants
from deniable.gwas.owner import many_draws, selection_draws, surely_left
from deniable.gwas.public_filters import Window
from deniable.gwas.publication import Loci
from deniable.mechanisms import NoisyTopK
from tests.cases.effort import usual

NOISES = pytest.mark.parametrize("noise", ["exponential", "gumbel"])
SCORES = {
    "spread": [5, 3, 0, -1, -2, -9, 2],
    "all near one": [9, 9, 8, -20, -21, -22, -20],
    "equal": [0, 0, 0, 0, 0, 0, 0],
    "one far above": [60, 1, 0, 0, -1, 2, 0],
    "far below": [3, 2, 1, -300, -500, -310, -305],
}


def lined(positions, kb):
    number = len(positions)
    columns = [["1"] * number, [f"v{i}" for i in range(number)], positions]
    return Loci.of(Variants(*columns, ["A"] * number, ["G"] * number), Window(kb=kb))


# Two neighbours on either side hold each other, out of the file's order.
LOCI = lined([3_000, 1_000, 2_000, 9_000, 5_000, 6_000, 8_000], 1.5)


def law_of_rounds(scores, mechanism, loci):
    """Every ordered selection with its probability, each round among what is left."""
    once, law = NoisyTopK(mechanism.scale, 1, mechanism.noise), {}

    def walk(selected, left, probability):
        if len(selected) == mechanism.number:
            law[selected] = probability
            return
        shares = once.round_law(np.array(scores)[left])
        for each, share in zip(left, shares, strict=True):
            rest = sorted(set(left) - set(loci.around(each).tolist()))
            walk((*selected, each), rest, probability * share)

    walk((), list(range(len(scores))), 1.0)
    return law


def misfit(law, draws):
    """Pearson's statistic beside the limit that it passes once in 10⁹ times."""
    orders, seen = np.unique(draws, axis=0, return_counts=True)
    counted = dict(zip(map(tuple, orders.tolist()), seen.tolist(), strict=True))
    assert set(counted) <= {order for order, chance in law.items() if chance > 0}
    often = {order: chance for order, chance in law.items() if chance * len(draws) >= 5}
    cells = [(counted.get(order, 0), chance * len(draws)) for order, chance in often.items()]
    rare = len(draws) - sum(count for count, _ in cells)
    cells.append((rare, max(len(draws) - sum(mean for _, mean in cells), 1e-9)))
    statistic = math.fsum((count - mean) ** 2 / mean for count, mean in cells)
    return statistic, chi2.isf(1e-9, len(cells) - 1)


@NOISES
@pytest.mark.parametrize("scores", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize("number", [2, 3])
def test_both_ways_of_simulation_follow_the_law(scores, number, noise):
    values, mechanism = np.array(scores, dtype=np.int64), NoisyTopK(2.0, number, noise)
    law = law_of_rounds(scores, mechanism, LOCI)
    rng = np.random.default_rng(5)
    n_draws = usual(6_000, 12_000)
    by_race = selection_draws(values, mechanism, rng, n_draws, LOCI)
    last = surely_left(values, number, LOCI)
    by_bins = many_draws(values, mechanism, last=last, rng=rng, n_draws=n_draws, loci=LOCI)
    for draws in (by_race, by_bins):
        statistic, limit = misfit(law, draws)
        assert statistic < limit
    if scores == SCORES["spread"]:
        other = NoisyTopK(2.0, number, "gumbel" if noise == "exponential" else "exponential")
        statistic, limit = misfit(law_of_rounds(scores, other, LOCI), by_bins)
        assert statistic > limit


@pytest.mark.parametrize("seed", range(20))
def test_what_is_surely_left_is_left_whatever_is_chosen(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 6, 9)
    loci = lined((rng.integers(1, 14, 9) * 1_000).tolist(), float(rng.integers(1, 4)))

    def worst(left, rounds):
        """The least that the best variant left ever has, over all choices."""
        best = max(int(values[each]) for each in left)
        if rounds == 1:
            return best
        rest = (left - set(loci.around(each).tolist()) for each in left)
        return min(best, *(worst(each, rounds - 1) for each in rest))

    for number in range(1, min(loci.least, 3) + 1):
        # Windows of variants that are gone may be counted, so that it may be less, and never more.
        assert surely_left(values, number, loci) <= worst(frozenset(range(9)), number)
    alone = lined(list(range(1_000, 10_000, 1_000)), 0.5)
    for number in range(1, 10):
        assert surely_left(values, number, alone) == sorted(values)[-number]
        assert surely_left(values, number, None) == sorted(values)[-number]


@NOISES
def test_of_thousands_both_ways_find_the_same_scores(noise):
    rng = np.random.default_rng(1)
    values = rng.integers(-9, 40, 3_000)
    loci = lined((rng.integers(1, 100_000, 3_000) * 10).tolist(), 5.0)
    mechanism = NoisyTopK(6.0, 5, noise)
    fast = selection_draws(values, mechanism, np.random.default_rng(2), 1_500, loci)
    slow = []
    for _ in range(300):
        left, picked = values.astype(float), []
        for _ in range(5):
            wave = (rng.exponential if noise == "exponential" else rng.gumbel)(size=3_000)
            picked.append(int(np.argmax(left + 6.0 * wave)))
            left[loci.around(picked[-1])] = -np.inf
        slow.append(values[picked].mean())
    quick = values[fast].mean(axis=1)
    error = math.sqrt(np.var(slow) / len(slow) + np.var(quick) / len(quick))
    assert abs(np.mean(slow) - np.mean(quick)) < 6.1 * error  # once in 10⁹ times
    for selected in fast[:50].tolist():
        for one in selected:
            assert set(loci.around(one).tolist()) & set(selected) == {one}
