"""The same totals from a local PostgreSQL server and from Parquet: 20 million rows x 3 columns.

Shown is the CPU time of a grouped sum with truncation, in this process and in the server, the ratio
of the first, and of both together, to Parquet's, and the largest memory. Promised: 2.5 x Parquet in
wall time on a quiet machine, and 2 GB.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from benchmarks._data import visits
from benchmarks._sizes import sized
from benchmarks.grouped_sum import QUERY, TRUNCATED
from deniable.publish.sources.table import Source
from deniable.publish.totals.aggregate import exact_totals
from tests.cases.postgres_server import Server, server
from tests.cases.programs import find

ROWS, RUNS = sized((20_000_000, 2), (2_000, 1))
CHUNK = 2**22
TABLE = "CREATE UNLOGGED TABLE visits (person bigint, grp integer, value double precision)"
CHILDREN = slice(13, 15)
"""Where /proc says the processor time of children that have ended, after the program's name."""


def loaded(running: Server, path: Path) -> str:
    """The rows of a Parquet file in the server; what a plan calls them."""
    with tempfile.TemporaryDirectory() as folder, running.connect() as session:
        rows = Path(folder) / "visits.csv"
        duckdb.sql(f"COPY (FROM '{path}') TO '{rows}' (FORMAT csv, HEADER false)")
        session.execute(TABLE)
        copying = session.cursor().copy("COPY visits FROM STDIN (FORMAT csv)")
        with rows.open("rb") as text, copying as copy:
            while chunk := text.read(CHUNK):
                copy.write(chunk)
        session.execute("VACUUM ANALYZE visits")
    return running.location("public.visits")


def server_seconds(running: Server) -> float:
    """CPU seconds of all sessions that have ended."""
    number = (running.folder / "rows" / "postmaster.pid").read_text().split()[0]
    fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[CHILDREN])) / os.sysconf("SC_CLK_TCK")


def measured(location: str) -> dict[str, float]:
    """CPU seconds and peak megabytes of the totals, in this process."""
    start, wall = time.process_time(), time.perf_counter()
    (found,) = exact_totals(Source(location, Path()), "person", [(QUERY, TRUNCATED)])
    cpu, wall = time.process_time() - start, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"cpu": cpu, "wall": wall, "peak": peak, "total": float(found.sum())}


def in_a_process(location: str) -> dict[str, float]:
    """The same in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.postgres", "--location", location]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    result: dict[str, float] = json.loads(found)
    return result


def main() -> int:
    """Measure both twice, in turn, and print the better ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--location")
    arguments = parser.parse_args()
    if arguments.location:
        print(json.dumps(measured(arguments.location)))
        return 0
    if find("initdb") is None:
        print("PostgreSQL: no server is installed, left out")
        return 0
    path = visits(arguments.rows)
    with server() as running:
        table, runs = loaded(running, path), []
        for _ in range(RUNS):
            before = server_seconds(running)
            pulled = in_a_process(table)
            pulled["server"] = server_seconds(running) - before
            runs.append((in_a_process(str(path)), pulled))
    totals = [run["total"] for pair in runs for run in pair]
    if max(totals) > 1.01 * min(totals):  # each with a salt of its own
        raise AssertionError("two sources disagree")
    file = min((file for file, _ in runs), key=lambda run: run["cpu"])
    best = min((pulled for _, pulled in runs), key=lambda run: run["cpu"])
    both = best["cpu"] + best["server"]
    print(
        f"Parquet     CPU {file['cpu']:6.1f} s  wall {file['wall']:6.1f} s  {file['peak']:5.0f} MB"
    )
    print(
        f"PostgreSQL  CPU {best['cpu']:6.1f} s  wall {best['wall']:6.1f} s  {best['peak']:5.0f} MB"
    )
    print(f"in the server   {best['server']:6.1f} s")
    print(f"ratio {best['cpu'] / file['cpu']:.2f}, with the server {both / file['cpu']:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
