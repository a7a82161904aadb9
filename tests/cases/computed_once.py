"""Pure functions that hundreds of tests ask for the same: each answer is computed once a process.

They look at their arguments alone, and refuse or return something that nobody changes. While a test
changes anything of a module or a class, all is computed anew, and nothing of it is kept.
"""

import functools
import sys
import types
from collections.abc import Callable
from typing import Any, cast

import attrs
import pytest

PURE = {
    "deniable.explorer.certified": ["certified_curves"],
    "deniable.pipeline.noise.sampler": ["confirm"],
    "deniable.pipeline.noise.shares": ["calibrate_mechanism"],
    "deniable.publish.plan.precision": ["largest_noise"],
    "deniable.publish.query.noise_sums": ["half_width"],
    "deniable.publish.sources.csv_source": ["reads_back"],
    "deniable.theorems.analysis.calibrate": ["calibrated"],
    "deniable.theorems.analysis.explain": ["posterior_lower", "posterior_upper"],
    "deniable.theorems.analysis.guarantee": ["explain_guarantee", "tail_loss"],
    "deniable.theorems.analysis.risk": ["risks_of"],
    "deniable.theorems.renyi": ["least_delta"],
    "deniable.training.certify": ["derive_guarantees"],
}
"""By module; those that no test has loaded stay as they are."""
MOST = 2_000
"""Answers of each that are kept; the largest have some kilobytes."""

_changes: set[int] = set()
"""Those who have changed something, and have not yet undone it."""


def compute_once() -> None:
    """Put one that remembers in the place of each, wherever it has been imported."""
    loaded = {name: sys.modules[name] for name in PURE if name in sys.modules}
    functions = [getattr(module, each) for name, module in loaded.items() for each in PURE[name]]
    remembering = {each: _remembering(each) for each in functions}
    for module in [*sys.modules.values()]:
        if module.__name__.startswith(("deniable", "tests", "test_")):
            for name, value in [*vars(module).items()]:
                if isinstance(value, types.FunctionType) and value in remembering:
                    setattr(module, name, remembering[value])
    _watch(pytest.MonkeyPatch)


def _remembering(function: Callable[..., Any]) -> Callable[..., Any]:
    answers: dict[Any, Any] = {}

    @functools.wraps(function)
    def answer(*given: Any, **named: Any) -> Any:
        key = _key(given), tuple((name, _key(value)) for name, value in named.items())
        try:
            if not _changes and key in answers:
                return answers[key]
        except TypeError:  # of a list or an array nothing is remembered
            return function(*given, **named)
        result = function(*given, **named)
        if not _changes and len(answers) < MOST:
            answers[key] = result
        return result

    return answer


def _key(value: Any) -> Any:
    """Tell values apart as their text does: 1, 1.0 and True are equal, and so are 0.0 and -0.0."""
    if isinstance(value, tuple):
        return tuple(map(_key, value))
    if attrs.has(type(value)):
        fields = attrs.fields(type(value))
        return type(value), tuple(_key(getattr(value, field.name)) for field in fields if field.eq)
    return type(value), repr(value) if isinstance(value, float) else value


def _watch(patch: type[pytest.MonkeyPatch]) -> None:
    """Remember who has changed an attribute, until it is undone."""
    set_, undo = patch.setattr, patch.undo

    def setattr_(self: pytest.MonkeyPatch, *given: Any, **named: Any) -> None:
        _changes.add(id(self))
        set_(self, *given, **named)

    def undo_(self: pytest.MonkeyPatch) -> None:
        undo(self)
        _changes.discard(id(self))

    cast(Any, patch).setattr, cast(Any, patch).undo = setattr_, undo_
