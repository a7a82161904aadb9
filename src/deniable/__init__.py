"""Deniable: membership privacy, from what an adversary may believe to what is published."""

import importlib
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "BoundedPrior": "deniable.priors",
    "UnrestrictedPrior": "deniable.priors",
    "Bound": "deniable.bounds",
    "Evidence": "deniable.bounds",
    "Target": "deniable.analysis.target",
    "calibrate": "deniable.analysis.calibrate",
    "check": "deniable.publish.check",
    "explain": "deniable.analysis.explain",
    "new": "deniable.publish.skeleton",
    "plan": "deniable.publish.execute",
    "preview": "deniable.publish.execute",
    "release": "deniable.publish.execute",
}

__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'deniable' has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
