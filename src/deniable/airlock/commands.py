"""`deniable gate`: a folder of outputs at the airlock."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

import deniable
from deniable.cli.commands import Argument, add
from deniable.cli.option_groups import Gathered, Json, in_place_of
from deniable.cli.option_tables import read_options
from deniable.cli.output import REFUSED, WRONG_INPUT, guard, page_writer, print_answer, say, verdict

if TYPE_CHECKING:
    from deniable.airlock.gate import Gated

PLACE = 45  # Place of this command among the guests in the list of all, after rules
_STATUS = {"pass": 0, "person": REFUSED, "fail": WRONG_INPUT}


def register(app: click.Group) -> None:
    """Add the command."""
    add(app, guard(gate))


@in_place_of("judged", read_options(__file__)["judged"])
def gate(
    folder: Annotated[Path, Argument(metavar="FOLDER", help="The outputs to judge.")],
    judged: Gathered,
    as_json: Json = False,
) -> None:
    """Judge every file of a folder of outputs, before it leaves a secure environment.

    The exit status is 0 if every file passes, 3 if a person must look, 2 if a file fails.

    Example: deniable gate outputs --person patient
    """
    write = page_writer(judged.pop("page"))
    answer = deniable.gate(folder, **judged | {"person": judged["person"] or ()})
    write(answer)
    with verdict(_STATUS[answer.verdict]):
        print_answer(answer, as_json, _print)


def _print(answer: "Gated") -> None:
    say({"pass": "Every file passes.", "person": "A person must look.",
         "fail": "Do not let this folder leave."}[answer.verdict])  # fmt: skip
    for each in answer.files:
        say(f"{each.verdict:<6}  {each.kind:<11}  {each.file}: {each.because}")
