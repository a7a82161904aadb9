"""How large a benchmark is: as its figures are about, or tiny, so that a test can run it."""

import os
from typing import TypeVar

TINY = "DENIABLE_TINY_BENCHMARKS"
"""The variable of the environment, which processes inherit, that makes every benchmark tiny."""

T = TypeVar("T")


def sized(usual: T, tiny: T) -> T:
    """The usual size, or the tiny one where the environment asks for it."""
    return tiny if os.environ.get(TINY) else usual
