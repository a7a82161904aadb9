"""The judge: exactly how private an explicit mechanism on a small universe is, by every notion."""

from deniable.errors.public_names import lazy_exports

DRAWN_BY = {"Verdict.plot": "deniable.report.plots:verdict_chart"}
"""What draws the answers of this package."""

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__, public=True)
