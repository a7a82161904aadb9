"""Noisy gradient descent: privacy curves enclosed from both sides."""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
