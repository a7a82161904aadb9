"""What a plan asks for: statistics of some rows, and what every statistic needs."""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
