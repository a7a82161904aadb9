"""Programs that some tests need and a machine may lack, and what brings each."""

import os
import shutil
from pathlib import Path

from tests.cases.left_out import left_out

OPTIONAL = {
    "R": ("R", "r-base-core r-cran-processx r-cran-jsonlite r-cran-testthat"),
    "chromium": ("Chromium", "chromium"),
    "initdb": ("PostgreSQL", "postgresql"),
    "java": ("Spark", "openjdk-17-jre-headless"),
    "node": ("Node", "nodejs"),
    "plink1.9": ("PLINK 1.9", "plink1.9"),
    "plink2": ("PLINK 2", "plink2"),
    "ssh-keygen": ("OpenSSH", "openssh-client"),
}
"""Of each program: the part of Deniable that is tested with it, and its package in Debian."""
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WITHOUT = "DENIABLE_WITHOUT"
"""The variable that names programs to do without although they are installed."""


def find(program: str) -> str | None:
    """Return where a program of `OPTIONAL` is, or None."""
    if program not in OPTIONAL or program in os.environ.get(WITHOUT, "").split():
        return None
    if program == "java" and "JAVA_HOME" in os.environ:
        return str(Path(os.environ["JAVA_HOME"], "bin", "java"))
    if program == "initdb":  # Debian keeps the programs of servers off the path
        servers = Path("/usr/lib/postgresql").glob("*/bin/initdb")
        newest = max(servers, key=lambda path: int(path.parts[-3]), default=None)
        return str(newest) if newest else shutil.which(program)
    names = _BROWSERS if program == "chromium" else [program]
    return next(filter(None, map(shutil.which, names)), None)


def need(program: str) -> str:
    """Return where a program is; without it the test is left out, and fails under CI."""
    place = find(program)
    if place is None:
        part, package = OPTIONAL[program]
        left_out(part, f"{program} not found: apt install {package}")
    return place
