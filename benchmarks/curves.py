"""How time and memory grow with n: CPU of five sizes of each job, and the exponent.

The exponent is the slope of the line through (ln n, ln t) by least squares over all sizes but the
smallest, where what a job costs at any size still counts. Each size is a process of its own, whose
imports do not count; the better of two runs is shown, and the largest size's peak memory.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import attrs
import numpy as np
import pyarrow as pa

import deniable
from benchmarks._data import visits
from benchmarks._sizes import sized
from benchmarks.grouped_sum import SCALED, TRUNCATED, ours

RUNS = sized(2, 1)
HEAD = '[data]\nsource = "memory"\n[target]\nepsilon = 1.0\n'
COUNT = '[[query]]\nname = "q{}"\nstatistic = "count"\nwhere = [["age", ">=", {}]]\n'
MEAN = '[[query]]\nname = "age"\nstatistic = "mean"\ncolumn = "age"\nbounds = [0, 100]\n'

Work: TypeAlias = Callable[[], object]


@attrs.frozen
class Job:
    """What is measured: what n is, its sizes, and what is made ready before it is timed."""

    unit: str
    sizes: tuple[int, ...]
    ready: Callable[[int, Path], Work]


def totals(protection: object) -> Callable[[int, Path], Work]:
    """Exact totals of the grouped sum, bounded one way or the other."""

    def ready(rows: int, _: Path) -> Work:
        path = visits(rows)
        return lambda: ours(path, protection)

    return ready


def planned(queries: int, _: Path) -> Work:
    """A plan of so many counts."""
    text = HEAD + "".join(COUNT.format(number, number % 100) for number in range(queries))
    return lambda: deniable.plan(text, data=pa.table({"age": [1]}))


def checked(queries: int, folder: Path) -> Work:
    """The folder of a release of so many counts."""
    text = HEAD + "".join(COUNT.format(number, number % 100) for number in range(queries))
    deniable.release(text, folder / "out", data=pa.table({"age": [1, 2, 3]}))
    return lambda: deniable.check(folder / "out")


def audited(runs: int, folder: Path) -> Work:
    """A plan of a mean, attacked in so many runs."""
    plan = folder / "plan.toml"
    plan.write_text(HEAD + MEAN, encoding="utf-8")
    return lambda: deniable.audit(plan, runs=runs)


ROWS = (500_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000)
JOBS = {
    "grouped sum, truncation": Job("rows", sized(ROWS, (1_000, 2_000)), totals(TRUNCATED)),
    "grouped sum, scaling": Job("rows", sized(ROWS, (1_000, 2_000)), totals(SCALED)),
    "`plan`": Job("queries", sized((16, 32, 64, 128, 256), (1, 2)), planned),
    "`check FOLDER`": Job("queries", sized((16, 32, 64, 128, 256), (1, 2)), checked),
    "`audit PLAN.toml`": Job("runs", sized((10_000, 20_000, 40_000, 80_000), (20, 40)), audited),
}


def measure(job: Job, size: int) -> tuple[float, float]:
    """CPU seconds of the work alone, and the process's peak in MB."""
    with tempfile.TemporaryDirectory() as folder:
        work = job.ready(size, Path(folder))
        begun = time.process_time()
        work()
        seconds = time.process_time() - begun
    unit = 1 if sys.platform == "darwin" else 1024
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def apart(name: str, size: int) -> tuple[float, float]:
    """The same in a process of its own, the better of some runs."""
    command = [sys.executable, "-m", "benchmarks.curves", name, str(size)]
    runs = [
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(RUNS)
    ]
    seconds, peak = min(runs)
    return seconds, peak


def main() -> None:
    """One size, or the table."""
    if len(sys.argv) > 2:
        print(json.dumps(measure(JOBS[sys.argv[1]], int(sys.argv[2]))))
        return
    print("| job | n | CPU s at each n | exponent | peak |\n|---|---|---|---|---|")
    for name, job in list(JOBS.items())[: sized(None, 1)]:
        each = [apart(name, size) for size in job.sizes]
        seconds = [cpu for cpu, _ in each]
        power = np.polyfit(np.log(job.sizes[-4:]), np.log(seconds[-4:]), 1)[0]
        sizes = ", ".join(f"{size:,}" for size in job.sizes)
        shown = ", ".join(f"{cpu:.2f}" for cpu in seconds)
        print(f"| {name} | {job.unit}: {sizes} | {shown} | {power:.2f} | {each[-1][1]:.0f} MB |",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
