"""Tables and examples of docs/reference/commands/; `python docs/commands.py` completes them.

A meaning that begins with a small letter is written by hand, and kept. One with a capital letter
is the option's help, and is written anew. An option without a row gets one, at the end; a row whose
option is gone goes.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run as a script, too


from deniable.cli.program import program
from deniable.population.commands import COMMON
from docs.outputs import outputs, with_outputs
from docs.tables import head, row

FIRST = Path(__file__).resolve().parent / "reference" / "commands.md"
"""What all commands share, and where each stands."""
PAGES = sorted(FIRST.with_suffix("").glob("*.md"))
"""A page for each group of commands."""
EVERYWHERE = {"--json", "--help"}
"""What the first page says of all commands."""
SHARED = {"Common options of deniable population": ("population", COMMON)}
"""Sections for what several commands of a group take; a section that links there leaves it out."""
PLACEHOLDERS = {"NUMBER", "WORD", None}
"""What help has where no name was declared; a row may have a better one."""

_SECTION = re.compile(r"^## (.+)\n((?:(?!## ).*\n)*)", re.M)
_TABLE = re.compile(
    r"^\| (?:option|argument, option|step) \| meaning \|\n\|-.*\n((?:\|.*\n)+)", re.M
)
_INTRODUCTION = re.compile(r"\n(?:    .+\n)+\n(?:.+\n)+")
"""How a command is called, and the first paragraph."""
_NAME = re.compile(r"--[a-z][\w-]*")

Options = Mapping[str, Any]
"""Parameters of a command by what is typed."""


def commands(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every command that can be run, by the words that name it."""
    for word, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{path}{word} ")
        else:
            yield f"{path}{word}", command


def page(text: str) -> str:
    """A page with the tables of every command and every shared section anew."""
    known = dict(commands(program()))
    options = {f"deniable {word}": _options(command) for word, command in known.items()}
    for title, (group, names) in SHARED.items():
        of_group = next(each for word, each in known.items() if word.startswith(f"{group} "))
        shared = {each.opts[-1] for each in of_group.params if each.name in names}
        options[title] = {k: v for k, v in _options(of_group).items() if k in shared}

    def section(match: re.Match[str]) -> str:
        title, content = match[1], match[2]
        own = dict(options.get(title, {}))
        for other in SHARED:
            if f"(#{other.lower().replace(' ', '-')})" in content:
                own = {name: each for name, each in own.items() if name not in options[other]}
        return f"## {title}\n{_with_rows(content, own) if title in options else content}"

    return _SECTION.sub(section, text)


def _options(command: Any) -> dict[str, Any]:
    names = [(name, each) for each in command.params for name in (*each.opts, *each.secondary_opts)]
    return {name: each for name, each in names if name[:2] == "--" and name not in EVERYWHERE}


def _with_rows(content: str, options: Options) -> str:
    """A section with a row for each option, and no others."""
    named = {name for table in _TABLE.finditer(content) for name in _first_names(table[1])}
    missing = {
        each.opts[-1]: each for each in options.values()
        if not named & {*each.opts, *each.secondary_opts}
    }  # fmt: skip
    new = "".join(_of_help(name, each) for name, each in missing.items())
    tables = list(_TABLE.finditer(content))
    if not tables and new:
        start = _INTRODUCTION.match(content)
        if start is None:
            raise ValueError(f"Expected how a command is called, and a paragraph, got {content!r}.")
        return f"{start[0]}\n{head('option', 'meaning')}{new}{content[start.end() :]}"
    for table in reversed(tables):
        rows = "".join(_kept(line, options) for line in table[1].splitlines(keepends=True))
        content = content[: table.start(1)] + rows + new + content[table.end(1) :]
        new = ""
    return content


def _first_names(rows: str) -> list[str]:
    return [name for line in rows.splitlines() for name in _NAME.findall(_cells(line)[0])]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def _kept(line: str, options: Options) -> str:
    """A row as it is to be; empty where its options are gone."""
    first, meaning = _cells(line)
    names = _NAME.findall(first)
    if left := [name for name in names if name not in options]:
        if left == names:
            return ""
        raise ValueError(f"Expected options that there are, got {', '.join(left)} in {first}.")
    if len(names) == 1 and meaning[:1].isupper():
        return _of_help(names[0], options[names[0]])
    return line


def _of_help(name: str, option: Any) -> str:
    """A row from what is declared."""
    shown = "" if (option.metavar or "<")[0] == "<" else option.metavar  # of a list: its type
    words = f"{name} {shown}".strip().replace("|", "\\|")
    said = (option.help or "").replace("|", "\\|")
    if not said[:1].isupper():
        raise ValueError(f"Expected a help of {name} that begins with a capital, got {said!r}.")
    if option.required:
        said += " Required."
    elif option.default not in (None, False, "", ()) and not isinstance(option.default, bool):
        given = option.default
        shown = " ".join(map(str, given)) if isinstance(given, tuple | list) else given
        said += f" Default: `{shown}`."
    return row(f"`{words}`", said)


def main() -> None:
    """Write the pages."""
    shown = outputs()
    for each in PAGES:
        completed = page(each.read_text(encoding="utf-8"))
        each.write_text(with_outputs(completed, shown), encoding="utf-8")


if __name__ == "__main__":
    main()
