"""A public answer as text, and as a table for a notebook: its own words and numbers, no script."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import Any

import attrs

from deniable.errors.validate import in_full
from deniable.numerics.answer import Answer
from deniable.report.html import Html, legible, name, text
from deniable.report.rendering import render

_DIGITS = 6  # significant digits of a number whose safe side is known; the others stand in full
_ROWS = 20  # rows of a list that are shown: a screen full
_UP = frozenset({
    "advantage", "attack_success", "bayes_success", "belief", "bound", "budget", "cost", "epsilon",
    "epsilon_add_remove", "epsilon_negative", "epsilon_of_choice", "epsilon_positive",
    "epsilon_replace_one", "exceedance", "exceedance_either_end", "gamma", "gamma_outside",
    "half_width_95", "loss", "negative_gamma", "noise_multiplier", "noise_multiplier_to_apply",
    "pairwise_bound", "passed_with_probability_at_most", "positive_gamma", "positive_gamma_here",
    "probability", "range_loss", "rho", "sampling_epsilon", "sensitivity", "spent", "upper",
})  # fmt: skip
"""Claims, and noise to apply: rounded up."""
_DOWN = frozenset({"fnr", "left", "left_after", "lower", "noise_multiplier_lower"})
"""What is at least so large: rounded down."""
_WIDE = 160
"""Characters of a table's line, of a wide window; what is wider is printed an object a line."""
_WARNING = "NOT FOR PUBLICATION: exact figures, for those who keep the data or the ledger only."


def answer_text(answer: Answer) -> str:
    """What an answer says in lines of text, with the numbers of `answer_html`."""
    said = _Said.of(answer)
    rounded = _Sides(answer.TO_APPLY)
    lines = [*([_WARNING] if answer.OWNER_ONLY else []), said.summary]
    lines += [legible(f"Caution: {each}") for each in said.cautions]
    pairs = [(_spoken(key), rounded.line(_own(key), value)) for key, value in said.short]
    width = max((len(key) for key, _ in pairs), default=0)
    lines += [f"{key:<{width}}  {value}".rstrip() for key, value in pairs]
    for key, value in said.long:
        lines += ["", f"{_spoken(key)}: {len(value):,}", *_list_lines(rounded, value)]
    return "\n".join(lines)


def rows_text(rows: Sequence[Answer]) -> str:
    """Answers of one kind as one table, all of them."""
    return "\n".join(_table_lines(_Sides(frozenset()), [row.as_json() for row in rows], wide=None))


def answer_html(answer: Answer) -> Html:
    """What an answer says, as `displayed` has it: a caption, cautions, a table.

    Numbers that promise something are rounded to the safe side, the others are shown in full.
    """
    said = _Said.of(answer)
    rounded = _Sides(answer.TO_APPLY)
    return render(
        "report/answer.html",
        warning=_WARNING if answer.OWNER_ONLY else "",
        cautions=said.cautions,
        summary=said.summary,
        short=[(_spoken(key), _marked(rounded.inline(_own(key), of))) for key, of in said.short],
        long=[(_spoken(f"{key}: {len(of)}"), *_list_html(rounded, of)) for key, of in said.long],
    )


@attrs.frozen
class _Said:
    """What an answer says: a sentence, cautions, what a line holds, and lists."""

    summary: str
    cautions: Sequence[str]
    short: Sequence[tuple[str, Any]]
    long: Sequence[tuple[str, list[Any]]]

    @classmethod
    def of(cls, answer: Answer) -> "_Said":
        content = answer.displayed()
        cautions = content.pop("cautions", [])
        summary = (type(answer).__doc__ or type(answer).__name__).strip().split("\n", 1)[0]
        short = {key: value for key, value in content.items() if not _is_long(value)}
        long = [(key, value) for key, value in content.items() if _is_long(value)]
        return cls(summary, cautions, list(_flat(short)), long)


class _Foreign(str):
    """A text that may be somebody else's, such as the name of a query."""

    __slots__ = ()


class _Sides:
    """Writes numbers, each rounded to the side that its key names."""

    def __init__(self, to_apply: frozenset[str]) -> None:
        self._down = _DOWN | to_apply
        self._up = _UP - to_apply

    def line(self, key: str, value: Any) -> str:
        """One value, in one line of text."""
        return legible("".join(self.inline(key, value)))

    def inline(self, key: str, value: Any) -> Iterator[str]:
        """The pieces of one value, in one line."""
        match value:
            case None:
                return
            case bool():
                yield "yes" if value else "no"
            case int():
                yield f"{value:,}"
            case float():
                yield self._number(key, value)
            case Mapping() if "evidence" in value:
                bounds = (self._number(end, value[end]) for end in ("lower", "upper"))
                rests = str(value["evidence"])
                if rests == "confidence":
                    rests = f"covers with probability {in_full(value['confidence'])}"
                yield f"[{', '.join(bounds)}], {rests}"
            case Mapping():
                stated = [(inner, of) for inner, of in value.items() if of is not None and of != []]
                for number, (inner, of) in enumerate(stated):
                    yield from (", ",) if number else ()
                    yield from (_Foreign(_spoken(inner)), " ", *self.inline(inner, of))
            case []:
                yield "none"
            case list():
                for number, each in enumerate(value):
                    yield from (", ",) if number else ()
                    yield from self.inline(key, each)
            case _:
                yield _Foreign(value)

    def _number(self, key: str, value: float | str) -> str:
        if isinstance(value, str) or key not in self._up | self._down:
            return str(value)
        rounding = ROUND_CEILING if key in self._up else ROUND_FLOOR
        return str(float(Context(prec=_DIGITS, rounding=rounding).create_decimal(repr(value))))


def _list_lines(rounded: _Sides, value: Sequence[Any]) -> Iterator[str]:
    """A list in lines of text: a table, or where that is too wide an object a line."""
    displayed = value[:_ROWS]
    if all(isinstance(each, Mapping) for each in displayed):
        yield from _table_lines(rounded, displayed, wide=_WIDE)
    else:
        yield from (f"  {rounded.line('', each)}" for each in displayed)
    if more := len(value) - len(displayed):
        yield f"  … and {more:,} more: as_json() has all."


def _table_lines(
    rounded: _Sides, rows: Sequence[Mapping[str, Any]], *, wide: int | None
) -> Iterator[str]:
    """A table; what is a list of objects itself stands below its row."""
    pairs = (pair for row in rows for pair in row.items())
    below = {key for key, of in pairs if isinstance(of, list) and of and isinstance(of[0], Mapping)}
    heads = [key for key in _heads(rows) if key not in below]
    cells = [[rounded.line(key, row.get(key)) for key in heads] for row in rows]
    widths = [max(map(len, column)) for column in zip(map(_spoken, heads), *cells, strict=True)]
    fits = wide is None or sum(widths) + 2 * len(widths) <= wide
    if fits:
        yield _padded(map(_spoken, heads), widths)
    for row, line in zip(rows, cells, strict=True):
        cut = {key: value for key, value in row.items() if key not in below}
        yield _padded(line, widths) if fits else f"  {rounded.line('', cut)}"
        for key in below:
            yield from (f"      {rounded.line('', each)}" for each in row.get(key) or ())


def _padded(cells: Iterable[str], widths: Iterable[int]) -> str:
    line = "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))
    return f"  {line}".rstrip()


def _list_html(rounded: _Sides, value: Sequence[Any]) -> tuple[list[str], list[Any], int]:
    """Heads and rows of a list of objects, entries of any other; how many are not shown."""
    displayed = value[:_ROWS]
    more = len(value) - len(displayed)
    if not all(isinstance(each, Mapping) for each in displayed):
        return [], [_marked(rounded.inline("", each)) for each in displayed], more
    heads = _heads(displayed)
    rows = [[_marked(rounded.inline(key, each.get(key))) for key in heads] for each in displayed]
    return [_spoken(key) for key in heads], rows, more


def _heads(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for each in rows for key in each))


def _flat(content: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Objects within the answer as rows of their own, but enclosures."""
    for key, value in content.items():
        if isinstance(value, Mapping) and "evidence" not in value:
            yield from _flat(value, f"{before}{key}: ")
        elif value is not None:
            yield f"{before}{key}", value


def _is_long(value: Any) -> bool:
    """Whether it is a list that a line does not hold."""
    if not isinstance(value, list) or not value:
        return False
    return isinstance(value[0], Mapping | list) or len(value) > _ROWS


def _marked(pieces: Iterable[str]) -> Html:
    """Pieces as markup, others' texts apart from the direction of what stands around them."""
    return Html("".join(name(e) if isinstance(e, _Foreign) else text(e) for e in pieces))


def _spoken(key: str) -> str:
    return legible(key.replace("_", " "))


def _own(key: str) -> str:
    """A key without those that it stands below."""
    return key.rpartition(": ")[2]
