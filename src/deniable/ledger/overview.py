"""What of a whole book is read to add it up: all amounts, and the texts of the newest charges."""

import attrs

from deniable.ledger.charge import Amount, Charge


@attrs.frozen
class Overview:
    """A book at one moment; reading it takes a tenth of the time that all its texts would.

    Parameters
    ----------
    amounts : tuple of Amount
        All entries, first to last.
    newest : tuple of Charge
        All entries of the newest charges, first to last.
    head : str
        Digest of the newest entry, or of the dataset where there is none.
    """

    amounts: tuple[Amount, ...]
    newest: tuple[Charge, ...]
    head: str
