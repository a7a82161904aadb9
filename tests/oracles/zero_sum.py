"""Noise that adds up to zero, by enumeration, by convolution in floats, and by a second sampler."""

import itertools
import math

import numpy as np


def enumerated_law(cells, scale, reach):
    """Every vector within the reach that adds up to zero, with its share of their mass."""
    masses = {}
    for head in itertools.product(range(-reach, reach + 1), repeat=cells - 1):
        if abs(sum(head)) <= reach:
            vector = (*head, -sum(head))
            masses[vector] = math.exp(-sum(map(abs, vector)) / scale)
    total = math.fsum(masses.values())
    return {vector: mass / total for vector, mass in masses.items()}


def sum_law(cells, scale, terms):
    """Probabilities of −R … R for the sum of so many cells, by convolution."""
    reach = math.ceil(45 * scale) + 5
    k = np.arange(-reach, reach + 1)
    single = np.exp(-np.abs(k) / scale) * math.tanh(0.5 / scale)

    def several(number):
        law = np.array([1.0])
        for _ in range(number):
            law = np.convolve(law, single)
            if (centre := len(law) // 2) > reach:
                law = law[centre - reach : centre + reach + 1]
        return np.pad(law, reach - len(law) // 2)

    product = several(terms) * several(cells - terms)
    return product / product.sum()


def draws_by_compositions(rng, cells, scale, n_draws):
    """The same law another way: two independent uniform compositions of one number.

    Each number is a difference of two geometric ones, and geometric numbers given their sum are a
    uniform composition of it. Both sums are equal where the noise adds up to zero.
    """
    success = -math.expm1(-1 / scale)
    kept = []
    while len(kept) < n_draws:
        first, second = rng.negative_binomial(cells, success, (2, 4 * n_draws))
        kept += first[first == second].tolist()

    def composition(total):
        bars = np.sort(rng.choice(total + cells - 1, cells - 1, replace=False))
        return np.diff(np.concatenate([[-1], bars, [total + cells - 1]])) - 1

    return np.array([composition(n) - composition(n) for n in kept[:n_draws]])
