"""`deniable check`, `sign`, `dossier`, `export`, `schema`: what was published, and by whom."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import click

import deniable
from deniable.cli import output
from deniable.cli.commands import Argument, Option, add
from deniable.cli.option_groups import Baseline, Dataset, Json
from deniable.errors import InvalidArgument
from deniable.errors.validate import in_full

_MOST_FIGURES = 12  # figures of a statement that have a line of their own


def register(app: click.Group) -> None:
    """Add the commands of this group."""
    for command in (check, sign, dossier, export, schema):
        add(app, output.guard(command))


def check(
    path: Annotated[
        Path,
        Argument(
            metavar="CERTIFICATE.json|FOLDER", help="A certificate, or the folder of a release."
        ),
    ],
    population: Annotated[
        Path | None, Option(metavar="MEMBERS", help="The list of members that the plan names.")
    ] = None,
    signed_by: Annotated[
        Path | None,
        Option(metavar="KEYS", help="OpenSSH public keys; one of them must have signed."),
    ] = None,
    dossier: Annotated[
        Path | None, Option(metavar="DOSSIER", help="A dossier to make again and compare.")
    ] = None,
    export: Annotated[
        Path | None,
        Option(metavar="FILE", help="A file that deniable export wrote, to compare each value."),
    ] = None,
    charts: Annotated[
        bool, Option("--charts", help="Also draw the report's charts again.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Recompute a certificate, compare a release's files, and say what you must trust.

    Example: deniable check published
    """
    answer = deniable.check(
        path,
        population=population,
        signed_by=signed_by,
        dossier=dossier,
        export=export,
        charts=charts,
    )
    with output.verdict(0 if answer.holds else 2):
        if output.is_printed(answer, as_json):
            return
        output.print_lines(
            (each.name, "holds" if each.holds else each.finding) for each in answer.checks
        )
        if not answer.holds:
            output.say("\nThis release does not hold: do not rely on it.")
            return
        if answer.signers:
            output.say("")
            output.print_lines(("Signed by", str(each)) for each in answer.signers)
        values = len(answer.verified) - len(answer.files)
        output.say(f"\nVerified: {values} kinds of values in the certificate, recomputed")
        output.print_lines((f"  {each.what}", each.how) for each in answer.files)
        output.say("\nTaken on trust")
        output.print_lines((f"  {each.what}", each.why) for each in answer.on_trust)


def dossier(
    source: Annotated[
        str,
        Argument(
            metavar="FOLDER|CERTIFICATE|LEDGER",
            help="A release or a training, its certificate.json, or a ledger: its whole budget.",
        ),
    ],
    regime: Annotated[
        str, Option("--for", metavar="REGIME", help="nist, ema, gdpr, hipaa or dp-registry.")
    ],
    out: Annotated[Path | None, Option(metavar="PAGE.html", help="Write a page here.")] = None,
    baseline: Baseline = [],  # noqa: B006 - Click gives one of its own
    candidates: Annotated[
        int | None, Option(help="Number of equally likely values of an attribute.")
    ] = None,
    dataset: Dataset = None,
    as_json: Json = False,
) -> None:
    """Answer a regulator's questions: what is computed, on trust or not covered.

    Example: deniable dossier published --for gdpr --out dossier.html
    """
    output.appearing(out)
    answer = deniable.dossier(
        source, regime, baselines=baseline or None, candidates=candidates, dataset=dataset, out=out
    )
    if output.is_printed(answer, as_json):
        return
    content = answer.as_json()
    output.say(f"{content['regime']}, of {output.one_line(content['of']['title'])}")
    counts = ", ".join(f"{many} {status}" for status, many in content["counts"].items())
    output.say(f"{len(content['questions'])} questions: {counts}\n")
    table = {each["statement"]: each for each in content["statements"]}
    for each in content["questions"]:
        output.say(f"{each['place']}: {each['words']} [{each['status']}]")
        output.print_lines(_question_lines(each, table))
    output.say("\nWhat each rests on, and how it is recomputed: --out PAGE.html or --json.")
    if out is not None:
        output.say(f"Written to {output.one_line(str(out))}")


def _question_lines(
    question: dict[str, Any], table: dict[str, dict[str, Any]]
) -> Iterator[tuple[str, str]]:
    """The figures of a question; why not, where there are none."""
    for name in question["statements"]:
        statement = table[name]
        yield f"  {statement['title']}", statement["status"]
        figures = statement["figures"]
        yield from ((f"    {each['of']}", _figure(each)) for each in figures[:_MOST_FIGURES])
        if (more := len(figures) - _MOST_FIGURES) > 0:
            yield f"    {more:,} more", "on the page"
    if "otherwise" in question:
        yield "  not covered", question["otherwise"]
    if "remark" in question:
        yield "  note", question["remark"]


def _figure(figure: dict[str, Any]) -> str:
    bounds = {name: float(figure[name]) for name in ("lower", "upper") if name in figure}
    if "upper" not in bounds:
        return f"at least {output.at_least(bounds['lower'])}"
    if "lower" not in bounds:
        return f"at most {output.at_most(bounds['upper'])}"
    low, high = bounds["lower"], bounds["upper"]
    rounded = f"[{output.at_least(low)}, {output.at_most(high)}]"
    return in_full(low) if low == high else rounded


def sign(
    folder: Annotated[Path, Argument(metavar="FOLDER", help="The folder of a release that holds.")],
    key: Annotated[
        Path | None,
        Option(metavar="FILE", help="Your private key, or the public one if an agent has it."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Sign a release with your OpenSSH key.

    Example: deniable sign published --key ~/.ssh/id_ed25519
    """
    answer = deniable.sign(folder, key=key)
    output.announce_written(f"Written to {answer.signature}.")
    if output.is_printed(answer, as_json):
        return
    output.say(f"Signed with the {answer.key_type} key {answer.fingerprint}.")
    output.say(f"Written to {output.one_line(str(answer.signature))}")


def export(
    folder: Annotated[
        Path,
        Argument(
            metavar="FOLDER", help="The folder of a release; for the registry also of a training."
        ),
    ],
    to: Annotated[
        str,
        Option(metavar="FORMAT", help="Write xlsx, sdmx-csv, registry-yaml, survfit or lifelines."),
    ],
    out: Annotated[
        Path | None, Option(metavar="FILE", help="Write the file here; otherwise print the text.")
    ] = None,
    query: Annotated[str | None, Option(metavar="NAME", help="Export one query.")] = None,
    as_json: Json = False,
) -> None:
    """Check a release, and write its tables in another program's format.

    Example: deniable export published --to xlsx --out tables.xlsx
    """
    from deniable.pipeline.exports import format_called

    if out is None and not as_json and not format_called(to).is_text:
        raise InvalidArgument(f"Expected a file to write {to} to, got none. Add --out FILE.")
    output.appearing(out)
    answer = deniable.export(folder, out, to=to, query=query)
    if output.is_printed(answer, as_json):
        return
    if out is None:
        click.echo(answer.content.decode("utf-8"), nl=False)
    else:
        output.say(f"Written to {output.one_line(str(out))}")


def schema(
    name: Annotated[
        str,
        Argument(
            metavar="NAME",
            help="certificate, study-, frequencies- or training-certificate, or plan.",
        ),
    ],
    as_json: Json = False,  # noqa: ARG001 - it is JSON either way
) -> None:
    """Print the JSON Schema of a certificate or a plan.

    Example: deniable schema certificate > certificate-schema.json
    """
    output.print_json(deniable.schema(name))
