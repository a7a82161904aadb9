"""Columns that a plan derives: public functions of one row, total and the same on every engine."""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
