"""The judge: how private an explicit mechanism on a small universe is, exactly, by every notion."""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
