"""Trees of wards in hospitals in regions: error against levels apart at one ρ, and the cost.

Run ``python -m benchmarks.trees``. Add-remove, one row an entity. *Apart* is one grouped count a
level and the total, each with its share of ρ: equal shares, as queries of a plan get, and those
under which their own total variance is least. *Hay* is least squares over counts of levels with
the best shares (Hay 2010), by dense matrices, so on the smallest tree only. Errors are standard
deviations in rows, the root mean square over a level's nodes, by the variances that are published.
"""

import resource
import sys
import time

import numpy as np

from benchmarks._help import end_for_help
from benchmarks._sizes import sized

RHO = 0.0155
"""Zero-concentrated DP of everything, as in the benchmark of crosstabs."""
SIZES = sized(((4, 12, 60), (22, 260, 10_000), (16, 400, 10_000, 100_000)), ((2, 3, 4),))
"""Nodes of each level below the root; families as uneven as a geometric law makes them."""


def uneven(sizes: tuple[int, ...], rng: np.random.Generator) -> tuple[tuple[int, ...], ...]:
    """Parents level by level; every node has a child, the others fall by geometric weights."""
    parents, above = [], 1
    for size in sizes:
        weights = rng.exponential(size=above)
        more = rng.choice(above, size - above, p=weights / weights.sum())
        parents.append(tuple(np.sort(np.concatenate([np.arange(above), more])).tolist()))
        above = size
    return tuple(parents)


def by_level(levels: list[list[dict]], scale: float) -> list[float]:
    """Root mean square of the standard deviations of each level's nodes, in rows."""
    result = []
    for level in levels:
        squares = {id(terms): sum(float(c) ** 2 * n for c, n in terms.items()) for terms in level}
        result.append(scale * float(np.mean([squares[id(terms)] for terms in level])) ** 0.5)
    return result


def apart(shares: np.ndarray) -> list[float]:
    """Of each level by itself, with a share of ρ."""
    return [float(1 / np.sqrt(2 * RHO * share)) for share in shares / shares.sum()]


def hay(parents: tuple[tuple[int, ...], ...]) -> list[float]:
    """Least squares over counts, with the shares that a search finds best for the total."""
    from scipy.optimize import minimize

    matrices = [np.eye(len(parents[-1]))]
    for places in reversed(parents):
        sums = np.zeros((max(places) + 1, len(places)))
        sums[places, range(len(places))] = 1
        matrices.insert(0, sums @ matrices[0])

    def variances(logarithms: np.ndarray) -> list[np.ndarray]:
        shares = np.exp(logarithms - logarithms.max())
        precision = sum(
            2 * RHO * share / shares.sum() * matrix.T @ matrix
            for share, matrix in zip(shares, matrices, strict=True)
        )
        inverse = np.linalg.inv(precision)
        return [np.einsum("ij,jk,ik->i", matrix, inverse, matrix) for matrix in matrices]

    best = minimize(
        lambda each: sum(level.sum() for level in variances(each)),
        np.zeros(len(matrices)),
        method="Nelder-Mead",
    )
    return [float(np.sqrt(level.mean())) for level in variances(best.x)]


def measure(sizes: tuple[int, ...]) -> None:
    """Print errors and times of one tree."""
    from deniable.crosstabs.margins import (
        TreeShape,
        measure_tree,
        rebuild_tree,
        tree_design,
        tree_error_terms,
        tree_half_widths,
        tree_sensitivity,
        whole_tree,
    )
    from deniable.mechanisms import DiscreteGaussian
    from deniable.notions import Adjacency

    rng = np.random.default_rng(1)
    parents = uneven(sizes, rng)
    shape, counts, times = TreeShape(parents), [1, *sizes], {}

    def timed(name, function, *arguments, **named):
        start = time.process_time()
        result = function(*arguments, **named)
        times[name] = time.process_time() - start
        return result

    print(f"{' › '.join(f'{size:,}' for size in counts)} nodes, ρ = {RHO}")
    for importance, named in (
        ([1.0] * len(counts), "1 each"),
        (
            [counts[-1] / size for size in counts],
            "levels alike",
        ),
    ):
        design = timed("split", tree_design, shape, importance)
        moves = timed("sensitivity", tree_sensitivity, design, Adjacency.ADD_REMOVE)
        scale = (moves.squared_l2 / (2 * RHO)) ** 0.5
        errors = by_level(tree_error_terms(design), scale)
        print(f"  tree, importance {named:12s} {_written(errors)}")
    equal = apart(np.ones(len(counts)))
    least = apart(np.sqrt(np.array(counts, float)))
    print(f"  apart, equal shares           {_written(equal)}")
    print(f"  apart, least total variance   {_written(least)}")
    if counts[-1] <= 500:
        print(f"  Hay, least total variance     {_written(hay(parents))}")
    truth = rng.poisson(20, len(shape.leaves)).astype(np.int64)
    vector = timed("measure", measure_tree, design, truth)
    noisy = vector + np.rint(rng.normal(0, scale, len(vector))).astype(np.int64)
    nodes = timed("rebuild", rebuild_tree, design, noisy)
    timed("whole numbers", whole_tree, shape, nodes)
    timed("half-widths", tree_half_widths, design, DiscreteGaussian(scale))
    cost = ", ".join(f"{name} {seconds:.2f}" for name, seconds in times.items())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  CPU s: {cost}; {memory:.0f} MB at most so far")


def _written(errors: list[float]) -> str:
    return "  ".join(f"{error:8.2f}" for error in errors)


def main() -> None:
    """All trees, or the first few of them."""
    for sizes in SIZES[: int(sys.argv[1]) if len(sys.argv) > 1 else None]:
        measure(sizes)


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
