"""Populations that need more memory than a process may have: a sentence, no internal error."""

import subprocess
import sys

import pytest

from tests.cases.prose import refusal_of

PROGRAM = """
import resource, sys
limit = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
from deniable.cli import main
main()
"""


def run(limit, *words):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(limit), *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("spread", [30_011, 1_000_003])
def test_wide_sums_in_a_process_with_little_memory(tmp_path, spread):
    path = tmp_path / "records.csv"
    path.write_text("".join(f"{i * 7919 % spread}\n" for i in range(200)))
    words = ["population", "discrete-laplace", "--data", path, "--size", 100, "--scale", 20_000]
    done = run(800 * 2**20, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    if not done.stderr.startswith("The system refused: Cannot allocate memory."):
        assert refusal_of(done.stderr).expected == "sums whose probabilities fit into memory"


def test_a_count_of_millions_needs_little():
    words = ["--ones", 5_000_000, "--population", 20_000_000, "--size", 10_000_000]
    assert run(800 * 2**20, "population", "count", *words, "--epsilon", 1).returncode == 0
