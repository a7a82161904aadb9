"""A private release end to end: `deniable gwas release`, from start to exit of its process.

On hapsample where it is there, else on a simulated study of the same size. Beside it what Python
takes to import the release, and the release alone in a process that has imported it.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable import gwas

RUNS = sized(5, 1)
TARGET = 3.0
ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("DENIABLE_DATA", ROOT.parent / "shared" / "data"))
DENIABLE = str(Path(sys.executable).with_name("deniable"))
ASKED = ["--top", "2", "--gamma", "2", "--publish-statistics"]
INSIDE = """
import json, sys, time
start = time.perf_counter()
from deniable import gwas
imported = time.perf_counter()
gwas.release(sys.argv[1], sys.argv[2], top=2, gamma=2.0, publish_statistics=True)
print(json.dumps([imported - start, time.perf_counter() - imported]))
"""


def study(folder: Path) -> tuple[str, Path]:
    """What is released, and its prefix."""
    prefix = DATA / "gwas" / "hapsample" / "hapsample"
    if sized(prefix.with_suffix(".bed").is_file(), False):
        return "hapsample", prefix
    made = folder / "study"
    people, variants = sized((2000, 9935), (40, 60))
    gwas.simulate(made, individuals=people, cases=people // 2, variants=variants, causal=2, seed=1)
    return "a simulated study", made


def process(command: list[str], out: Path) -> tuple[float, str]:
    """Wall time of a process that writes `out`, and what it printed."""
    start = time.perf_counter()
    ended = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    shutil.rmtree(out)
    return seconds, ended.stdout


def main() -> None:
    """Print a line a way."""
    with tempfile.TemporaryDirectory() as name:
        title, prefix = study(Path(name))
        out = Path(name) / "out"
        whole = [DENIABLE, "gwas", "release", str(prefix), *ASKED, "--out", str(out)]
        inside = [sys.executable, "-c", INSIDE, str(prefix), str(out)]
        process(whole, out)  # compiles what is not yet compiled
        before = os.times()
        best = min(process(whole, out)[0] for _ in range(RUNS))
        after = os.times()
        parts = [json.loads(process(inside, out)[1]) for _ in range(RUNS)]
    imported, released = (min(each) for each in zip(*parts, strict=True))
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit / 1e6
    busy = after.children_user + after.children_system
    busy -= before.children_user + before.children_system
    print(f"{title}, two variants with statistics, best of {RUNS}")
    print(f"deniable gwas release, whole process {best:6.2f} s   peak {peak:.0f} MB "
          f"(target <= {TARGET:g} s)")  # fmt: skip
    print(f"  processor time, mean                {busy / RUNS:6.2f} s")
    print(f"  importing the release              {imported:6.2f} s")
    print(f"  releasing, imported already        {released:6.2f} s")


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
