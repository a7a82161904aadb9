"""What a trained model says of each record: its loss, as exact as floats allow."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument

Losses: TypeAlias = NDArray[np.float64]
LossFunction: TypeAlias = Callable[[Any, Any, Any], Any]
"""(model, features, labels) -> a loss of each record."""

FARTHEST = 745.0
"""Natural log-odds: a probability below e^-745 is no float, so 0 counts as that."""


def losses_of(
    model: Any, features: Any, labels: Any, given: LossFunction | None, scale: float
) -> Losses:
    """The loss of each record under one model, in nats; the smaller, the better it is known.

    Parameters
    ----------
    model : object
        With `losses(X, y)`; else with `predict_proba(X)` and `classes_`, whose cross-entropy is
        taken; else with `predict(X)`, whose squared error is taken.
    features, labels : array-like, first axis n_records
        All records, members and others.
    given : callable or None
        `losses(model, X, y)`, taken before anything that the model has.
    scale : float
        Twice a typical squared error, > 0: squared errors are told in this unit.

    Returns
    -------
    ndarray of float, shape (n_records,)
        Finite; an infinite loss counts as 745 or the largest finite one.

    Raises
    ------
    InvalidArgument
        If there is no loss, not one a record, or one that is no number.
    """
    n = int(features.shape[0])
    if given is not None:
        return _checked(given(model, features, labels), n)
    if callable(getattr(model, "losses", None)):
        return _checked(model.losses(features, labels), n)
    if hasattr(model, "predict_proba") and hasattr(model, "classes_"):
        return _checked(_cross_entropy(model, features, np.asarray(labels)), n)
    if hasattr(model, "predict") and not hasattr(model, "classes_"):
        predicted = np.asarray(model.predict(features), dtype=np.float64)
        off = (predicted - np.asarray(labels, dtype=np.float64)).reshape(n, -1)
        return _checked(np.square(off).sum(axis=1) / scale, n)
    raise InvalidArgument(
        f"Expected a model with losses(X, y), predict_proba(X) or, for numbers, predict(X), got "
        f"{type(model).__qualname__}. Give losses(model, X, y) beside it."
    )


def log_odds(losses: Losses) -> Losses:
    """ln p/(1 − p) of p = e^(−loss), with all digits near p = 0 and p = 1.

    Losses below 0 belong to no probability; where there are any, −loss stands instead: attacks
    need the order, and spreads that look alike.

    Examples
    --------
    >>> log_odds(np.array([np.log(2), 1e-300, 0.0])).round(2).tolist()
    [0.0, 690.78, 745.0]
    """
    if losses.size and losses.min() < 0:
        return -losses
    with np.errstate(divide="ignore"):
        odds = -losses - np.log(-np.expm1(-losses))
    return np.minimum(odds, FARTHEST)


def _cross_entropy(model: Any, features: Any, labels: NDArray[Any]) -> Losses:
    """−ln p of the label, by p itself where it is small and by the others' sum where it is not."""
    p = np.asarray(model.predict_proba(features), dtype=np.float64)
    classes = np.asarray(model.classes_)
    if p.ndim != 2 or p.shape[1] != len(classes) or labels.ndim != 1:
        raise InvalidArgument(
            f"Expected a probability for each of {len(classes)} classes and one label a record, "
            f"got shapes {p.shape} and {labels.shape}. Give losses(model, X, y) beside the model."
        )
    own = classes[None, :] == labels[:, None]  # no column where the label was not trained on
    if not own.any():
        raise InvalidArgument(
            "Expected classes_ of the model to be labels as they were handed over, got none. "
            "Give losses(model, X, y) beside the model."
        )
    of_label = np.where(own, p, 0.0).sum(axis=1)
    of_others = np.where(own, 0.0, p).sum(axis=1)
    with np.errstate(divide="ignore"):
        sure = -np.log1p(-np.minimum(of_others, 0.5))
        return np.asarray(np.where(of_label < 0.5, -np.log(of_label), sure))


def _checked(values: Any, n: int) -> Losses:
    try:
        losses = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidArgument(
            f"Expected a loss for each of {n} records, got {type(values).__qualname__}, which "
            "is no array of numbers."
        ) from None
    if losses.shape != (n,):
        raise InvalidArgument(
            f"Expected a loss for each of {n} records, got shape {losses.shape}. "
            "Losses are needed of all records that are handed over, not of a batch or their mean."
        )
    unknown = int((np.isnan(losses) | np.isneginf(losses)).sum())
    if unknown:
        raise InvalidArgument(
            f"Expected losses that are numbers, got NaN or -inf for {unknown} of {n} records. "
            "Train without overflow, or give a loss that is defined everywhere."
        )
    largest = float(np.where(np.isinf(losses), FARTHEST, losses).max(initial=FARTHEST))
    return np.minimum(losses, largest)
