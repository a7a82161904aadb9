"""Second ways to both ends of what batches tell, by closed forms, lists of cases and sums on grids.

Each check asserts that the ends hold it. Nothing of the laws is used: `test_planted_faults` plants
faults in them, and each has to fail one of these checks.
"""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb, ctx

from deniable.training.batches import ways
from deniable.training.batches.batched import BatchedTraining
from deniable.training.batches.curve import BatchCurve
from deniable.training.batches.laws import RatioLaw
from deniable.training.batches.sides import GaussianSide
from deniable.training.noisy_gradients.curve import Direction

REMOVE, ADD = Direction
EPSILONS = (0.0, 0.4, 1.1)
ATOMS = 160
ON_GRID = 2e-5
"""Absolute error of sums on grids, whose integrands have kinks."""


def curve_of(way: str, *numbers: float, **stated) -> BatchCurve:
    return BatchCurve(BatchedTraining(way, *numbers, **stated), ATOMS)


def below(x: float) -> float:
    """Φ(x)."""
    return math.erfc(-x / math.sqrt(2)) / 2


def gaussian(mu: float, epsilon: float) -> float:
    """δ(ε) of N(μ, 1) against N(0, 1)."""
    if mu == 0:
        return 0.0
    return below(mu / 2 - epsilon / mu) - math.exp(epsilon) * below(-mu / 2 - epsilon / mu)


def both(p: np.ndarray, q: np.ndarray, cell: float, epsilon: float) -> dict[Direction, float]:
    """H both ways, of densities on a grid."""
    k = math.exp(epsilon)
    return {
        REMOVE: float(np.maximum(p - k * q, 0).sum() * cell),
        ADD: float(np.maximum(q - k * p, 0).sum() * cell),
    }


def plane(sigma: float, reach: float = 8.0) -> tuple[np.ndarray, np.ndarray, float]:
    """Two outputs on a grid, and the area of a cell."""
    step = sigma / 40
    x = np.arange(-reach * sigma - 2, reach * sigma + 4, step)
    return x[:, None], x[None, :], step**2


def normal(x: np.ndarray, center: float, sigma: float) -> np.ndarray:
    return np.exp(-((x - center) ** 2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))


def is_upper_end(curve: BatchCurve, value: Callable[[float], float]) -> None:
    """The upper end is a closed form, to nine digits and on its side."""
    for epsilon, direction in itertools.product(EPSILONS, Direction):
        high, wanted = curve.delta(epsilon, direction).upper, value(epsilon)
        assert wanted * (1 - 1e-12) <= high <= wanted * (1 + 1e-9)
        assert curve.delta(epsilon, direction).lower <= wanted * (1 + 1e-12)


def is_enclosed(curve: BatchCurve, value: Callable[[float], dict[Direction, float]]) -> None:
    """Both ends hold what a grid gives."""
    for epsilon in EPSILONS:
        for direction, exact in value(epsilon).items():
            bound = curve.delta(epsilon, direction)
            assert bound.lower - ON_GRID <= exact <= bound.upper + ON_GRID, (epsilon, direction)


def passes_of_a_shuffle() -> None:
    is_upper_end(
        curve_of("shuffled", 2.0, 10, 3, extra_steps=4), lambda e: gaussian(math.sqrt(4) / 2, e)
    )
    replaced = curve_of("shuffled", 3.0, 10, 3, neighbours="replace-one")
    is_upper_end(replaced, lambda e: gaussian(2 * math.sqrt(3) / 3, e))
    sizes = {"records": 23, "batch_size": 5, "drop_last": True}
    share = 20 / 23

    def dropped(epsilon: float) -> float:
        return sum(
            math.comb(3, m)
            * share**m
            * (1 - share) ** (3 - m)
            * gaussian(math.sqrt(m) / 2, epsilon)
            for m in range(1, 4)
        )

    is_upper_end(curve_of("shuffled", 2.0, 4, 3, **sizes), dropped)
    once = curve_of("shuffled-once", 2.0, 4, 3, **sizes)
    is_upper_end(once, lambda e: share * gaussian(math.sqrt(3) / 2, e))


def several_in_a_shuffle() -> None:
    """Three records of seven, in batches of three: every place that they may have."""
    squares = []
    for places in itertools.combinations(range(7), 3):
        counts = [sum(place // 3 == t for place in places) for t in range(3)]
        squares.append(sum(count**2 for count in counts))
    stated = {"records": 7, "batch_size": 3, "records_per_person": 3}

    def anew(epsilon: float) -> float:
        pairs = list(itertools.product(squares, repeat=2))
        return sum(gaussian(math.sqrt(a + b) / 4, epsilon) for a, b in pairs) / len(pairs)

    def once(epsilon: float) -> float:
        return sum(gaussian(math.sqrt(2 * a) / 4, epsilon) for a in squares) / len(squares)

    is_upper_end(curve_of("shuffled", 4.0, 3, 2, **stated), anew)
    is_upper_end(curve_of("shuffled-once", 4.0, 3, 2, **stated), once)


def worst_fixed_order() -> None:
    """Five records of a person, in batches of two: the worst of all orders."""
    worst = max(
        sum(sum(place // 2 == t for place in places) ** 2 for t in range(4))
        for places in itertools.combinations(range(8), 5)
    )
    stated = {"records": 8, "batch_size": 2, "records_per_person": 5}
    curve = curve_of("fixed-order", 9.0, 4, 3, **stated)
    is_upper_end(curve, lambda e: gaussian(math.sqrt(3 * worst) / 9, e))
    curve = curve_of("fixed-order", 3.0, 4, 3, neighbours="replace-one", extra_steps=1)
    is_upper_end(curve, lambda e: gaussian(2 * math.sqrt(4) / 3, e))
    assert curve.advantage().lower >= gaussian(4 / 3, 0.0) * (1 - 1e-12)


def allocation_on_a_plane() -> None:
    """Two steps: anew, once for three epochs, and once with an epoch that is cut off."""
    for curve, first, second in (
        (curve_of("allocation", 1.0, 2, 1), 1.0, 1.0),
        (curve_of("allocation-once", 2.0, 2, 3), 3.0, 3.0),
        (curve_of("allocation-once", 1.0, 2, 1, extra_steps=1), 2.0, 1.0),
    ):
        x, y, cell = plane(1.0)
        q = normal(x, 0, 1) * normal(y, 0, 1)
        mu = [math.sqrt(each) / curve.training.noise_multiplier for each in (first, second)]
        p = (normal(x, mu[0], 1) * normal(y, 0, 1) + normal(x, 0, 1) * normal(y, mu[1], 1)) / 2
        is_enclosed(curve, lambda e, p=p, q=q, cell=cell: both(p, q, cell, e))


def cut_off_epochs() -> None:
    """An epoch of two steps, and one of which only the first was made."""
    axis = np.arange(-7, 8, 0.15)
    one = normal(axis, 1, 1) * 0.15, normal(axis, 0, 1) * 0.15
    p1, p0 = one
    p = (np.multiply.outer(p1, p0) + np.multiply.outer(p0, p1)) / 2
    p = np.multiply.outer(p, (p1 + p0) / 2)
    q = np.multiply.outer(np.multiply.outer(p0, p0), p0)
    curve = curve_of("allocation", 1.0, 2, 1, extra_steps=1)
    for epsilon in EPSILONS:
        for direction, exact in both(p, q, 1.0, epsilon).items():
            bound = curve.delta(epsilon, direction)
            assert bound.lower - 5e-4 <= exact <= bound.upper + 5e-4


def several_that_draw_alone() -> None:
    """A person of two or three records, each in one of two steps by its own coin."""
    for many in (2, 3):
        sigma = 2.0
        x, y, cell = plane(sigma)
        q = normal(x, 0, sigma) * normal(y, 0, sigma)
        p = sum(
            math.comb(many, j) / 2**many * normal(x, j, sigma) * normal(y, many - j, sigma)
            for j in range(many + 1)
        )
        curve = curve_of("allocation", sigma, 2, 1, records_per_person=many)
        is_enclosed(curve, lambda e, p=p, q=q, cell=cell: both(p, q, cell, e))


def several_in_one_step() -> None:
    """Epochs of one step: all records of a person are in each, and an exchange moves one twice."""
    for changes, stated in ((3, {"records_per_person": 3}), (2, {"neighbours": "replace-one"})):
        mu = changes * math.sqrt(2) / 3.0
        is_upper_end(curve_of("allocation", 3.0, 1, 2, **stated), lambda e, mu=mu: gaussian(mu, e))


def poisson_of_several() -> None:
    """Two steps, each with any of three records by a coin."""
    sigma, rate = 1.5, 0.5
    x, y, cell = plane(sigma)
    chances = [math.comb(3, j) * rate**3 for j in range(4)]

    def mixed(z: np.ndarray) -> np.ndarray:
        return sum(chance * normal(z, j, sigma) for j, chance in enumerate(chances))

    p, q = mixed(x) * mixed(y), normal(x, 0, sigma) * normal(y, 0, sigma)
    curve = curve_of("poisson", sigma, 2, 1, records_per_person=3)
    is_enclosed(curve, lambda e: both(p, q, cell, e))


def replaced_in_poisson_samples() -> None:
    """A record whose gradient is 1, or −1, in one step."""
    x = np.arange(-14, 14, 1e-3)

    def law(center: float) -> np.ndarray:
        return 0.5 * normal(x, center, 1.5) + 0.5 * normal(x, 0, 1.5)

    curve = curve_of("poisson", 1.5, 2, 1, neighbours="replace-one")
    for epsilon in EPSILONS:
        reached = both(law(1), law(-1), 1e-3, epsilon)
        for direction in Direction:
            assert reached[direction] <= curve.delta(epsilon, direction).upper + ON_GRID


def without_replacement() -> None:
    """Two steps on a plane: the attacks, and the pair of the larger of both halves."""
    sigma, rate = 3.0, 0.25
    x, y, cell = plane(sigma)
    sizes = {"records": 4, "batch_size": 1}

    def mixed(z: np.ndarray, center: float) -> np.ndarray:
        return rate * normal(z, center, sigma) + (1 - rate) * normal(z, 0, sigma)

    def twice(center: float) -> np.ndarray:
        return mixed(x, center) * mixed(y, center)

    numbers = ("without-replacement", sigma, 4, 0)
    add_remove = curve_of(*numbers, extra_steps=2, neighbours="add-remove", **sizes)
    is_enclosed(add_remove, lambda e: both(twice(2), twice(0), cell, e))
    for neighbours, silent in (("replace-one", 0.0), ("zero-out", 1.0)):
        curve = curve_of(*numbers, extra_steps=2, neighbours=neighbours, **sizes)
        for epsilon in EPSILONS:
            attack = both(twice(2), twice(silent), cell, epsilon)
            pair = _two_of_the_larger(rate, sigma, silent, math.exp(epsilon))
            bound = curve.delta(epsilon, REMOVE)
            assert attack[REMOVE] <= bound.upper + ON_GRID
            assert bound.lower <= bound.upper
            assert pair * (1 - 1e-3) <= bound.upper <= pair * 1.05


def _two_of_the_larger(rate: float, sigma: float, silent: float, k: float) -> float:
    """H_k of two steps of the pair whose curve is the larger of both halves': E_w w C(k/w)."""
    x = np.arange(-10 * sigma, 10 * sigma + 4, sigma / 120)
    with_ = rate * normal(x, 2, sigma) + (1 - rate) * normal(x, 0, sigma)
    middle = rate * normal(x, silent, sigma) + (1 - rate) * normal(x, 0, sigma)
    other = rate * normal(x, 2 - silent, sigma) + (1 - rate) * normal(x, 0, sigma)
    none = normal(x, 0, sigma)
    cell = x[1] - x[0]

    def excess(at: np.ndarray) -> np.ndarray:
        rising = np.maximum(with_ - np.multiply.outer(at, middle), 0).sum(1) * cell
        falling = np.maximum(none - np.multiply.outer(at, other), 0).sum(1) * cell
        return np.where(at > 1, rising, falling)

    top = math.log(float((with_ / middle).max()))
    low = math.log(float((none / other).min()))
    logs = np.linspace(low - 1e-3, top + 1e-3, 700)
    ratios = np.exp(logs)
    curve = excess(ratios)
    # The law of w, by the second differences of its curve: masses at the ratios themselves.
    slopes = np.diff(curve) / np.diff(ratios)
    masses = np.diff(np.concatenate([[-1.0], slopes, [0.0]]))
    inner = np.interp(k / ratios, ratios, curve, left=np.nan, right=0.0)
    inner = np.where(k / ratios < ratios[0], 1 - k / ratios, inner)
    return float((masses * ratios * inner).sum())


def laws_in_fractions() -> None:
    """What one law gives, in exact arithmetic: each number is on its side of it."""
    ratios, masses = [0.1, 0.7, 1.3, 2.9], [0.3, 0.4, 0.2, 0.1]
    atoms = [(Fraction(r), Fraction(m)) for r, m in zip(ratios, masses, strict=True)]
    for is_above in (True, False):
        law = RatioLaw(np.array(ratios), np.array(masses), 0.0, 0.0, is_above=is_above)
        sign = 1 if is_above else -1
        for k in (0.3, 1.0, 1.7, 2.2):
            exact = sum(m * max(r - Fraction(k), 0) for r, m in atoms)
            assert sign * Fraction(law.excess(k)) >= sign * exact
        missing = sum(m * max(1 - r, 0) for r, m in atoms)
        assert sign * Fraction(law.delta(0.0, ADD)) >= sign * missing
        for fpr in (0.05, 0.25, 0.6):
            power = min(
                sum(m * max(r - k, 0) for r, m in atoms) + k * Fraction(fpr) for k, _ in atoms
            )
            assert sign * Fraction(law.misses(fpr)) <= sign * (1 - power)


def roots_and_passes_in_high_precision() -> None:
    """√E/σ and the closed form of a Gaussian pass, each on its side."""
    ctx.prec = 300
    for passes, sigma, epsilon in ((2, 0.7, 0.3), (3, 1.1, 1.0), (7, 2.3, 0.5)):
        for is_above in (True, False):
            sign = 1 if is_above else -1
            root = Fraction(ways._root(passes, sigma, is_above=is_above))
            assert sign * root**2 >= sign * Fraction(passes) / Fraction(sigma) ** 2
            mu = math.sqrt(passes) / sigma
            a, b = arb(mu) / 2 - arb(epsilon) / arb(mu), -arb(mu) / 2 - arb(epsilon) / arb(mu)
            root2 = arb(2).sqrt()
            exact = (-a / root2).erfc() / 2 - arb(epsilon).exp() * (-b / root2).erfc() / 2
            side = arb(GaussianSide(mu, is_above=is_above).delta(epsilon, REMOVE))
            assert sign * side > sign * exact


CHECKS = (
    passes_of_a_shuffle,
    several_in_a_shuffle,
    worst_fixed_order,
    allocation_on_a_plane,
    cut_off_epochs,
    several_that_draw_alone,
    several_in_one_step,
    poisson_of_several,
    replaced_in_poisson_samples,
    without_replacement,
    laws_in_fractions,
    roots_and_passes_in_high_precision,
)
