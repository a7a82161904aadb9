"""Tables of a page that are generated, each below its mark; all else is written by hand."""

import re
from collections.abc import Iterable, Mapping


def row(*cells: str) -> str:
    """A line of a table."""
    return f"| {' | '.join(cells)} |\n".replace("|  |", "| |")


def head(*cells: str) -> str:
    """The first two lines of one."""
    return f"{row(*cells)}|{'---|' * len(cells)}\n"


def with_tables(text: str, word: str, tables: Mapping[str, Iterable[str]]) -> str:
    """A page with each table below its mark, `<!-- word: name -->`, in place of the one there.

    Raises
    ------
    ValueError
        If a table has no mark, or a mark no table.
    """
    left = dict(tables)

    def table(mark: re.Match[str]) -> str:
        if mark[2] not in left:
            raise ValueError(f"Expected a mark for each of {', '.join(tables)}, got {mark[1]}.")
        return f"{mark[1]}\n\n{''.join(left.pop(mark[2]))}"

    text = re.sub(rf"(<!-- {word}: (.+) -->)\n\n((?:\|.*\n)*)", table, text)
    if left:
        raise ValueError(f"Expected <!-- {word}: {next(iter(left))} --> on the page, got none.")
    return text
