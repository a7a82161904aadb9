"""Deniable: membership privacy, from what an adversary may believe to what is published."""

from deniable.errors.public_names import lazy_exports

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
