"""What the page on other packages says of ours is what the benchmark computes today."""

import re
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from benchmarks import peers

PAGE = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "deniable-beside-others.md"


@pytest.fixture(scope="module")
def ours():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(peers, "TIMES", 2)
        answer = peers.ran(Path(sys.executable), "deniable")
    assert not isinstance(answer, str), answer
    return {job: said for job, (said, _) in answer[1].items()}


@pytest.mark.parametrize("job", ["beliefs", "compose", "training", "threshold"])
def test_the_page_has_every_number_that_we_answer(ours, job):
    page = PAGE.read_text(encoding="utf-8")
    numbers = re.findall(r"\d+(?:\.\d+)?", ours[job][0])
    assert numbers
    for number in numbers:
        assert number.removeprefix("0") in page


def test_our_sum_is_on_a_coarser_grid_than_floats(ours):
    for count, total in ours["publish"]:
        assert count == int(count)
        assert Fraction(total).denominator <= 2**18


def test_a_grid_is_the_coarsest_power_of_two():
    assert peers.grid([3.0, 8.0]).startswith("1 ")
    assert peers.grid([3.5, 8.0]).startswith("2^-1 ")
    assert peers.grid([3.5, 8.125]) == "2^-3 (floats 2^-51)"


@pytest.mark.parametrize("package", peers.CODE)
def test_a_package_that_is_missing_is_named(tmp_path, package):
    assert peers.ran(tmp_path / package / "bin" / "python", package) == "missing"


def test_an_environment_without_the_package_says_what_failed(tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'ModuleNotFoundError: no acro' >&2\nexit 1\n")
    python.chmod(0o755)
    assert peers.ran(python, "acro") == "failed: ModuleNotFoundError: no acro"
