"""How long the command line takes to answer: the median of several fresh processes."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks._help import end_for_help
from benchmarks._sizes import sized

RUNS = sized(9, 1)
TARGET = 0.3
DENIABLE = str(Path(sys.executable).with_name("deniable"))
QUESTIONS = {
    "deniable --help": (["--help"], TARGET),
    "deniable --version": (["--version"], TARGET),
    "deniable explain --epsilon 1 --prior 0.3 0.7": (
        ["explain", "--epsilon", "1", "--prior", "0.3", "0.7"],
        None,
    ),
    "deniable calibrate --gamma 2 --prior 0.3 0.7": (
        ["calibrate", "--gamma", "2", "--prior", "0.3", "0.7"],
        None,
    ),
}


def seconds(arguments: list[str]) -> float:
    """Wall time of one process, from start to exit."""
    start = time.perf_counter()
    subprocess.run([DENIABLE, *arguments], check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    """Print a line a question, with the target where there is one."""
    for title, (arguments, target) in list(QUESTIONS.items())[: sized(None, 1)]:
        seconds(arguments)  # compiles what is not yet compiled
        times = [seconds(arguments) for _ in range(RUNS)]
        goal = "" if target is None else f"   target < {target} s"
        print(f"{title:<46} {statistics.median(times):.2f} s (worst {max(times):.2f}){goal}")


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
