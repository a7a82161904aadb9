"""Options that several commands share, alone or gathered into one argument of the command."""

import functools
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import deniable
from deniable.cli.commands import Argument, Option

Options = dict[str, tuple[str, Any, Any]]
"""The argument in Python, the command line's type, and the default of each option."""

REQUIRED = inspect.Parameter.empty
"""The default of an option that must be given."""

Gathered = dict[str, Any]
"""Arguments of a public function."""

_Command = Callable[..., None]
_BY_NAME = inspect.Parameter.KEYWORD_ONLY

Json = Annotated[bool, Option("--json", help="Print one JSON object.")]
PlanFile = Annotated[Path, Argument(metavar="PLAN.toml", help="The plan, a TOML file.")]
NewFolder = Annotated[Path, Option(metavar="DIR", help="A new or empty folder.")]
Prior = Annotated[
    tuple[float, float],
    Option(metavar="LOW HIGH", help="Smallest and largest prior belief of the attacker."),
]
AdjacencyOption = Annotated[
    str, Option(help="Whether the number of people is public (replace-one) or secret (add-remove).")
]
GaussianDelta = Annotated[
    float | None,
    Option(help="Allow Gaussian noise: probability, for each entity, that the limit fails."),
]


Seed = Annotated[int, Option(help="Seed of the random draws; nothing is released here.")]
Workers = Annotated[int, Option(metavar="N", help="Number of processes.")]
Scheduler = Annotated[
    str | None,
    Option(metavar="ADDRESS", help="Address of a Dask scheduler whose workers do the work."),
]
Checkpoint = Annotated[
    Path | None,
    Option(
        metavar="DIR",
        help="Keep finished parts here, so that the same command continues after an interruption.",
    ),
]
Dataset = Annotated[
    str | None, Option(metavar="NAME", help="The dataset of a ledger, if it has several.")
]
Baseline = Annotated[
    list[float],
    Option(help="An attacker's success without the release, in [0, 1]. Repeat for several."),
]
AlsoHolds = Annotated[
    list[str],
    Option(metavar="SPEC", help="Another guarantee of the same release. Repeat for several."),
]

_IN_A_FILE = re.compile(r"\s*(?:trade-?off|f-?dp):([^,?@]+)((?:@[^@]*)?)\s*", re.IGNORECASE)


def with_curve(spec: str) -> str:
    """A guarantee as it is written; of a curve in a file its points in place of the file's name."""
    named = _IN_A_FILE.fullmatch(spec)
    if named is None:
        return spec
    return deniable.notions.TradeOffCurve.from_csv(named[1].strip()).spec + named[2]


def option(
    kind: Any, words: str, metavar: str | None = None, *names: str, default: Any = None
) -> tuple[Any, Any]:
    """An option's type for the command line, and its default; it is called as its parameter."""
    return Annotated[kind, Option(*names, metavar=metavar, help=words)], default


def by_name(**options: tuple[Any, Any]) -> Options:
    """Options that are called as the argument in Python."""
    return {name: (name, kind, default) for name, (kind, default) in options.items()}


_RATE = float | None
TARGET = by_name(
    gamma=option(_RATE, "Largest factor by which a belief in membership can grow."),
    max_posterior=option(_RATE, "Largest posterior belief if the prior is at most HIGH."),
    attack_success=option(_RATE, "Largest share of right answers of an attack at prior 1/2."),
    advantage=option(_RATE, "Largest difference of an attack's true and false positive rate."),
    identifiability=option(_RATE, "Largest belief in any one of --worlds possible worlds."),
    worlds=option(int | None, "With --identifiability: number of possible worlds."),
)
"""What an adversary may come to believe, by one of these."""


def household_options(wish: str) -> Options:
    """How the memberships of a household are tied, for a command that begins its help so."""
    models = {
        "odds_ratio": "largest odds ratio of two people's memberships, given the others'.",
        "icc": "largest intra-class correlation, under a beta distribution.",
        "difference": "largest total variation by which one membership moves the others'.",
    }
    words = f"{wish} one person in a household of up to K people."
    return by_name(
        household=option(int | None, words, "K"),
        **{name: option(_RATE, f"With --household: {each}") for name, each in models.items()},
    )


def in_place_of(
    parameter: str, options: Options, gathered: Callable[[Gathered], Any] = dict
) -> Callable[[_Command], _Command]:
    """A decorator: the command with these options in place of a parameter."""

    def decorated(command: _Command) -> _Command:
        signature = inspect.signature(command)
        own = [
            inspect.Parameter(name, _BY_NAME, default=default, annotation=kind)
            for name, (_, kind, default) in options.items()
        ]
        parameters: list[inspect.Parameter] = []
        for one in signature.parameters.values():
            parameters += own if one.name == parameter else [one.replace(kind=_BY_NAME)]

        @functools.wraps(command)
        def run(**words: Any) -> None:
            given = {argument: words.pop(name) for name, (argument, *_) in options.items()}
            command(**words, **{parameter: gathered(given)})

        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        return run

    return decorated
