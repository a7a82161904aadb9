"""Text to safe HTML: everything that is not written in this package goes through `text`."""

import html
import unicodedata
from importlib import resources
from pathlib import Path

from deniable.errors import InvalidArgument, validate
from deniable.numerics.operating_system import whole_file


class Html(str):
    """Markup that is safe to insert; only this package and its templates make it."""

    __slots__ = ()

    def __html__(self) -> "Html":
        """Itself, which is how templates know it from text."""
        return self


_COLOURS = {  # of each role, in the light and in the dark
    "ink": ("#16202c", "#e8edf3"), "muted": ("#566373", "#a3b0bf"), "rule": ("#d9e0e8", "#37424f"),
    "paper": ("#ffffff", "#12171d"), "panel": ("#f4f7fa", "#1b222b"),
    "accent": ("#0b5c9e", "#6db3ee"), "bar": ("#8fbfe4", "#2f6a9c"), "band": ("#eceff3", "#232c37"),
    "target": ("#b45309", "#f0a04b"),
}  # fmt: skip
PALETTE = {role: light for role, (light, _) in _COLOURS.items()}
"""Blue and orange keep apart in every common colour blindness; nothing is red or green."""
_DARK = {role: dark for role, (_, dark) in _COLOURS.items()}


def stylesheet(*, charts: bool = True) -> Html:
    """The whole style sheet; in the dark, the charts' own colours are exchanged as well."""
    rules = resources.files("deniable.report").joinpath("style.css").read_text("utf-8")
    exchanged = "\n".join(
        f'svg [{paint}="{colour}"] {{ {paint}: {_DARK[role]}; }}'
        for role, colour in PALETTE.items()
        for paint in ("fill", "stroke")
        if charts
    )
    dark = f"{_variables('dark', _DARK)}\n{exchanged}"
    in_the_dark = f"@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}"
    return Html(f"{_variables('light', PALETTE)}\n{rules.strip()}\n{in_the_dark}")


def _variables(scheme: str, palette: dict[str, str]) -> str:
    colours = " ".join(f"--{role}: {colour};" for role, colour in palette.items())
    return f":root {{ color-scheme: {scheme}; {colours} }}"


PAGE_BEGINNING = b"<!doctype html>"
"""What every page of ours begins with, in small letters: only such a file is replaced."""


def check_page(path: Path) -> Path:
    """Refuse a place that a page cannot be written to, before anything is done."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InvalidArgument(f"Expected a page named .html, got {path}. Rename it.")
    return validate.new_file(path, PAGE_BEGINNING)


def write_page(page: str, path: Path, *, private: bool = False) -> None:
    """Write a page whole, in place of an older one; one that is private for its owner alone."""
    with whole_file(path, private=private) as file:
        file.write(page.encode())


_UNSEEN = frozenset({"Cc", "Cs", "Co", "Cn"})
_DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def legible(value: object) -> str:
    """The text on one line; control and direction marks become the replacement character."""
    if (words := str(value)).isprintable():  # then it has none of them
        return words
    cleaned = (
        " " if character in "\t\n\r"
        else "\ufffd" if character in _DIRECTIONS or unicodedata.category(character) in _UNSEEN
        else character
        for character in words
    )  # fmt: skip
    return "".join(cleaned)


def text(value: object) -> Html:
    """Any text, with HTML's own characters escaped; markup stays as it is."""
    if (markup := getattr(value, "__html__", None)) is not None:
        return Html(markup())
    return Html(html.escape(legible(value), quote=True))


def forbid_breaks(value: str) -> Html:
    """Return text whose ranges (0…15) do not break at the end of a line."""
    return text(value.replace("…", "\u2060…\u2060"))


def name(value: object) -> Html:
    """A text that the plan's author chose, kept apart from the direction of its surroundings."""
    return Html(f"<bdi>{text(value)}</bdi>")
