"""What a mechanism reveals about correlated records, between bounds that include all rounding."""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__, public=True)
