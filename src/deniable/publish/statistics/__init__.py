"""The statistics of the core, and those that a plan reaches by their entry points."""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
