"""What a plan would take from a ledger's dataset: `deniable.ledger.cost`, of what a plan asks."""

import os

from deniable.errors import InvalidArgument
from deniable.ledger.costs import Cost, cost_of_calibration
from deniable.ledger.dataset import People
from deniable.ledger.ledger import Ledger
from deniable.publish.plan import PlanInput, PublicPlan
from deniable.publish.prepare import Prepared, plan
from deniable.theorems.analysis import Calibration


def cost(
    ledger: Ledger | str | os.PathLike[str],
    spends: PlanInput | Prepared[PublicPlan] | Calibration,
    dataset: str | None = None,
    *,
    data: object | None = None,
    people: People | None = None,
) -> Cost:
    """Return what a release would take from a dataset, and what would be left of its budget.

    Parameters
    ----------
    ledger : Ledger, str or path
        A ledger, its file or its URL.
    spends : path, str, mapping, Prepared or Calibration
        What would be released: a plan (its TOML file, its text, or what TOML reads from it), a
        plan that ``deniable.plan`` has prepared, or a budget: ``deniable.calibrate(gamma=2)``.
    dataset : str, optional
        Whose budget; left out, the plan's own, or the only one.
    data : data frame, optional
        The plan's table, as `release` takes it; only its names and types are looked at.
    people : People, optional
        Whom a budget is about; a plan says that itself. Without them only adjacency is compared.

    Returns
    -------
    Cost
        The cost rounded up; where it does not fit, what would.

    Raises
    ------
    PlanError
        If the plan is wrong.
    InvalidArgument
        If data stand beside a budget or people beside a plan; if there is no such dataset, or
        none is named and there are several; if the release is about other people.
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
    ...     _ = new(file, "visits", entity="patient", epsilon=0.5)
    ...     answer = cost(file, deniable.calibrate(attack_success=0.7))
    >>> answer.fits, answer.would_fit.value
    (False, 0.622)
    """
    if isinstance(spends, Calibration | Prepared) and data is not None:
        raise InvalidArgument(
            "Expected data beside a plan that is read, got them beside its budget. Leave them out."
        )
    if not isinstance(spends, Calibration) and people is not None:
        raise InvalidArgument(
            "Expected people beside a budget, got them beside a plan, which says whom it is "
            "about. Leave them out."
        )
    if isinstance(spends, Calibration):
        return cost_of_calibration(ledger, spends, dataset, people=people)
    prepared = spends if isinstance(spends, Prepared) else plan(spends, data=data)
    named, is_paid = dataset or prepared.plan.dataset, prepared.plan.continued is not None
    own = prepared.calibration, named
    return cost_of_calibration(ledger, *own, people=prepared.people, is_paid=is_paid)
