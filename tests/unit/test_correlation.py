"""`deniable.correlation` shows what the judge and the theorems have for correlated records."""

import subprocess
import sys

import pytest

from tests.cases.refusals import says

CALL = """
from deniable import correlation
try:
    correlation.{}(unheard_of=1)
except ValueError as refusal:
    print(refusal)
"""


@pytest.mark.parametrize("name", ["AllOrNothing", "Households", "household_epsilon"])
def test_its_names_explain_the_first_call(name):
    done = subprocess.run(
        [sys.executable, "-c", CALL.format(name)], capture_output=True, text=True, check=True
    )
    assert says(done.stdout, f"unknown-argument-of: {name} | unheard_of")
