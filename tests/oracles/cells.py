"""Slow references for sums in a cell: all samples, or exact numbers of them, in whole numbers.

Shares no code with the library.
"""

import itertools
import math

import numpy as np


def whole_gaussian(scale, reach):
    """Pr[k] for k from −reach to reach, of discrete Gaussian noise."""
    at = np.arange(-reach, reach + 1)
    every = np.arange(-40 * math.ceil(scale) - 40, 40 * math.ceil(scale) + 41)
    return np.exp(-(at**2) / (2 * scale**2)) / np.exp(-(every**2) / (2 * scale**2)).sum()


def whole_laplace(scale, reach):
    """Pr[k] for k from −reach to reach, of discrete Laplace noise."""
    at = np.abs(np.arange(-reach, reach + 1))
    return np.exp(-at / scale) * math.tanh(1 / (2 * scale))


def numbers_of_samples(values, size, population):
    """{c: samples by sum, from 0 on} of a cell of these values ≥ 0 in a list of so many.

    Members are added one by one; exact in 64 bits for 60 of them.
    """
    assert len(values) <= 60
    ways = np.zeros((len(values) + 1, sum(values) + 1), np.int64)
    ways[0, 0] = 1
    for value in values:
        more = ways.copy()
        more[1:, value:] += ways[:-1, : ways.shape[1] - value]
        ways = more
    rest = population - len(values)
    return {
        number: ways[number].astype(float) * math.comb(rest, size - number)
        for number in range(len(values) + 1)
        if 0 <= size - number <= rest
    }


def laws(values, x, size, population):
    """The number drawn of a cell and their sum, with the x-th of them and without.

    A row of shares a number, by the sum from 0 on.
    """
    most = sum(values)
    others = [value for at, value in enumerate(values) if at != x]
    inside, outside = {}, {}
    for number, row in numbers_of_samples(others, size - 1, population - 1).items():
        inside[number + 1] = np.concatenate([np.zeros(values[x]), row])
    for number, row in numbers_of_samples(others, size, population - 1).items():
        outside[number] = np.concatenate([row, np.zeros(most + 1 - len(row))])
    return [
        {
            number: row / sum(float(each.sum()) for each in law.values())
            for number, row in law.items()
        }
        for law in (inside, outside)
    ]


def divergence(inside, outside, epsilon):
    """Σ max(0, p − e^ε q) over all numbers and sums."""
    total = 0.0
    for number in inside.keys() | outside.keys():
        zero = np.zeros_like(next(iter(inside.values())))
        p, q = inside.get(number, zero), outside.get(number, zero)
        total += float(np.maximum(p - math.exp(epsilon) * q, 0).sum())
    return total


def told_epsilon(values, x, size, population, noise, delta):
    """ε̃ of the number drawn and the noisy sum together, by halving; noise as listed shares."""
    pair = [
        {number: np.convolve(row, noise) for number, row in law.items()}
        for law in laws([value - min(values) for value in values], x, size, population)
    ]

    def worst(epsilon):
        return max(divergence(*pair, epsilon), divergence(*pair[::-1], epsilon))

    return least(worst, delta)


def released_epsilon(rows, x, size, noises, delta):
    """ε̃ of a noisy vector of whole numbers by listing all samples; one list of shares a column."""
    reach = [len(noise) // 2 for noise in noises]
    most = [sum(abs(row[at]) for row in rows) for at in range(len(noises))]
    shape = [2 * (most[at] + reach[at]) + 1 for at in range(len(noises))]
    both, many = [np.zeros(shape), np.zeros(shape)], [0, 0]
    for chosen in itertools.combinations(range(len(rows)), size):
        total = np.sum([rows[member] for member in chosen], axis=0)
        density = np.ones([1] * len(noises))
        for at, noise in enumerate(noises):
            line = np.zeros(shape[at])
            line[total[at] + most[at] : total[at] + most[at] + len(noise)] = noise
            density = density * line.reshape(
                [-1 if other == at else 1 for other in range(len(noises))]
            )
        both[x not in chosen] += density
        many[x not in chosen] += 1
    p, q = both[0] / many[0], both[1] / many[1]

    def worst(epsilon):
        weight = math.exp(epsilon)
        return max(float(np.maximum(a - weight * b, 0).sum()) for a, b in ((p, q), (q, p)))

    return least(worst, delta)


def least(divergence_at, delta):
    """The ε at which a falling divergence passes δ, from below."""
    low, high = 0.0, 60.0
    if divergence_at(0.0) <= delta:
        return 0.0
    for _ in range(44):  # to 4·10⁻¹²
        middle = (low + high) / 2
        low, high = (middle, high) if divergence_at(middle) > delta else (low, middle)
    return low
