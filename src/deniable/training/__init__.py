"""Trained models: from a limit on beliefs to noise, and a certificate of what was done."""

from deniable.errors.public_names import lazy_exports

DRAWN_BY = {"BatchComparison.plot": "deniable.training.page:comparison_chart"}
"""What draws the answers of this package."""

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__, public=True)
