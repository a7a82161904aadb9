"""Distributions of others, as an installer would leave them in a folder on the path."""

from collections.abc import Mapping
from pathlib import Path


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
