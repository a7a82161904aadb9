"""A training that can be repeated: a function, or an estimator as scikit-learn has them."""

import copy
import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

import attrs

from deniable.auditing._reached import digest
from deniable.errors import InvalidArgument
from deniable.errors.validate import format_value

Fit: TypeAlias = Callable[..., Any]
SEEDS = ("seed", "random_state")
"""Names of an argument or parameter that takes a whole number for randomness of the training."""


@attrs.frozen(eq=False)
class Training:
    """How to train once more.

    Parameters
    ----------
    source : callable or estimator
        `fit(X, y) -> model`, or an object with `fit` and `get_params`, which is copied unfitted.
    keyword : str or None
        The argument of a function that takes a seed.
    """

    source: Any
    keyword: str | None = None

    def model(self, features: Any, labels: Any, seed: int) -> Any:
        """A model trained on these records; what fails in it is the caller's to tell."""
        if not is_estimator(self.source):
            given = {} if self.keyword is None else {self.keyword: seed}
            return self.source(features, labels, **given)
        fresh = unfitted(self.source)
        if unset := _unset_seeds(fresh):
            fresh.set_params(**dict.fromkeys(unset, seed))
        fitted = fresh.fit(features, labels)
        return fresh if fitted is None else fitted

    @property
    def seeded(self) -> bool:
        """Whether the training takes a seed from the audit."""
        if is_estimator(self.source):
            return bool(_unset_seeds(self.source))
        return self.keyword is not None

    @property
    def name(self) -> str:
        """What it is called in messages and kept runs."""
        named = type(self.source) if is_estimator(self.source) else self.source
        return str(getattr(named, "__qualname__", type(named).__qualname__))

    def key(self) -> str:
        """A text that differs between trainings of other code or other parameters."""
        if is_estimator(self.source):
            return f"{self.name} {self.source.get_params()!r}"
        return f"{getattr(self.source, '__module__', '')}.{self.name} {digest(self.source)}"


def training_of(source: Any) -> Training:
    """A training from a function `fit(X, y)` or from an unfitted estimator.

    Parameters
    ----------
    source : callable or estimator
        A function may also take `seed` or `random_state`; it is then given another number in every
        run. An estimator's `random_state` is set where it is None, and left where it is not.

    Raises
    ------
    InvalidArgument
        If it is neither, or does not take features and labels.

    Examples
    --------
    >>> training_of(lambda X, y, seed: None).seeded
    True
    """
    if inspect.isclass(source) and hasattr(source, "fit"):
        raise InvalidArgument(
            f"Expected a model to train, got the class {source.__qualname__}. "
            f"Make an object of it: {source.__qualname__}()."
        )
    if is_estimator(source):
        return Training(source)
    if not callable(source):
        raise InvalidArgument(
            "Expected fit(X, y) or an estimator with fit and get_params, got "
            f"{format_value(source)}."
        )
    try:
        parameters = inspect.signature(source)
    except (TypeError, ValueError):  # some functions written in C tell no signature
        return Training(source)
    keyword = next((name for name in SEEDS if name in parameters.parameters), None)
    try:
        parameters.bind(None, None, **({} if keyword is None else {keyword: 0}))
    except TypeError:
        raise InvalidArgument(
            f"Expected fit(X, y) or fit(X, y, seed), got {Training(source).name}{parameters}. "
            "Wrap it in a function of features and labels."
        ) from None
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


def _unset_seeds(estimator: Any) -> list[str]:
    """Parameters for a seed, of the estimator and what is inside of it, that are None."""
    return [
        name
        for name, value in estimator.get_params().items()
        if value is None and name.rpartition("__")[2] == "random_state"
    ]
