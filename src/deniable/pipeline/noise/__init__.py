"""Laws of noise, what gets how much of it, and the only interface to the sampler."""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
