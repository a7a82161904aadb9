"""Distributions of others, as an installer would leave them in a folder on the path."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from deniable.cli.program import main
from tests.cases.processes import Forked


def install(folder: Path, name: str, groups: Mapping[str, Mapping[str, str]]) -> Path:
    """Write what a distribution registers: under each group, names and places."""
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = []
    for group, names in groups.items():
        lines += [f"[deniable.{group}]", *(f"{word} = {place}" for word, place in names.items())]
    (metadata / "entry_points.txt").write_text("\n".join([*lines, ""]))
    return folder


def run_forked(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a line in a process that has imported all of Deniable, with a folder on the path."""
    said = folder / "said"
    said.mkdir(exist_ok=True)
    with Forked(said, _run, folder, words, env={}) as process:
        printed, errors = process.communicate()
        return subprocess.CompletedProcess(words, process.returncode, printed, errors)


def _run(folder: Path, words: Sequence[str]) -> None:
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    sys.argv = ["deniable", *words]
    main()
