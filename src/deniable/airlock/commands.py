"""`deniable gate`: a folder of outputs at the airlock."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

import deniable
from deniable.cli.commands import Argument, Option, add
from deniable.cli.option_groups import Json
from deniable.cli.output import REFUSED, WRONG_INPUT, guard, page_writer, print_answer, say, verdict

if TYPE_CHECKING:
    from deniable.airlock.gate import Gated

PLACE = 45  # Place of this command among the guests in the list of all, after rules
_STATUS = {"pass": 0, "person": REFUSED, "fail": WRONG_INPUT}


def register(app: click.Group) -> None:
    """Add the command."""
    add(app, guard(gate))


def gate(
    folder: Annotated[Path, Argument(metavar="FOLDER", help="The outputs to judge.")],
    max_posterior: Annotated[
        str, Option(metavar="BELIEF", help="How far a belief of 50 % about a person may rise.")
    ] = "0.75",
    person: Annotated[
        list[str] | None,
        Option(metavar="COLUMN", help="A column whose values are people or households."),
    ] = None,
    book: Annotated[
        str | None, Option(metavar="BOOK", help="A book of tables that were published before.")
    ] = None,
    signed_by: Annotated[
        Path | None, Option(metavar="KEYS", help="Public keys; one of them must sign releases.")
    ] = None,
    page: Annotated[
        Path | None, Option(metavar="PAGE.html", help="Write a page here, for the reviewer.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Judge every file of a folder of outputs, before it leaves a secure environment.

    The exit status is 0 if every file passes, 3 if a person must look, 2 if a file fails.

    Example: deniable gate outputs --person patient
    """
    write = page_writer(page)
    answer = deniable.gate(
        folder, max_posterior=max_posterior, person=person or (), book=book, signed_by=signed_by
    )
    write(answer)
    with verdict(_STATUS[answer.verdict]):
        print_answer(answer, as_json, _print)


def _print(answer: "Gated") -> None:
    say({"pass": "Every file passes.", "person": "A person must look.",
         "fail": "Do not let this folder leave."}[answer.verdict])  # fmt: skip
    for each in answer.files:
        say(f"{each.verdict:<6}  {each.kind:<11}  {each.file}: {each.because}")
