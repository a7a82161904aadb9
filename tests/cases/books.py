"""Books of a ledger as values, without a file: a dataset, and charges of these sizes."""

from collections.abc import Iterable

from deniable.ledger.charge import Charge, chain_start, link
from deniable.ledger.dataset import Dataset, Measure
from deniable.priors import BoundedPriors
from deniable.theorems.analysis.target import EpsilonTarget


def dataset(budget: int, exceedance: float = 0.0, **changes) -> Dataset:
    """People with a budget of so many units, in ρ where something may be exceeded."""
    fields = {
        "name": "visits",
        "entity": "patient",
        "unit": None,
        "adjacency": "replace-one",
        "adversary": BoundedPriors(),
        "target": EpsilonTarget(1.0),
        "exceedance": exceedance,
        "measure": Measure.RHO if exceedance else Measure.EPSILON,
        "budget": budget,
    }
    return Dataset(**(fields | changes))


def book(
    of: Dataset, charges: Iterable[int | tuple[int, int]], voided: Iterable[int] = ()
) -> list[Charge]:
    """Entries of charges of so many units, and of the voids of some, by their positions.

    A charge is its units, or these and those of its exposure.
    """
    sizes = [each if isinstance(each, tuple) else (each, 0) for each in charges]
    entries: list[Charge] = []
    told = [(index, size, 1, "charged") for index, size in enumerate(sizes)]
    told += [(index, sizes[index], -1, "void") for index in voided]
    for index, (size, exposure), sign, state in told:
        fields = {
            "id": f"{index:032x}",
            "dataset": of.name,
            "units": sign * size,
            "exposure": None if of.exposure is None else sign * exposure,
            "what": "a release",
            "plan_sha256": None,
            "by": "a test",
            "at": "2026-01-01T00:00:00+00:00",
            "state": state,
            "because": "it was not published" if state == "void" else None,
            "statement_sha256": None,
            "previous": entries[-1].sha256 if entries else chain_start(of),
        }
        entries.append(Charge(**fields, sha256=link(fields)))
    return entries
