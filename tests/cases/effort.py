"""How many of a law's random cases the suite takes.

Where cases are many and alike `make test` takes a part of them, always the same; with
`DENIABLE_THOROUGH=1` in the environment all. Of the cases of each test, and of the tests in each
file of attacks and laws, the whole suite takes one half at one commit and the other at another, by
the commit's last digit, or the half that `DENIABLE_HALF=0` or `1` names. Tests that are asked for
by name or file run whole.
"""

import itertools
import os
import subprocess
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

THOROUGH = bool(os.environ.get("DENIABLE_THOROUGH"))
"""Whether all cases are wanted."""

_Case = TypeVar("_Case")


def usual(number: _Case, thorough: _Case) -> _Case:
    """What is taken as a rule, and what where all is wanted."""
    return thorough if THOROUGH else number


def one_in(every: int, cases: Sequence[_Case], first: int = 0) -> list[_Case]:
    """Each so-and-so-many-th case, or all; at least one."""
    return list(cases) if THOROUGH else list(cases[first % min(every, len(cases)) :: every])


def some_pairs(one: Sequence[Any], other: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Of all pairs each of `one` with one of `other`, in turn; or all."""
    if THOROUGH:
        return [*itertools.product(one, other)]
    return [(each, other[place % len(other)]) for place, each in enumerate(one)]


def half_of_this_commit() -> int:
    """0 or 1, by the last digit of the commit's hash; 0 outside a repository."""
    words = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return 0
    return int(done.stdout.strip() or "0", 16) % 2


def one_half(names: Iterable[str], half: int) -> set[str]:
    """All tests, but of each one's cases every second one; of attacks and laws every second test.

    Examples of documents and docstrings are no cases. The order goes by a hash, so that of two
    crossed parameters no value is left out as a whole. Of an odd number the first half has one
    more, and of one both halves have it.
    """
    kept, alike = set(), defaultdict(list)
    for name in names:
        if name.startswith(("tests/attacks/", "tests/laws/")):
            alike[name.partition("::")[0]].append(name)
        elif name.startswith("tests/"):
            alike[name.partition("[")[0]].append(name)
        else:
            kept.add(name)
    for several in alike.values():
        several.sort(key=lambda name: zlib.crc32(name.encode()))
        kept.update(several[half::2] or several)
    return kept
