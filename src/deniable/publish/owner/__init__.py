"""Answers for the owner of a table only: everything in here is unprotected."""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
