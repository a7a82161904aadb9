"""Leakage of a noisy sum about correlated records, from the definition, in plain Python."""

import itertools
import math
from collections import defaultdict


def chain_law(initial, transitions):
    """Pr[x] of a Markov chain for every tuple of states."""
    law = {}
    for states in itertools.product(range(len(initial)), repeat=len(transitions) + 1):
        probability = initial[states[0]]
        for step, (here, there) in zip(transitions, itertools.pairwise(states), strict=True):
            probability = probability * step[here][there]
        law[states] = probability
    return law


def leakage(law, values, scale, record, known):
    """The largest log-ratio over what is known, two values of the record, and outputs.

    `values[i][x]` is what value x of record i adds. Outputs: every sum, halfway between whole
    numbers, and beyond both ends.
    """
    groups = defaultdict(lambda: defaultdict(lambda: defaultdict(int)))
    for states, probability in law.items():
        if probability > 0:
            total = sum(row[x] for row, x in zip(values, states, strict=True))
            seen = tuple(states[j] for j in known)
            groups[seen][states[record]][total] += probability
    worst = 0.0
    for laws in groups.values():
        sums = sorted({total for one in laws.values() for total in one})
        outputs = [y + part for y in range(sums[0] - 2, sums[-1] + 2) for part in (0, 0.5)]
        for y in outputs:
            densities = [density(one, y, scale) for one in laws.values()]
            worst = max(worst, math.log(max(densities) / min(densities)))
    return worst


def density(one, y, scale):
    """Of the sum plus Laplace noise, up to a constant factor."""
    mass = sum(one.values())
    return float(sum(p * math.exp(-abs(y - total) / scale) for total, p in one.items()) / mass)


def worst_leakage(law, values, scale, record):
    """Over every set of known records."""
    n_records = len(values)
    others = [j for j in range(n_records) if j != record]
    return max(
        leakage(law, values, scale, record, known)
        for size in range(n_records)
        for known in itertools.combinations(others, size)
    )
