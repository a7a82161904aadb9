"""Guarantees as small frozen values.

A value states what holds; `spec` writes it the way the command line does. Numbers are claims:
the code that makes a value rounds them to the safe side first.
"""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__, public=True)
