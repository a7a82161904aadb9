"""`deniable plan`, `preview`, `release`, `new`."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

import deniable
from deniable.cli import output
from deniable.cli.commands import Argument, Option, add
from deniable.cli.option_groups import Json, NewFolder, PlanFile
from deniable.cli.output import at_least, at_most, certified, interval, is_watched, one_line, say

if TYPE_CHECKING:
    from deniable.certificate.population import PopulationStatement
    from deniable.certificate.results import ResultRow
    from deniable.publish.advice import Advice
    from deniable.publish.plan import PlanText, PublicPlan
    from deniable.publish.prepare import Prepared
    from deniable.publish.totals import ForOwner
    from deniable.theorems.analysis import Calibration

_MOST_ERRORS = 12  # margins of a crosstab whose error has a line of its own
_SIZES = 2  # numbers of rows that an error is told for

Formats = Annotated[
    list[str],
    Option(
        "--format",
        metavar="FORMAT",
        help="Also export it, beside the folder: xlsx, sdmx-csv, … Repeat for more.",
    ),
]
Memory = Annotated[str, Option(help="Memory to use before data go to a private temporary folder.")]


def register(app: click.Group) -> None:
    """Add the commands of this group."""
    for command in (plan, preview, release, new):
        add(app, output.guard(command))


def plan(
    path: PlanFile,
    solve: Annotated[
        bool, Option("--solve", help="Find the least target that keeps each precision.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Compute noise, half-widths and beliefs of a plan, without reading the data's values.

    Example: deniable plan visits.toml
    """
    from deniable.publish.plan import with_known_keys

    given = with_known_keys(path)  # before anything is loaded that only a plan without slips needs
    prepared = deniable.plan(given, solve=solve)
    if as_json:
        output.print_json(prepared.as_json())
    else:
        if solve:
            target = prepared.plan.target
            say(f"Every precision is kept from [target] {target.kind} = {target.value!r} on.\n")
        _print_prepared(prepared)
    _print_advice(prepared.advice)


def preview(
    path: PlanFile,
    rows: Annotated[
        bool, Option("--rows", help="Only say where a CSV file cannot be read.")
    ] = False,
    memory_limit: Memory = "1GB",
    as_json: Json = False,
) -> None:
    """Show the owner what limits remove from each query. NOT FOR PUBLICATION.

    Example: deniable preview visits.toml
    """
    from deniable.publish.plan import with_known_keys

    given = with_known_keys(path)
    from deniable.publish.owner import of_preview

    if rows:
        _preview_rows(given, memory_limit, as_json)
        return
    with output.progress_bar("Reading") as progress:
        answer = deniable.preview(given, memory_limit=memory_limit, progress=progress)
    much = of_preview(answer.removed, answer.prepared.plan.rows_per_entity, answer.prepared.queries)
    _tell_owner(much)
    _print_advice(answer.prepared.advice)
    if output.is_printed(answer, as_json):
        return
    say("NOT FOR PUBLICATION: exact figures of the data, for its owner only.\n")
    for sentence in much:  # where they are not on the terminal
        say(sentence)
    _print_prepared(answer.prepared)
    for removed in answer.removed:
        say(f"\n{removed.name}")
        output.print_lines((f"  {name}", text) for name, text in removed.lines())
    losses = (each.losses for each in answer.removed if each.losses is not None)
    unread = (keys for each in losses for keys in each.not_keys.values())
    if any(value is None for keys in unread for value, _ in keys):
        say(f"\nTo see where a CSV file cannot be read as declared: deniable preview {path} --rows")


def _preview_rows(given: "PlanText", memory_limit: str, as_json: bool) -> None:
    answer = deniable.unreadable(given, memory_limit=memory_limit)
    if output.is_printed(answer, as_json):
        return
    say("NOT FOR PUBLICATION: where the data cannot be read, for its owner only.\n")
    for wrong in answer.lines:
        lines = f"{wrong.count} line{'s' * ((wrong.count or 0) > 1)} with"
        many = "reading ends at" if wrong.count is None else lines
        say(f"{one_line(wrong.file)}: {many} {wrong.problem}")
        say(f"  line {_first(wrong.lines, wrong.count)}")
    for each in answer.values:
        say(f"{one_line(each.file)}, {one_line(each.column)}: {each.count} not {each.expected}")
        say(f"  line {_first(each.lines, each.count)}")
    if answer.lines:
        say("Values of these files are looked at when every line is a row.")
    if not (answer.lines or answer.values):
        say("Every value that the plan uses can be read.")


def _first(lines: Sequence[int], count: int | None) -> str:
    return ", ".join(map(str, lines)) + (", …" if count is not None and count > len(lines) else "")


def release(
    path: PlanFile,
    out: NewFolder,
    yes: Annotated[
        bool,
        Option("--yes", help="Do not ask for confirmation, however much the limits leave out."),
    ] = False,
    formats: Formats = [],  # noqa: B006 - Click gives one of its own
    memory_limit: Memory = "1GB",
    as_json: Json = False,
) -> None:
    """Publish what a plan requests: results, certificate and report.

    Example: deniable release visits.toml --out published
    """
    from deniable.publish.plan import with_known_keys

    given = with_known_keys(path)
    from deniable.certificate.files import CERTIFICATE, ROWS_CSV, ROWS_PARQUET, file_names
    from deniable.certificate.tables import TableCertificate

    places = dict[str, Path]()
    if formats:
        from deniable.pipeline.export import export_places

        places = export_places(out, formats)
    written_files = f"Written to {out}: {', '.join(file_names(TableCertificate))}"
    output.appearing(out / CERTIFICATE, f"{written_files}.")

    def confirm(private: "ForOwner") -> bool:
        warnings = list[str]()
        if private.columns_unread or private.truncation is not None or private.noise:
            from deniable.publish import owner

            warnings += owner.of_columns(private.unread)
            warnings += owner.of_release(private.truncation, private.rows_per_entity)
            warnings += owner.of_noise(private.noise)
        _tell_owner(warnings)
        for each in private.advice:  # the plan's own numbers say it
            say(f"Advice: {each}", err=True)
        question = "Nothing is spent yet. Release all the same?"
        return yes or not warnings or output.ask(question) is not False

    with output.progress_bar("Releasing") as progress:
        answer = deniable.release(
            given,
            out,
            memory_limit=memory_limit,
            progress=progress or output.draw_nothing,
            confirm=confirm,
        )
    for word, place in places.items():
        output.appearing(place)
        deniable.export(out, place, to=word)
    if output.is_printed(answer, as_json):
        return
    _print_prepared(answer.prepared, answer.rows)
    if answer.ledger is not None:
        say("")
        output.print_lines(output.charged_lines(answer.ledger))
    shared = "".join(f", {name}" for name in (ROWS_CSV, ROWS_PARQUET) if (out / name).exists())
    exported = (f"Written to {one_line(str(place))}" for place in places.values())
    say("\n".join([f"\n{written_files}{shared}", *exported]))


def new(
    source: Annotated[
        str,
        Argument(
            metavar="SOURCE",
            help="A file, a pattern such as 'visits-*.csv', a table; or a plan to complete.",
        ),
    ],
    delimiter: Annotated[
        str | None, Option(metavar="D", help="The delimiter between the fields of a CSV file.")
    ] = None,
    encoding: Annotated[
        str | None, Option(metavar="E", help="The encoding of a CSV file; utf-8 by default.")
    ] = None,
    decimal: Annotated[
        str | None, Option(metavar="C", help="The decimal mark of a CSV file's numbers.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a plan to fill in, from the schema of a source. You choose the bounds.

    Example: deniable new visits.parquet > visits.toml
    """
    text = deniable.new(source, delimiter=delimiter, encoding=encoding, decimal=decimal)
    if (mark := _SEPARATED.search(text)) is not None:
        say(f'Note: {mark[1]} Try "{mark[2]}".', err=True)
    if as_json:
        output.print_json({"plan": text})
    else:
        click.echo(text, nl=not text.endswith("\n"))


_SEPARATED = re.compile(
    r"^# (The file seems to be separated by .+?[.]) .*\n.*\n.*\n# Or begin again: (.+)$",
    re.MULTILINE,
)
"""What a new plan says of its source's delimiter, and the line that makes it again."""


def _print_advice(advice: "Iterable[Advice]") -> None:
    """What to change in a plan, on standard error: its own numbers say it, and no data."""
    for each in advice:
        say(f"Advice: {each.text}", err=True)
        if each.plan is not None:
            say(f"The plan with one query in their place:\n\n{each.plan}", err=True)


def _tell_owner(sentences: Iterable[str]) -> None:
    """Print figures of the data that are no part of the answer, on a terminal alone."""
    for sentence in sentences if is_watched() else ():
        say(sentence, err=True)


def _print_prepared(prepared: "Prepared[PublicPlan]", rows: "Sequence[ResultRow]" = ()) -> None:
    from deniable.theorems.analysis import EACH_WAY, posterior_upper

    output.print_cautions(prepared.cautions)
    answer = prepared.calibration
    spread = interval(answer.adversary.low, answer.adversary.high)
    lines = [
        *_spent_lines(answer),
        (f"gamma, prior in {spread}", certified(answer.gamma)),
        ("gamma, any prior", certified(answer.gamma_outside)),
        *([output.exception_line(answer.exceedance, EACH_WAY)] if answer.delta else []),
    ]
    if (household := answer.household) is not None:
        lines.append(("all but the budget is about", str(household.households)))
        if household.households.model is not None:
            worst = at_most(posterior_upper(household.loss_without_model, answer.adversary.high))
            before = at_most(answer.adversary.high)
            lines.append(("if the model is wrong", f"belief {before} becomes at most {worst}"))
    lines += output.range_lines(prepared.posterior)
    output.print_lines(lines)
    if prepared.population is not None:
        _print_population(prepared.population)
    for query in prepared.queries:
        figures = query.figures()
        cells = f"{figures['cells']:,} cell{'' if figures['cells'] == 1 else 's'}"
        if "threshold" in figures:
            cells = "keys that nobody knows beforehand"
        say(f"\n{figures['name']}: {figures['statistic']}, {cells}")
        output.print_lines(_query_lines(figures))
    if (beside := prepared.besides_noise(rows)) is not None:
        say(f"\n{beside}")


def _print_population(statement: "PopulationStatement") -> None:
    """The narrower promise, after what holds against everybody."""
    from deniable.certificate.population import SENTENCE
    from deniable.theorems.analysis import EACH_WAY

    content, claim = statement.as_json(), statement.claim
    belief = content["posterior"]
    say(f"\npopulation: {SENTENCE}")
    lines = {
        "members, drawn": f"{claim.members:,}, {claim.drawn:,}",
        "population epsilon": f"{at_most(claim.bound.upper)} ({claim.method})",
    }
    if statement.delta:
        exception = output.exception_line(statement.exceedance, EACH_WAY)
        lines |= dict([("delta", at_most(statement.delta)), exception])
    stays = f"[{at_least(belief['lower'])}, {at_most(belief['upper'])}]"
    lines |= {
        f"belief {at_most(belief['prior'])} stays in": stays,
        "guess at even odds": f"right at most {at_most(content['attack_success'])}",
        "noise": f"{at_most(claim.noise_factor)} times what the floor needs",
    }
    output.print_lines((f"  {name}", value) for name, value in lines.items())
    say("  What stands above it holds against everybody: the floor.")


def _spent_lines(answer: "Calibration") -> Iterator[tuple[str, str]]:
    """The budget of the whole plan: ε, or ρ and how rarely the privacy loss passes a bound."""
    from deniable.theorems.analysis import EpsilonTarget

    if answer.composition is None:
        yield "epsilon", f"{at_most(answer.epsilon)} ({answer.adjacency})"
        if answer.delta:
            yield "delta", f"{at_most(answer.delta)}, for keys that one entity alone has"
        return
    yield "rho", f"{at_most(answer.composition.rho)} (zCDP, {answer.adjacency})"
    if isinstance(answer.target, EpsilonTarget):
        yield "epsilon, delta", f"{at_most(answer.epsilon)}, {at_most(answer.delta)}"
    yield output.privacy_loss_line(answer)


def _query_lines(figures: dict[str, Any]) -> Iterator[tuple[str, str]]:
    spent = "epsilon" if figures["epsilon"] is not None else "rho"
    yield "  noise", f"{figures['mechanism']}, scale {at_most(figures['scale'])}"
    yield f"  {spent}", at_most(figures[spent])
    if threshold := figures.get("threshold"):
        yield "  published from", f"{threshold['value']:,} entities on, with noise"
        exposed = at_most(threshold["exposure"])
        yield "  a key of one entity alone", f"appears with probability {exposed}, and proves it"
    errors = figures["published_errors"]
    for error in errors[:_MOST_ERRORS]:
        yield f"  95 % half-width of {error['of']}", _error(error)
    if widths := [error["half_width_95"] for error in errors[_MOST_ERRORS:]]:
        spread = f"± {at_most(min(widths))} to {at_most(max(widths))} rows"
        yield f"  … of {len(widths)} further margins", spread


def _error(error: dict[str, Any]) -> str:
    """A published number's error with its unit; of a mean, among a few numbers of rows."""
    if error["half_width_95"] is None:
        examples = [
            f"± {at_most(each['half_width_95'], 3)} {error['unit']} among {each['rows']:,} rows"
            for each in error["among"]
        ]
        return "; ".join(examples[:_SIZES]) or "larger than the bounds are apart in any usual table"
    examples = [f"of {each['rows']:,} rows, {each['told']}" for each in error["percentiles"]]
    return "; ".join([f"± {at_most(error['half_width_95'])} {error['unit']}", *examples[:_SIZES]])
