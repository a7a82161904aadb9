"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.ledger.checking import check as check
from deniable.ledger.costs import charge_guarantee as charge_guarantee
from deniable.ledger.keeping import export as export
from deniable.ledger.keeping import new as new
from deniable.ledger.keeping import void as void
from deniable.ledger.summary import show as show
from deniable.publish.cost import cost as cost
