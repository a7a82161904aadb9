"""Attacks on what is published: each learns on pilot runs and then scores every other run."""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
