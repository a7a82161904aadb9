"""The explorer: one page of sliders about a budget or a plan, without server and without data."""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
