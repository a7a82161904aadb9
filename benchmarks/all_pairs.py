"""All two-way tables of 100 columns: a release, beside DuckDB that counts the same pairs by hand.

    python -m benchmarks.all_pairs --rows 10000000 --pairs 200

The release is the command as a user types it, in a process of its own: one plan with one crosstab,
noise, tables that add up, certificate and report. By hand every pair of columns is a GROUP BY of
the same Parquet file, or of a table in memory that holds it; of `--pairs` of the 4,950, spread over
all, and the time of all is in proportion. CPU is that of a process and all that it started.
"""

import argparse
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from benchmarks._sizes import sized

COLUMNS, KEYS = sized(100, 4), ("never", "rarely", "often", "always")
PLAN = """
[data]
source = "answers.parquet"
[target]
gamma = 4.0
delta = 1e-6
[keys]
{keys}
[[query]]
name = "answers"
statistic = "crosstab"
columns = [{columns}]
"""


def answers(rows: int, folder: Path, count: int = COLUMNS) -> None:
    """A file of answers to questions, each among four, missing in 1 of 16 rows; and the plan."""
    listed = ", ".join(f"'{key}'" for key in KEYS)
    columns = ", ".join(
        f"CASE WHEN hash(i, {each}) % 16 > 0 THEN [{listed}][1 + (hash(i, {each}) >> 8)::BIGINT "
        f"% {len(KEYS)}] END AS q{each}"
        for each in range(count)
    )
    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '4GB'")
        connection.execute(
            f"COPY (SELECT {columns} FROM range({rows}) AS r(i)) "
            f"TO '{folder / 'answers.parquet'}' (FORMAT parquet)"
        )
    names = [f"q{each}" for each in range(count)]
    keys = "\n".join(f"{name} = {json.dumps(KEYS)}" for name in names)
    plan = PLAN.format(keys=keys, columns=", ".join(map(json.dumps, names)))
    (folder / "answers.toml").write_text(plan, encoding="utf-8")


def run(command: list[str], folder: Path) -> tuple[float, float, float]:
    """Seconds, CPU seconds and the peak in MB of a process."""
    environment = os.environ | {"PYTHONPATH": os.getcwd()}
    start = time.perf_counter()
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    unit = 1 if sys.platform == "darwin" else 1024
    seconds = time.perf_counter() - start
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * unit / 1e6


def by_hand(way: str, some: int) -> None:
    """Count some pairs with DuckDB's own defaults; print what all would take."""
    pairs = list(itertools.combinations(range(COLUMNS), 2))
    chosen = pairs[:: max(len(pairs) // some, 1)]

    def spent() -> tuple[float, float]:
        used = resource.getrusage(resource.RUSAGE_SELF)
        return time.perf_counter(), used.ru_utime + used.ru_stime

    with duckdb.connect() as connection:
        begun, rows = spent(), "'answers.parquet'"
        if way == "memory":
            codes = ", ".join(
                f"q{each}::ENUM ({', '.join(repr(key) for key in KEYS)}) AS q{each}"
                for each in range(COLUMNS)
            )
            connection.execute(f"CREATE TABLE codes AS SELECT {codes} FROM {rows}")
            rows = "codes"
        loaded = spent()
        for one, other in chosen:
            connection.execute(
                f"SELECT q{one}, q{other}, count(*) FROM {rows} GROUP BY ALL"
            ).fetchall()
        counted = spent()
    scale = len(pairs) / len(chosen)
    seconds, cpu = (
        middle - first + scale * (last - middle)
        for first, middle, last in zip(begun, loaded, counted, strict=True)
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"by hand, {way:<8} {seconds:8.1f} s  CPU {cpu:8.1f} s  peak {peak:6.0f} MB, "
        f"from {len(chosen)} of {len(pairs)} pairs",
        flush=True,
    )


def main() -> None:
    """Make the file, and measure each way in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=sized(10_000_000, 500))
    parser.add_argument("--pairs", type=int, default=sized(99, 3), help="pairs counted by hand")
    parser.add_argument("--memory", default=sized("1500MB", "1GB"), help="limit of the release")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the file is, or is made")
    parser.add_argument("--way", choices=("parquet", "memory"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        by_hand(given.way, given.pairs)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = given.folder or Path(name)
        if not (folder / "answers.parquet").exists():
            answers(given.rows, folder)
        for turn in range(given.rounds):
            program = [sys.executable, "-m", "deniable", "release", "answers.toml"]
            program += ["--out", f"{name}/out-{turn}", "--memory-limit", given.memory]
            seconds, cpu, peak = run(program, folder)
            print(
                f"ours              {seconds:8.1f} s  CPU {cpu:8.1f} s  peak {peak:6.0f} MB",
                flush=True,
            )
            for way in ("parquet", "memory"):
                command = [sys.executable, "-m", "benchmarks.all_pairs", "--way", way]
                command += ["--pairs", str(given.pairs)]
                subprocess.run(
                    command, check=True, cwd=folder, env=os.environ | {"PYTHONPATH": os.getcwd()}
                )


if __name__ == "__main__":
    main()
