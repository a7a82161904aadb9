"""Ending a charge by hand: nothing that it paid for was ever released."""

import os

from deniable.errors import InvalidArgument
from deniable.ledger.charge import Charge, State
from deniable.ledger.ledger import Ledger
from deniable.ledger.summary import ledger_of

_LEAST_SHOWN = 8
"""Digits of an ID that must be given: `show` prints as many, which two charges hardly share."""


def void(
    ledger: Ledger | str | os.PathLike[str], charge: str, *, because: str, by: str | None = None
) -> Charge:
    """Enter that a charge was never released; its units may be spent again.

    Only the owner can know. Statements on what was published so far count the charge all the
    same, in case something had been released after all.

    Parameters
    ----------
    ledger : Ledger, str or path
        A ledger, its file or its URL.
    charge : str
        The charge's ID, or as many of its first digits as no other charge shares, at least 8.
    because : str
        Why; it stays in the book.
    by : str, optional
        Who; the user of the process if left out.

    Returns
    -------
    Charge
        The new entry.

    Raises
    ------
    InvalidArgument
        If there is no such charge, it was released or is void, or the reason cannot be shown.
    LedgerError
        If the ledger cannot be read or written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deniable import Ledger
    >>> from deniable.ledger import new, show, void
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "hospital.ledger"
    ...     _ = new(file, "visits", epsilon=1.0)
    ...     charge = Ledger(file).charge("visits", 2**39, what="June")
    ...     _ = void(file, charge.id, because="The table was last year's.")
    ...     show(file).as_json()["left"]
    1.0
    """
    there = ledger_of(ledger)
    return there.void(_whole_id(there, charge), because, by=by)


def _whole_id(ledger: Ledger, digits: str) -> str:
    """The ID that begins so."""
    matches = {
        each.id
        for dataset in ledger.datasets()
        for each in ledger.entries(dataset.name)
        if each.state is State.CHARGED and each.id.startswith(digits)
    }
    if len(digits) < _LEAST_SHOWN or len(matches) > 1:
        raise InvalidArgument(
            f"Expected the ID of one charge, got {digits!a}. Give at least {_LEAST_SHOWN} of its "
            "digits, and as many as no other charge shares."
        )
    return matches.pop() if matches else digits
