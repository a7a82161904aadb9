"""Options that the commands of `rules` share."""

from pathlib import Path
from typing import Annotated, Any

import typer

from deniable.cli.option_groups import Options

RulesFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="RULES.toml", help="A file of rules, in place of steps; options come before it."
    ),
]
RulesNames = Annotated[
    list[str],
    typer.Argument(metavar="RULE…", help="Names of published policies, or files RULES.toml."),
]
RulesToml = Annotated[
    Path, typer.Argument(metavar="RULES.toml", help="Lists, tables, the rule and who is feared.")
]
Tables = Annotated[
    list[Path],
    typer.Argument(metavar="TABLE.csv…", help="Published tables, a file for each [[table]]."),
]
Threshold = Annotated[
    int, typer.Option(metavar="PEOPLE", help="Sets that differ in no more people are reported.")
]
Page = Annotated[
    Path | None,
    typer.Option(metavar="PAGE.html", help="Write a page here, for the person who decides."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def _text(metavar: str, text: str) -> Any:
    return Annotated[str | None, typer.Option(metavar=metavar, help=text)]


def _step(metavar: str, text: str, kind: Any = int) -> Any:
    return Annotated[list[kind] | None, typer.Option(metavar=metavar, help=text)]


STEPS: Options = {
    "hide": ("hide", _step("A B", 'Show counts A to B as "*".', str), None),
    "round": ("round", _step("B", "Round to the nearest multiple of B."), None),
    "halves": (
        "halves",
        _text("up|down|even", "Where --round sends a half, if B is even; up by default."),
        None,
    ),
    "round_down": ("round_down", _step("B", "Round down to a multiple of B."), None),
    "random": ("random", _step("B", "Round to a multiple of B by chance, without bias."), None),
    "midpoint": ("midpoint", _step("B", "Show the middle of 1 to B, B+1 to 2B, …."), None),
    "top": ("top", _step("U", "Show counts above U as U."), None),
    "bottom": ("bottom", _step("L", "Show counts below L as L."), None),
    "barnard": ("barnard", _step("Q", "Add or take 1, each with probability Q.", str), None),
    "cell_key": (
        "cell_key",
        _step("FILE.csv", "Add noise by a p-table: columns count, noise, probability.", str),
        None,
    ),
    "preset": (
        "preset",
        _step("NAME", "A published policy: opensafely, ehrql, cms, all-of-us, acro, rr3 or "
              "midpoint6.", str),
        None,
    ),
    "zero": (
        "zero",
        _text(
            "shown|hidden|merged",
            'A 0 is shown; or shown as "*"; or hidden counts are shown as 0.',
        ),
        None,
    ),
}  # fmt: skip
"""Steps of a rule."""

QUESTION: Options = {
    "members": (
        "members",
        _text("M", "How many people the list has: 9, or 10,20,50, or 2..1000 for all."),
        None,
    ),
    "prior": (
        "prior",
        Annotated[
            tuple[str, str] | None,
            typer.Option(
                metavar="LOW HIGH",
                help="What may be believed of each member before: two numbers, such as 1/20 0.5.",
            ),
        ],
        None,
    ),
    "sample": (
        "sample",
        Annotated[
            tuple[int, int] | None,
            typer.Option(
                metavar="n N", help="In place of --prior: n people were drawn from a list of N."
            ),
        ],
        None,
    ),
    "limit": ("limit", _text("BELIEF", "How likely is a belief above it, given in?"), None),
    "floor": ("floor", _text("BELIEF", "How likely is a belief below it, given out?"), None),
    "delta": ("delta", _text("D", "What is believed except with this probability?"), None),
    "stated": (
        "stated",
        _text("P", "A prior of everybody at which chances stand too; HIGH by default."),
        None,
    ),
}
"""Who is feared, and what is asked."""
