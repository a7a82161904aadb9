"""`deniable gwas attack`: what published frequencies give away."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import deniable
from deniable.cli.commands import Option
from deniable.cli.option_groups import Json
from deniable.cli.output import appearing, print_json, print_lines, progress_bar, say
from deniable.gwas.commands.answers import OWNER_ONLY, print_attack
from deniable.gwas.commands.options import (
    Reading,
    Study,
    filtered_reading,
    pool_files,
    pool_reading,
    some_files,
)

if TYPE_CHECKING:
    from deniable.gwas.attacks import SafeStudy, SafeVariants


Published = Annotated[
    Path | None,
    Option(
        metavar="FILE|FOLDER",
        help="What is or will be published; otherwise exact frequencies of everybody.",
    ),
]
On = Annotated[
    str,
    Option(metavar="pool|cases|controls", help="Whose membership is asked about."),
]
Limit = Annotated[
    float | None,
    Option(
        metavar="P", help="The share of members that may be recognised; twice --fpr by default."
    ),
]
Page = Annotated[
    Path | None,
    Option(metavar="PAGE.html", help="Write a page that ends in a decision. NOT FOR PUBLICATION."),
]


@pool_files
@pool_reading
def attack(
    prefix: Study,
    reference: Annotated[
        list[Path],
        Option(
            metavar="PREFIX2",
            help="Prefix of people from the same population who are not in the pool; may be given "
            "again, or hold {chr}.",
        ),
    ],
    prune: Annotated[
        float | None,
        Option(
            metavar="R2",
            help="Only variants with r² below this; otherwise five levels are tried.",
        ),
    ] = None,
    fpr: Annotated[
        float, Option(help="False positive rate: share of non-members taken for members.")
    ] = 0.05,
    overlap: Annotated[
        str,
        Option(
            metavar="refuse|leave-out", help="What becomes of the pool's people in the reference."
        ),
    ] = "refuse",
    published: Published = None,
    on: On = "pool",
    *,
    reading: Reading,
    limit: Limit = None,
    out: Page = None,
    as_json: Json = False,
) -> None:
    """What gives members away in what is published of a study, NOT FOR PUBLICATION.

    Example: deniable gwas attack study --reference others --published study.assoc --on cases
    """
    appearing(out)
    with progress_bar("Attacking") as progress:
        answer = deniable.gwas.attack(
            prefix,
            reference,
            prune=prune,
            fpr=fpr,
            overlap=overlap,
            published=published,
            on=on,
            limit=limit,
            out=out,
            progress=progress,
            **reading,
        )
    if as_json:
        print_json(answer.as_json())
        return
    print_attack(answer)


# --- `deniable gwas safe`: how many variants, or which, keep beliefs within a limit.


Posterior = Annotated[float, Option(metavar="X", help="No belief in membership may pass this.")]
Prior = Annotated[float, Option(metavar="P", help="The belief before.")]
Pool = Annotated[
    int | None,
    Option(metavar="N", help="Without a study: people of one published group."),
]
Deviations = Annotated[
    float, Option(metavar="Z", help="Standard deviations of bad luck allowed for.")
]
FalsePositives = Annotated[float, Option(help="False positive rate at which the power is told.")]
Groups = Annotated[
    str,
    Option(
        metavar="both|cases|controls|everybody",
        help="Whose numbers are published; both: of cases and of controls, each by itself.",
    ),
]
Decimals = Annotated[
    int | None, Option(metavar="D", help="Decimals of frequencies; exact by default.")
]
PValues = Annotated[
    int | None,
    Option(metavar="D", help="p-values are published, too, to D significant digits."),
]
Frequencies = Annotated[
    bool,
    Option("--frequencies/--no-frequencies", help="Whether frequencies are published at all."),
]
Ordered = Annotated[
    str | None,
    Option(
        metavar="least|file|significance|FILE",
        help="Which first: those that tell least (the default with --reference), as they stand in "
        "the study's file (without), the significant ones, or those of a list.",
    ),
]
Reference = Annotated[
    list[Path] | None,
    Option(
        metavar="PREFIX2",
        help="Others of the same population, by whom to choose without looking at the study; may "
        "be given again, or hold {chr}.",
    ),
]
Prune = Annotated[
    float, Option(metavar="R2", help="Of variants with r² from this on one is left out.")
]
List = Annotated[Path | None, Option(metavar="FILE", help="Write the chosen variants' names here.")]
SafePage = Annotated[
    Path | None, Option(metavar="PAGE.html", help="Write a page with a chart here.")
]


@some_files
@filtered_reading
def safe(
    posterior: Posterior,
    prior: Prior,
    prefix: Study,
    pool: Pool = None,
    deviations: Deviations = 2.0,
    fpr: FalsePositives = 0.05,
    groups: Groups = "both",
    decimals: Decimals = None,
    p_values: PValues = None,
    frequencies: Frequencies = True,
    order: Ordered = None,
    reference: Reference = None,
    prune: Prune = 0.1,
    *,
    reading: Reading,
    out: List = None,
    page: SafePage = None,
    as_json: Json = False,
) -> None:
    """How many unlinked variants' frequencies keep beliefs within a limit, or which of a study.

    Example: deniable gwas safe --pool 5000 --posterior 0.75 --prior 0.5
    """
    appearing(out)
    appearing(page)
    with progress_bar("Choosing") as progress:
        answer = deniable.gwas.safe(
            prefix,
            posterior=posterior,
            prior=prior,
            pool=pool,
            deviations=deviations,
            fpr=fpr,
            groups=groups,
            decimals=decimals,
            p_values=p_values,
            frequencies=frequencies,
            order=order,
            reference=reference or None,
            prune=prune,
            out=out,
            page=page,
            progress=progress,
            **reading,
        )
    if as_json:
        print_json(answer.as_json())
    elif prefix is None:
        print_formula(answer)
    else:
        print_study(answer)  # type: ignore[arg-type]


def print_formula(answer: "SafeVariants") -> None:
    """How many variants, and what that rests on."""
    limit = f"a belief of {answer.prior:g} stays within {answer.posterior:g}"
    print_lines(
        [
            ("unlinked variants", f"{answer.variants:,} of {answer.pool:,} people: {limit}"),
            (f"members found at fpr {answer.fpr:g}", f"{answer.power:.4f}, in theory"),
        ]
    )
    say(
        f"\nFor members up to {answer.deviations:g} standard deviations out, and an attacker who "
        "knows the population's\nfrequencies. Theory, and no guarantee: only noise gives one."
    )


def print_study(answer: "SafeStudy") -> None:
    """Which variants, what an attacker learns from them, and what the figures do not say."""
    say(f"{answer.verdict}\n\nThe figures below: {OWNER_ONLY}\n")
    print_lines(_selection_lines(answer))
    for each in answer.questions:
        say(f"\nIs this person {each.question}?")
        print_lines(
            [
                (
                    f"  recognised at fpr {answer.fpr:g}",
                    f"{each.power:.4f} (all unlinked variants: {each.power_of_all:.4f})",
                ),
                (
                    "  beyond the limit",
                    f"{each.beyond:.4f} (all unlinked variants: {each.beyond_of_all:.4f})",
                ),
                ("  belief, median member", f"{each.median:.4f}"),
                ("  belief, unlucky member", f"{each.unlucky:.4f}"),
            ]
        )
    for caution in answer.cautions:
        say(f"\n{caution}")


def _selection_lines(answer: "SafeStudy") -> Iterator[tuple[str, str]]:
    yield "published", answer.published
    yield "variants", f"{answer.variants:,} of {answer.unlinked:,} unlinked ones, {answer.ordered}"
    yield (
        "limit",
        f"a belief of {answer.prior:g} stays within {answer.posterior:g} for all but "
        f"{answer.allowed:.4f} of the members",
    )
    for reason, number in answer.variants_left_out.items():
        if number:
            yield f"  left out, {reason.replace('_', ' ')}", f"{number:,}"
