"""A public answer as a table for a notebook: its own words and numbers, and no script."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import Any

from deniable.numerics.answer import Answer
from deniable.report.html import Html, element, items, join, name, text

_DIGITS = 6
"""Significant digits of a number whose safe side is known; the others stand in full."""
_ROWS = 20
"""Rows of a list that are shown: a screen full."""
_UP = frozenset({
    "advantage", "attack_success", "bayes_success", "belief", "bound", "cost", "epsilon",
    "epsilon_add_remove", "epsilon_negative", "epsilon_of_choice", "epsilon_positive",
    "epsilon_replace_one", "exceedance", "gamma", "gamma_outside", "half_width_95", "loss",
    "negative_gamma", "noise_multiplier", "noise_multiplier_to_apply", "pairwise_bound",
    "passed_with_probability_at_most", "positive_gamma", "positive_gamma_here", "probability",
    "rho", "sampling_epsilon", "sensitivity", "spent", "upper",
})  # fmt: skip
"""Claims, and noise to apply: rounded up."""
_DOWN = frozenset({"budget", "fnr", "left", "left_after", "lower", "noise_multiplier_lower"})
"""What is at least so large: rounded down."""
_LEFT = "text-align:left"
_WARNING = "NOT FOR PUBLICATION: exact figures, for those who keep the data or the ledger only."


def answer_html(answer: Answer) -> Html:
    """What an answer says, as `as_json` has it: a caption, cautions, a table.

    Numbers that promise something are rounded to the safe side, the others are shown in full.

    Parameters
    ----------
    answer : Answer
        A public answer.
    """
    content = answer.as_json()
    rounded = _Sides(answer.TO_APPLY)
    parts = [element("p", element("strong", text(_WARNING)))] if answer.OWNER_ONLY else []
    parts += [element("p", text(f"Caution: {each}")) for each in content.pop("cautions", [])]
    summary = (type(answer).__doc__ or type(answer).__name__).strip().split("\n", 1)[0]
    caption = element("caption", text(summary), style=_LEFT)
    short = {key: value for key, value in content.items() if not _long(value)}
    long = [(key, value) for key, value in content.items() if _long(value)]
    rows = (
        _row(key, rounded.inline(key.rpartition(": ")[2], value)) for key, value in _flat(short)
    )
    table = element("table", caption, element("tbody", *rows))
    lists = (
        element(
            "details",
            element("summary", _words(f"{key}: {len(value)}")),
            rounded.format_list(value),
        )
        for key, value in long
    )
    return element("div", *parts, table, *lists)


class _Sides:
    """Shows numbers, each rounded to the side that its key names."""

    def __init__(self, to_apply: frozenset[str]) -> None:
        self._down = _DOWN | to_apply
        self._up = _UP - to_apply

    def inline(self, key: str, value: Any) -> Html:
        """One value, in one line."""
        match value:
            case None:
                return text("")
            case bool():
                return text("yes" if value else "no")
            case int():
                return text(f"{value:,}")
            case float():
                return text(self._number(key, value))
            case Mapping() if "evidence" in value:
                bounds = (self._number(end, value[end]) for end in ("lower", "upper"))
                return text(f"[{', '.join(bounds)}], {_evidence(value)}")
            case Mapping():
                return join(
                    (_pair(inner, self.inline(inner, of)) for inner, of in value.items()), ", "
                )
            case list():
                return (
                    text("none") if not value else join((self.inline(key, x) for x in value), ", ")
                )
            case _:
                return name(value)

    def format_list(self, value: Sequence[Any]) -> Html:
        """A list of objects as a table, of anything else as a list; the first of many."""
        displayed = value[:_ROWS]
        more = len(value) - len(displayed)
        note = [element("p", text(f"… and {more:,} more: as_json() has all."))] if more else []
        if not all(isinstance(each, Mapping) for each in displayed):
            return join([items([self.inline("", each) for each in displayed]), *note])
        heads = list(dict.fromkeys(key for each in displayed for key in each))
        head = element(
            "tr", *(element("th", _words(key), scope="col", style=_LEFT) for key in heads)
        )
        rows = (
            element("tr", *(element("td", self._cell(each, key), style=_LEFT) for key in heads))
            for each in displayed
        )
        return join([element("table", element("thead", head), element("tbody", *rows)), *note])

    def _cell(self, row: Mapping[str, Any], key: str) -> Html:
        return self.inline(key, row[key]) if row.get(key) is not None else text("")

    def _number(self, key: str, value: float | str) -> str:
        if isinstance(value, str) or key not in self._up | self._down:
            return str(value)
        rounding = ROUND_CEILING if key in self._up else ROUND_FLOOR
        return str(float(Context(prec=_DIGITS, rounding=rounding).create_decimal(repr(value))))


def _flat(content: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Objects within the answer as rows of their own, but enclosures."""
    for key, value in content.items():
        if isinstance(value, Mapping) and "evidence" not in value:
            yield from _flat(value, f"{before}{key}: ")
        elif value is not None:
            yield f"{before}{key}", value


def _long(value: Any) -> bool:
    """Whether it is a list that a line does not hold."""
    if not isinstance(value, list) or not value:
        return False
    return isinstance(value[0], Mapping | list) or len(value) > _ROWS


def _row(key: str, value: Html) -> Html:
    return element(
        "tr",
        element("th", _words(key), scope="row", style=_LEFT),
        element("td", value, style=_LEFT),
    )


def _pair(key: str, value: Html) -> Html:
    return join([_words(key), value], " ")


def _words(key: str) -> Html:
    return name(key.replace("_", " "))


def _evidence(bound: Mapping[str, Any]) -> str:
    """What an enclosure rests on."""
    if bound["evidence"] != "confidence":
        return str(bound["evidence"])
    return f"covers with probability {bound['confidence']:g}"
