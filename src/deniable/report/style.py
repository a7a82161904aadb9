"""How the report looks: one palette for page and charts, light, dark and on paper."""

from importlib import resources

PALETTE = {
    "ink": "#16202c",
    "muted": "#566373",
    "rule": "#d9e0e8",
    "paper": "#ffffff",
    "panel": "#f4f7fa",
    "accent": "#0b5c9e",
    "bar": "#8fbfe4",
    "band": "#eceff3",
    "target": "#b45309",
}
"""Blue and orange keep apart in every common colour blindness; nothing is red or green."""

_DARK = {
    "ink": "#e8edf3",
    "muted": "#a3b0bf",
    "rule": "#37424f",
    "paper": "#12171d",
    "panel": "#1b222b",
    "accent": "#6db3ee",
    "bar": "#2f6a9c",
    "band": "#232c37",
    "target": "#f0a04b",
}


def stylesheet(*, charts: bool = True) -> str:
    """The whole style sheet; in the dark, the charts' own colours are exchanged as well.

    Parameters
    ----------
    charts : bool
        Whether the page has charts whose colours are written in them.
    """
    rules = resources.files("deniable.report").joinpath("style.css").read_text("utf-8")
    exchanged = "\n".join(
        f'svg [{paint}="{colour}"] {{ {paint}: {_DARK[role]}; }}'
        for role, colour in PALETTE.items()
        for paint in ("fill", "stroke")
        if charts
    )
    dark = (
        f"@media screen and (prefers-color-scheme: dark) {{\n{_variables(_DARK)}\n{exchanged}\n}}"
    )
    return f"{_variables(PALETTE)}\n{rules.strip()}\n{dark}"


def _variables(palette: dict[str, str]) -> str:
    scheme = "dark" if palette is _DARK else "light"
    colours = " ".join(f"--{role}: {colour};" for role, colour in palette.items())
    return f":root {{ color-scheme: {scheme}; {colours} }}"
