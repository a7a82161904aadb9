"""A grouped sum over 20 million rows and 1 million entities, with both kinds of bounding.

Beside ours: the same bounding written by hand in DuckDB's SQL (truncation also with a heap in
place of the window), no privacy at all, and OpenDP's own Context, where the Python that
$DENIABLE_OPENDP_PYTHON names, or this one, has opendp[polars].
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import attrs
import duckdb

from benchmarks._data import GROUPS, LARGEST, visits
from benchmarks._sizes import sized
from deniable.notions import Adjacency
from deniable.publish.query import Grouping, Protection, Query
from deniable.publish.sources.table import Source
from deniable.publish.statistics.sum import Sum
from deniable.publish.totals.aggregate import exact_totals

ROWS, ROWS_PER_ENTITY, MAX_CONTRIBUTION = sized(20_000_000, 2_000), 10, 500.0
STATISTIC = Sum("value", (0.0, LARGEST))
QUERY = Query("sum", STATISTIC, Grouping(("grp",), (tuple(range(GROUPS)),)))
HERE = Path(__file__).resolve()

UNITS = f"CAST(floor(least(greatest(value, 0), {LARGEST}) / {STATISTIC.step!r} + 0.5) AS BIGINT)"
HASH = "md5_number(concat_ws(';', 'a fresh secret salt', person, grp, value))"
LIMIT = int(MAX_CONTRIBUTION / STATISTIC.step)
PLAIN = f"SELECT grp, sum({UNITS}) FROM visits GROUP BY grp"
WINDOW = f"""
SELECT grp, sum({UNITS}) FROM (
    SELECT grp, value FROM visits
    QUALIFY row_number() OVER (PARTITION BY person ORDER BY {HASH}) <= {ROWS_PER_ENTITY}
) GROUP BY grp"""
HEAP = f"""
SELECT grp, sum({UNITS}) FROM (
    SELECT unnest(min({{'h': {HASH}, 'grp': grp, 'value': value}}, {ROWS_PER_ENTITY}),
                  recursive := true)
    FROM visits GROUP BY person
) GROUP BY grp"""
SCALE = f"""
WITH cells AS (
    SELECT person, grp, CAST(sum({UNITS}) AS BIGINT) AS v FROM visits GROUP BY person, grp
), norms AS (SELECT person, sum(abs(v)) AS norm FROM cells GROUP BY person)
SELECT grp, sum(CASE WHEN norm > {LIMIT} THEN CAST(trunc(v * ({LIMIT} / norm)) AS BIGINT) ELSE v
                END) FROM cells JOIN norms USING (person) GROUP BY grp"""


@attrs.frozen
class Measured:
    """One way of computing the sum, in a process of its own."""

    seconds: float
    cpu: float
    peak: float
    total: float


def ours(path: Path, protection: Protection) -> float:
    """The total by the production code, with its default memory limit."""
    source = Source(path.name, path.parent)
    (found,) = exact_totals(source, "person", [(QUERY, protection)])
    return float(found.sum()) * STATISTIC.step


def by_hand(path: Path, query: str) -> float:
    """The total by plain SQL, with DuckDB's own defaults."""
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW visits AS FROM '{path}' WHERE person IS NOT NULL")
        return float(sum(row[1] for row in connection.execute(query).fetchall())) * STATISTIC.step


TRUNCATED = Protection(Adjacency.REPLACE_ONE, ROWS_PER_ENTITY)
SCALED = Protection(Adjacency.REPLACE_ONE, None, MAX_CONTRIBUTION)
WAYS: dict[str, Callable[[Path], float]] = {
    "no privacy, DuckDB": lambda path: by_hand(path, PLAIN),
    "truncation, ours": lambda path: ours(path, TRUNCATED),
    "truncation, DuckDB window": lambda path: by_hand(path, WINDOW),
    "truncation, DuckDB heap": lambda path: by_hand(path, HEAP),
    "scaling, ours": lambda path: ours(path, SCALED),
    "scaling, DuckDB": lambda path: by_hand(path, SCALE),
}


def run(command: list[str], stderr: int | None = None) -> Measured:
    """Run a process that prints its seconds and total; its peak memory is the system's figure."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=stderr, text=True, cwd=HERE.parents[1]
    ) as child:
        printed = child.stdout.read() if child.stdout else ""
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    answer = json.loads(printed)
    unit = 1 if sys.platform == "darwin" else 1024
    return Measured(peak=usage.ru_maxrss * unit / 1e6, **answer)


def median(command: list[str], runs: int, stderr: int | None = None) -> Measured:
    """The run of median time, and the largest peak of all."""
    found = sorted((run(command, stderr) for _ in range(runs)), key=lambda each: each.seconds)
    return attrs.evolve(found[len(found) // 2], peak=max(each.peak for each in found))


def opendp_python() -> str | None:
    """A Python that has opendp[polars]."""
    python = os.environ.get("DENIABLE_OPENDP_PYTHON", sys.executable)
    found = subprocess.run(
        [python, "-c", "import opendp, polars"], capture_output=True, check=False
    )
    return None if found.returncode else python


def versions(python: str) -> str:
    """Which opendp and polars an environment has, for a comparison that fails."""
    words = "from importlib.metadata import version as v; print('opendp', v('opendp'), end=', ');"
    words += "print('polars', v('polars'))"
    done = subprocess.run([python, "-c", words], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def show(title: str, found: Measured, whole: float) -> None:
    """Print a line."""
    times = f"{found.seconds:6.2f} s  CPU {found.cpu:6.2f} s  peak {found.peak:6.0f} MB"
    print(f"{title:<28} {times}  {found.total / whole:6.1%} of the total kept", flush=True)


def compare(path: Path, runs: int) -> None:
    """Measure every way, print each and the ratios of ours to the same by hand."""
    found: dict[str, Measured] = {}
    for title in list(WAYS)[: sized(None, 2)]:
        command = [sys.executable, "-m", "benchmarks.grouped_sum", "--way", title, str(path)]
        found[title] = median(command, runs)
        show(title, found[title], found["no privacy, DuckDB"].total)
    if python := sized(opendp_python, lambda: None)():
        arguments = [str(path), str(ROWS_PER_ENTITY), str(GROUPS), str(LARGEST)]
        command = [python, str(HERE.with_name("_opendp_context.py")), *arguments]
        try:
            context = median(command, runs, subprocess.DEVNULL)
        except subprocess.CalledProcessError:
            print(f"truncation, OpenDP Context   not measured: it fails with {versions(python)}")
        else:
            show("truncation, OpenDP Context", context, found["no privacy, DuckDB"].total)
    else:
        print("truncation, OpenDP Context   not measured: opendp[polars] is not installed")
    for bounding, by_hand_title in (
        ("truncation", "truncation, DuckDB window"),
        ("truncation", "truncation, DuckDB heap"),
        ("scaling", "scaling, DuckDB"),
    ):
        if by_hand_title not in found:
            continue
        one, other = found[f"{bounding}, ours"], found[by_hand_title]
        wall, cpu = one.seconds / other.seconds, one.cpu / other.cpu
        print(f"ours / {by_hand_title:<26} {wall:5.2f} in time (target <= 1.2), {cpu:5.2f} in CPU")


def main() -> None:
    """Read the arguments; one way in this process, or all in their own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path, help="a table made before")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--folder", type=Path, help="where the table is kept")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--way", choices=list(WAYS), help=argparse.SUPPRESS)
    given = parser.parse_args()
    path = given.path or visits(given.rows, given.folder)
    if given.way is None:
        compare(path, given.runs)
        return
    start, before = time.perf_counter(), time.process_time()
    total = WAYS[given.way](path)
    spent = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - before}
    print(json.dumps({**spent, "total": total}))


if __name__ == "__main__":
    main()
