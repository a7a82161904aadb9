"""Making a dataset: its people, its adversary, and one target for all releases together."""

import os

from deniable.errors import InvalidArgument, validate
from deniable.ledger.budget import budgeted
from deniable.ledger.charge import chain_start
from deniable.ledger.ledger import Ledger
from deniable.ledger.summary import Summary, ledger_of, summary
from deniable.ledger.tables import Overview
from deniable.notions import Adjacency
from deniable.priors import BoundedPriors
from deniable.theorems.analysis import Target, target_of


def new(
    ledger: Ledger | str | os.PathLike[str],
    dataset: str,
    *,
    entity: str | None = None,
    unit: str | None = None,
    adjacency: Adjacency | str = Adjacency.REPLACE_ONE,
    prior: tuple[float, float] = (0.0, 1.0),
    gamma: float | None = None,
    max_posterior: float | None = None,
    attack_success: float | None = None,
    advantage: float | None = None,
    identifiability: float | None = None,
    worlds: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
) -> Summary:
    """Begin the book of a dataset, and make the ledger where there is none.

    All of it is fixed from then on. Tables that hold the same people share one dataset.

    Parameters
    ----------
    ledger : Ledger, str or path
        A ledger, its file or its URL.
    dataset : str
        How plans and certificates call these people.
    entity, unit : str, optional
        The column that names a person, and a word for one of them.
    adjacency : Adjacency or str
        "replace-one" or "add-remove".
    prior : (float, float)
        The ends [a, b] of what may be believed before the first release.
    gamma, max_posterior, attack_success, advantage : float
        What may be believed at most after all releases, as in `deniable.calibrate`.
    identifiability, worlds : float, int
        ρ of differential identifiability over so many possible worlds.
    epsilon : float
        A budget outright.
    delta : float, optional
        In (0, 1): the budget is in ρ, and admits Gaussian noise. Probability that what the ledger
        says of rises of belief in an entity fails, and likewise of falls.

    Returns
    -------
    Summary
        The empty book.

    Raises
    ------
    InvalidArgument
        If a number is out of range, not exactly one target is given, or the dataset is there.
    InfeasibleTarget
        If no noise meets the target.
    LedgerError
        If the ledger cannot be read or written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deniable.ledger import new
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "hospital.ledger"
    ...     answer = new(file, "visits", max_posterior=0.5, prior=(0.01, 0.1))
    >>> round(answer.as_json()["budget"], 4)
    2.1972
    """
    wanted = _target(
        {
            "gamma": gamma,
            "max_posterior": max_posterior,
            "attack_success": attack_success,
            "advantage": advantage,
            "identifiability": identifiability,
            "epsilon": epsilon,
        },
        worlds,
    )
    made = budgeted(
        dataset,
        wanted,
        adversary=BoundedPriors(*validate.pair(prior, "prior")),
        adjacency=Adjacency(validate.one_of(adjacency, Adjacency, "adjacency")),
        delta=delta,
        entity=entity,
        unit=unit,
    )
    there = ledger_of(ledger)
    there.create(made)
    return summary(there, made, Overview((), (), chain_start(made)))


def _target(given: dict[str, float | None], worlds: int | None) -> Target:
    wanted = {kind: value for kind, value in given.items() if value is not None}
    if len(wanted) != 1:
        raise InvalidArgument(
            f"Expected exactly one target of {', '.join(given)}, "
            f"got {' and '.join(wanted) or 'none'}."
        )
    [(kind, value)] = wanted.items()
    return target_of(kind, value, worlds)
