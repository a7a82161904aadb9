"""Run the tests of every optional part as on a machine that has none: `python -m tests.stranger`.

Continuous integration installs these parts first, and so cannot see what a new user's `make test`
meets. Here the path leads to every program but those of `tests.cases.programs`, nothing says CI,
and Spark must not be installed. Words after the command go to pytest.
"""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.cases.programs import OPTIONAL, WITHOUT

ROOT = Path(__file__).resolve().parents[1]
PARTS = re.compile(
    r"need\(|left_out\(|importorskip|find_spec|spark|postgres|browser|chromium|signed_release"
)
"""What stands in every file of tests that knows of an optional part."""
HIDDEN = re.compile(
    r"java.*|initdb|postgres.*|psql|pg_.*|chrom(e|ium).*|google-chrome.*|plink.*|R|Rscript|ssh-.*|node"
)


def files() -> list[str]:
    """Return the files of tests that know of an optional part."""
    every = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(file.relative_to(ROOT)) for file in every if PARTS.search(file.read_text("utf-8"))]


def link_programs(folder: Path) -> None:
    """Link every program of the path into a folder, but those of optional parts."""
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).glob("*"):
            link = folder / program.name
            if HIDDEN.fullmatch(program.name) is None and not link.is_symlink():
                link.symlink_to(program)


def main(words: list[str]) -> int:
    """Run pytest on these files and return its status."""
    if importlib.util.find_spec("pyspark") is not None:
        print("Spark is in this environment. Run this in a fresh clone, before `make spark`.")
        return 2
    environment = {
        name: value for name, value in os.environ.items() if name not in ("CI", "JAVA_HOME")
    }
    with tempfile.TemporaryDirectory(prefix="deniable-stranger-") as folder:
        link_programs(Path(folder))
        environment |= {"PATH": folder, WITHOUT: " ".join(OPTIONAL)}
        command = [sys.executable, "-m", "pytest", *words, *files()]
        return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
