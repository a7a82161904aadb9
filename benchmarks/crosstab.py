"""All two-way margins of 13 columns of Adult at one ρ: error of tables and of synthetic rows.

Run ``python -m benchmarks.crosstab``, or with a number of seeds; each ρ is a process of its own, so
that its memory is. ``DENIABLE_DATA`` names the folder of ``tables/adult.csv``. Mean and largest
total variation are over the 78 two-way tables, against the true ones. Where dpmm is installed, its
MST and AIM are measured beside; nothing is installed for them.
"""

import csv
import importlib.util
import itertools
import math
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from tests.oracles.margins import optimum

RHOS = sized((0.0155, 0.128), (0.128,))
"""Zero-concentrated DP of all margins together, add-remove, one row a person."""
MADE_UP = 200
"""People at a tiny size, of three columns with three cells each."""
BANDS = {
    "age": (20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70),
    "capital-gain": (1, 3000, 5000, 7000, 10000, 15000, 50000),
    "capital-loss": (1, 1500, 1700, 1900, 2100, 2500),
    "hours-per-week": (20, 30, 35, 40, 41, 45, 50, 55, 60),
}
"""Lower bounds of all bands but the first, in the column's unit."""
LEFT_OUT = ("fnlwgt", "education-num")
"""A weight, and what education says already."""


def codes() -> tuple[list[np.ndarray], tuple[int, ...]]:
    """The cell of each person in 13 columns, and how many cells each has with `other`."""
    if sized(False, True):
        people = np.random.default_rng(1).integers(0, 3, (3, MADE_UP))
        return list(people), (4, 4, 4)
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("DENIABLE_DATA", default))
    path = folder / "tables" / "adult.csv"
    if not path.is_file():
        print(f"no {path}, left out: set DENIABLE_DATA")
        sys.exit(0)
    with path.open(newline="") as file:
        people = list(csv.DictReader(file))
    columns, sizes = [], []
    for name in people[0]:
        if name in LEFT_OUT:
            continue
        values = [person[name] for person in people]
        if name in BANDS:
            columns.append(np.searchsorted(BANDS[name], np.array(values, float), side="right"))
            sizes.append(len(BANDS[name]) + 2)
        else:
            keys = {key: place for place, key in enumerate(sorted(set(values)))}
            columns.append(np.array([keys[value] for value in values]))
            sizes.append(len(keys) + 1)
    return columns, tuple(sizes)


def variation(first: np.ndarray, second: np.ndarray) -> float:
    """Total variation of two tables as distributions."""
    return float(np.abs(first / first.sum() - second / second.sum()).sum() / 2)


def measure_rho(rho: float, seeds: int) -> None:
    """Print the errors and the cost at one ρ."""
    from deniable.crosstabs.margins import half_widths
    from deniable.crosstabs.margins.design import residual_design, weigh
    from deniable.crosstabs.margins.layout import close_downwards, count_rows, measure
    from deniable.crosstabs.margins.reconstruct import reconstruct
    from deniable.crosstabs.margins.rows import synthetic_rows
    from deniable.crosstabs.margins.sensitivity import check_range, sensitivity
    from deniable.mechanisms import DiscreteGaussian
    from deniable.notions import Adjacency
    from tests.cases.exact_margins import variance

    rows, sizes = codes()
    n = len(rows[0])
    start = time.process_time()
    margins = close_downwards(sizes, itertools.combinations(range(len(sizes)), 2))
    weights = weigh(margins)
    design = residual_design(margins, weights)
    check_range(design)
    squared = sensitivity(design, Adjacency.ADD_REMOVE).squared_l2
    noise = DiscreteGaussian(math.sqrt(squared / (2 * rho)))
    widths = half_widths(design, noise)
    planned = time.process_time() - start
    expected = float(
        sum(weights[a] * variance(design, a) for a in margins.margins) * squared / (2 * rho)
    )
    *_, best = optimum(margins, weights, rho)
    exchanged = sensitivity(design, Adjacency.REPLACE_ONE, has_fixed_rows=False).squared_l2
    print(
        f"ρ = {rho}: {n:,} rows, {len(sizes)} columns, {len(margins.margins)} margins, "
        f"{sum(map(margins.cells, margins.margins)):,} cells\n"
        f"  total squared error {expected:.4g}, {100 * (expected / best - 1):.2f} % above the "
        f"optimum; replace-one costs {exchanged / squared:.2f} times the ρ; "
        f"plan {planned:.2f} s CPU"
    )
    truth = count_rows(margins, rows)
    pairs = margins.maximal()
    unbiased, synthetic, covered, seconds = [], [], [], []
    for seed in range(seeds):
        start = time.process_time()
        vector = measure(design, count_rows(margins, rows))
        vector = vector + noise.draws(np.random.default_rng(seed), len(vector))
        tables = {name: table.values() for name, table in reconstruct(design, vector).items()}
        rebuilt = time.process_time()
        made = synthetic_rows(design, vector, n)
        seconds.append((rebuilt - start, time.process_time() - rebuilt))
        unbiased.append([np.abs(tables[a] - truth[a]).sum() / (2 * n) for a in pairs])
        synthetic.append([variation(made.margins[a], truth[a]) for a in pairs])
        inside = [np.abs(tables[a] - truth[a]) <= widths[a].value for a in margins.margins]
        covered.append(np.concatenate([part.reshape(-1) for part in inside]).mean())
    names, cells = [a for a in margins.margins if len(a) == 1], {}
    for i, j in pairs:
        cells[i, j] = np.multiply.outer(truth[i,], truth[j,]) / n
    independent = [variation(cells[a], truth[a]) for a in pairs]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for label, values in (
        ("unbiased tables", unbiased),
        ("synthetic rows", synthetic),
        ("independent columns, without noise", [independent]),
    ):
        means = [np.mean(each) for each in values]
        spread = f" (seeds {min(means):.4f} to {max(means):.4f})" if len(values) > 1 else ""
        largest = np.mean([max(each) for each in values])
        print(f"  {label}: two-way total variation {np.mean(means):.4f}{spread}, max {largest:.3f}")
    rebuild, synthesis = np.mean(seconds, axis=0)
    print(
        f"  {100 * np.mean(covered):.2f} % of {len(names)} + {len(pairs)} tables' cells inside; "
        f"count, noise and tables {rebuild:.2f} s CPU, rows {synthesis:.2f} s, peak {memory:.0f} MB"
    )


PEERS = {"MST": {}, "AIM": {"max_model_size": 1}}
"""Pipelines of dpmm; a model of 1 MB is what AIM finishes with in minutes."""


def measure_peer(rho: float) -> None:
    """dpmm on the same cells, where it is installed; its ρ is the largest of an (ε, δ) of ours."""
    if importlib.util.find_spec("dpmm") is None:
        print("  dpmm is not installed: not compared")
        return
    import pandas as pd
    from dpmm import pipelines

    rows, _ = codes()
    names = [f"c{i}" for i in range(len(rows))]
    frame = pd.DataFrame(dict(zip(names, rows, strict=True)))
    delta = 1e-9
    epsilon = rho + 2 * math.sqrt(rho * math.log(1 / delta))
    for name, more in PEERS.items():
        start = time.process_time()
        made = getattr(pipelines, f"{name}Pipeline")
        peer = made(epsilon=epsilon, delta=delta, disable_processing=True, **more)
        peer.fit(frame)
        drawn = peer.generate(len(frame))
        errors = []
        for first, second in itertools.combinations(names, 2):
            ours = pd.crosstab(frame[first], frame[second])
            theirs = pd.crosstab(drawn[first], drawn[second])
            theirs = theirs.reindex(index=ours.index, columns=ours.columns, fill_value=0)
            errors.append(variation(ours.to_numpy(), theirs.to_numpy()))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"  dpmm {name}: two-way total variation {np.mean(errors):.4f}, max {max(errors):.3f}, "
            f"{time.process_time() - start:.1f} s CPU, peak {memory:.0f} MB",
            flush=True,
        )


def main() -> None:
    """Every ρ in a process of its own, or one."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else sized(10, 1)
    if len(sys.argv) > 2:
        measure_rho(float(sys.argv[2]), seeds)
        measure_peer(float(sys.argv[2]))
        return
    for rho in RHOS:
        command = [sys.executable, "-m", "benchmarks.crosstab", str(seeds), str(rho)]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
