"""`deniable gwas attack`: what published frequencies give away."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import deniable
from deniable.cli.commands import Option
from deniable.cli.option_groups import REQUIRED, Gathered, Json, by_name, in_place_of, option
from deniable.cli.output import appearing, is_printed, print_json, print_lines, progress_bar, say
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
    from deniable.gwas.attacks import SafeStudy


_attacked = in_place_of(
    "attacked",
    by_name(
        reference=option(
            list[Path],
            "Prefix of people from the same population who are not in the pool; can be "
            "repeated, or contain {chr}.",
            "PREFIX2",
            default=REQUIRED,
        ),
        prune=option(
            float | None, "Only variants with r² below this; otherwise five levels are tried.", "R2"
        ),
        fpr=option(
            float, "False-positive rate: share of non-members wrongly flagged.", default=0.05
        ),
        overlap=option(
            str,
            "What to do with the pool's people in the reference.",
            "refuse|leave-out",
            default="refuse",
        ),
        published=option(
            Path | None,
            "What is or will be published; otherwise exact frequencies of everybody.",
            "FILE|FOLDER",
        ),
        on=option(str, "Whose membership to attack.", "pool|cases|controls", default="pool"),
    ),
)
_decided = in_place_of(
    "decided",
    by_name(
        limit=option(
            float | None,
            "The largest share of members that an attack may recognise; twice --fpr by default.",
            "P",
        ),
        out=option(
            Path | None, "Write a page that ends in a decision. NOT FOR PUBLICATION.", "PAGE.html"
        ),
    ),
)


@pool_files
@_attacked
@pool_reading
@_decided
def attack(
    prefix: Study, attacked: Gathered, *, reading: Reading, decided: Gathered, as_json: Json = False
) -> None:
    """Attack what you publish about a study, and show who is recognised. NOT FOR PUBLICATION.

    Example: deniable gwas attack study --reference others --published study.assoc --on cases
    """
    appearing(decided["out"])
    with progress_bar("Attacking") as progress:
        answer = deniable.gwas.attack(prefix, **attacked, **decided, progress=progress, **reading)
    if is_printed(answer, as_json):
        return
    print_attack(answer)
    if decided["out"] is None:
        say(
            "\nWhat would be enough, fewer variants, more people, rounding or noise: add --out "
            "PAGE.html."
        )


_limited = in_place_of(
    "limits",
    {
        "prior": (
            "prior",
            Annotated[
                tuple[float, float],
                Option(
                    metavar="LOW HIGH", help="The prior belief, two numbers.", is_point_enough=True
                ),
            ],
            REQUIRED,
        ),
        "max_posterior": (
            "posterior",
            Annotated[
                float,
                Option(
                    help="Largest posterior belief if the prior is up to HIGH.", older="--posterior"
                ),
            ],
            REQUIRED,
        ),
    },
)
_settings = in_place_of(
    "settings",
    by_name(
        pool=option(int | None, "Without a study: people of one published group.", "N"),
        deviations=option(float, "Standard deviations of bad luck allowed for.", "Z", default=2.0),
        fpr=option(float, "False-positive rate for which to report the power.", default=0.05),
        groups=option(
            str,
            "Whose numbers are published; both: of cases and of controls, each by itself.",
            "both|cases|controls|everybody",
            default="both",
        ),
        decimals=option(int | None, "Decimals of frequencies; exact by default.", "D"),
        p_values=option(int | None, "Also publish p-values, to D significant digits.", "D"),
        frequencies=option(
            bool,
            "Whether frequencies are published at all.",
            None,
            "--frequencies/--no-frequencies",
            default=True,
        ),
        order=option(
            str | None,
            "Which first: those that reveal least (the default with --reference), as they are in "
            "the study's file (without), the significant ones, or those of a list.",
            "least|file|significance|FILE",
        ),
        reference=option(
            list[Path] | None,
            "Others of the same population, by whom to choose without looking at the study; can be "
            "repeated, or contain {chr}.",
            "PREFIX2",
        ),
        prune=option(float, "Of two variants with at least this r², omit one.", "R2", default=0.1),
    ),
    lambda given: given | {"reference": given["reference"] or None},
)
_written = in_place_of(
    "written",
    by_name(
        out=option(Path | None, "Write the chosen variants' names here.", "FILE"),
        page=option(Path | None, "Write a page with a chart here.", "PAGE.html"),
    ),
)


@_limited
@some_files
@_settings
@filtered_reading
@_written
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
    appearing(written["out"])
    appearing(written["page"])
    with progress_bar("Choosing") as progress:
        answer = deniable.gwas.safe(
            prefix, **limits, **settings, **written, progress=progress, **reading
        )
    if as_json:
        print_json(answer.as_json())
    elif prefix is None:
        limit = f"a belief of {answer.prior:g} stays within {answer.posterior:g}"
        print_lines(
            [
                ("unlinked variants", f"{answer.variants:,} of {answer.pool:,} people: {limit}"),
                (f"members found at fpr {answer.fpr:g}", f"{answer.power:.4f}, in theory"),
            ]
        )
        say(
            f"\nFor members up to {answer.deviations:g} standard deviations out, and an attacker "
            "who knows the population's\nfrequencies. Theory, and no guarantee: only noise gives "
            "one."
        )
    else:
        print_study(answer)  # type: ignore[arg-type]


def print_study(answer: "SafeStudy") -> None:
    """Which variants, what an attacker learns from them, and what the figures do not say."""
    say(f"{answer.verdict}\n\nThe figures below: {OWNER_ONLY}\n")
    lines = [
        ("published", answer.published),
        ("variants", f"{answer.variants:,} of {answer.unlinked:,} unlinked ones, {answer.ordered}"),
        (
            "limit",
            f"a belief of {answer.prior:g} stays within {answer.posterior:g} for all but "
            f"{answer.allowed:.4f} of the members",
        ),
    ]
    for reason, number in answer.variants_left_out.items():
        if number:
            lines.append((f"  left out, {reason.replace('_', ' ')}", f"{number:,}"))
    print_lines(lines)
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
