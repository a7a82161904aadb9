"""Noisy counts of a simple random sample, by brute force."""

import math
from fractions import Fraction

ALPHA = Fraction(1, 40)
"""Of each side of an interval."""


def noise_masses(kind: str, scale: float) -> dict[int, Fraction]:
    """Pr[Z = z] of discrete noise, to some 15 digits."""
    reach = math.ceil(scale * (45 if kind == "laplace" else 10)) + 2
    weights = {
        z: math.exp(-abs(z) / scale if kind == "laplace" else -((z / scale) ** 2) / 2)
        for z in range(-reach, reach + 1)
    }
    total = math.fsum(weights.values())
    return {z: Fraction(weight / total) for z, weight in weights.items()}


def drawn(population: int, having: int, size: int) -> dict[int, Fraction]:
    """The hypergeometric law."""
    least, most = max(0, size + having - population), min(size, having)
    ways = math.comb(population, size)
    return {
        h: Fraction(math.comb(having, h) * math.comb(population - having, size - h), ways)
        for h in range(least, most + 1)
    }


def published(
    population: int, having: int, size: int, noise: dict[int, Fraction]
) -> dict[int, Fraction]:
    """The law of what is published of a sample."""
    law: dict[int, Fraction] = {}
    for h, chance in drawn(population, having, size).items():
        for z, mass in noise.items():
            law[h + z] = law.get(h + z, Fraction(0)) + chance * mass
    return law


def interval(value: int, laws: list[dict[int, Fraction]]) -> tuple[int, int]:
    """Every number of units that a test does not reject, from the laws of all of them."""
    above = [sum(p for y, p in law.items() if y >= value) > ALPHA for law in laws]
    below = [sum(p for y, p in law.items() if y <= value) > ALPHA for law in laws]
    last = len(laws) - 1
    low = above.index(True) if any(above) else last
    high = last - below[::-1].index(True) if any(below) else 0
    return low, high
