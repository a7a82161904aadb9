"""`deniable.correlation` shows what the judge and the theorems have for correlated records."""

import subprocess
import sys

from tests.cases.refusals import says

CALL = """
import os
from deniable import correlation
for name in {names}:
    if not os.fork():
        try:
            getattr(correlation, name)(unheard_of=1)
        except ValueError as refusal:
            print(refusal, flush=True)
        os._exit(0)
    os.wait()
"""
NAMES = ["AllOrNothing", "Households", "household_epsilon"]


def test_its_names_explain_the_first_call():
    """Each in a process of its own, which has called nothing yet."""
    done = subprocess.run(
        [sys.executable, "-c", CALL.format(names=NAMES)], capture_output=True, text=True, check=True
    )
    for name, said in zip(NAMES, done.stdout.splitlines(), strict=True):
        assert says(said, f"unknown-argument-of: {name} | unheard_of")
