"""What a release would take from a dataset's budget, before anything is spent."""

import os
from typing import Any

import attrs

from deniable.errors import NotApplicable
from deniable.ledger import costs, units
from deniable.ledger.dataset import Dataset, Measure
from deniable.ledger.ledger import Ledger
from deniable.ledger.people import People, check_people
from deniable.ledger.summary import at_least, at_most, ledger_of, one_dataset
from deniable.numerics.answer import Answer
from deniable.theorems.analysis.calibrate import Calibration
from deniable.theorems.analysis.target import Target


@attrs.frozen(repr=False)
class Cost(Answer):
    """What a release would take, and what would be left.

    Parameters
    ----------
    place : str
        The file, or the server's host and database.
    dataset : Dataset
        Whose budget it is.
    units : int
        What the release would be charged.
    left : int
        What may still be charged, now.
    would_fit : Target or None
        Where it does not fit: the largest target of the same kind that would, if there is one.
    """

    OWNER_ONLY = True

    place: str
    dataset: Dataset
    units: int
    left: int
    would_fit: Target | None

    @property
    def fits(self) -> bool:
        """Whether it could be charged now."""
        return self.units <= self.left

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints; amounts are rounded to the safe side."""
        return {
            "place": self.place,
            "dataset": self.dataset.name,
            "measure": str(self.dataset.measure),
            "cost": at_most(self.units),
            "left": at_least(self.left),
            "left_after": at_least(self.left - self.units) if self.fits else None,
            "fits": self.fits,
            "would_fit": None if self.would_fit is None else self.would_fit.as_json(),
            "units": {"cost": self.units, "left": self.left},
        }


def cost(
    ledger: Ledger | str | os.PathLike[str],
    calibration: Calibration,
    dataset: str | None = None,
    *,
    people: People | None = None,
) -> Cost:
    """What a release would take from a dataset, and what would be left of its budget.

    Parameters
    ----------
    ledger : Ledger, str or path
        A ledger, its file or its URL.
    calibration : Calibration
        What the release spends: ``deniable.plan("plan.toml").calibration``, or
        ``deniable.calibrate(gamma=2)``.
    dataset : str, optional
        Whose budget; may be left out where there is one.
    people : People, optional
        Whom the release is about: ``deniable.plan("plan.toml").people``. Without them only
        adjacency is compared.

    Returns
    -------
    Cost
        The cost rounded up; where it does not fit, what would.

    Raises
    ------
    InvalidArgument
        If there is no such dataset, or none is named and there are several; if the release is
        about other people.
    NotApplicable
        If the release is of other neighbours, or is Gaussian and the budget an ε.
    LedgerError
        If the ledger cannot be read, or is none.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import deniable
    >>> from deniable.ledger import cost, new
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "hospital.ledger"
    ...     _ = new(file, "visits", epsilon=0.5)
    ...     answer = cost(file, deniable.calibrate(attack_success=0.7))
    >>> answer.fits, answer.would_fit.value
    (False, 0.622)
    """
    there = ledger_of(ledger)
    selected = one_dataset(there, dataset)
    if people is not None:
        check_people(selected, people)
    if calibration.adjacency is not selected.adjacency:
        raise NotApplicable(
            f"Expected a release under {selected.adjacency}, as {selected.name!r} has it, got one "
            f"under {calibration.adjacency}. Ask for that adjacency."
        )
    wanted = units_of(selected, calibration)
    left = selected.budget - there.spent(selected.name)
    fitting = None
    if wanted > left:
        delta = calibration.delta or None
        fitting = costs.what_fits(selected, left, calibration.target, calibration.adversary, delta)
    return Cost(there.shown, selected, wanted, left, fitting)


def units_of(dataset: Dataset, calibration: Calibration) -> int:
    """Units that a release costs which spends all that was calibrated, in whole units."""
    composition = calibration.composition
    measure = Measure.EPSILON if composition is None else Measure.RHO
    amount = calibration.epsilon if composition is None else composition.rho
    return costs.cost(dataset, measure, units.amount(units.budget(amount)))
