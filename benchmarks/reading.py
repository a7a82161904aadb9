"""CPU time of reading a column of a million cells: decimals, moments, days, numbers and objects.

With ``--before TREE``, another checkout of this repository, processes of both take turns, and the
median ratio of the pairs is shown beside the medians: a busy machine slows both.
"""

import argparse
import datetime
import decimal
import functools
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from benchmarks._sizes import sized

ROWS, PAIRS = sized((1_000_000, 2), (100, 1))
FOLDER = Path(__file__).resolve().parent.parent
NUMBER = "(hash(i) % 100000000) / 100.0"
MOMENT = "make_timestamp(1600000000000000 + (hash(i) % 100000000000000)::BIGINT)"
PARQUET = {
    "DECIMAL(9, 2)": f"({NUMBER})::DECIMAL(9, 2)",
    "DECIMAL(18, 2)": f"({NUMBER})::DECIMAL(18, 2)",
    "DECIMAL(38, 10)": f"({NUMBER})::DECIMAL(38, 10)",
    "timestamps": MOMENT,
    "TINYINT": "(hash(i) % 100)::TINYINT",
}
"""Columns of a Parquet file, in the engine's language."""
CSV = {
    "timestamp": ("timestamp", f"strftime({MOMENT}, '%Y-%m-%d %H:%M:%S')"),
    "timestamp, Z": ("timestamp", f"strftime({MOMENT}, '%Y-%m-%dT%H:%M:%S.%fZ')"),
    "timestamp, +05:30": ("timestamp", f"strftime({MOMENT}, '%Y-%m-%d %H:%M:%S+05:30')"),
    "timestamp, Europe/Berlin": (
        "timestamp",
        f"strftime({MOMENT}, '%Y-%m-%d %H:%M:%S Europe/Berlin')",
    ),
    "date": ("date", f"strftime({MOMENT}, '%Y-%m-%d')"),
    "number": ("number", f"({NUMBER})::DECIMAL(9, 2)"),
}
"""What a column is declared as, and its texts in the engine's language."""
_SOURCES = "deniable.publish.sources", "deniable.sources"
"""Where tables are read: now, and before decision 59."""


def tables(name: str) -> Any:
    """The module of that name, of whichever checkout runs."""
    for package in _SOURCES:
        try:
            return importlib.import_module(f"{package}.{name}")
        except ModuleNotFoundError:
            continue
    raise ModuleNotFoundError(name)


def in_memory(data: object, types: dict[str, str] | None = None) -> Any:
    """A source of a table that is handed over."""
    try:
        frames = tables("reader")
    except ModuleNotFoundError:  # an older commit
        frames = tables("frames")
    frame = frames.frame_of(data)
    declare = getattr(frames, "with_declared", None)
    if types and hasattr(frame, "with_declared"):
        frame = frame.with_declared(types)
    elif types and declare is not None:
        frame = declare(frame, types)
    return tables("table").Source("memory", Path(), types or {}, frame=frame)


def objects(made: Callable[[int], object], rows: int) -> Any:
    """A pandas column of Python objects."""
    column = np.empty(rows, dtype=object)
    column[:] = [made(number) for number in range(rows)]
    return pd.DataFrame({"x": pd.Series(column, dtype=object)})


def sources(folder: Path, rows: int) -> dict[str, Callable[[], Any]]:
    """Ways to a source; what it is made of is made before."""
    of, ways = tables("table").Source, dict[str, Callable[[], Any]]()
    for number, (name, written) in enumerate(PARQUET.items()):
        path = folder / f"{number}.parquet"
        if not path.is_file():
            copy = f"COPY (SELECT {written} AS x FROM range({rows}) AS r(i)) TO '{path}'"
            duckdb.sql(f"{copy} (FORMAT parquet)")
        ways[f"Parquet, {name}"] = functools.partial(of, path.name, folder)
    for number, (name, (kind, written)) in enumerate(CSV.items()):
        path = folder / f"{number}.csv"
        if not path.is_file():
            duckdb.sql(f"COPY (SELECT {written} AS x FROM range({rows}) AS r(i)) TO '{path}'")
        ways[f"CSV, {name}"] = functools.partial(of, path.name, folder, {"x": kind})
    decimals = pq.read_table(folder / "1.parquet")
    ways["pyarrow, decimal128(18, 2)"] = lambda: in_memory(decimals)
    ways["pandas, decimal128(18, 2)"] = lambda: in_memory(
        decimals.to_pandas(types_mapper=pd.ArrowDtype)
    )
    first = datetime.datetime(2024, 1, 1)
    moments = objects(lambda number: first + datetime.timedelta(seconds=number), rows)
    amounts = objects(lambda number: decimal.Decimal(number).scaleb(-2), rows)
    ways["pandas, objects, moments"] = lambda: in_memory(moments, {"x": "timestamp"})
    ways["pandas, objects, Decimal"] = lambda: in_memory(amounts, {"x": "number"})
    return ways


def measured(folder: Path, rows: int, only: str) -> dict[str, float]:
    """CPU seconds of reading each, once as values and once as entities; the second of two."""
    table, seconds = tables("table"), {}
    open_table = getattr(table, "open_table", None) or table.opened
    ways = sources(folder, rows)
    for name, source in ((each, ways[each]) for each in ways if only in each):
        for entity in (None, "x"):
            for _ in range(2):
                start = time.process_time()
                with open_table(source(), ["x"], entity=entity) as data:
                    column = data.table["x" if entity is None else data.entity]
                    data.engine.rows(data.table.aggregate(last=column.max()))
                seconds[name + (", entity" if entity else "")] = time.process_time() - start
    return seconds


def _of_tree(tree: Path, arguments: list[str]) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.reading", "--once", *arguments]
    environment = os.environ | {"PYTHONPATH": str(tree / "src")}
    ended = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=FOLDER, env=environment
    )
    seconds: dict[str, float] = json.loads(ended.stdout)
    return seconds


def main() -> int:
    """Measure every way several times, and print medians; 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--only", default="", help="ways with this in their names")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--once", action="store_true")
    arguments = parser.parse_args()
    if arguments.once:
        print(json.dumps(measured(arguments.folder, arguments.rows, arguments.only)))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        passed = ["--rows", str(arguments.rows), "--folder", temporary, "--only", arguments.only]
        trees = [FOLDER] if arguments.before is None else [FOLDER, arguments.before.resolve()]
        runs: list[list[dict[str, float]]] = [[] for _ in trees]
        for turn in range(arguments.pairs):
            for place in range(len(trees))[:: 1 if turn % 2 else -1]:
                runs[place].append(_of_tree(trees[place], passed))
    for name in runs[0][0]:
        seconds = [[run[name] for run in each] for each in runs]
        line = f"{name:<42} {statistics.median(seconds[0]):6.2f} s"
        if len(trees) > 1:
            ratios = [now / before for now, before in zip(*seconds, strict=True)]
            line += f"  {statistics.median(seconds[1]):6.2f} s before"
            line += f"  {statistics.median(ratios):5.2f} x"
            line += f"  ({min(ratios):.2f} to {max(ratios):.2f})"
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
