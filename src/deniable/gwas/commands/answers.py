"""What `deniable gwas …` answers in words."""

import contextlib
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from deniable.cli.output import (
    at_least,
    at_most,
    certified,
    charged_lines,
    interval,
    is_watched,
    print_lines,
    say,
)
from deniable.errors.validate import in_full

if TYPE_CHECKING:
    from deniable.gwas.attacks import AttackPower, SafeStudy
    from deniable.gwas.certificates import GenomeCertificate
    from deniable.gwas.owner import Scan, Utility
    from deniable.gwas.publication import ReleasedStudy
    from deniable.numerics.bound import Bound

_OTHER_ANCESTRY = (
    "POOL AND REFERENCE ARE NOT FROM ONE POPULATION, or were not genotyped alike: their allele\n"
    "frequencies differ by more than chance explains (false positives 1 in 1,000). What\n"
    "recognises people below is their ancestry; it says nothing about membership, neither that\n"
    "the pool is at risk nor that it is not. Take a reference from the pool's own population."
)
_LOCUS_KB = 500
"""Kilobases within which variants that stand highest are often one signal."""
OWNER_ONLY = "NOT FOR PUBLICATION: exact figures of the data, for its owner only."


def print_scan(answer: "Scan") -> None:
    """Numbers of the study, and the variants that stand highest."""
    say(f"{OWNER_ONLY}\n")
    content, lines = answer.as_json(), list[tuple[str, str]]()
    print_lines(
        (name.replace("_", " "), f"{content[name]:,}")
        for name in ("individuals", "cases", "controls", "variants", "missing_calls")
    )
    if answer.lambda_gc is not None:
        say(f"\nlambda GC  {answer.lambda_gc:.4f}: the median χ² over the one of chance")
    _say_left_out(answer.study.not_autosomal)
    if answer.left_out:
        say(f"\n{answer.left_out:,} variants have no place in the table's format.")
    if several := answer.study.multiallelic_left_out:
        say(f"\n{several:,} lines with several alternative alleles are left out, as asked.")
    say("")
    for row in content["top"]:
        words = f"distance {row['statistic']}"
        if row["p_value"] is not None:
            words = f"{answer.statistic} χ² {row['statistic']:.4f}, p {row['p_value']:.4g}"
        lines.append((row["variant"], f"{row['chromosome']}:{row['position']}, {words}"))
    print_lines(lines)


def _say_left_out(not_autosomal: int) -> None:
    if not_autosomal:
        say(
            f"\n{not_autosomal:,} variants on X, Y or mitochondria are left out: not everybody has "
            "two copies there."
        )


def print_release(answer: "ReleasedStudy") -> None:
    """Print who is protected how far, what such a release finds, and what it published."""
    selection, reach = answer.certificate.selection, answer.reach
    finds = (
        f"a variant that leads the rest by {at_most(reach.lead)} {selection.score_unit}, with "
        f"probability {in_full(reach.probability)} or more"
    )
    # What χ² the lead is, where the score is a distance and some association has it.
    needed = [
        f"{math.ceil(chi_squared):,} for an allele of frequency {share:g}"
        for share, chi_squared in reach.chi_squared
        if chi_squared is not None and reach.possible
    ]
    if not reach.possible:
        finds = (
            f"nothing reliably: the largest lead, {at_least(reach.largest_lead)} "
            f"{selection.score_unit}, with probability {at_least(reach.largest_probability)} only"
        )
    print_lines(
        [
            *protection_lines(answer.certificate),
            ("score", f"{selection.score}, moved by at most {at_most(answer.sensitivity)}"),
            ("finds", finds),
            *([("a hit needs", f"an allelic χ² of about {', '.join(needed)}")] if needed else []),
            *charged_lines(answer.ledger),
        ]
    )
    say("")
    print_lines(_variants(answer))
    # How many published variants lie near another one; public, as the variants are.
    places = [(each.chromosome, each.position) for each in answer.released]
    near = sum(
        any(
            one != other and chromosome == there and abs(position - at) <= 1000 * _LOCUS_KB
            for other, (there, at) in enumerate(places)
        )
        for one, (chromosome, position) in enumerate(places)
    )
    if selection.window is None and near:
        say(
            f"\n{near} of these lie within {_LOCUS_KB} kb of another one: perhaps they are one "
            f"locus, whose variants\nrise together. `--window-kb {_LOCUS_KB}` chooses so many loci "
            "in place of so many variants."
        )
    _say_left_out(answer.not_autosomal)
    number = "1 variant" if len(answer.released) == 1 else f"{len(answer.released):,} variants"
    say(
        f"\nThe list always has {number}. A weaker variant can be there by chance. Type\n"
        "`deniable gwas utility` with the same options to see how many are likely right. Show the\n"
        "answer to nobody else: it has no noise."
    )


def protection_lines(certificate: "GenomeCertificate") -> list[tuple[str, str]]:
    """Say who is protected; the lines on how far."""
    from deniable.gwas.publication import family_as_json

    guarantee, prior = certificate.guarantee, certificate.adversary
    say(f"{certificate.unit.sentence}\n{certificate.study_adversary.sentence}\n")
    epsilon = f"{at_most(guarantee.epsilon)} ({certificate.unit.adjacency})"
    if certificate.families is not None:
        (*_, (name, one)) = family_as_json(certificate)["families"].items()
        person = f"{name.partition('_')[0]} {at_most(one)}"
        epsilon = f"{at_most(guarantee.epsilon)} of a family, and {person} of one genome"
    return [
        ("epsilon", epsilon),
        (f"gamma, prior in {interval(prior.low, prior.high)}", certified(guarantee.gamma)),
        ("gamma, any prior", certified(guarantee.gamma_outside)),
    ]


def tell_inflation(inflation: float) -> None:
    """Warn of confounding, on a terminal only: the number is the data's own, without noise.

    Where standard error is a file, a log that others read, nothing is said; and a terminal that is
    gone changes no exit status, which others may see.
    """
    from deniable.gwas.association import NOTABLE

    if inflation < NOTABLE or not is_watched():
        return
    with contextlib.suppress(OSError, ValueError):
        say(
            f"\n{OWNER_ONLY}\nλ of genomic control is {inflation:.2f}: cases and controls differ "
            "at most variants by more\nthan chance explains, in origin perhaps, and what was "
            "released may name that difference\ninstead of the disease. Compare within strata: "
            "--score stratified --strata FILE. Publishing\nthis number, or acting on it in public, "
            "costs privacy that no budget here accounts for.",
            err=True,
        )


def _variants(answer: "ReleasedStudy") -> Iterator[tuple[str, str]]:
    for each in answer.released:
        description = f"{each.variant}, {each.chromosome}:{each.position}"
        if (noisy := each.noisy) is not None:
            description += (
                f", allele 1 in cases {noisy.cases_allele_1}, in controls "
                f"{noisy.controls_allele_1} (± {at_most(noisy.half_width_95)}), χ² between "
                f"{at_least(noisy.chi_squared_low)} and {at_most(noisy.chi_squared_high)}"
            )
            description += "" if noisy.above_noise else ": noise alone explains it"
        yield str(each.rank), description


def print_utility(answer: "Utility") -> None:
    """How often a release would be right."""
    content = answer.as_json()
    say(f"NOT FOR PUBLICATION. {content['warning']}\n")
    print_lines(
        [
            ("probability of the exact top", _format_bound(answer.probability_exact_top)),
            ("recall", _format_bound(answer.recall)),
            ("epsilon", f"{at_most(answer.epsilon)} ({content['adjacency']})"),
            ("  of it for the choice", at_most(answer.epsilon_of_choice)),
            (f"gamma, prior in {interval(*answer.prior)}", certified(answer.gamma)),
            ("score", f"{content['score']}, moved by at most {at_most(content['sensitivity'])}"),
            ("noise", f"{content['mechanism']}, scale {at_most(content['scale'])}"),
        ]
    )
    _say_left_out(answer.not_autosomal)


def _format_bound(bound: "Bound") -> str:
    interval_text = f"[{at_least(bound.lower)}, {at_most(bound.upper)}]"
    if bound.confidence is None:
        return interval_text
    sure = in_full(bound.confidence)
    return f"{interval_text}, covers with probability {sure}, seed {bound.seed}"


def print_attack(answer: "AttackPower") -> None:
    """First whether the figures mean anything, then how many are recognised."""
    say(f"{OWNER_ONLY}\n")
    if answer.ancestry_differs:
        say(f"{_OTHER_ANCESTRY}\n")
    print_lines(_attack_lines(answer))
    say(f"\n{_WHAT_IS_MEASURED}")
    say(f"\n{answer.verdict}")
    # Whom both files have, or may have.
    if not answer.overlap_checked:
        say(
            "\nTOO FEW COMMON VARIANTS to distinguish strangers: the pool's people may stand in "
            "the reference under other identifiers. Then the measured powers are too low."
        )
    if answer.overlap_left_out:
        say(f"\n{answer.overlap_left_out:,} of the reference were left out: they are in the pool.")
    if answer.only_named:
        say(
            f"\n{answer.only_named:,} of the pool share an identifier with somebody of the "
            "reference whose genotypes are others, and are taken for other people."
        )


_WHAT_IS_MEASURED = (
    "The measured powers are lower bounds, up to chance, for an attacker with this reference:\n"
    "better attacks may exist. Level of pruning and statistic were chosen on other people than\n"
    "those they were measured on. The theory is about independent variants and known\n"
    "frequencies; for all variants used it would say too much, as linked ones are not independent."
)


def _attack_lines(answer: "AttackPower") -> Iterator[tuple[str, str]]:
    from deniable.gwas.attacks import REASONS

    yield "members, strangers", f"{answer.members:,}, {answer.strangers:,}"
    if answer.published:
        yield f"attacked, on {answer.on}", "; ".join(answer.published)
        if answer.published_unread:
            unread = ", ".join(answer.published_unread)
            yield "  columns not read", f"{unread}. What they tell is not in these figures."
        worth, unlinked = answer.variants_worth, answer.variants_unlinked
        yield "  worth, unlinked variants", f"{worth:,.1f} exact frequencies, of {unlinked:,}"
    if answer.published and answer.power_limit is not None:
        limit = f"{at_most(answer.power_limit)}, whatever is tried"
        yield f"  limit by ε = {at_most(answer.guarantee or 0.0)}", limit
    yield "variants used", f"{answer.variants_used:,}"
    for reason, number in answer.variants_left_out.items():
        if number:
            yield f"  left out, {REASONS.get(reason, reason)}", f"{number:,}"
    yield f"members found at fpr {in_full(answer.fpr)}", f"{answer.power:.4f}, the larger of"
    yield "  measured, a lower bound", f"{answer.power_measured:.4f}"
    yield "  likelihood ratio, in theory", f"{answer.power_formula:.4f}"
    yield "knowing linkage, in theory", f"{answer.power_linked:.4f}"
    yield "measured, by attack", ""
    yield "  by the likelihood ratio", f"{answer.power_lr:.4f}"
    yield "  by Homer's statistic", f"{answer.power_homer:.4f}"
    yield "area under the curve, ratio", f"{answer.auc_lr:.4f}"
    yield "area under the curve, Homer", f"{answer.auc_homer:.4f}"
    if answer.levels:
        yield "at each level, ratio and Homer", "the largest of these is too large on average"
    for level in answer.levels:
        variants = "all variants" if level.r_squared == 1 else f"r² < {in_full(level.r_squared)}"
        powers = f"{level.power_lr:.4f}, {level.power_homer:.4f}"
        yield f"  {variants}", f"{powers} with {level.variants:,} variants"
    if answer.references:
        setting = f"with {answer.variants_unlinked:,} unlinked common variants"
        yield "in theory, by people in reference", setting
    for reference in answer.references:
        this = ", this one" if reference.people == answer.strangers else ""
        yield f"  {reference.people:,}", f"{reference.power_formula:.4f}{this}"
    yield "in theory, by relatives' genomes", "with unlinked common variants; knowing linkage"
    for each in answer.relatives:
        yield f"  {each.relation}", f"{each.power_formula:.4f}; {each.power_linked:.4f}"
    differs = "other ancestry" if answer.ancestry_differs else "no more than chance"
    against = f"F_ST {answer.f_st:.4f}, p {answer.ancestry_p_value:.3g}, {differs}"
    yield "pool against reference", against


def print_study(answer: "SafeStudy") -> None:
    """Which variants, what an attacker learns from them, and what the figures do not say."""
    say(f"{answer.verdict}\n\nThe figures below: {OWNER_ONLY}\n")
    lines = [
        ("published", answer.published),
        ("variants", f"{answer.variants:,} of {answer.unlinked:,} unlinked ones, {answer.ordered}"),
        (
            "limit",
            f"a belief of {in_full(answer.prior)} stays within {in_full(answer.posterior)} for all "
            f"but {at_most(answer.allowed)} of the members",
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
                    f"  recognised at fpr {in_full(answer.fpr)}",
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
