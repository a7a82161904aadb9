"""A book as a table, for other programs."""

import csv
import io
import os
from typing import Any

import attrs

from deniable.errors import validate
from deniable.ledger.charge import Charge
from deniable.ledger.dataset import Dataset
from deniable.ledger.ledger import Ledger
from deniable.ledger.summary import at_least, at_most, ledger_of, one_dataset
from deniable.ledger.tables import ENTRY_COLUMNS
from deniable.numerics.answer import Answer


@attrs.frozen(repr=False)
class Exported(Answer):
    """A dataset and all entries of its book."""

    OWNER_ONLY = True

    dataset: Dataset
    entries: tuple[Charge, ...]

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints; `units` are of 2⁻⁴⁰."""
        return {
            "dataset": self.dataset.as_json(),
            "entries": [each.as_json() | {"amount": _amount(each)} for each in self.entries],
        }

    def as_csv(self) -> str:
        """A header, and a line an entry: RFC 4180, all texts in quotation marks.

        A text that a spreadsheet would compute, such as a label =1+1, gets an apostrophe in front,
        which spreadsheets do not show; the JSON has it as it was entered.
        """
        out = io.StringIO()
        table = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        table.writerow([*ENTRY_COLUMNS, "amount"])
        for each in self.entries:
            values = each.as_json()
            row = [_inert(values[name]) for name in ENTRY_COLUMNS]
            table.writerow([*row, _amount(each)])
        return out.getvalue()


def export(ledger: Ledger | str | os.PathLike[str], dataset: str | None = None) -> Exported:
    """All entries of a dataset's book.

    Parameters
    ----------
    ledger : Ledger, str or path
        A ledger, its file or its URL.
    dataset : str, optional
        Whose book; may be left out where there is one.

    Returns
    -------
    Exported
        For those who keep the ledger; none of it is public.

    Raises
    ------
    InvalidArgument
        If there is no such dataset, or none is named and there are several.
    LedgerError
        If the ledger cannot be read, or is none.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deniable import Ledger
    >>> from deniable.ledger import export, new
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "hospital.ledger"
    ...     _ = new(file, "visits", epsilon=1.0)
    ...     _ = Ledger(file).charge("visits", 2**39, what="June", by="Ada")
    ...     [entry] = export(file).as_json()["entries"]
    >>> entry["what"], entry["amount"], entry["state"]
    ('June', 0.5, 'charged')
    """
    there = ledger_of(ledger)
    selected = one_dataset(there, dataset)
    return Exported(selected, there.entries(selected.name))


def _inert(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula, its signs of full width among them."""
    if isinstance(value, str):
        return validate.guard_formula(value)
    return "" if value is None else value


def _amount(entry: Charge) -> float:
    """In the dataset's measure: no less than it spends, no more than it gives back."""
    return at_most(entry.units) if entry.units >= 0 else -at_least(-entry.units)
