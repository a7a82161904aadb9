"""A model as a target: coins decide who is trained on, losses are what is seen."""

from __future__ import annotations

import copy
import hashlib
import inspect
import os
import pickle
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.auditing.runs import (
    Bits,
    ForeignTarget,
    Signals,
    TargetFailed,
    check_call,
    foreign_code,
    global_generators,
)
from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late
from deniable.errors.public_names import nearest
from deniable.numerics.effort import Generator

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.csv as pa_csv  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")
    pa_csv = late("pyarrow.csv", extra="publish")
    pq = late("pyarrow.parquet", extra="publish")

Losses: TypeAlias = NDArray[np.float64]
LossFunction: TypeAlias = Callable[[Any, Any, Any], Any]
"""(model, features, labels) -> a loss of each record."""

FARTHEST = 745.0
"""Natural log-odds: a probability below e^-745 is no float, so 0 counts as that."""


def losses_of(
    model: Any, features: Any, labels: Any, given: LossFunction | None, scale: float
) -> Losses:
    """The loss of each record under one model, in nats; the smaller, the better it is known.

    By `given`; else by the model's `losses(X, y)`, by the cross-entropy of `predict_proba(X)` and
    `classes_`, or by the squared error of `predict(X)` in units of `scale`, twice a typical one. An
    infinite loss counts as 745 or the largest finite one.
    """
    n = int(features.shape[0])
    if given is not None:
        with foreign_code():
            values = given(model, features, labels)
    elif callable(getattr(model, "losses", None)):
        check_call(model.losses, "losses(X, y) of a model", None, None)
        with foreign_code():
            values = model.losses(features, labels)
    elif hasattr(model, "predict_proba") and hasattr(model, "classes_"):
        values = _cross_entropy(model, features, np.asarray(labels))
    elif hasattr(model, "predict") and not hasattr(model, "classes_"):
        with foreign_code():
            predicted = np.asarray(model.predict(features), dtype=np.float64)
        off = (predicted - np.asarray(labels, dtype=np.float64)).reshape(n, -1)
        values = np.square(off).sum(axis=1) / scale
    else:
        raise InvalidArgument(
            "Expected a model with losses(X, y), predict_proba(X) or, for numbers, predict(X), got "
            f"{type(model).__qualname__}. Give losses(model, X, y) beside it."
        )
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


def log_odds(losses: Losses) -> Losses:
    """ln p/(1 − p) of p = e^(−loss), with all digits near p = 0 and p = 1.

    Losses below 0 belong to no probability; where there are any, −loss stands instead: attacks
    need the order, and spreads that look alike.
    """
    if losses.size and losses.min() < 0:
        return -losses
    with np.errstate(divide="ignore"):
        odds = -losses - np.log(-np.expm1(-losses))
    return np.minimum(odds, FARTHEST)


def _cross_entropy(model: Any, features: Any, labels: NDArray[Any]) -> Losses:
    """−ln p of the label, by p itself where it is small and by the others' sum where it is not."""
    with foreign_code():
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


SEEDS = ("seed", "random_state")
"""Names of an argument or parameter that takes a whole number for randomness of the training."""


@attrs.frozen(eq=False)
class Training:
    """How to train once more.

    An estimator is copied unfitted; `keyword` is the argument of a function that takes a seed.
    """

    source: Any
    keyword: str | None = None

    def model(self, features: Any, labels: Any, seed: int) -> Any:
        """A model trained on these records; what fails in it is the caller's to tell."""
        if not is_estimator(self.source):
            given = {} if self.keyword is None else {self.keyword: seed}
            return self.source(features, labels, **given)
        fresh = unfitted(self.source)
        for name, value in fresh.get_params().items():  # of the estimator and what is inside it
            if value is None and name.rpartition("__")[2] == "random_state":
                fresh.set_params(**{name: seed})
        fitted = fresh.fit(features, labels)
        return fresh if fitted is None else fitted

    @property
    def name(self) -> str:
        """What it is called in messages and kept runs."""
        named = type(self.source) if is_estimator(self.source) else self.source
        return str(getattr(named, "__qualname__", type(named).__qualname__))

    def key(self) -> str:
        """Its name, and an estimator's parameters."""
        if is_estimator(self.source):
            return f"{self.name} {self.source.get_params()!r}"
        return f"{getattr(self.source, '__module__', '')}.{self.name}"


def training_of(source: Any) -> Training:
    """A training from a function `fit(X, y)` or from an unfitted estimator.

    A function may take `seed` or `random_state`, and is given another number in every run. An
    estimator's `random_state` is set where it is None, and left where it is not.
    """
    if inspect.isclass(source) and hasattr(source, "fit"):
        raise InvalidArgument(
            f"Expected a model to train, got the class {source.__qualname__}. "
            f"Make an object of it: {source.__qualname__}()."
        )
    if is_estimator(source):
        return Training(source)
    parameters: Mapping[str, Any] = {}
    with suppress(TypeError, ValueError):  # some functions written in C tell no signature
        parameters = inspect.signature(source).parameters
    keyword = next((name for name in SEEDS if name in parameters), None)
    seed = {} if keyword is None else {keyword: 0}
    wanted = "fit(X, y) or fit(X, y, seed) of features and labels, or an estimator with fit"
    check_call(source, f"{wanted} and get_params", None, None, **seed)
    return Training(source, keyword)


def is_estimator(source: Any) -> bool:
    """Whether it trains itself and can be copied by its parameters."""
    return not inspect.isclass(source) and hasattr(source, "fit") and hasattr(source, "get_params")


def unfitted(source: Any) -> Any:
    """A copy with the same parameters and nothing learnt, and so with what is inside of it."""
    if isinstance(source, list | tuple) and type(source) in (list, tuple):
        return type(source)(unfitted(part) for part in source)
    if not is_estimator(source):
        return copy.deepcopy(source)
    if hasattr(source, "__sklearn_clone__"):
        return source.__sklearn_clone__()
    parameters = source.get_params(deep=False)
    return type(source)(**{name: unfitted(value) for name, value in parameters.items()})


@attrs.frozen(eq=False)
class Records:
    """Features and labels of all records, members or not.

    Features are anything whose rows can be taken, and are handed on as they are.
    """

    features: Any
    labels: Any

    def __len__(self) -> int:
        """How many there are."""
        return int(self.features.shape[0])

    def take(self, rows: NDArray[np.intp]) -> tuple[Any, Any]:
        """Features and labels of some rows, in the type in which they came."""
        return _rows(self.features, rows), _rows(self.labels, rows)

    def digest(self) -> str:
        """A name of the values; it stays on the owner's machine."""
        return hashlib.sha256(pickle.dumps((self.features, self.labels))).hexdigest()[:32]


def records_of(data: Any, label: str | None = None) -> Records:
    """Records from features and labels, or from a file of Parquet or CSV.

    Columns of a file are numbers, and `label` is one of them.
    """
    if isinstance(data, str | os.PathLike):
        if label is None:
            raise InvalidArgument(
                f"Expected a label column for {Path(data).name}, got none. "
                "Say which column the model predicts."
            )
        records = _read(Path(data), label)
    else:
        if label is not None:
            raise InvalidArgument(
                "Expected a label column for a file only, got one for features and labels."
            )
        if not isinstance(data, list | tuple) or len(data) != 2:
            raise InvalidArgument(
                f"Expected data as a pair of features and labels, or a file, got "
                f"{type(data).__qualname__}. Write data=(X, y)."
            )
        records = Records(*map(_array, data))
    of, n = records.labels.shape, len(records)
    if not of or int(of[0]) != n:
        raise InvalidArgument(f"Expected a label for each of {n} records, got shape {tuple(of)}.")
    if n < 2:
        raise InvalidArgument(f"Expected at least 2 records, got {n}.")
    return records


def _array(value: Any) -> Any:
    """The value itself where it has rows to take, else an array of it."""
    if not hasattr(value, "shape") or not hasattr(value, "__getitem__"):
        try:
            value = np.asarray(value)
        except ValueError:
            raise InvalidArgument("Expected rows of one length in data, got several.") from None
    if not value.shape:
        raise InvalidArgument("Expected data to be features and labels, got one value.")
    return value


def _rows(values: Any, rows: NDArray[np.intp]) -> Any:
    return values.iloc[rows] if hasattr(values, "iloc") else values[rows]


def _read(path: Path, label: str) -> Records:
    readers = {".parquet": pq.read_table, ".csv": pa_csv.read_csv}
    if path.suffix.lower() not in readers:
        raise InvalidArgument(
            f"Expected data in a file .parquet or .csv, got {validate.format_value(path.name)}."
        )
    if not path.is_file():
        raise InvalidArgument(f"Expected a file of records, got none at {path}.")
    try:
        table = readers[path.suffix.lower()](path)
    except (pa.ArrowException, OSError):  # which would show what is in it
        raise InvalidArgument(
            f"Expected a readable {path.suffix.lower()[1:]} file, got {path.name}, which is "
            "damaged or of another format."
        ) from None
    if not table.num_rows:  # of a file of text nothing says what its columns are
        raise InvalidArgument(f"Expected at least 2 records in {path.name}, got 0.")
    if label not in table.column_names:
        near = nearest(str(label), table.column_names)  # others may be a row without a header
        raise InvalidArgument(
            f"Expected a label column of {path.name}, got {validate.format_value(label)}. "
            + (f"Did you mean {near}?" if near else "Its first line has the columns' names.")
        )
    if len(set(table.column_names)) < len(table.column_names):
        raise InvalidArgument(
            f"Expected names of columns that differ, got one twice in {path.name}."
        )
    names = [name for name in table.column_names if name != label]
    numeric = pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean
    other = [n for n in names if not any(test(table.schema.field(n).type) for test in numeric)]
    if other or not names:
        raise InvalidArgument(
            f"Expected columns of numbers beside the label in {path.name}, got "
            f"{', '.join(other[:10]) or 'none'}. Encode other columns, or hand over features and "
            "labels in Python, with a pipeline as the model."
        )
    if table.column(label).null_count:
        raise InvalidArgument(f"Expected a label in every row of {path.name}, got rows without.")
    columns = [table.column(n).cast(pa.float64(), safe=False).to_numpy() for n in names]
    return Records(np.column_stack(columns), np.asarray(table.column(label).to_pylist()))


@attrs.frozen(eq=False)
class ModelTarget(ForeignTarget):
    """Trainings on random members, and the losses of all records under each model.

    Every record is a member with probability ½, independently of the others: of the adversary's
    beliefs before, this is the product prior with ½ for everybody.
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
        return f"model {self.training.key()} {self.people.digest()}"

    def draw(self, members: Bits, generator: Generator) -> Signals:
        """Losses of all records, a training for each row of members; (n_runs, n_records, 1)."""
        scale = _scale(self.people.labels)
        with global_generators(generator):
            # Seeds that a training may be given, 0 to 2^31 − 1: what all libraries take.
            losses = [self._run(row, int(generator.integers(2**31)), scale) for row in members]
        return np.reshape(losses, (*members.shape, 1))

    def _run(self, row: Bits, seed: int, scale: float) -> Losses:
        features, labels = self.people.take(np.flatnonzero(row))
        try:
            with foreign_code():
                model = self.training.model(features, labels, seed)
        except TargetFailed as failed:
            if (short := _too_few(labels)) and not _too_few(self.people.labels):
                raise InvalidArgument(
                    f"Expected a training that works on every half of the records, got "
                    f"{type(failed.__cause__).__name__} where the members were {short}. Hand over "
                    "more records, or let fit(X, y) return a constant model there; leaving such "
                    "draws out would make memberships depend on each other."
                ) from failed
            raise
        everybody = self.people.take(np.arange(len(self.people)))  # what is changed is a copy
        return losses_of(model, *everybody, self.loss, scale)


def model_target(
    model: Any, data: Any, *, label: str | None = None, losses: LossFunction | None = None
) -> ModelTarget:
    """A model as a target of an audit.

    `losses(model, X, y)` gives a loss of each record: any model, whatever made it.
    """
    if losses is not None:
        check_call(losses, "losses(model, X, y)", None, None, None)
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
