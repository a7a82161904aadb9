"""Deniable: membership privacy, from what an adversary may believe to what is published."""

import importlib
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "Bound": "deniable.bounds:Bound",
    "BoundedPrior": "deniable.priors:BoundedPrior",
    "Evidence": "deniable.bounds:Evidence",
    "Target": "deniable.analysis.target:Target",
    "UnrestrictedPrior": "deniable.priors:UnrestrictedPrior",
    "calibrate": "deniable.analysis.calibrate:calibrate",
    "check": "deniable.publish.check:check",
    "derive": "deniable.theorems.derive:derive",
    "explain": "deniable.analysis.explain:explain",
    "new": "deniable.publish.skeleton:skeleton",
    "plan": "deniable.publish.prepare:prepare",
    "preview": "deniable.publish.preview:preview",
    "release": "deniable.publish.execute:release",
    "verify": "deniable.analysis.finite.verify:verify",
}

__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'deniable' has no attribute {name!r}")
    module, attribute = _PUBLIC[name].split(":")
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
