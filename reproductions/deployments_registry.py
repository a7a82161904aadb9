"""Entries that `deniable export --to registry-yaml` writes, under the registry's own tests.

`python -m reproductions.deployments_registry [--registry FOLDER]`

The registry comes from GitHub, at a commit, or from a clone. It is copied into a temporary folder,
with a virtual environment of its own. Entries of a release with ε, one with ρ, one with δ and a
training are put beside its own, and its tests of schema, slugs, quoting and YAML run on all of
them. Then each of six faults is planted into an entry. Prints a table; exits with 1 if an entry is
refused, or a fault is not.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

import deniable

ADDRESS = "https://github.com/opendp/deployments-registry-data"
COMMIT = "3e9c812a924cf01d228f26f6c462c59c391c3f2a"
NEEDS = ("pytest==8.4.2", "pyyaml==6.0.3", "jsonschema[format]==4.25.1", "requests==2.32.5")
FAULTS = {
    "a parameter that is a text": ("epsilon: ", "epsilon: about "),
    "an unknown key": ("status: Draft", "status: Draft\nsurprise: x"),
    "a tier that is none": ("tier: 3", "tier: 0"),
    "a word that is none of the list": ("Summary statistics", "Statistics"),
    "no curators": ("data_curators:", "data_keepers:"),
    "another slug": ("url_slug: ", "url_slug: x"),
}
"""Faults by name: a text of an entry, and what is put in its place."""


def releases(folder: Path) -> Iterator[tuple[str, Path]]:
    """A release of each kind of guarantee, by the name of its entry."""
    table = pa.table({"area": ["01", "02", "01"] * 20})
    query = {
        "name": "people", "statistic": "count", "group_by": ["area"],
        "keys": {"area": ["01", "02"]},
    }  # fmt: skip
    targets = {
        "pure": {"max_posterior": 0.5},
        "concentrated": {"max_posterior": 0.5, "delta": 1e-6},
        "approximate": {"epsilon": 1.0, "delta": 1e-6},
    }
    for name, target in targets.items():
        plan = {
            "adversary": {"prior": [0.0, 0.1]},
            "target": target,
            "report": {"title": f"People by area: {name}", "organisation": "North Hospital"},
            "query": [query],
        }
        deniable.release(plan, folder / name, data=table)
        yield f"deniable_{name}", folder / name
    history = [(2.0, 0.125, 4)]
    deniable.certify_training(history, folder / "model", engine="opacus", batches="poisson")
    yield "deniable_training", folder / "model"


def passes(python: Path, registry: Path) -> bool:
    """Whether the registry's own tests pass; those that open addresses are left out."""
    tests = "tests/test_schema.py", "tests/test_yaml.py"
    line = [python, "-m", "pytest", "-q", "-c", "pyproject.toml", *tests]
    ran = subprocess.run(line, cwd=registry, capture_output=True, text=True)
    if ran.returncode not in (0, 1):
        raise SystemExit(ran.stdout + ran.stderr)
    return ran.returncode == 0


def main(words: list[str]) -> int:
    """Compare, print and judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--registry", default=ADDRESS, help="a clone, in place of GitHub's")
    address = parser.parse_args(words).registry
    with tempfile.TemporaryDirectory() as place:
        folder, registry = Path(place), Path(place) / "registry"
        subprocess.run(["git", "clone", "--quiet", address, registry], check=True)
        subprocess.run(["git", "checkout", "--quiet", COMMIT], cwd=registry, check=True)
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        python = folder / "venv" / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", *NEEDS], check=True)
        own = len([*(registry / "deployments").glob("*.yaml")])
        results = {f"the registry alone: {own} entries": passes(python, registry)}
        for name, release in releases(folder):
            entry = registry / "deployments" / f"{name}.yaml"
            deniable.export(release, entry, to="registry-yaml")
            results[f"{name}.yaml beside them"] = passes(python, registry)
        entry = registry / "deployments" / "deniable_pure.yaml"
        text = entry.read_text(encoding="utf-8")
        for fault, (old, new) in FAULTS.items():
            assert old in text, old
            entry.write_text(text.replace(old, new, 1), encoding="utf-8")
            results[f"refused: {fault}"] = not passes(python, registry)
    for what, holds in results.items():
        print(f"{what:<50} {'holds' if holds else 'FAILS'}")
    return 0 if all(results.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
