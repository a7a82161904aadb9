"""The exceptions of Deniable.

::

    DeniableError
    ├── InvalidArgument    an argument is wrong (also a ValueError)          exit 2
    ├── PlanError          a plan is wrong: file, table and key              exit 2
    ├── DataError          a file cannot be read as declared; for the owner  exit 2
    ├── LedgerError        a ledger cannot be read or written                exit 2
    ├── InfeasibleTarget   no noise meets the target                         exit 3
    ├── NotApplicable      a theorem's hypothesis does not hold              exit 3
    ├── NoDerivation       no chain of theorems leads there                  exit 3
    ├── BudgetExceeded     more would be spent than is left                  exit 3
    ├── ReleaseCancelled   its owner said no before anything was spent      exit 3
    └── InconsistentTables tables that the rules cannot have made            exit 4

Every message follows one pattern: *Expected <what>, got <value> [at <where>]. [Do <remedy>.]*
No message holds a value from a person's record: what other libraries say stops in
`publish/sources/engine.py` (by `DuckDB.run` and `call_redacting_errors`), in the readers of
`servers/`, in `pipeline/noise/sampler.py`, and at the command line in `cli/output.py`.
"""

from typing import TYPE_CHECKING

from deniable.errors.public_names import named_exports

__all__ = [
    "BudgetExceeded", "DataError", "DeniableError", "InconsistentTables", "InfeasibleTarget",
    "InvalidArgument", "LedgerError", "NoDerivation", "NotApplicable", "PlanError",
    "ReleaseCancelled",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = named_exports(__name__, __all__)


class DeniableError(Exception):
    """The base class of all errors that Deniable raises on purpose.

    `instead` is an argument as it was written, and one in its place that does what may be meant:
    the command line prints the whole line with it. Where the first is empty the other is added.
    `besides` are such pairs of further mistakes, without which that line would be wrong too.
    `place` is the file, the table and the key of a plan that the message names.
    """

    def __init__(
        self,
        *message: object,
        instead: tuple[str, str] | None = None,
        place: tuple[str, str, str] | None = None,
    ) -> None:
        super().__init__(*message)
        self.instead, self.place = instead, place
        self.besides: tuple[tuple[str, str], ...] = ()


class OpenCharge(UserWarning):
    """A release is charged although an earlier one of its label was, and was never released."""


class CostNote(str):
    """A note on an error that says what was spent by then: the only notes that are printed.

    Others are notes of Python or of a library, and may quote a record.
    """

    __slots__ = ()


class InvalidArgument(DeniableError, ValueError):
    """An argument is wrong; nothing was read or spent."""


class WrongFile(InvalidArgument):
    """A file says something wrong; the message has its name and its keys, and no options."""


class PlanError(DeniableError):
    """A plan is wrong, judged only by its text, the schema and the file system."""


class DataError(DeniableError):
    """A source cannot be read as declared; this error itself depends on the data."""


class LedgerError(DeniableError):
    """A ledger cannot be read or written, or is not one; if it is in use, try again."""


class InfeasibleTarget(DeniableError):
    """No amount of noise meets the stated target."""


class NotApplicable(DeniableError):
    """A theorem does not cover the case to which it was applied."""


class NoDerivation(DeniableError):
    """No chain of catalogued theorems leads from one notion to the other."""


class BudgetExceeded(DeniableError):
    """A release would spend more than the rest of the budget."""


class ReleaseCancelled(DeniableError):
    """The owner said no to a release, before anything was charged, drawn or written."""


class InconsistentTables(DeniableError):
    """The stated rules cannot have produced the published tables."""
