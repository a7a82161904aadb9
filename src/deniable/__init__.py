"""Deniable: membership privacy, from what an adversary may believe to what is published."""

from deniable.errors.public_names import lazy_names

__version__ = "0.1.0"

__getattr__, __dir__ = lazy_names(__name__, __file__, guests="deniable.names")
