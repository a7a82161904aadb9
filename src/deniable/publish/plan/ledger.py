"""[ledger] of a plan: the dataset that a release is charged to, and where its ledger is."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from deniable.ledger.dataset import word
from deniable.ledger.ledger import Ledger
from deniable.ledger.server import is_url
from deniable.publish.plan.spelling import format_toml_value, quote_text
from deniable.publish.plan.table import PlanTable

NAME = "ledger"
_PLACES = ("file", "url")
_HANDED_OVER = "handed over"
"""What stands for the place of a ledger that comes as an argument; it is withheld like any."""


@attrs.frozen
class GivenLedger:
    """A ledger as an argument, and its dataset where the plan does not name it."""

    ledger: Ledger | None
    dataset: str | None

    def __bool__(self) -> bool:
        return self.ledger is not None or self.dataset is not None


def dataset_of(table: PlanTable) -> str | None:
    """The name of the dataset; None without the table.

    Raises
    ------
    PlanError
        If the table names no dataset, or not one place.
    """
    if not table.entries:
        return None
    table.only({*_PLACES, "dataset"})
    given = [key for key in _PLACES if key in table]
    if len(given) != 1:
        got = " and ".join(given) or "neither"
        remedy = "Name the ledger's file, or the URL of its server."
        raise table.error("", "one of file and url", got, remedy)
    table.text(given[0])
    with table.locate_errors("dataset"):
        return word(table.text("dataset"), "the dataset's name")


def ledger_of(table: PlanTable, base: Path, handed: GivenLedger) -> Ledger | None:
    """The ledger itself; a relative file is looked up in `base`."""
    if handed.ledger is not None or not table.entries:
        return handed.ledger
    if "file" in table:
        return Ledger(base / table.text("file"))
    with table.locate_errors("url"):
        place = table.text("url")
        if not is_url(place):
            raise table.error(
                "url", "postgresql://…", format_toml_value(place), "Write file for a file."
            )
        return Ledger(place)


def with_handed(top: PlanTable, handed: GivenLedger) -> PlanTable:
    """The plan with its ledger named, for one that is handed over.

    Raises
    ------
    PlanError
        If the plan names a place or another dataset besides, or nothing names the dataset.
    """
    if not handed:
        return top
    table = top.section(NAME)
    if handed.ledger is None:
        remedy = "Hand over the ledger too, or name the dataset in the plan."
        raise table.error("dataset", "a ledger with a dataset", "a dataset alone", remedy)
    for key in _PLACES:
        if key in table:
            remedy = f"Leave {key} out, or hand over no ledger."
            raise table.error(key, "one ledger", "one in the plan and one handed over", remedy)
    named = table.text("dataset") if "dataset" in table else handed.dataset
    if named is None:
        raise table.error("dataset", "the name of a dataset", "none", "Give dataset too.")
    if handed.dataset not in (None, named):
        got = f"{quote_text(named)} and {quote_text(str(handed.dataset))}"
        raise table.error("dataset", "one dataset", got, "Name it once.")
    entries: Mapping[str, Any] = {"file": _HANDED_OVER, "dataset": named}
    return attrs.evolve(top, entries={**top.entries, NAME: entries})
