"""What every public answer can do: be text, one object of JSON, a table in a notebook.

Pages and charts are made by packages above, which an answer loads by name when somebody wants
to see it.
"""

import functools
import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

from deniable.errors.late import late

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class FrozenMap(Mapping[Key, Value]):
    """What a mapping held when this was made."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[Key, Value]) -> None:
        self._items = dict(items)

    def __getitem__(self, key: Key) -> Value:
        """What stands at a key."""
        return self._items[key]

    def __iter__(self) -> Iterator[Key]:
        """Its keys, in the order in which they were given."""
        return iter(self._items)

    def __len__(self) -> int:
        """How many keys it has."""
        return len(self._items)

    def __hash__(self) -> int:
        """The same for equal mappings, whose keys may stand in another order."""
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        """As a dict is written."""
        return repr(self._items)


_WIDTH = 160
"""Characters of an answer on one line: two lines of a usual terminal."""
_TEXT = 40
"""Characters of a text within that line."""
_PRIVATE = "NOT FOR PUBLICATION"

PlotKind: TypeAlias = Literal["posterior", "trade-off"]
"""What a chart of a budget shows."""

answers: Any = late("deniable.report.answers")
plots: Any = late("deniable.report.plots")


class Answer:
    """What a public function answers, for whoever looks at it.

    Everything that is shown is taken from `as_json`, or is published, so that what an answer
    keeps for its owner besides is seen nowhere.
    """

    __slots__ = ()
    OWNER_ONLY: ClassVar[bool] = False
    """Whether it holds exact figures of somebody's data, and says so wherever it is shown."""
    TO_APPLY: ClassVar[frozenset[str]] = frozenset()
    """Keys of numbers that are applied, such as a budget: shown rounded down, not up."""

    def __init_subclass__(cls) -> None:
        """Let `as_json` give what JSON can hold, whatever the answer's own numbers are."""
        super().__init_subclass__()
        if (own := cls.__dict__.get("as_json")) is not None:
            setattr(cls, "as_json", _in_json(own))  # noqa: B010 - mypy knows methods by their def

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints with --json."""
        raise NotImplementedError

    def displayed(self) -> dict[str, Any]:
        """What is printed and put on a notebook's page: as_json, and what was published besides."""
        return self.as_json()

    def __str__(self) -> str:
        """All of it in lines of text; numbers that promise something rounded to the safe side."""
        return str(answers.answer_text(self))

    def __repr__(self) -> str:
        """One line: the answer's name and its first numbers, in full."""
        parts = [_PRIVATE] if self.OWNER_ONLY else []
        parts += _figures(self.as_json())
        return _clip(type(self).__name__, parts)

    def _repr_html_(self) -> str:
        """A table for a notebook, without script."""
        return str(answers.answer_html(self))


class BudgetAnswer(Answer):
    """An answer about a budget, whose beliefs can be drawn beside those of others."""

    __slots__ = ()

    def plot(self, *others: Answer) -> Any:
        """Beliefs after against beliefs before, of this budget and of others.

        Parameters
        ----------
        others : answers with a budget
            Of explain, calibrate, compose, plan, release or a training.

        Returns
        -------
        altair.Chart
            A band a budget; needs the extra publish.
        """
        return plots.posterior_chart([self, *others])


class CurveAnswer(Answer):
    """An answer about a budget that knows its trade-off, too."""

    __slots__ = ()

    def plot(self, *others: Answer, kind: PlotKind = "posterior") -> Any:
        """Beliefs after against beliefs before, or what attacks miss, of this budget and others.

        Parameters
        ----------
        others : answers with a budget
            Of explain, calibrate, compose, plan, release or a training; for trade-offs of
            explain or a training.
        kind : {"posterior", "trade-off"}
            Beliefs; or the least share of members missed, by the share of others pointed out.

        Returns
        -------
        altair.Chart
            A band or a line a budget; needs the extra publish.
        """
        return plots.budget_chart([self, *others], kind)


def plain(value: Any) -> Any:
    """What JSON can hold: lists, texts as keys, and infinities as text.

    Examples
    --------
    >>> plain({1: (0.5, float("inf"))})
    {'1': [0.5, 'inf']}
    """
    match value:
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case float() if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        case _:
            return value


def _in_json(as_json: Callable[[Any], dict[str, Any]]) -> Callable[[Any], dict[str, Any]]:
    @functools.wraps(as_json)
    def as_plain_json(self: Any) -> dict[str, Any]:
        answer: dict[str, Any] = plain(as_json(self))
        return answer

    return as_plain_json


def _figures(answer: dict[str, Any]) -> Iterator[str]:
    """Numbers, short texts and enclosures; of lists how long they are."""
    for key, value in answer.items():
        match value:
            case None | "" | []:
                continue
            case {"lower": lower, "upper": upper}:
                yield f"{key}=[{lower}, {upper}]"
            case [int() | float() as low, int() | float() as high]:
                yield f"{key}=[{low}, {high}]"
            case list():
                yield f"{key}=[… {len(value)}]"
            case dict():
                continue
            case str() if len(value) > _TEXT:
                yield f"{key}={value[:_TEXT]!r}…"
            case _:
                yield f"{key}={value!r}"


def _clip(name: str, parts: list[str]) -> str:
    while len(line := f"{name}({', '.join(parts)})") > _WIDTH and parts:
        parts = [*parts[:-1], "…"] if parts[-1] != "…" else [*parts[:-2], "…"]
        if parts == ["…"]:
            return f"{name}(…)"
    return line
