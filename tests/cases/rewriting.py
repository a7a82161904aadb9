"""Assertions are rewritten once, by several workers together, and not once in each.

pytest rewrites the assertions of a test module before it imports it, and writes the outcome beside
the module. In a fresh clone all workers import all modules at the same time: that took each of them
longer than all the rest of the collection.
"""

import sys
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import (
    PYC_TAIL,
    _read_pyc,
    _rewrite_test,
    _write_pyc,
    assertstate_key,
    get_cache_dir,
    try_makedirs,
)


def modules(config: pytest.Config) -> list[Path]:
    """The test modules that are about to be collected, in an order that all workers share."""
    named = [(config.rootpath / each.partition("::")[0]).resolve() for each in config.args]
    every = sorted((config.rootpath / "tests").rglob("test_*.py"))
    return [path for path in every if any(path.is_relative_to(place) for place in named)]


def rewrite_share(config: pytest.Config, number: int, workers: int) -> None:
    """Rewrite every so-and-so-many-th module that is not yet, as pytest does at its import."""
    if sys.dont_write_bytecode or config.getoption("assertmode") != "rewrite":
        return
    for path in modules(config)[number::workers]:
        cache = get_cache_dir(path)
        target = cache / f"{path.stem}{PYC_TAIL}"
        if try_makedirs(cache) and _read_pyc(path, target) is None:
            digest, code = _rewrite_test(path, config)
            _write_pyc(config.stash[assertstate_key], code, digest, target)
