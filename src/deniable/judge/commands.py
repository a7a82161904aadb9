"""`deniable verify`."""

from pathlib import Path
from typing import Annotated

import click

import deniable
from deniable.cli.commands import Argument, add
from deniable.cli.option_groups import Gathered, Json, household_options, in_place_of
from deniable.cli.option_tables import read_options
from deniable.cli.output import at_most, guard, is_printed, print_lines, progress_bar
from deniable.notions.households import households_of

_PATIENCE = 0.5
"""Seconds of work before a bar is drawn; most verdicts are there by then."""


PLACE = 10
"""Place of these commands in the list of all, after those of the core."""


def register(app: click.Group) -> None:
    """Add the commands of this group."""
    add(app, guard(verify))


@in_place_of("beliefs", read_options(__file__)["beliefs"])
@in_place_of("household", household_options("Ask about"))
def verify(
    spec: Annotated[
        Path,
        Argument(
            metavar="SPEC.json",
            help="The probability of each output, by who is in the data, as JSON: "
            '{"": [0.75, 0.25], "a": [0.25, 0.75]}.',
        ),
    ],
    beliefs: Gathered,
    *,
    household: Gathered,
    as_json: Json = False,
) -> None:
    """Judge a mechanism on a small universe exactly, with its worst case.

    With more people, {"universe": ["a", "b"], "outputs": ["no", "yes"], "rows": {"": [0.5, 0.5],
    "a": [0.4, 0.6], "b": [0.4, 0.6], "a,b": [0.3, 0.7]}} names them and the outputs.

    Example: deniable verify flip.json --family independent

    Example: deniable verify flip.json --household 2 --odds-ratio 4
    """
    beliefs["household"] = households_of(household.pop("household"), **household)
    if not beliefs["family"]:  # the one that another option belongs to
        options = {
            "table": "table", "size": "population", "household": "households",
            "prior": "independent-prior", "rate": "sampling",
        }  # fmt: skip
        named = (word for name, word in options.items() if beliefs[name] is not None)
        beliefs["family"] = next(named, None)
    with progress_bar("Judging", patience=_PATIENCE) as progress:
        answer = deniable.verify(spec, **beliefs, progress=progress)
    if not is_printed(answer, as_json):
        rows = ((name, "not applicable" if x is None else x) for name, x in answer.rows())
        print_lines((name, x if isinstance(x, str) else at_most(x)) for name, x in rows)
