"""What every public answer can do: be text, one object of JSON, a table in a notebook.

An answer knows nothing of pages and charts: the package of its type says what draws it.
"""

import enum
import functools
import importlib
import math
import os
import sys
from collections.abc import Hashable, Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar

import attrs

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
        """Write it as a dict is written."""
        return repr(self._items)


def round_outwards(value: float | Fraction, digits: int, *, up: bool = True) -> Decimal:
    """A number to so many digits, up or down: terminals state no less than certificates."""
    to = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    if isinstance(value, Fraction):  # the float next to it may be on the other side
        return to.divide(Decimal(value.numerator), Decimal(value.denominator))
    return to.create_decimal(Decimal(repr(float(value))))


_WIDTH = 160
"""Characters of an answer on one line: two lines of a usual terminal."""
_TEXT = 40
"""Characters of a text within that line."""
_PRIVATE = "NOT FOR PUBLICATION"

PlotKind: TypeAlias = Literal["posterior", "trade-off"]
"""What a chart of a budget shows."""


def display(value: object, how: str, *arguments: object, **options: object) -> Any:
    """What draws a value of this type, or of one it inherits from, makes of it: a text, a page."""
    # The `__init__` of the value's package, or of one around it, says in `DRAWN_BY` what that is,
    # as "Summary.plot": "deniable.ledger.page:ledger_chart"; it is imported here.
    for each in type(value).__mro__:
        package = each.__module__
        while package := package.rpartition(".")[0]:
            drawn = vars(sys.modules[package]).get("DRAWN_BY", {})
            if (place := drawn.get(f"{each.__name__}.{how}")) is not None:
                module, _, function = place.partition(":")
                draw = getattr(importlib.import_module(module), function)
                return draw(value, *arguments, **options)
    raise AssertionError(f"nothing draws {type(value).__name__} as {how}")


class Answer:
    """What a public function answers, for people who look at it.

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

            @functools.wraps(own)
            def as_plain_json(self: Any) -> dict[str, Any]:
                answer: dict[str, Any] = plain(own(self))
                return answer

            setattr(cls, "as_json", as_plain_json)  # noqa: B010 - mypy knows methods by their def

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints with --json."""
        raise NotImplementedError

    def displayed(self) -> dict[str, Any]:
        """What is printed and put on a notebook's page: as_json, and what was published besides."""
        return self.as_json()

    def __str__(self) -> str:
        """All of it in lines of text; numbers that promise something rounded to the safe side."""
        return str(display(self, "text"))

    def __repr__(self) -> str:
        """One line: the answer's name and its first numbers, in full."""
        parts = [_PRIVATE] if self.OWNER_ONLY else []
        parts += _figures(self.displayed())
        name = type(self).__name__
        while len(line := f"{name}({', '.join(parts)})") > _WIDTH and parts:
            parts = [*parts[:-1], "…"] if parts[-1] != "…" else [*parts[:-2], "…"]
            if parts == ["…"]:
                return f"{name}(…)"
        return line

    def _repr_html_(self) -> str:
        """A table for a notebook, without script."""
        return str(display(self, "html"))


class WrittenAnswer(Answer):
    """An answer that was written to a folder, and stands for it wherever a path is taken."""

    __slots__ = ()
    if TYPE_CHECKING:
        out: Path

    def __fspath__(self) -> str:
        """The folder."""
        return os.fspath(self.out)


class PageAnswer(Answer):
    """An answer with a page for the person who decides."""

    __slots__ = ()

    def page(self) -> str:
        """Return a page as HTML that opens offline, without script; needs the extra publish."""
        return str(display(self, "page"))


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
        return display(self, "plot", *others)


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
        return display(self, "plot", *others, kind=kind)


def fields_of(value: object, *names: str) -> dict[str, Any]:
    """Fields and properties of a value under their names, in the order of these."""
    return {name: getattr(value, name) for name in names}


def plain(value: Any) -> Any:
    """What JSON can hold: lists, floats, texts as keys, infinities as text, values by fields."""
    match value:
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case float() if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        case Fraction():
            return float(value)
        case str() | enum.Enum():  # a text of a class of its own, too
            return str(value)
        case os.PathLike():
            return os.fspath(value)
        case _ if hasattr(value, "as_json"):
            return plain(value.as_json())
        case _ if attrs.has(type(value)):
            names = [field.name for field in attrs.fields(type(value))]
            return plain(fields_of(value, *names))
        case _:
            return value


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
