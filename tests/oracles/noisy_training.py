"""Noisy training by exact convolution in ball arithmetic, and by simulation; nothing of the house.

One step has laws P = (1 − q) N(0, σ²) + q N(1, σ²) and Q = N(0, σ²); the loss grows with x. Cells
of the line are told, so that δ of the cells is at most δ; each cell's ratio lies between those of
its ends, so that δ with the ratios of the far ends is at least δ.
"""

import itertools

import numpy as np
from flint import arb, ctx

FAR = 9
"""Cells reach so many standard deviations to both sides; what lies beyond is one cell."""


def cells(q, sigma, count):
    """P and Q of each cell, and the loss at its ends, as balls."""
    ctx.prec = 128
    q, sigma = arb(q), arb(sigma)
    edges = [(arb(2 * FAR + 1) * i / count - FAR) * sigma for i in range(count + 1)]

    def below(x, centre):
        return (-(x - centre) / sigma / arb(2).sqrt()).erfc() / 2

    def loss(x):
        return (1 - q + q * ((2 * x - 1) / (2 * sigma**2)).exp()).log()

    def law(centre):
        values = [arb(0), *(below(x, centre) for x in edges), arb(1)]
        return [b - a for a, b in itertools.pairwise(values)]

    absent, shifted = law(arb(0)), law(arb(1))
    present = [(1 - q) * a + q * b for a, b in zip(absent, shifted, strict=True)]
    least = (1 - q).log() if q < 1 else None
    ends = [least, *(loss(x) for x in edges), None]
    return [
        (p, a, low, high) for p, a, low, high in zip(present, absent, ends, ends[1:], strict=False)
    ]


def delta(steps, epsilon, removed=True):
    """Ends of δ(ε) of the product of steps, each (q, σ, cells): every combination of cells."""
    least = most = arb(0)
    ratio = arb(epsilon).exp()
    for row in itertools.product(*(cells(*each) for each in steps)):
        p, a = arb(1), arb(1)
        best, worst = arb(0), arb(0)
        for there, absent, low, high in row:
            p, a = p * there, a * absent
            best = None if best is None or high is None else best + high
            worst = None if worst is None or low is None else worst + low
        mass, other = (p, a) if removed else (a, p)
        extreme = best if removed else worst
        told = mass - ratio * other
        if told > 0:
            least += told
        if extreme is None:
            most += mass
        else:
            gap = 1 - (arb(epsilon) - (extreme if removed else -extreme)).exp()
            if gap > 0:
                most += mass * gap
    return float(least.lower()), float(most.upper())


def losses(rng, q, sigma, steps, draws, *, present):
    """The loss of removal in that many simulated trainings, with the record or without it."""
    total = np.zeros(draws)
    for _ in range(steps):
        x = rng.normal(0.0, sigma, draws)
        if present:
            x += rng.random(draws) < q
        total += np.log1p(q * np.expm1((2 * x - 1) / (2 * sigma**2)))
    return total
