"""The same release from a data frame and from Parquet: 5 million rows, each in its own process.

Shown is the CPU time of the exact totals of a grouped sum with truncation, its ratio to Parquet's,
and the largest memory beyond what the frame itself takes.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow.parquet as pq

from benchmarks._data import visits
from benchmarks._sizes import sized
from benchmarks.grouped_sum import QUERY, TRUNCATED
from deniable.publish.sources.reader import frame_of
from deniable.publish.sources.table import Source
from deniable.publish.totals.aggregate import exact_totals

ROWS = sized(5_000_000, 2_000)
DECLARED = {"person": "integer", "grp": "integer", "value": "number"}
"""Of columns of Python objects."""
WAYS: dict[str, Callable[[Path], object | None]] = {
    "Parquet": lambda path: None,  # noqa: ARG005
    "pyarrow": lambda path: pq.read_table(path),
    "pandas": lambda path: pd.read_parquet(path),
    "pandas, objects": lambda path: pd.read_parquet(path).astype(object),
    "polars": lambda path: pl.read_parquet(path),
    "polars, lazy": lambda path: pl.scan_parquet(path),
    "reader": lambda path: pq.read_table(path).to_reader(),
}


def measured(way: str, path: Path) -> dict[str, float]:
    """CPU seconds of the totals, and megabytes beyond what was held before."""
    data = WAYS[way](path)
    source = Source(path.name, path.parent)
    if data is not None:
        source = Source("memory", path.parent, frame=frame_of(data).with_declared(DECLARED))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    (found,) = exact_totals(source, "person", [(QUERY, TRUNCATED)])
    cpu = time.process_time() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"cpu": cpu, "more": (after - before) / 1024, "total": float(found.sum())}


def main() -> int:
    """Measure every way twice, and print the better one beside Parquet's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--way", choices=WAYS)
    arguments = parser.parse_args()
    path = visits(arguments.rows)
    if arguments.way:
        print(json.dumps(measured(arguments.way, path)))
        return 0
    base = 0.0
    for way in list(WAYS)[: sized(None, 1)]:
        command = [sys.executable, "-m", "benchmarks.frames", "--way", way]
        command += ["--rows", str(arguments.rows)]
        runs = [
            json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            for _ in range(sized(2, 1))
        ]
        best = min(runs, key=lambda run: run["cpu"])
        base = base or best["cpu"]
        figures = f"CPU {best['cpu']:6.2f} s  {best['cpu'] / base:5.2f} x Parquet"
        print(f"{way:<14} {figures}  {best['more']:6.0f} MB more", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
