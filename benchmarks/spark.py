"""The same totals from Parquet by Spark on this machine's cores, and by DuckDB.

Shown is the CPU time of everything (Python and Java) beyond the start of the session, for a grouped
sum with truncation and with scaling; needs the extra `spark` and Java.
"""

import argparse
import sys
import time

import attrs
import psutil
from pyspark.sql import SparkSession

from benchmarks._data import visits
from benchmarks._sizes import sized
from benchmarks.grouped_sum import QUERY, TRUNCATED
from deniable.notions import Adjacency
from deniable.publish.query import Protection
from deniable.publish.sources.reader import frame_of
from deniable.publish.sources.table import Source
from deniable.publish.totals.aggregate import exact_totals

ROWS = sized((2_000_000, 20_000_000), (2_000,))
SCALED = Protection(Adjacency.ADD_REMOVE, None, 100.0)


def cpu() -> float:
    """CPU seconds of this process and of those that it started."""
    own = psutil.Process()
    times = [each.cpu_times() for each in (own, *own.children(recursive=True))]
    return sum(each.user + each.system for each in times)


def main() -> int:
    """Measure both engines and both boundings; compare the totals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=ROWS)
    parser.add_argument("--memory", default="4g")
    arguments = parser.parse_args()
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.memory", arguments.memory).getOrCreate()
    session.range(1).count()
    for rows in arguments.rows:
        path = visits(rows)
        here = Source(path.name, path.parent)
        there = attrs.evolve(
            here, location="memory", frame=frame_of(session.read.parquet(str(path)))
        )
        for name, protection in (("truncated", TRUNCATED), ("scaled", SCALED)):
            found, told = [], []
            for source in (here, there):
                start, began = cpu(), time.perf_counter()
                found += exact_totals(source, "person", [(QUERY, protection)])
                told.append(f"{cpu() - start:.1f} s CPU, {time.perf_counter() - began:.0f} s")
            same = "" if name == "truncated" else f"; the same: {(found[0] == found[1]).all()}"
            print(f"{rows:,} rows, {name}: DuckDB {told[0]}; Spark {told[1]}{same}", flush=True)
    session.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
