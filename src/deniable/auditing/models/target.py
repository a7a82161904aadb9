"""A model as a target: coins decide who is trained on, losses are what is seen."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from deniable.auditing._reached import digest, follow
from deniable.auditing.models.fitting import Training, training_of
from deniable.auditing.models.losses import Losses, LossFunction, losses_of
from deniable.auditing.models.records import Records, records_of
from deniable.auditing.runs import Bits, Signals
from deniable.errors import DeniableError, InvalidArgument
from deniable.errors.validate import format_value
from deniable.numerics.effort import Generator

_SEEDS = 2**31
"""Seeds that a training may be given, 0 to 2^31 − 1: what all libraries take."""


@attrs.frozen(eq=False)
class ModelTarget:
    """Trainings on random members, and the losses of all records under each model.

    Every record is a member with probability ½, independently of the others: of the adversary's
    beliefs before, this is the product prior with ½ for everybody.

    Parameters
    ----------
    training : Training
        How a model is trained.
    people : Records
        Everybody who may be a member.
    loss : callable, optional
        `losses(model, X, y)`, for a model that has none of its own.
    """

    training: Training
    people: Records
    loss: LossFunction | None = None

    @property
    def records(self) -> int:
        """How many records have a bit in every run."""
        return len(self.people)

    @property
    def key(self) -> str:
        """A text that differs between targets: kept runs of another target are not taken."""
        return f"model {self.training.key()} {digest(self.loss)} {self.people.digest()}"

    def draw(self, members: Bits, generator: Generator) -> Signals:
        """Losses of all records, a training for each row of members.

        Returns
        -------
        ndarray of float, shape (n_runs, n_records, 1)

        Raises
        ------
        InvalidArgument
            If a draw has members of one class only and cannot be trained on, or losses are not as
            they should be. What else a training raises leaves as it is.
        """
        scale = _scale(self.people.labels)
        with follow(generator, [self.training.source, self.loss]):
            losses = [self._run(row, int(generator.integers(_SEEDS)), scale) for row in members]
        return np.reshape(losses, (*members.shape, 1))

    def _run(self, row: Bits, seed: int, scale: float) -> Losses:
        features, labels = self.people.taken(np.flatnonzero(row))
        try:
            model = self.training.model(features, labels, seed)
        except DeniableError:
            raise
        except Exception as error:
            if (short := _too_few(labels)) and not _too_few(self.people.labels):
                raise InvalidArgument(
                    f"Expected a training that works on every half of the records, got "
                    f"{type(error).__name__} where the members were {short}. Hand over more "
                    "records, or let fit(X, y) return a constant model there; leaving such draws "
                    "out would make memberships depend on each other."
                ) from error
            raise
        everybody = self.people.taken(np.arange(len(self.people)))  # what is changed is a copy
        return losses_of(model, *everybody, self.loss, scale)


def model_target(
    model: Any, data: Any, *, label: str | None = None, losses: LossFunction | None = None
) -> ModelTarget:
    """A model as a target of an audit.

    Parameters
    ----------
    model : callable or estimator
        `fit(X, y) -> model` or `fit(X, y, seed) -> model`; or an unfitted estimator with `fit` and
        `get_params`, as scikit-learn has them.
    data : pair or path
        Features and labels, or a file of Parquet or CSV.
    label : str, optional
        The column of the label, for a file.
    losses : callable, optional
        `losses(model, X, y)`, a loss of each record: any model, whatever made it.

    Raises
    ------
    InvalidArgument
        If something is missing or of another kind.

    Examples
    --------
    >>> class Mean:
    ...     def __init__(self, y):
    ...         self.mean = y.mean()
    ...     def predict(self, X):
    ...         return np.full(len(X), self.mean)
    >>> target = model_target(lambda X, y: Mean(y), (np.zeros((4, 1)), np.arange(4.0)))
    >>> bits = np.array([[True, True, False, False]])
    >>> target.draw(bits, np.random.default_rng(0))[0, :, 0].tolist()
    [0.1, 0.1, 0.9, 2.5]
    """
    if losses is not None and not callable(losses):
        raise InvalidArgument(f"Expected losses(model, X, y), got {format_value(losses)}.")
    return ModelTarget(training_of(model), records_of(data, label), losses)


def _scale(labels: Any) -> float:
    """Twice the variance of numeric labels: the unit of squared errors; 1 where there is none."""
    values = np.asarray(labels)
    if values.dtype.kind not in "biuf":
        return 1.0
    scale = 2.0 * float(np.var(values.astype(np.float64), axis=0).sum())
    return scale if 0 < scale < np.inf else 1.0


def _too_few(labels: Any) -> str:
    """What is missing in members, for a message; empty where nothing is."""
    values = np.asarray(labels)
    if len(values) < 2:
        return "fewer than two"
    return "of one class only" if (values == values[:1]).all() else ""
