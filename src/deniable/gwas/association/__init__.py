"""What a study says of one variant, exactly: statistics, tests, linkage, significance."""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
