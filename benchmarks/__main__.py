"""Benchmarks of this folder, each in a process of its own so that peak memory is its own.

``python -m benchmarks`` runs all of them, ``python -m benchmarks NAME …`` some; with ``--tiny``
each at a size of no meaning. What needs something that is not installed is left out by name.
"""

import argparse
import os
import runpy
import subprocess
import sys
from pathlib import Path

from benchmarks._sizes import TINY

FOLDER = Path(__file__).resolve().parent
OURS = ("benchmarks", "deniable", "tests")


def names() -> list[str]:
    """All benchmarks, in alphabetical order."""
    return sorted(path.stem for path in FOLDER.glob("[!_]*.py"))


def run_here(name: str) -> int:
    """Run one in this process; its exit status, or 0 where it needs what is not installed."""
    sys.argv = [name]
    try:
        runpy.run_module(f"benchmarks.{name}", run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library in OURS:
            raise
        print(f"{library}: not installed, {name} is left out")
    return 0


def main() -> int:
    """Run what is named, or all; 1 if one fails, and which ones did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*names(), []])
    parser.add_argument("--tiny", action="store_true", help="at a size of no meaning")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.tiny:
        os.environ[TINY] = "1"
    if given.here:
        return run_here(given.names[0])
    failed = []
    for name in given.names or names():
        print(f"— {name}", flush=True)
        command = [sys.executable, "-m", "benchmarks", "--here", name]
        if subprocess.run(command, cwd=FOLDER.parent, check=False).returncode:
            failed.append(name)
        print(flush=True)
    if failed:
        print(f"Failed: {', '.join(failed)}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
