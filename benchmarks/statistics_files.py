"""Files of statistics packages beside pyreadstat alone: CPU time and memory per row.

Each way runs in a process of its own on the same file: pyreadstat's data frame of four columns, and
the table that a release opens on them, of which the blocks are in the spill folder. Programs take
turns; shown are medians of the ratios of neighbouring runs.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat

from benchmarks._sizes import sized
from deniable.publish.sources import Source, open_table

ROWS = sized(2_000_000, 2_000)
PAIRS = sized(5, 1)
USED = ["sex", "age", "town"]
ENTITY = "person"
FILES: dict[str, tuple[Callable[..., object], Callable[..., object], dict[str, object]]] = {
    "sav": (pyreadstat.write_sav, pyreadstat.read_sav, {"row_compress": True}),
    "zsav": (pyreadstat.write_sav, pyreadstat.read_sav, {"compress": True}),
    "dta": (pyreadstat.write_dta, pyreadstat.read_dta, {}),
    "xpt": (pyreadstat.write_xport, pyreadstat.read_xport, {}),
}


def people(rows: int) -> pd.DataFrame:
    """Four columns that are used, and two that are not."""
    draw = np.random.default_rng(20261129)
    return pd.DataFrame(
        {
            "person": np.arange(rows, dtype=float),
            "sex": draw.integers(1, 3, rows).astype(float),
            "age": draw.integers(18, 90, rows).astype(float),
            "town": draw.choice(["York", "Leeds", "Bath"], rows),
            "score": draw.random(rows),
            "weight": draw.random(rows),
        }
    )


def measured(way: str, path: Path) -> dict[str, float]:
    """CPU seconds, and megabytes beyond what was held before."""
    suffix = path.suffix.removeprefix(".")
    _, read, _ = FILES[suffix]
    tiny = path.with_name(f"tiny{path.suffix}")
    _run(way, read, tiny)  # loads libraries and starts an engine
    before, start = _largest(), time.process_time()
    _run(way, read, path)
    return {"cpu": time.process_time() - start, "more": _largest() - before}


def _run(way: str, read: Callable[..., object], path: Path) -> None:
    if way == "pyreadstat":
        read(str(path), usecols=[ENTITY, *USED])
        return
    with open_table(Source(path.name, path.parent), USED, entity=ENTITY):
        pass


def _largest() -> float:
    """Megabytes; of this program alone, where the resource module also counts its parent's."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main() -> int:
    """Write each kind of file, and measure both ways in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--kinds", nargs="+", choices=FILES, default=list(FILES)[: sized(None, 1)])
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--way", nargs=2)
    given = parser.parse_args()
    if given.way:
        print(json.dumps(measured(given.way[0], Path(given.way[1]))))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in given.kinds:
            path = Path(folder) / f"people.{kind}"
            write, _, more = FILES[kind]
            write(people(given.rows), str(path), **more)
            write(people(10), str(path.with_name(f"tiny.{kind}")), **more)
            _compare(kind, path, given.rows, given.pairs)
            path.unlink()
    return 0


def _compare(kind: str, path: Path, rows: int, pairs: int) -> None:
    def run(way: str) -> dict[str, float]:
        command = [sys.executable, "-m", "benchmarks.statistics_files", "--way", way, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        result: dict[str, float] = json.loads(done.stdout)
        return result

    runs = [(run("pyreadstat"), run("deniable")) for _ in range(pairs)]
    ratio = statistics.median(own["cpu"] / peer["cpu"] for peer, own in runs)
    peer, own = (min(each, key=lambda one: one["cpu"]) for each in zip(*runs, strict=True))
    print(
        f"{kind:<5} {rows:,} rows  pyreadstat {peer['cpu'] / rows * 1e6:5.2f} us/row "
        f"{peer['more']:5.0f} MB  deniable {own['cpu'] / rows * 1e6:5.2f} us/row "
        f"{own['more']:5.0f} MB  ratio of CPU {ratio:4.2f}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
