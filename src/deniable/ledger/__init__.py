"""What was spent on the same people, and what an attacker can conclude after all of it.

A ledger keeps a book for each dataset: the same people, whatever tables hold them. Its budget is a
limit on beliefs, calibrated once; every release is charged before its noise is drawn.
"""

from deniable.errors.public_names import lazy_exports

DRAWN_BY = {"Summary.plot": "deniable.ledger.page:ledger_chart"}
"""What draws the answers of this package."""

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__, public=True)
