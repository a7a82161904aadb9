"""Arrays of 100 or 1,000 icons: how many of so many, before and after."""

from deniable.report.html import Html, element, text
from deniable.report.style import PALETTE

_SHAPE = "M5 0a2.4 2.4 0 1 1 0 4.8A2.4 2.4 0 1 1 5 0Z M1.4 11V9a3.6 3.6 0 0 1 7.2 0V11Z"
_CELL_WIDTH, _CELL_HEIGHT = 12, 14
"""Pixels of one person with the space around."""


def icon_array(
    total: int, before: int, after: int, identifier: str, title: str, description: str
) -> Html:
    """Icons row by row: `before` dark, up to `after` in the second colour, the rest hollow.

    Parameters
    ----------
    total : int
        Number of icons, 10 (or, above 100, 25) a row.
    before, after : int
        How many belief was given to before, and how many at most after; equal for the array of
        what was believed before.
    identifier : str
        Unique on the page; names the shape and the texts.
    """
    columns = 10 if total <= 100 else 25
    rows = -(-total // columns)
    groups = ((0, before, "accent"), (before, after, "target"), (after, total, "muted"))
    drawn = (
        element(
            "g",
            *(_icon(index, columns, identifier) for index in range(start, end)),
            fill=PALETTE["paper" if role == "muted" else role],
            stroke=PALETTE[role],
            stroke_width=0.6,
        )
        for start, end, role in groups
    )
    width, height = columns * _CELL_WIDTH, rows * _CELL_HEIGHT
    return element(
        "svg",
        element("title", text(title), id=f"{identifier}-title"),
        element("desc", text(description), id=f"{identifier}-desc"),
        element("defs", element("path", d=_SHAPE, id=f"{identifier}-icon")),
        *drawn,
        viewBox=f"0 0 {width} {height}",
        width=width * 2,
        height=height * 2,
        role="img",
        aria_labelledby=f"{identifier}-title {identifier}-desc",
    )


def _icon(index: int, columns: int, identifier: str) -> Html:
    row, column = divmod(index, columns)
    x, y = column * _CELL_WIDTH + 1, row * _CELL_HEIGHT + 1
    return element("use", href=f"#{identifier}-icon", x=x, y=y)
