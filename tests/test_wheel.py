"""The wheel: the same bytes each time, links that work on an index, and what a stranger needs."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from email.parser import BytesParser
from pathlib import Path

import pytest

from hatch_build import on_an_index, urls

ROOT = Path(__file__).resolve().parents[1]
NEEDED = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "src")
"""Of a clone, to build from."""
SOMETIME = "1700000000"
"""Seconds since 1970; stands in the archive instead of files' times."""


def built(folder: Path, umask: int, when: str | None) -> Path:
    """A wheel from a fresh copy, whose files have other times and rights than the last."""
    for name in NEEDED:
        source, to = ROOT / name, folder / name
        if source.is_dir():
            leave = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, to, ignore=leave, copy_function=shutil.copy)
        else:
            to.parent.mkdir(exist_ok=True)
            shutil.copy(source, to)
    environment = {key: value for key, value in os.environ.items() if key != "SOURCE_DATE_EPOCH"}
    if when is not None:
        environment["SOURCE_DATE_EPOCH"] = when
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "out"],
        cwd=folder, env=environment, capture_output=True, text=True, umask=umask,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (wheel,) = (folder / "out").glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return built(tmp_path_factory.mktemp("one"), 0o022, SOMETIME)


@pytest.fixture(scope="module")
def metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [each for each in archive.namelist() if each.endswith("/METADATA")]
        return BytesParser().parsebytes(archive.read(name))


def test_building_twice_gives_the_same_bytes(wheel, tmp_path):
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    again = built(tmp_path, 0o027, SOMETIME)
    assert hashlib.sha256(again.read_bytes()).hexdigest() == digest
    assert again.name == wheel.name


def test_another_date_is_another_wheel(wheel, tmp_path):
    """So the date of the environment is what stands in it."""
    assert built(tmp_path, 0o022, "1600000000").read_bytes() != wheel.read_bytes()


def test_the_wheel_holds_the_package_whole_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {each for each in archive.namelist() if not each.split("/")[0].endswith("-info")}
    kept = {
        str(path.relative_to(ROOT / "src"))
        for path in (ROOT / "src").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert names - kept == set()
    assert {each for each in kept - names if not each.endswith(".pyc")} == set()


def test_no_link_of_the_readme_is_dead_on_an_index(metadata):
    text = metadata.get_payload()
    assert metadata["Description-Content-Type"].startswith("text/markdown")
    assert "deniable calibrate --gamma 2" in text
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert all(link.startswith(("https://", "#")) for link in links)


def test_links_are_absolute_once_the_repository_has_an_address():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    relative = re.findall(r"\]\((?!https?:|#)([^)]+)\)", readme)
    shown = on_an_index(readme, "https://forge.example/us/deniable", "1.2.3")
    assert len(relative) > 15
    for link in relative:
        raw = "?raw=true" if link.endswith(".png") else ""
        assert f"](https://forge.example/us/deniable/blob/v1.2.3/{link}{raw})" in shown
    shown_beside = urls("https://forge.example/us/deniable").values()
    assert all(link.startswith("https://forge.example/us/deniable") for link in shown_beside)


def test_an_index_is_told_for_whom_it_is(metadata):
    classifiers = metadata.get_all("Classifier")
    assert "Typing :: Typed" in classifiers
    assert metadata["License-Expression"] == "Apache-2.0"
    extras = set(metadata.get_all("Provides-Extra"))
    assert {"publish", "gwas", "postgres", "spark", "all"} <= extras
