"""The airlock: every file of a folder of outputs is recognised, judged, and passed or held back."""

from deniable.errors.public_names import lazy_exports

DRAWN_BY = {"Gated.page": "deniable.airlock.gate:gate_page"}
"""What draws the answers of this package."""

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
