r"""Ways of drawing batches, and what each tells of one record: bounds above, and attacks.

Gradients are clipped to 1, noise N(0, σ²) is added to their sum, T steps make an epoch, there are E
epochs, and steps may depend on outputs. The page `how-other-batches-are-enclosed` has the proofs.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction

import attrs
import numpy as np

from deniable.numerics.rounding import Ball, Directed, directed, float_up, lower, upper
from deniable.training.batches.batched import BatchedTraining, Batches, Neighbours
from deniable.training.batches.laws import (
    Fineness,
    RatioLaw,
    add,
    choose_knots,
    law_of_cells,
    multiply,
    normal_cells,
    power_of,
    sum_of,
)
from deniable.training.batches.sides import (
    Best,
    CurveSide,
    EqualChanges,
    GaussianSide,
    Later,
    Mixture,
    Side,
    TwoChanges,
)
from deniable.training.noisy_gradients import Phase, privacy_curve

GAP = 5e-4
"""Width of an advantage, as a share of it, that laws are made fine enough for."""
_MOST_CASES = 2_000
"""Cases that a bound is averaged over: more take seconds, and the worst of them bounds all."""


def enclose(training: BatchedTraining, fineness: Fineness) -> tuple[Side, Side]:
    """A bound above on δ of one record, and attacks that reach the other side."""
    return _ENCLOSE[training.batches](training, fineness)


def _later(training: BatchedTraining, make: Callable[[], Side], is_above: bool) -> Side:
    """A side by laws of ratios; where these leave the range of floats, the batches are known."""
    return Later(make, _as_if_known(training) if is_above else GaussianSide(0.0, is_above=False))


def _as_if_known(training: BatchedTraining) -> Side:
    """Gaussian passes of μ²/2 = ρ in all: a bound above, as if batches were known (δ is convex)."""
    with directed() as r:
        return GaussianSide(upper(r.sqrt(2 * r(training.rho()))), is_above=True)


def _allocation(training: BatchedTraining, fineness: Fineness) -> tuple[Side, Side]:
    """Random allocation: R is a mean of T independent likelihood ratios."""
    if training.records_per_person > 1:  # what is rounded to ∞ counts for each e^ε-fold
        # Share of what may be rounded away that is left where records change one after the other.
        fineness = Fineness(fineness.atoms, fineness.rare * 1e-9)
    one = attrs.evolve(training, records_per_person=1)
    sides = (
        _later(one, functools.partial(_allocated, training, fineness, is_above=is_above), is_above)
        for is_above in (True, False)
    )
    return _changed(training, *sides)


def _allocated(training: BatchedTraining, fineness: Fineness, *, is_above: bool) -> RatioLaw:
    """The law of one record's ratio under this allocation."""
    sigma, steps = training.noise_multiplier, training.steps_per_epoch
    epochs, extra = training.epochs, training.extra_steps

    def total(passes: int, count: int) -> RatioLaw:
        """The sum of ratios of so many steps, each made so many times."""
        root = _root(passes, sigma, is_above=is_above)
        return sum_of(_gaussian_ratio(root, fineness, is_above=is_above), count, fineness)

    if training.batches is Batches.ALLOCATION_ONCE:
        parts = []
        if extra:
            parts.append(total(epochs + 1, extra))
        if epochs:
            parts.append(total(epochs, steps - extra))
        law = functools.reduce(lambda a, b: add(a, b, fineness), parts)
        law = law if epochs else law.plus(steps - extra)
        return law.scaled(1 / steps)
    laws = []
    if epochs:
        laws.append(power_of(total(1, steps).scaled(1 / steps), epochs, fineness))
    if extra:
        laws.append(total(1, extra).plus(steps - extra).scaled(1 / steps))
    return functools.reduce(lambda a, b: multiply(a, b, fineness), laws)


def _root(passes: int, sigma: float, *, is_above: bool) -> float:
    """μ = √passes/σ of a step that is made so often, rounded to its side."""
    with directed() as r:
        ball = r.sqrt(r(passes)) / r(sigma)
        return upper(ball) if is_above else -upper(-ball)


@functools.lru_cache(maxsize=16)
def _gaussian_ratio(mu: float, fineness: Fineness, *, is_above: bool) -> RatioLaw:
    """The law of N(μ, 1) over N(0, 1), whose logarithm is μ y − μ²/2."""
    with directed() as r:
        reach = float(-r.normal_quantile(r(fineness.rare)))
        edges = [r(float(y)) for y in np.linspace(-reach, reach + mu, fineness.atoms)]
        ratios = [r.exp(r(mu) * y - r(mu) ** 2 / 2) for y in edges]
        q, p = normal_cells(r, edges, 0.0, 1.0), normal_cells(r, edges, mu, 1.0)
        return law_of_cells(ratios, q, p, is_above=is_above)


def _shuffled(training: BatchedTraining, fineness: Fineness) -> tuple[Side, Side]:
    """Shuffled epochs: above by telling the permutation, below by two attacks."""
    scale = 2.0 if training.neighbours is Neighbours.REPLACE_ONE else 1.0
    above = _gaussian_passes(training, scale)
    uncut = attrs.evolve(training, extra_steps=0)
    if not uncut.epochs:
        return above, GaussianSide(0.0, is_above=False)

    def attacks() -> Side:
        """What attacks reach on whole epochs, with all other gradients 0 and with all others −1."""
        once = uncut.batches is Batches.SHUFFLED_ONCE
        passes, repeats = (uncut.epochs, 1) if once else (1, uncut.epochs)
        mu = _root(passes, uncut.noise_multiplier / scale, is_above=False)
        share, steps = uncut.share, uncut.steps_per_epoch
        one = _gaussian_ratio(mu, fineness, is_above=False)
        mean = sum_of(one, steps, fineness).scaled(1 / steps)
        if share != 1:  # 1 − r + r R: the record is left out of an epoch with probability 1 − r
            mean = mean.scaled(float(share)).plus(float(1 - share))
        reached = [power_of(mean, repeats, fineness)]
        if scale == 1.0:
            largest = _largest_coordinate(mu, steps, share, fineness)
            reached.append(power_of(largest, repeats, fineness))
        return Best(tuple(reached), is_above=False)

    return above, _later(training, attacks, is_above=False)


def _gaussian_passes(training: BatchedTraining, scale: float) -> Side:
    """Gaussian passes: where the record stands is told, and so it is in one batch an epoch."""
    sigma, share = training.noise_multiplier, training.share
    once = training.batches is Batches.SHUFFLED_ONCE

    def passes(count: float) -> GaussianSide:
        with directed() as r:
            mu = upper(r(scale) * r.sqrt(r(count)) / r(sigma))
        return GaussianSide(mu, is_above=True)

    if training.records_per_person > 1:
        if training.drop_last:  # of a person's records some are left out: at most all count
            return passes(training.passes * training.records_per_person**2)
        most = training.passes * training.records_per_person**2
        if most > 2 * _MOST_CASES and not once:
            return passes(most)
        return Mixture(tuple((p, passes(n)) for n, p in _squares(training).items()))
    if share == 1 or (training.passes > _MOST_CASES and not once):
        return passes(training.passes)
    if once:
        return Mixture(((float_up(share), passes(training.passes)),))
    chances = [
        math.comb(training.passes, m) * share**m * (1 - share) ** (training.passes - m)
        for m in range(1, training.passes + 1)
    ]
    return Mixture(tuple((float_up(p), passes(m)) for m, p in enumerate(chances, 1) if p))


def _squares(training: BatchedTraining) -> dict[int, float]:
    r"""How probable each Σ m_t² is, over all epochs, for m records in batches of b out of n.

    The number of ways to place m of n records is :math:`[x^m] \\prod_t \\sum_j C(b_t, j) x^j`.
    """
    n, b, m = training.records, training.batch_size, training.records_per_person
    assert n is not None
    assert b is not None
    last = n - (n // b) * b

    def batch(size: int) -> dict[tuple[int, int], int]:
        return {(j, j * j): math.comb(size, j) for j in range(min(m, size) + 1)}

    def product(
        first: dict[tuple[int, int], int], second: dict[tuple[int, int], int]
    ) -> dict[tuple[int, int], int]:
        made = Counter[tuple[int, int]]()
        for ((i, s), ways), ((j, t), others) in itertools.product(first.items(), second.items()):
            if i + j <= m:
                made[i + j, s + t] += ways * others
        return made

    ways, power, left = {(0, 0): 1}, batch(b), n // b
    while left:
        ways = product(ways, power) if left & 1 else ways
        left >>= 1
        power = product(power, power) if left else power
    if last:
        ways = product(ways, batch(last))
    of_all = math.comb(n, m)
    one = {s: Fraction(count, of_all) for (i, s), count in ways.items() if i == m}
    if training.batches is Batches.SHUFFLED_ONCE:
        return {s * training.passes: float(p) * (1 + 2**-52) for s, p in one.items()}
    floats = {s: float(p) for s, p in one.items()}
    law: dict[int, float] = {0: 1.0}
    for _ in range(training.passes):
        summed = defaultdict[int, float](float)
        for (s, p), (t, q) in itertools.product(law.items(), floats.items()):
            summed[s + t] += p * q
        law = summed
    slack = 1 + training.passes * (len(law) + 4) * 2.0**-52
    return {s: p * slack for s, p in law.items()}


def _largest_coordinate(mu: float, steps: int, share: Fraction, fineness: Fineness) -> RatioLaw:
    """The attack that sees only the largest of T coordinates, all other gradients −1.

    The record's step is N(2μ, 1) where it speaks and N(μ, 1) where it is silent, the others N(0, 1)
    (chua-2024, chua-ghazi-2024). Cells of the largest coordinate are told, and no more.
    """
    with directed() as r:
        reach = float(-r.normal_quantile(r(fineness.rare)))
        start = float(r.normal_quantile(r.exp(r.log(fineness.rare) / steps)))
        edges = [r(float(c)) for c in np.linspace(start, 2 * mu + reach, fineness.atoms)]
        bases, kept = [r.normal_cdf(edge) for edge in edges], r(share)

        def law(center: float) -> list[Ball]:
            values = [r(0)]
            for edge, base in zip(edges, bases, strict=True):
                shifted = kept * r.normal_cdf(edge - r(center))
                values.append(base ** (steps - 1) * (shifted + (1 - kept) * base))
            values.append(r(1))
            return [b - a for a, b in itertools.pairwise(values)]

        return law_of_cells(edges, law(mu), law(2 * mu), is_above=False)


def _fixed_order(training: BatchedTraining, fineness: Fineness) -> tuple[Side, Side]:
    """Passes of the worst order: a person's records fill the first batches, as far as they fit."""
    del fineness
    change = 2 if training.neighbours is Neighbours.REPLACE_ONE else 1
    many, size = training.records_per_person, training.batch_size or training.records_per_person
    batches = [size] * (many // size) + [many % size] * (many % size > 0)
    full, cut = (sum(m * m for m in batches[:steps]) for steps in (None, training.extra_steps))
    with directed() as r:
        mu = change * r.sqrt(r(training.epochs * full + cut)) / r(training.noise_multiplier)
        return GaussianSide(upper(mu), is_above=True), GaussianSide(lower(mu), is_above=False)


def _without_replacement(training: BatchedTraining, fineness: Fineness) -> tuple[Side, Side]:
    """The pair of one step, composed; and attacks that reach one of its two halves.

    A batch of fixed size is drawn anew in every step: γ = b/n. M is γ N(2) + (1 − γ) N(0).
    Replace-one: M against N(0) both ways. Zero-out: M against γ N(1) + (1 − γ) N(0) where it is
    removed, that against N(0) where it is added. Add-remove, b kept: M against N(0), as Poisson
    sampling at σ/2.
    """
    assert training.records is not None
    assert training.batch_size is not None
    rate = Fraction(training.batch_size, training.records)
    sigma, steps = training.noise_multiplier, training.steps

    def composed(shift: float) -> Side:
        mu = _root(1, sigma, is_above=True)
        return power_of(_two_halves(mu, rate, shift, fineness.of(1, steps)), steps, fineness)

    if training.neighbours is not Neighbours.ZERO_OUT:
        above, below = _poisson_sides(sigma / 2, rate, steps)
        if training.neighbours is Neighbours.REPLACE_ONE:
            above = _later(training, functools.partial(composed, 2.0), is_above=True)
        return above, below

    def attacks() -> Side:
        half = _one_half(_root(1, sigma, is_above=False), rate, fineness.of(1, steps))
        reached = power_of(half, steps, fineness), _poisson_sides(sigma, rate, steps)[1]
        return Best(reached, is_above=False)

    above = _later(training, functools.partial(composed, 1.0), is_above=True)
    return above, _later(training, attacks, is_above=False)


def _mixture_cells(r: Directed, edges: Sequence[Ball], rate: Fraction, center: Ball) -> list[Ball]:
    """What γ N(c, 1) + (1 − γ) N(0, 1) gives to cells."""
    moved = [edge - center for edge in edges]
    there, away = normal_cells(r, moved, 0.0, 1.0), normal_cells(r, edges, 0.0, 1.0)
    return [r(rate) * a + (1 - r(rate)) * b for a, b in zip(there, away, strict=True)]


def _ratio(r: Directed, y: Ball, rate: Fraction, top: Ball, bottom: Ball) -> Ball:
    """(γ e^(top y − top²/2) + 1 − γ) over the same with `bottom`."""

    def density(center: Ball) -> Ball:
        return r(rate) * r.exp(center * y - center**2 / 2) + (1 - r(rate))

    return density(top) / density(bottom)


def _two_halves(mu: float, rate: Fraction, shift: float, fineness: Fineness) -> RatioLaw:
    """The pair whose C is the larger of both directions'.

    `shift` 2: M over N(0) where the ratio is above 1, and its inverse below. `shift` 1: M over
    M₁ = γ N(μ) + (1 − γ) N(0) above 1, and N(0) over M₁ below.
    """
    with directed() as r:
        unit = r(mu)
        reach = float(-r.normal_quantile(r(fineness.rare)))
        count = fineness.atoms // 2
        silent = r(0) if shift == 2.0 else unit
        # Above 1: Q is the law with `silent`, P that with 2 μ; they meet at (2 μ + silent)/2.
        start = (2 * unit + silent) / 2
        edges = [start + (r(reach) + unit) * i / count for i in range(count + 1)]
        ratios = [_ratio(r, y, rate, 2 * unit, silent) for y in edges]
        up_q = _mixture_cells(r, edges, rate, silent)[1:]
        up_p = _mixture_cells(r, edges, rate, 2 * unit)[1:]
        # Below 1: Q is the larger law, P that with N(0); they meet at half of the center.
        center = 2 * unit if shift == 2.0 else unit
        edges = [center / 2 + (r(reach) + unit) * i / count for i in range(count + 1)]
        falling = [1 / _ratio(r, y, rate, center, r(0)) for y in edges]
        down_q = _mixture_cells(r, edges, rate, center)[1:]
        down_p = normal_cells(r, edges, 0.0, 1.0)[1:]
        middle_q = 1 - sum(up_q, r(0)) - sum(down_q, r(0))
        knots = [*reversed(falling[1:]), r(1), *ratios[1:]]
        q = [*reversed(down_q), *up_q]
        p = [*reversed(down_p), *up_p]
        law = law_of_cells(knots, q, p, is_above=True)
        masses = law.masses.copy()
        masses[1 + count] += max(upper(middle_q), 0.0)
        return attrs.evolve(law, masses=masses)


def _one_half(mu: float, rate: Fraction, fineness: Fineness) -> RatioLaw:
    """The attack with all other gradients −1: M against γ N(μ) + (1 − γ) N(0)."""
    with directed() as r:
        unit, reach = r(mu), float(-r.normal_quantile(r(fineness.rare)))
        width = 2 * r(reach) + 2 * unit
        edges = [width * i / (fineness.atoms - 1) - r(reach) for i in range(fineness.atoms)]
        q = _mixture_cells(r, edges, rate, unit)
        return law_of_cells(edges, q, _mixture_cells(r, edges, rate, 2 * unit), is_above=False)


def _poisson(training: BatchedTraining, fineness: Fineness) -> tuple[Side, Side]:
    """Poisson sampling, of one record or of several that one person has."""
    sigma, rate = training.noise_multiplier, Fraction(1, training.steps_per_epoch)
    if training.records is not None and training.batch_size is not None:
        rate = Fraction(training.batch_size, training.records)
    many, replaces = training.records_per_person, training.neighbours is Neighbours.REPLACE_ONE
    if many == 1 and not replaces:
        return _poisson_sides(sigma, rate, training.steps)
    make = functools.partial(_several, training, rate, fineness)
    above, below = (
        _later(training, functools.partial(make, is_above=is_above), is_above)
        for is_above in (True, False)
    )
    return _changed(training, above, below) if replaces else (above, below)


@functools.lru_cache(maxsize=4)
def _poisson_sides(sigma: float, rate: Fraction, steps: int) -> tuple[Side, Side]:
    """Both sides of the curve of Poisson sampling, the rate rounded to each."""
    most = float_up(rate)
    least = most if Fraction(most) == rate else math.nextafter(most, 0)
    above, below = (privacy_curve([Phase(sigma, each, steps)], gap=GAP) for each in (most, least))
    below = attrs.evolve(below, end="lower")
    return CurveSide(above, is_above=True), CurveSide(below, is_above=False)


def _several(
    training: BatchedTraining, rate: Fraction, composed: Fineness, *, is_above: bool
) -> RatioLaw:
    """Steps of Σ_j Bin(m, q)(j) N(jμ, 1) against N(0, 1), of m records of one (charles-2024)."""
    many, fineness = training.records_per_person, composed.of(1, training.steps)
    with directed() as r:
        unit = r(_root(1, training.noise_multiplier, is_above=is_above))
        reach = float(-r.normal_quantile(r(fineness.rare)))
        chances = [
            r(math.comb(many, j) * rate**j * (1 - rate) ** (many - j)) for j in range(many + 1)
        ]
        # Where the ratio has its knots, in y.
        mu, wide = float(unit), np.linspace(-reach, reach + many * float(unit), 16 * fineness.atoms)
        counts = np.arange(many + 1)
        often = float(rate)
        about = np.array(
            [math.comb(many, j) * often**j * (1 - often) ** (many - j) for j in counts.tolist()]
        )
        with np.errstate(over="ignore"):
            ratios = np.exp(np.multiply.outer(wide, counts * mu) - (counts * mu) ** 2 / 2) @ about
        masses = np.exp(-(wide**2) / 2) * (wide[1] - wide[0]) / math.sqrt(2 * math.pi)
        knots = np.interp(choose_knots(ratios, masses, fineness), ratios, wide)
        edges = [r(float(each)) for each in np.unique(knots)]

        def ratio(y: Ball) -> Ball:
            terms = (c * r.exp(j * unit * y - (j * unit) ** 2 / 2) for j, c in enumerate(chances))
            return sum(terms, r(0))

        q = normal_cells(r, edges, 0.0, 1.0)
        moved = [
            normal_cells(r, [edge - j * unit for edge in edges], 0.0, 1.0) for j in range(many + 1)
        ]
        p = [
            sum((c * cells[i] for c, cells in zip(chances, moved, strict=True)), r(0))
            for i in range(len(q))
        ]
        law = law_of_cells([ratio(y) for y in edges], q, p, is_above=is_above)
    return power_of(law, training.steps, composed)


def _changed(training: BatchedTraining, above: Side, below: Side) -> tuple[Side, Side]:
    """Two changes for replace-one; one after the other for several records of one person."""
    many, replaces = training.records_per_person, training.neighbours is Neighbours.REPLACE_ONE
    if many == 1 and not replaces:
        return above, below
    changes: Side = EqualChanges(above, many)
    if replaces or many == 2:
        changes = TwoChanges(above, above, turns=replaces)
    return Best((changes, _as_if_known(training)), is_above=True), below


_ENCLOSE: dict[Batches, Callable[[BatchedTraining, Fineness], tuple[Side, Side]]] = {
    Batches.POISSON: _poisson,
    Batches.ALLOCATION: _allocation,
    Batches.ALLOCATION_ONCE: _allocation,
    Batches.SHUFFLED: _shuffled,
    Batches.SHUFFLED_ONCE: _shuffled,
    Batches.FIXED_ORDER: _fixed_order,
    Batches.WITHOUT_REPLACEMENT: _without_replacement,
}
