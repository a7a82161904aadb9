"""`deniable gwas frequencies`: allele frequencies of a public list of variants, with noise."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import deniable
from deniable.cli.beliefs import charged_lines
from deniable.cli.option_groups import Gathered
from deniable.cli.output import appearing, at_least, at_most, interval, print_json, print_lines, say
from deniable.cli.progress import progress_bar
from deniable.gwas.commands.attacks import Json
from deniable.gwas.commands.options import (
    AdjacencyOption,
    Epsilon,
    Gamma,
    Out,
    Prior,
    Study,
    publication,
)
from deniable.gwas.commands.reading import Reading, filtered_reading

if TYPE_CHECKING:
    from deniable.gwas.allele_frequencies.release import ReleasedFrequencies


Listed = Annotated[
    Path | None,
    typer.Option(metavar="LIST", help="A public list of variants, one name a line."),
]
All = Annotated[
    bool,
    typer.Option(
        "--all-variants", help="All of the file, where it is public which variants it has."
    ),
]
Of = Annotated[
    str,
    typer.Option(
        metavar="everybody|cases|controls|both",
        help="Whose: cases and controls together, one of them, or each apart.",
    ),
]
Posterior = Annotated[
    float | None,
    typer.Option(metavar="Q", help="Largest belief after, for beliefs within the prior."),
]
Delta = Annotated[
    float | None,
    typer.Option(metavar="D", help="Admits Gaussian noise: far less, for many variants."),
]
Beacon = Annotated[
    float | None,
    typer.Option(
        metavar="RATE",
        help="Also say whether anybody has each allele; RATE: largest share of false yes.",
    ),
]


@filtered_reading
@publication
def frequencies(
    prefix: Study,
    out: Out,
    reading: Reading,
    variants: Listed = None,
    all_variants: All = False,
    of: Of = "everybody",
    gamma: Gamma = None,
    max_posterior: Posterior = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    prior: Prior = None,
    adjacency: AdjacencyOption = "genotype",
    beacon: Beacon = None,
    *,
    telling: Gathered,
    as_json: Json = False,
) -> None:
    """Publish allele frequencies of many variants with noise: results, certificate and report.

    Example: deniable gwas frequencies study --variants panel.txt --gamma 2 --delta 1e-6
    --out published
    """
    from deniable.certificate.files import CERTIFICATE, file_names
    from deniable.gwas.certificates.frequencies import FrequenciesCertificate

    written_files = f"Written to {out}: {', '.join(file_names(FrequenciesCertificate))}"
    appearing(out / CERTIFICATE, f"{written_files}.")
    with progress_bar("Counting") as progress:
        answer = deniable.gwas.frequencies(
            prefix,
            out,
            variants=variants,
            all_variants=all_variants,
            of=of,
            gamma=gamma,
            max_posterior=max_posterior,
            epsilon=epsilon,
            delta=delta,
            prior=prior,
            adjacency=adjacency,
            beacon=beacon,
            **reading,
            **telling,
            progress=progress,
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
