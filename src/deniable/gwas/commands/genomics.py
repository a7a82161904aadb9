"""`deniable gwas …`: a case-control study, from PLINK files to privately released variants."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

import deniable
from deniable.cli.beliefs import charged_lines
from deniable.cli.commands import Option, add, group
from deniable.cli.option_groups import Gathered, Json, NewFolder
from deniable.cli.output import (
    appearing,
    ask,
    at_least,
    at_most,
    guard,
    interval,
    print_json,
    print_lines,
    progress_bar,
    say,
)
from deniable.gwas.commands.answers import (
    print_release,
    print_scan,
    print_utility,
    tell_inflation,
)
from deniable.gwas.commands.attacks import attack, safe
from deniable.gwas.commands.options import (
    AdjacencyOption,
    Prior,
    Reading,
    StrataOption,
    Study,
    ThresholdOption,
    choice,
    filtered_reading,
    parse_threshold,
    publication,
    study_files,
    targeted,
)

if TYPE_CHECKING:
    from deniable.gwas.allele_frequencies import ReleasedFrequencies


# --- `deniable gwas frequencies`: allele frequencies of a public list of variants, with noise.


Listed = Annotated[
    Path | None,
    Option(metavar="LIST", help="A public list of variants, one name a line."),
]
All = Annotated[
    bool,
    Option("--all-variants", help="All of the file, where it is public which variants it has."),
]
Of = Annotated[
    str,
    Option(
        metavar="everybody|cases|controls|both",
        help="Whose: cases and controls together, one of them, or each apart.",
    ),
]
Delta = Annotated[
    float | None,
    Option(metavar="D", help="Admits Gaussian noise: far less, for many variants."),
]
Beacon = Annotated[
    float | None,
    Option(
        metavar="RATE",
        help="Also say whether anybody has each allele; RATE: largest share of false yes.",
    ),
]


@study_files
@targeted
@filtered_reading
@publication
def frequencies(
    prefix: Study,
    out: NewFolder,
    targets: Gathered,
    reading: Reading,
    variants: Listed = None,
    all_variants: All = False,
    of: Of = "everybody",
    delta: Delta = None,
    prior: Prior = None,
    adjacency: AdjacencyOption = "genotype",
    beacon: Beacon = None,
    *,
    telling: Gathered,
    yes: Annotated[
        bool, Option("--yes", help="Ask nothing on a terminal, however much the noise is.")
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
    appearing(out / CERTIFICATE, f"{written_files}.")

    def confirm(advice: tuple[str, ...]) -> bool:
        for each in advice:
            say(f"Advice: {each}", err=True)
        return yes or not advice or ask("Nothing is spent yet. Release all the same?")

    with progress_bar("Counting") as progress:
        answer = deniable.gwas.frequencies(
            prefix,
            out,
            variants=variants,
            all_variants=all_variants,
            of=of,
            **targets,
            delta=delta,
            prior=prior,
            adjacency=adjacency,
            beacon=beacon,
            **reading,
            **telling,
            progress=progress,
            confirm=confirm,
        )
    if as_json:
        print_json(answer.as_json())
        return
    print_frequencies(answer)
    say(f"\n{written_files}")


def print_frequencies(answer: "ReleasedFrequencies") -> None:
    """Who is protected how far, how much noise there is, and what exact frequencies would tell."""
    certificate = answer.certificate
    guarantee, prior = certificate.guarantee, certificate.adversary
    counted, comparison = certificate.counted, certificate.compared
    spread = interval(prior.low, prior.high)
    say(f"{certificate.unit.sentence}\n{certificate.study_adversary.sentence}\n")
    lines = [
        ("epsilon", f"{at_most(guarantee.epsilon)} ({certificate.unit.adjacency})"),
        (f"gamma, prior in {spread}", at_most(guarantee.gamma)),
        ("gamma, any prior", at_most(guarantee.gamma_outside)),
    ]
    if guarantee.delta:
        lines.append(("but with probability", at_most(guarantee.exceedance)))
    copies = f"± {at_most(counted.part.half_width_95 or 0.0)} copies"
    people = f"{comparison.people:,} people"
    lines += [
        ("published", f"{len(answer.rows):,} frequencies, of {counted.of}"),
        ("each, in 95 of 100", f"{copies} of {2 * comparison.people:,}"),
        ("all, in 95 of 100", f"± {at_most(counted.half_width_95_all)} copies"),
        ("as precise as", f"{at_least(comparison.as_of_people)} of {people}, at frequency 1/2"),
        (
            "members recognised",
            f"{_in_100(comparison.noisy.power)}; exact ones: {_in_100(comparison.exact.power)}",
        ),
    ]
    if certificate.beacon is not None:
        lines.append(("present", f"from a noisy count of {certificate.beacon.threshold:,} on"))
        lines.append(("seen", f"alleles of {certificate.beacon.seen:,} copies, in 95 of 100"))
    print_lines([*lines, *charged_lines(answer.ledger)])
    if answer.not_autosomal:
        say(
            f"\n{answer.not_autosomal:,} variants on X, Y or mitochondria are not counted: not "
            "everybody has two copies there."
        )


def _in_100(power: float) -> str:
    return f"{at_most(100 * power)} in 100 in theory, with 5 in 100 strangers"


# --- `deniable gwas …`: a case-control study, from PLINK files to privately released variants.


PLACE = 50
"""Place of these commands in the list of all, after those of the core."""


def register(app: click.Group) -> None:
    """Add the commands of this group."""
    members = group(
        "gwas",
        "A case-control study: scan it, release its top variants, see cost and gain.\n\n"
        "Example: deniable gwas release study --top 2 --gamma 2 --out published",
    )
    for command in (scan, release, frequencies, utility, attack, safe, simulate):
        add(members, guard(command))
    app.add_command(members)


@study_files
@filtered_reading
def scan(
    prefix: Study,
    statistic: Annotated[
        str,
        Option(metavar="allelic|genotypic|trend|cmh|distance", help="The statistic to compute."),
    ] = "allelic",
    threshold: ThresholdOption = "bonferroni",
    *,
    reading: Reading,
    strata: StrataOption = None,
    out: Annotated[
        Path | None, Option(metavar="T.tsv", help="Write a table here, one row a variant.")
    ] = None,
    format: Annotated[
        str, Option(metavar="table|gwas-ssf", help="The columns of the table.")
    ] = "table",
    plot: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Draw all variants into an .html or .svg file. NOT FOR PUBLICATION.",
        ),
    ] = None,
    top: Annotated[int, Option(metavar="M", help="Number of variants to print.")] = 10,
    as_json: Json = False,
) -> None:
    """Every variant's counts and statistics, for the owner's eyes, NOT FOR PUBLICATION.

    Example: deniable gwas scan study --out study.tsv
    """
    appearing(out)
    appearing(plot)
    with progress_bar("Counting") as progress:
        answer = deniable.gwas.scan(
            prefix,
            statistic=statistic,
            threshold=parse_threshold(threshold),
            **reading,
            strata=strata,
            out=out,
            format=format,
            plot=plot,
            top=top,
            progress=progress,
        )
    if as_json:
        print_json(answer.as_json())
        return
    print_scan(answer)


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
    appearing(out / CERTIFICATE, f"{written_files}.")
    inflation: list[float] = []
    with progress_bar("Counting") as progress:
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
        print_json(answer.as_json())
    else:
        print_release(answer)
        say(f"\n{written_files}")
    for value in inflation:
        tell_inflation(value)


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
    """How often a release would be right, for the owner's eyes, NOT FOR PUBLICATION.

    Example: deniable gwas utility study --top 2 --gamma 2
    """
    answer = deniable.gwas.utility(prefix, **selection, **reading, trials=trials, seed=seed)
    if as_json:
        print_json(answer.as_json())
        return
    print_utility(answer)


def simulate(
    out: Annotated[Path, Option(metavar="PREFIX", help="Prefix of the files to write.")],
    individuals: Annotated[int, Option(metavar="N", help="Number of people in the study.")],
    cases: Annotated[int, Option(metavar="R", help="Number of them who are cases.")],
    variants: Annotated[int, Option(metavar="M", help="Number of variants to write.")],
    causal: Annotated[int, Option(metavar="K", help="Number of variants that raise the risk.")],
    seed: Annotated[int, Option(help="The same seed gives the same files.")],
    odds_ratio: Annotated[
        float, Option(help="Factor on the odds of disease, for each copy.")
    ] = 1.5,
    minor_allele_frequency: Annotated[
        float, Option(help="Least frequency of the rarer allele.")
    ] = 0.05,
    spacing: Annotated[float, Option(help="Mean distance between variants, in bases.")] = 5_000.0,
    reference: Annotated[
        int,
        Option(
            metavar="N",
            help="Others to write, to PREFIX.reference.",
        ),
    ] = 0,
    as_json: Json = False,
) -> None:
    """A simulated study with linkage and causal variants, written as PLINK files.

    Example: deniable gwas simulate --out study --individuals 2000 --cases 1000 --variants 5000
    --causal 2 --seed 1
    """
    written_files = f"Written to {out}: .bed, .bim, .fam, and the truth in .causal.tsv"
    appearing(Path(f"{out}.bed"), f"{written_files}.")
    with progress_bar("Simulating") as progress:
        answer = deniable.gwas.simulate(
            out,
            individuals=individuals,
            cases=cases,
            variants=variants,
            causal=causal,
            seed=seed,
            odds_ratio=odds_ratio,
            minor_allele_frequency=minor_allele_frequency,
            spacing=spacing,
            reference=reference,
            progress=progress,
        )
    if as_json:
        print_json(answer.as_json())
        return
    say(written_files)
    if answer.reference is not None:
        say(f"{reference:,} others of the same population: {answer.reference}")
    say("")
    print_lines(
        (
            each.variant,
            f"chromosome {each.chromosome}:{each.position}, frequency {each.frequency:.3f}, odds "
            f"ratio {each.odds_ratio:.3f}",
        )
        for each in answer.causal
    )
