"""`deniable gwas attack`: what published frequencies give away."""

from typing import TYPE_CHECKING

import deniable
from deniable.cli.option_groups import Gathered, Json, in_place_of
from deniable.cli.output import appearing, is_printed, print_json, print_lines, progress_bar, say
from deniable.gwas.commands.answers import OWNER_ONLY, print_attack
from deniable.gwas.commands.options import (
    GROUPS,
    Reading,
    Study,
    filtered_reading,
    pool_files,
    pool_reading,
    some_files,
)

if TYPE_CHECKING:
    from deniable.gwas.attacks import SafeStudy


@pool_files
@in_place_of("attacked", GROUPS["attacked"])
@pool_reading
@in_place_of("decided", GROUPS["decided"])
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


@in_place_of("limits", GROUPS["limits"])
@some_files
@in_place_of(
    "settings",
    GROUPS["settings"],
    lambda given: given | {"reference": given["reference"] or None},
)
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
