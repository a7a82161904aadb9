"""What was spent on the same people, and what may be believed after all of it.

A ledger keeps a book for each dataset: the same people, whatever tables hold them. Its budget is a
limit on beliefs, calibrated once; every release is charged before its noise is drawn.
"""

from typing import TYPE_CHECKING

from deniable.errors.public_names import lazy_exports

__all__ = ["charge_guarantee", "check", "cost", "export", "new", "show", "void"]

if TYPE_CHECKING:
    from deniable.ledger.checking import check
    from deniable.ledger.costs import charge_guarantee, cost
    from deniable.ledger.ending import void
    from deniable.ledger.exporting import export
    from deniable.ledger.opening import new
    from deniable.ledger.summary import show
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        __all__,
        {
            "charge_guarantee": "deniable.ledger.costs",
            "check": "deniable.ledger.checking",
            "cost": "deniable.ledger.costs",
            "export": "deniable.ledger.exporting",
            "new": "deniable.ledger.opening",
            "show": "deniable.ledger.summary",
            "void": "deniable.ledger.ending",
        },
    )
