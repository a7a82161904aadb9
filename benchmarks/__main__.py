"""Every benchmark of this folder, each in a process of its own so that peak memory is its own."""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def main() -> int:
    """Run the benchmarks in alphabetical order; the first bad exit status, else 0."""
    status = 0
    for path in sorted(FOLDER.glob("[!_]*.py")):
        print(f"— {path.stem}", flush=True)
        ended = subprocess.run(
            [sys.executable, "-m", f"benchmarks.{path.stem}"], cwd=FOLDER.parent, check=False
        )
        status = status or ended.returncode
        print(flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
