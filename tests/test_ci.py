"""What continuous integration installs and runs, with programs that only write down their call."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import stranger
from tests.cases.programs import OPTIONAL

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / ".ci" / "run"
JAVA, BROWSER = "openjdk-17-jre-headless", "chromium"
SMALL = {"plink1.9": "", "plink2": "", "ssh-keygen": "", "Rscript": ""}
R = ["r-base-core", "r-cran-processx", "r-cran-jsonlite", "r-cran-testthat"]


def calls(folder: Path, programs: dict[str, str]) -> list[str]:
    """What the script calls, in order, where there are only these programs."""
    for name, does in programs.items():
        path = folder / name
        path.write_text(f'#!/bin/bash\necho "{name} $*" >> "{folder}/calls"\n{does}\n')
        path.chmod(0o755)
    (folder / "dirname").symlink_to(shutil.which("dirname"))
    environment = {**os.environ, "PATH": str(folder)}
    words = ["/bin/bash", str(SCRIPT)]
    subprocess.run(words, check=True, env=environment, capture_output=True)
    found = (folder / "calls").read_text().splitlines()
    return [line for line in found if not line.startswith(("id ", "Rscript "))]


APT = {"make": "", "apt-get": ""}


@pytest.mark.parametrize(
    ("programs", "expected"),
    [
        ({**APT, "id": "echo 1000"}, []),
        ({"make": "", "id": "echo 0"}, []),
        ({**APT, "id": "echo 0", "java": "", "chromium": "", "initdb": "", **SMALL}, []),
        ({**APT, "id": "echo 0", "initdb": "", "java": "", **SMALL}, [BROWSER]),
        ({**APT, "id": "echo 0", "initdb": "", **SMALL}, [JAVA, BROWSER]),
        (
            {**APT, "id": "echo 0", "initdb": "", "java": "", "chromium": ""},
            ["plink1.9", "plink2", "openssh-client", *R],
        ),
        ({"make": "", "apt-get": "exit 1", "id": "echo 0", "initdb": "", "java": ""}, None),
    ],
    ids=[
        "not root",
        "no apt-get",
        "all there",
        "no browser",
        "no Java either",
        "nothing small",
        "no network",
    ],
)
def test_what_is_missing_is_installed_by_root_before_the_tests(tmp_path, programs, expected):
    found = calls(tmp_path, programs)
    spark = ["make spark"] if "java" in programs else []
    made = [line for line in found if line.startswith("make")]
    assert (*made[:2], made[-1]) == ("make env", "make stranger", "make test")
    assert sorted(made[2:-1]) == ["make check", *spark]  # side by side
    installed = [line for line in found if line.startswith("apt-get")]
    if expected is None:
        assert installed == ["apt-get update -qq"]
    else:
        words = " ".join(["apt-get install -y -qq --no-install-recommends", *expected])
        assert installed == (["apt-get update -qq", words] if expected else [])


PROGRAMS = re.compile(
    r"""which\(\s*["'](java|initdb|chromium|plink1\.9|plink2|R|node|ssh-keygen)["']|"""
    r"/usr/(bin|lib)/(chromium|postgresql)"
)


def test_tests_look_for_optional_programs_in_one_place():
    """Otherwise `tests.stranger` does not hide them, and a test is left out without its remedy."""
    files = (file for folder in ("tests", "benchmarks") for file in (ROOT / folder).rglob("*.py"))
    other = {file.name for file in files if PROGRAMS.search(file.read_text("utf-8"))}
    assert other - {"test_ci.py"} == {"programs.py"}


def test_a_stranger_has_no_optional_program(tmp_path, monkeypatch):
    real, linked = tmp_path / "real", tmp_path / "linked"
    for folder in (real, linked):
        folder.mkdir()
    for name in (*OPTIONAL, "git", "plink", "psql", "rg"):
        (real / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(real))
    stranger.link_programs(linked)
    assert {link.name for link in linked.iterdir()} == {"git", "rg"}


def test_a_stranger_runs_the_tests_that_know_of_optional_parts():
    chosen = stranger.tests_of_optional_parts()
    files = {each.partition("::")[0] for each in chosen}
    assert {"tests/test_plink_equality.py", "tests/attacks/test_spark.py"} < files
    assert "tests/laws/test_priors.py" not in files


MODULE = """
PLACES = ["file", "spark"]

def reader():
    return need("initdb")

@pytest.fixture
def rows():
    return reader()

def test_by_a_fixture(rows): pass

@pytest.mark.parametrize("place", PLACES)
def test_by_a_constant(place): pass

def test_alone(): pass
"""


def test_a_test_knows_of_a_part_by_what_it_uses():
    assert stranger.knowing(MODULE) == ["test_by_a_fixture", "test_by_a_constant"]
    assert stranger.knowing('pytestmark = pytest.mark.skipif(need("R"))\n' + MODULE) == []
    every = "@pytest.fixture(autouse=True)\ndef ready(): reader()\n"
    assert stranger.knowing(MODULE + every) == []
