"""Charge what others drew: a trained model, a release of another program."""

import os

from deniable.ledger.charge import Charge
from deniable.ledger.costs import cost_of_guarantee
from deniable.ledger.ledger import Ledger
from deniable.ledger.summary import ledger_of, one_dataset
from deniable.notions import Notion
from deniable.notions.notation import parse


def charge_guarantee(
    ledger: Ledger | str | os.PathLike[str],
    guarantee: str | Notion,
    *,
    what: str,
    dataset: str | None = None,
) -> Charge:
    """Charge anything of which worst-case differential privacy is known, before it is begun.

    Deniable's own releases charge themselves. This is for what it does not draw: of a model that
    will be trained, charge the ρ of all its steps. What nobody enters is not counted.

    Parameters
    ----------
    ledger : Ledger, str or path
        A ledger, its file or its URL.
    guarantee : str or notion
        pure-dp, zcdp or gaussian-dp, as `derive` writes them, under the dataset's neighbours.
        A pure one costs ε²/2 of a budget in ρ.
    what : str
        A label for people.
    dataset : str, optional
        Whose budget; may be left out where there is one.

    Returns
    -------
    Charge
        The entry; its `id` goes to `Ledger.released` when a statement of it leaves the house.

    Raises
    ------
    NotApplicable
        If the guarantee does not add up with others, as those of one population or of beliefs, is
        of other neighbours, or is Gaussian and the budget an ε.
    BudgetExceeded
        If less is left; nothing is written then.
    LedgerError
        If the ledger cannot be read or written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deniable.ledger import new, units
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "hospital.ledger"
    ...     _ = new(file, "visits", epsilon=1.0)
    ...     entry = charge_guarantee(file, "pure-dp:0.25", what="a table by hand")
    >>> units.amount(entry.units)
    Fraction(1, 4)
    """
    there = ledger_of(ledger)
    people = one_dataset(there, dataset)
    stated = parse(guarantee) if isinstance(guarantee, str) else guarantee
    return there.charge(people, cost_of_guarantee(people, stated), what=what)
