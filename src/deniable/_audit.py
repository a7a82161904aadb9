"""The one function behind `deniable audit`: a plan, a mechanism or a model, attacked."""

import os
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from deniable import _validate
from deniable.auditing.attack import Attack
from deniable.auditing.attacked import Asked, Watch, attacked
from deniable.auditing.audit import Audit
from deniable.auditing.claim import ADJACENCIES, PARENT_SET, claim, claimed_adjacency
from deniable.auditing.models import scores
from deniable.auditing.models.target import model_target
from deniable.auditing.named import named
from deniable.auditing.runs import Target
from deniable.errors import InvalidArgument
from deniable.work.effort import Effort

NO_LIMIT = 1e8
"""Seconds, three years: an audit ends when its runs are made."""
_MODEL_RUNS = 400
"""Trainings of a model: each takes seconds, and 200 for the test show an ε of 4."""
_RUNS = 20_000
"""Runs of a mechanism: a second, and noise of half the scale is found out."""


def audit(
    target: Any,
    data: Any = None,
    *,
    claimed: str | None = None,
    runs: int | None = None,
    confidence: float = 0.95,
    delta: float | None = None,
    adjacency: str | None = None,
    label: str | None = None,
    losses: Callable[..., Any] | None = None,
    effort: Effort | None = None,
    watch: Watch | None = None,
) -> Audit:
    """Attack a release, a mechanism or a model, and say what the attack proves.

    The first half of the runs chooses the attack, the second half measures it, so that the limit
    holds with the stated confidence whatever was tried.

    Parameters
    ----------
    target : path, callable, estimator or str
        A plan (a path that ends in .toml); a mechanism, any function of a data set; with `data`
        a model, a function ``fit(X, y)`` or an estimator; or ``"module:name"`` of one of these,
        with the current folder on Python's path.
    data : pair or path, optional
        Features and labels of a model's records, or a file of Parquet or CSV.
    claimed : str, optional
        What is claimed, written as for `derive`: any notion that says something of ε and δ. A
        plan claims what its certificate will.
    runs : int, optional
        Runs in all, at least 20; by default 20,000, or 400 trainings of a model.
    confidence : float
        Probability with which the limit holds, in (0, 1).
    delta : float, optional
        δ at which claim and limit are read, in [0, 1); the claim's own, or 1e-6 where it has none
        and needs one. Without a claim 0.
    adjacency : {"add-remove", "replace-one", "parent-set"}, optional
        What the attack tells apart; the claim's, or a model's: a record added or removed.
    label : str, optional
        The label's column in a file of data.
    losses : callable, optional
        ``losses(model, X, y)``, a loss of each record, for models that have none.
    effort : Effort, optional
        Seed, workers, scheduler, checkpoint, time limit; its confidence is not used. Without one
        there is no time limit.
    watch : callable, optional
        Told the share of runs made, and the limit so far, which holds at all times.

    Returns
    -------
    Audit
        Three numbers, claimed, visible and found, and the verdict that follows.

    Raises
    ------
    InvalidArgument
        If target or claim cannot be read, or a run fails.
    PlanError
        If a plan is wrong.

    Examples
    --------
    >>> class Mean:
    ...     def __init__(self, y):
    ...         self.losses = lambda X, labels: abs(labels - sum(y) / max(len(y), 1))
    >>> X, y = [[0.0]] * 6, [0.0, 0.0, 1.0, 1.0, 2.0, 60.0]
    >>> answer = audit(lambda X, y: Mean(y), (X, y), claimed="pure-dp:1.0@add-remove")
    >>> answer.verdict, answer.worst[0].record
    ('violated', 5)
    """
    work = attrs.evolve(effort or Effort(time_limit=NO_LIMIT), confidence=confidence)
    if adjacency is not None:
        _validate.one_of(adjacency, ADJACENCIES, "adjacency")
    wished = adjacency or (None if claimed is None else claimed_adjacency(claimed))
    against = _against(target, data, wished, label, losses)
    said = None if claimed is None else claim(claimed, against.adjacency, delta)

    def told(share: float, limit: float | None) -> None:
        work.progress(share)
        if watch is not None:
            watch(share, limit)

    return attacked(
        Asked(
            target=against.target,
            attacks=against.attacks,
            adjacency=against.adjacency,
            claim=said,
            delta=_validate.probability(delta or 0.0, "delta") if said is None else said.delta,
            runs=against.runs if runs is None else runs,
            effort=work,
        ),
        told,
    )


@attrs.frozen
class _Against:
    """What is attacked, by what, and how often where nobody says."""

    target: Target
    attacks: Sequence[Attack]
    adjacency: str
    runs: int
    name: str


def _against(
    target: Any,
    data: Any,
    wished: str | None,
    label: str | None,
    losses: Callable[..., Any] | None,
) -> _Against:
    """What a target is, told by its type and by whether there are data."""
    name = str(target) if isinstance(target, str | os.PathLike) else _validate.shown(target)
    if isinstance(target, str):
        target = named(target)
    if data is not None:
        if wished == PARENT_SET:
            raise InvalidArgument(
                "Expected add-remove for a model, whose coins say who is trained on, got "
                f"{PARENT_SET}. Leave it out."
            )
        model = model_target(target, data, label=label, losses=losses)
        return _Against(model, scores.ATTACKS, "add-remove", _MODEL_RUNS, name)
    raise InvalidArgument(
        "Expected a plan (PLAN.toml), a function or MODULE:FUNCTION, got "
        f"{_validate.shown(target)}."
    )
