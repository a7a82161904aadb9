"""`deniable ledger …`: what was spent on the same people, and what it adds up to in beliefs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

import deniable
from deniable.cli import option_groups, output
from deniable.cli.commands import Argument, Option, add, group
from deniable.errors import ReleaseCancelled

if TYPE_CHECKING:
    from deniable.ledger.summary import Summary

_ID = 8  # digits of an ID that are printed, and that `void` takes

Place = Annotated[
    str, Argument(metavar="LEDGER", help="The ledger's file, or postgresql://USER@HOST/DATABASE.")
]
DatasetOption = Annotated[
    str | None, Option(metavar="NAME", help="The dataset, if the ledger has several.")
]


def register(app: click.Group) -> None:
    """Add the commands of this group."""
    books = group(
        "ledger",
        "Share one budget over all releases about the same people.\n\n"
        "Example: deniable ledger show hospital.ledger",
    )
    for command in (new, show, cost, void, export, check):
        add(books, output.guard(command))
    app.add_command(books, name="ledger")


@option_groups.in_place_of("household", option_groups.household_options("Limit beliefs about"))
@option_groups.in_place_of("target", option_groups.TARGET)
def new(
    ledger: Place,
    dataset: Annotated[
        str, Option(metavar="NAME", help="The dataset's name in plans and certificates.")
    ],
    entity: Annotated[
        str | None, Option(metavar="COLUMN", help="The column that names a person.")
    ] = None,
    unit: Annotated[
        str | None, Option(metavar="WORD", help="A word for one person, such as patient.")
    ] = None,
    adjacency: option_groups.AdjacencyOption = "replace-one",
    prior: option_groups.Prior = (0.0, 1.0),
    *,
    target: option_groups.Gathered,
    epsilon: Annotated[float | None, Option(help="The budget ε, instead of a limit.")] = None,
    delta: option_groups.GaussianDelta = None,
    exposure: Annotated[
        float | None,
        Option(
            help="A second budget, for keys that nobody knows: the probability that a key of only "
            "one entity appears. Below half of --delta; --delta/1000 costs little accuracy."
        ),
    ] = None,
    household: option_groups.Gathered,
    by_household: Annotated[
        bool, Option("--by-household", help="The entity is the household, of at most K people.")
    ] = False,
    as_json: option_groups.Json = False,
) -> None:
    """Begin the ledger of a dataset, with one limit on beliefs for all releases together.

    Example: deniable ledger new hospital.ledger --dataset visits --entity patient
    --max-posterior 0.5 --prior 0.01 0.1

    Example: deniable ledger new panel.ledger --dataset wages --entity person
    --adjacency add-remove --max-posterior 0.5 --prior 0.01 0.1 --household 4 --icc 0.2
    """
    of_rows = entity is None and unit is None
    agreed = output.ask(f"{_EACH_ROW} Go on?") if of_rows else True
    if agreed is False:
        no = "Expected a yes, got a no. Nothing was written: give --entity COLUMN."
        raise ReleaseCancelled(no)
    answer = deniable.ledger.new(
        ledger,
        dataset,
        entity=entity,
        unit=unit,
        adjacency=adjacency,
        prior=prior,
        **target,
        epsilon=epsilon,
        delta=delta,
        exposure=exposure,
        **household,
        by_household=by_household,
        each_row=of_rows,
    )
    output.announce_written(f"Written to {answer.place}: the dataset {answer.dataset.name}.")
    if agreed is None:  # first of all, where nobody was asked; a mistake has its own sentence
        output.say(_EACH_ROW, err=True)
    output.print_answer(answer, as_json, _print_summary)


_EACH_ROW = (
    "Without --entity, each row of this dataset is a person by itself, which cannot be changed "
    "under its name. No plan with an entity column can be charged to it: if a person may have "
    "several rows, give --entity COLUMN instead."
)


@option_groups.in_place_of("household", option_groups.household_options("Also ask about"))
def show(
    ledger: Place,
    dataset: DatasetOption = None,
    *,
    household: option_groups.Gathered,
    html: Annotated[
        Path | None, Option(metavar="PAGE.html", help="Also write a page with a chart.")
    ] = None,
    as_json: option_groups.Json = False,
) -> None:
    """Show the keeper what was spent, what is left, and what an attacker can conclude.

    Example: deniable ledger show hospital.ledger

    Example: deniable ledger show panel.ledger --household 4 --odds-ratio 2
    """
    answer = deniable.ledger.show(ledger, dataset, **household)
    if html is not None:
        from deniable.ledger.page import check_page, write_ledger_page

        output.appearing(check_page(html))
        write_ledger_page(answer, html)
    output.print_answer(answer, as_json, _print_summary)


def cost(
    ledger: Place,
    plan: option_groups.PlanFile,
    dataset: DatasetOption = None,
    as_json: option_groups.Json = False,
) -> None:
    """Show what a plan would take from a dataset, and what would be left. Nothing is spent.

    Example: deniable ledger cost hospital.ledger visits.toml
    """
    from deniable.ledger import sentences

    answer = deniable.ledger.cost(ledger, plan, dataset)
    measure, lines = answer.dataset.measure, list[tuple[str, str]]()
    with output.verdict(0 if answer.fits else 3):
        if output.is_printed(answer, as_json):
            return
        upwards = sentences.up, sentences.exposure_up
        downwards = sentences.down, sentences.exposure_down
        amounts = [
            ("takes", answer.units, answer.exposure, upwards),
            ("left now", answer.left, answer.exposure_left, downwards),
        ]
        if answer.fits:
            rest = answer.exposure_left - answer.exposure
            amounts.append(("left after", answer.left - answer.units, rest, downwards))
        has_exposure = answer.dataset.exposure is not None
        for name, amount, exposed, (spell, spell_exposure) in amounts:
            exposure = f" and exposure {spell_exposure(exposed)}" if has_exposure else ""
            lines.append((name, f"{measure} {spell(amount)}{exposure}"))
        output.print_lines(lines)
        if not answer.fits:
            unfit = f"what is left of {answer.dataset.name}: {sentences.fitting(answer)}."
            output.say(f"\nThis does not fit {unfit}")


def void(
    ledger: Place,
    charge: Annotated[str, Argument(metavar="ID", help="The charge: its ID, or its first digits.")],
    because: Annotated[str, Option(metavar="TEXT", help="The reason why nothing was released.")],
    as_json: option_groups.Json = False,
) -> None:
    """Declare that nothing of a charge was ever released, so it can be spent again.

    Example: deniable ledger void hospital.ledger 5f0c21aa --because "The wrong table was read."
    """
    answer = deniable.ledger.void(ledger, charge, because=because)
    output.announce_written(f"Written to the ledger: {answer.what} is void.")
    if output.is_printed(answer, as_json):
        return
    output.say(
        f"{answer.what}, charged as {answer.id[:_ID]}, is void. You can spend its budget again. "
        "Limits on beliefs so far still include it."
    )


def export(
    ledger: Place, dataset: DatasetOption = None, as_json: option_groups.Json = False
) -> None:
    """Print all entries of a ledger as CSV, or as JSON with --json. For its keepers only.

    Example: deniable ledger export hospital.ledger > visits.csv
    """
    answer = deniable.ledger.export(ledger, dataset)
    if as_json:
        output.print_json(answer.as_json())
    else:
        click.echo(answer.as_csv(), nl=False)


def check(
    ledger: Place,
    certificates: Annotated[
        list[Path] | None,
        Argument(metavar="[CERTIFICATE]...", help="Certificates, or folders of releases."),
    ] = None,
    as_json: option_groups.Json = False,
) -> None:
    """Check that sums, order and chains hold, and that certificates agree with their charges.

    Example: deniable ledger check hospital.ledger june july
    """
    answer = deniable.ledger.check(ledger, certificates or ())
    with output.verdict(0 if answer.holds else 2):
        if as_json:
            output.print_json(answer.as_json())
        else:
            output.print_lines(
                (each.name, "holds" if each.holds else each.finding) for each in answer.findings
            )


def _print_summary(answer: "Summary") -> None:
    from deniable.ledger import sentences
    from deniable.report.sentences import chance

    dataset = answer.dataset
    output.say(sentences.headline(answer))
    for about in (sentences.household, sentences.rarely, sentences.exposed):
        if sentence := about(answer):
            output.say(sentence)
    output.say("")
    people = "each row by itself" if dataset.entity is None else f"entity {dataset.entity}"
    if dataset.unit not in (None, dataset.entity) and not dataset.by_household:
        people += f", unit {dataset.unit}"
    if dataset.by_household and dataset.households is not None:
        people += f", households of up to {dataset.households.size}"
    output.print_lines(
        [
            ("dataset", f"{dataset.name} ({people}, {dataset.adjacency})"),
            *sentences.amounts_of(answer),
            ("newest entry", answer.head),
        ]
    )
    if groups := list(sentences.group_rows(answer)):
        sure = chance(answer.prior)
        output.say(f"\nbelief about one of several, all in or all out, from {sure} before")
        output.print_lines((who, f"at most {end} sure; so far {now}") for who, end, now in groups)
    for line in sentences.charge_lines(answer):
        output.say(line)
    output.say(f"\n{sentences.COPIES}")
