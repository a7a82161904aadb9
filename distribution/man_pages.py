"""Man pages of every command, from the same declarations as `--help`.

`python -m distribution.man_pages` writes `build/man/man1/deniable.1`, `deniable-explain.1` and so
on, for those who package Deniable for a system; `man -l` shows one.
"""

import re
from collections.abc import Iterator
from typing import Any

from deniable import __version__
from deniable.cli.program import program
from distribution.descriptions import ROOT

OUT = ROOT / "build" / "man" / "man1"


def man_pages() -> dict[str, str]:
    """The text of each page by its name without the section, in the order of the commands."""
    return {
        name.replace(" ", "-"): _page(name, command)
        for name, command in _commands("deniable", program())
    }


def _commands(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield name, command
    for word, each in getattr(command, "commands", {}).items():
        yield from _commands(f"{name} {word}", each)


def _page(name: str, command: Any) -> str:
    first, *more = re.split(r"\n\s*\n", _dedented(command.help or ""))
    lines = [
        f'.TH "{name.replace(" ", "-").upper()}" 1 "" "deniable {__version__}" "Deniable"',
        ".SH NAME",
        f"{_text(name.replace(' ', '-'))} \\- {_text(' '.join(first.split()))}",
        ".SH SYNOPSIS",
        f".B {_text(name)}",
        _text(" ".join(_usage(command))),
    ]
    if more:
        lines.append(".SH DESCRIPTION")
        for paragraph in more:
            lines += _paragraph(paragraph)
    if options := [each for each in command.params if each.opts]:
        lines += [".SH OPTIONS", *(line for each in options for line in _option(each))]
    if inner := getattr(command, "commands", {}):
        lines.append(".SH COMMANDS")
        for word, each in inner.items():
            summary = re.split(r"\n\s*\n", _dedented(each.help or ""))[0]
            lines += [".TP", f".BR {_text(name.replace(' ', '-') + '-' + word)} (1)"]
            lines.append(_line(" ".join(summary.split())))
    return "\n".join(lines) + "\n"


def _usage(command: Any) -> Iterator[str]:
    if any(each.opts and each.opts[0].startswith("-") for each in command.params):
        yield "[OPTIONS]"
    if getattr(command, "commands", {}):
        yield "COMMAND [ARGS]..."
    for each in command.params:
        if each.opts and not each.opts[0].startswith("-"):
            yield _argument(each)


def _argument(argument: Any) -> str:
    word = (argument.metavar or argument.name.upper()).strip("[]")
    return word if argument.required else f"[{word}]"


def _option(option: Any) -> list[str]:
    names = ", ".join([*option.opts, *option.secondary_opts])
    value = "" if getattr(option, "is_flag", False) else option.metavar or ""
    if not option.opts[0].startswith("-"):
        names, value = _argument(option), ""
    return [
        ".TP",
        f".B {_text(f'{names} {value}'.strip())}",
        _line(getattr(option, "help", "") or ""),
    ]


def _paragraph(paragraph: str) -> list[str]:
    """As it stands where it is an example, in a block that is not filled; else as text."""
    if paragraph.startswith(("    ", "\b")) or re.match(r"\s*\$? ?deniable ", paragraph):
        body = [_line(line) for line in paragraph.replace("\b", "").strip("\n").splitlines()]
        return [".PP", ".nf", *body, ".fi"]
    return [".PP", _line(" ".join(paragraph.split()))]


def _dedented(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def _line(text: str) -> str:
    """One line of text; a dot or quote at its beginning would be a request."""
    text = _text(text)
    return f"\\&{text}" if text.startswith((".", "'")) else text


def _text(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-").replace("\n", " ")


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    for name, text in man_pages().items():
        (OUT / f"{name}.1").write_text(text, encoding="utf-8")
