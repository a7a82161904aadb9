"""`deniable gwas …`: a case-control study, from PLINK files to privately released variants."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

import deniable
from deniable.cli import output
from deniable.cli.commands import Argument, Option, add, group
from deniable.cli.option_groups import (
    TARGET,
    Checkpoint,
    Gathered,
    Json,
    NewFolder,
    Options,
    Scheduler,
    Workers,
    by_name,
    in_place_of,
    option,
)
from deniable.cli.option_tables import read_options
from deniable.cli.output import say
from deniable.errors import InvalidArgument
from deniable.errors.validate import in_full
from deniable.gwas.commands import answers

Reading = Gathered
"""Arguments of `deniable.gwas.scan`, `release` and `utility` that say how the study is read."""
Study = Any
"""The files of a study: a prefix, or several that are parts of it."""


GROUPS = read_options(__file__)
"""Options of these commands."""
_MACHINES = (
    by_name(workers=(Workers, 1), scheduler=(Scheduler, None), checkpoint=(Checkpoint, None))
    | GROUPS["machines"]
)
"""The machines that count genotypes."""


def _read_arguments(given: Gathered) -> Gathered:
    """The arguments, with the filters among them made one where one was asked for."""
    filters = {
        name: given.pop(name) for name in GROUPS["filters"] | GROUPS["order"] if name in given
    }
    machines = {name: given.pop(name) for name in _MACHINES if name in given}
    if any(value not in (None, 1) for value in machines.values()):
        given["effort"] = deniable.Effort(**machines)
    filters["panel"] = filters.get("panel") or None
    if any(value not in (None, "") for value in filters.values()):
        given["filters"] = deniable.gwas.Filters(**filters)
        if filters["panel"] is not None:
            _say_notes(given["filters"].panel)
    return given


filtered_reading = in_place_of(
    "reading",
    GROUPS["reading"] | GROUPS["filters"] | GROUPS["order"] | _MACHINES,
    _read_arguments,
)
"""How a study is read, public filters among it."""

pool_reading = in_place_of(
    "reading",
    {name: each for name, each in GROUPS["reading"].items() if name != "missing"}
    | GROUPS["filters"]
    | GROUPS["machines"],
    _read_arguments,
)
"""The same for a pool whose missing calls stay missing, on one machine."""


def _some_study(given: Gathered) -> Any:
    """The prefixes of the command line, or of a list; nothing where there are neither."""
    from deniable.gwas.files import StudyFiles

    paths, listed = given["paths"], given["listed"]
    if paths and listed is not None:
        raise InvalidArgument(
            f"Expected PREFIX or --studies {listed}, got both. Put the prefixes into the file."
        )
    if listed is not None:
        return _say_notes(StudyFiles.listed(listed))
    return _say_notes(StudyFiles.of(paths)) if paths else None


def _say_notes(study: Any) -> Any:
    """The files, once standard error has named what lies there and is left out."""
    for note in study.notes:
        say(f"Note: {note}", err=True)
    return study


def _with_reference(given: Gathered) -> Gathered:
    from deniable.gwas.files import StudyFiles

    names = given["reference"]
    return given | {"reference": _say_notes(StudyFiles.of(names)) if names else None}


def _a_study(given: Gathered) -> Any:
    study = _some_study(given)
    if study is None:
        raise InvalidArgument("Expected a PREFIX of a study's files, or --studies FILE, got none.")
    return study


def _studies(metavar: str, words: str) -> Options:
    several = "Several, {chr} in a name for chromosomes, or a folder, are parts of one study."
    prefix = Annotated[list[Path] | None, Argument(metavar=metavar, help=f"{words} {several}")]
    listed = option(Path | None, f"A text file with one {metavar} per line, instead.", "FILE")
    return {"prefix": ("paths", prefix, None), "studies": ("listed", *listed)}


study_files = in_place_of(
    "prefix",
    _studies(
        "PREFIX",
        "Prefix of .bed, .bim and .fam files, or of .pgen, .pvar and .psam; or a .vcf[.gz], .bgen "
        "or .vcz (VCF Zarr), or a .tsv of counts.",
    ),
    _a_study,
)
pool_files = in_place_of(
    "prefix", _studies("PREFIX", "The pool whose frequencies are published."), _a_study
)
some_files = in_place_of(
    "prefix",
    _studies("STUDY", "The study from which to choose variants, as for scan; or give --pool."),
    _some_study,
)
TARGETS: Options = {
    **{name: TARGET[name] for name in ("gamma", "max_posterior", "attack_success", "advantage")},
    **GROUPS["targets"],
}
"""What an adversary may come to believe or reach, by one of these."""
targeted = in_place_of("targets", TARGETS)


def with_threshold(given: Gathered) -> Gathered:
    """A threshold as a number where it is one; the function says what else may stand there."""
    try:
        return given | {"threshold": float(given["threshold"])}
    except ValueError:
        return given


choice = in_place_of(
    "selection",
    GROUPS["top"]
    | TARGETS
    | GROUPS["prior"]
    | GROUPS["score"]
    | GROUPS["families"]
    | GROUPS["threshold"]
    | GROUPS["strata"]
    | GROUPS["loci"],
    with_threshold,
)
"""Which choice of variants is made, and for whom it must not tell too much."""
publication = in_place_of(
    "telling",
    GROUPS["words"] | GROUPS["charged"],
    lambda given: (
        {name: value for name, value in given.items() if name not in GROUPS["words"]}
        | {"report": {name: given[name] for name in GROUPS["words"] if given[name] is not None}}
    ),
)
"""What a release says of itself, and whom it is charged to."""


if TYPE_CHECKING:
    from deniable.gwas.allele_frequencies import ReleasedFrequencies


@study_files
@targeted
@filtered_reading
@in_place_of("listed", GROUPS["listed"] | GROUPS["prior"] | GROUPS["families"] | GROUPS["beacon"])
@publication
def frequencies(
    prefix: Study,
    out: NewFolder,
    targets: Gathered,
    reading: Reading,
    listed: Gathered,
    *,
    telling: Gathered,
    yes: Annotated[
        bool, Option("--yes", help="Do not ask for confirmation, however large the noise is.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Publish allele frequencies of many variants with noise: results, certificate and report.

    Example: deniable gwas frequencies study --variants panel.txt --gamma 2 --delta 1e-6
    --out published
    """
    from deniable.certificate.files import CERTIFICATE, file_names
    from deniable.gwas.certificates import FrequenciesCertificate

    written_files = f"Written to {out}: {', '.join(file_names(FrequenciesCertificate))}"
    output.appearing(out / CERTIFICATE, f"{written_files}.")

    def confirm(advice: tuple[str, ...]) -> bool:
        for each in advice:
            output.say(f"Advice: {each}", err=True)
        question = "Nothing is spent yet. Release all the same?"
        return yes or not advice or output.ask(question) is not False

    with output.progress_bar("Counting") as progress:
        answer = deniable.gwas.frequencies(
            prefix,
            out,
            **listed,
            **targets,
            **reading,
            **telling,
            progress=progress,
            confirm=confirm,
        )
    if output.is_printed(answer, as_json):
        return
    print_frequencies(answer)
    output.say(f"\n{written_files}")


def print_frequencies(answer: "ReleasedFrequencies") -> None:
    """Print the protection, the noise, and what exact frequencies would tell."""
    certificate = answer.certificate
    counted, comparison = certificate.counted, certificate.compared
    lines = answers.protection_lines(certificate)
    if certificate.guarantee.delta:
        lines.append(("but with probability", output.at_most(certificate.guarantee.exceedance)))
    copies = f"± {output.at_most(counted.part.half_width_95 or 0.0)} copies"
    people = f"{comparison.people:,} people"
    recognised = (
        f"{output.at_most(100 * each.power)} % in theory, with 5 % of strangers"
        for each in (comparison.noisy, comparison.exact)
    )
    lines += [
        ("published", f"{len(answer.rows):,} frequencies, of {counted.of}"),
        ("each, in 95 %", f"{copies} of {2 * comparison.people:,}"),
        ("all, in 95 %", f"± {output.at_most(counted.half_width_95_all)} copies"),
        (
            "as precise as",
            f"{output.at_least(comparison.as_of_people)} of {people}, at frequency 1/2",
        ),
        ("members recognised", "; exact ones: ".join(recognised)),
    ]
    if certificate.beacon is not None:
        lines.append(("present", f"from a noisy count of {certificate.beacon.threshold:,} on"))
        lines.append(("seen", f"alleles of {certificate.beacon.seen:,} copies, in 95 %"))
    output.print_lines([*lines, *output.charged_lines(answer.ledger)])
    if answer.not_autosomal:
        output.say(
            f"\n{answer.not_autosomal:,} variants on X, Y or mitochondria are not counted: not "
            "everybody has two copies there."
        )


PLACE = 50
"""Place of these commands in the list of all, after those of the core."""


def register(app: click.Group) -> None:
    """Add the commands of this group."""
    members = group(
        "gwas",
        "Scan a case-control study, release its top variants, and attack what you publish.\n\n"
        "Example: deniable gwas release study --top 2 --gamma 2 --out published",
    )
    for command in (scan, release, frequencies, utility, attack, safe, simulate):
        add(members, output.guard(command))
    app.add_command(members)


@study_files
@in_place_of("tested", GROUPS["tested"] | GROUPS["threshold"], with_threshold)
@filtered_reading
@in_place_of("drawn", GROUPS["strata"] | GROUPS["drawn"])
def scan(
    prefix: Study, tested: Gathered, *, reading: Reading, drawn: Gathered, as_json: Json = False
) -> None:
    """Show the owner every variant's counts and statistics. NOT FOR PUBLICATION.

    Example: deniable gwas scan study --out study.tsv
    """
    output.appearing(drawn["out"])
    output.appearing(drawn["plot"])
    with output.progress_bar("Counting") as progress:
        answer = deniable.gwas.scan(prefix, **tested, **reading, **drawn, progress=progress)
    if output.is_printed(answer, as_json):
        return
    answers.print_scan(answer)


@study_files
@choice
@filtered_reading
@publication
def release(
    prefix: Study,
    out: NewFolder,
    *,
    selection: Gathered,
    reading: Reading,
    telling: Gathered,
    as_json: Json = False,
) -> None:
    """Publish the most significant variants: results, certificate and report.

    Example: deniable gwas release study --top 2 --gamma 2 --out published
    """
    from deniable.certificate.files import CERTIFICATE, file_names
    from deniable.gwas.certificates import StudyCertificate

    written_files = f"Written to {out}: {', '.join(file_names(StudyCertificate))}"
    output.appearing(out / CERTIFICATE, f"{written_files}.")
    inflation: list[float] = []
    with output.progress_bar("Counting") as progress:
        answer = deniable.gwas.release(
            prefix,
            out,
            **selection,
            **reading,
            **telling,
            progress=progress,
            tell_inflation=inflation.append,
        )
    if as_json:
        output.print_json(answer.as_json())
    else:
        answers.print_release(answer)
        output.say(f"\n{written_files}")
    for value in inflation:
        answers.tell_inflation(value)


@study_files
@choice
@filtered_reading
def utility(
    prefix: Study,
    *,
    selection: Gathered,
    reading: Reading,
    trials: Annotated[int, Option(metavar="K", help="Number of simulated releases.")] = 10_000,
    seed: Annotated[int, Option(help="Seed of the simulation; nothing is released here.")] = 0,
    as_json: Json = False,
) -> None:
    """Show the owner how often a release would be right. NOT FOR PUBLICATION.

    Example: deniable gwas utility study --top 2 --gamma 2
    """
    answer = deniable.gwas.utility(prefix, **selection, **reading, trials=trials, seed=seed)
    if output.is_printed(answer, as_json):
        return
    answers.print_utility(answer)


@pool_files
@in_place_of("attacked", GROUPS["attacked"], _with_reference)
@pool_reading
@in_place_of("decided", GROUPS["decided"])
def attack(
    prefix: Study, attacked: Gathered, *, reading: Reading, decided: Gathered, as_json: Json = False
) -> None:
    """Attack what you publish about a study, and show who is recognised. NOT FOR PUBLICATION.

    Example: deniable gwas attack study --reference others --published study.assoc --on cases
    """
    output.appearing(decided["out"])
    with output.progress_bar("Attacking") as progress:
        answer = deniable.gwas.attack(prefix, **attacked, **decided, progress=progress, **reading)
    if output.is_printed(answer, as_json):
        return
    answers.print_attack(answer)
    if decided["out"] is None:
        output.say(
            "\nWhat would be enough, fewer variants, more people, rounding or noise: add --out "
            "PAGE.html."
        )


@in_place_of("limits", GROUPS["limits"])
@some_files
@in_place_of("settings", GROUPS["settings"], _with_reference)
@filtered_reading
@in_place_of("written", GROUPS["written"])
def safe(
    limits: Gathered,
    prefix: Study,
    settings: Gathered,
    *,
    reading: Reading,
    written: Gathered,
    as_json: Json = False,
) -> None:
    """Find how many unlinked variants, or which of a study, keep beliefs within a limit.

    Example: deniable gwas safe --pool 5000 --prior 0.5 0.5 --max-posterior 0.75
    """
    output.appearing(written["out"])
    output.appearing(written["page"])
    with output.progress_bar("Choosing") as progress:
        answer = deniable.gwas.safe(
            prefix, **limits, **settings, **written, progress=progress, **reading
        )
    if as_json:
        output.print_json(answer.as_json())
    elif prefix is None:
        limit = f"a belief of {in_full(answer.prior)} stays within {in_full(answer.posterior)}"
        output.print_lines(
            [
                ("unlinked variants", f"{answer.variants:,} of {answer.pool:,} people: {limit}"),
                (f"members found at fpr {in_full(answer.fpr)}", f"{answer.power:.4f}, in theory"),
            ]
        )
        output.say(
            f"\nFor members up to {in_full(answer.deviations)} standard deviations out, and an "
            "attacker who knows the population's\nfrequencies. Theory, and no guarantee: only "
            "noise gives one."
        )
    else:
        answers.print_study(answer)  # type: ignore[arg-type]


_MANY, _MINUTES = 10**9, 6
"""Genotypes whose simulation takes minutes, and how many: measured 4 to 9 for a billion."""


@in_place_of("simulated", GROUPS["simulated"])
def simulate(simulated: Gathered, as_json: Json = False) -> None:
    """Simulate a study with linkage and causal variants, as PLINK files.

    Example: deniable gwas simulate --out study --individuals 2000 --cases 1000 --variants 5000
    --causal 2 --seed 1
    """
    out = simulated["out"]
    written_files = f"Written to {out}: .bed, .bim, .fam, and the truth in .causal.tsv"
    output.appearing(Path(f"{out}.bed"), f"{written_files}.")
    genotypes = simulated["individuals"] * simulated["variants"]
    if genotypes >= _MANY:
        minutes = _MINUTES * genotypes // _MANY
        say(f"{genotypes:,} genotypes take about {minutes:,} minutes on two processors.", err=True)
    with output.progress_bar("Simulating") as progress:
        answer = deniable.gwas.simulate(**simulated, progress=progress)
    if output.is_printed(answer, as_json):
        return
    output.say(written_files)
    if answer.reference is not None:
        output.say(f"{simulated['reference']:,} others of the same population: {answer.reference}")
    output.say("")
    output.print_lines(
        (
            each.variant,
            f"chromosome {each.chromosome}:{each.position}, frequency {each.frequency:.3f}, odds "
            f"ratio {each.odds_ratio:.3f}",
        )
        for each in answer.causal
    )
