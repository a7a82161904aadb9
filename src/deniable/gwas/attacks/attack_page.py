"""An attack as a page for the owner of a study, that ends in a decision."""

from collections.abc import Iterator
from pathlib import Path

from deniable.gwas.attacks.attack_power import (
    REASONS,
    AttackPower,
    Enough,
    beliefs,
    in_100,
    typical_beliefs,
)
from deniable.report import html
from deniable.report.html import Html, element, items, join, name, table, text
from deniable.report.page import html_document

_PRIORS = (0.5, 0.1, 0.01)
"""Beliefs before, of somebody who suspects, who searches, and who tries anybody."""

_GUIDANCE = (
    "No power that all repositories accept is known to this program: agree on a limit before you "
    "look at the figures. The one here is {limit}, at a false-positive rate of {fpr}.",
    "Funders and repositories restrict tables of all variants' frequencies since members of pools "
    "were recognised by them (Homer and others, homer-2008). By a policy of 2018 the NIH opened "
    "genomic summary results again, except those of studies called sensitive: small or vulnerable "
    "groups, stigmatised traits. Ask your repository what holds today.",
    "Limits of that kind weigh harm as well as power: membership among cases says that somebody "
    "has the disease.",
)
_AGAIN = (
    "Attack again what you would publish then: theory is no measurement, and only noise with a "
    "certificate is a promise."
)
_NOT_COVERED = (
    "Better attacks. What is measured is a lower bound, up to chance, for an attacker with this "
    "reference; the theory is about independent common variants. Who knows how variants are linked "
    "weighs them better: of exact frequencies each counts then as if it were independent.",
    "Other publications about the same people: what they give away adds up.",
    "Relatives: who carries much of a member's genome is recognised, too.",
    "People who are further out than most: of the members some are recognised long before the "
    "others.",
)


def write_page(path: Path, answer: AttackPower, source: str) -> None:
    """Write it whole, in place of an older one.

    Parameters
    ----------
    path : path
        An HTML file.
    answer : AttackPower
        What was reached.
    source : str
        What was attacked, by name.
    """
    html.write_page(attack_page(answer, source), path)


def attack_page(answer: AttackPower, source: str) -> str:
    """The page as HTML that opens offline, without script."""
    title = "What publishing this would give away"
    sections = [
        ("What was attacked", _describe_attack(answer, source)),
        ("What an attacker reaches", _show_power(answer)),
        ("What they may believe then", _show_beliefs(answer)),
        ("Where the limit comes from", _guidance(answer)),
        ("What would be enough", _enough(answer)),
        ("What this page does not cover", items(map(text, _NOT_COVERED))),
        ("Decision", _decision(answer)),
    ]
    kept = "For the owner of the study, not for publication: computed from genotypes."
    body = element(
        "body",
        element("header", element("p", text(kept), class_="unit"), element("h1", text(title))),
        element(
            "main",
            *_cautions(answer),
            element("p", text(answer.verdict), class_="lead"),
            *(join([element("h2", text(heading)), content]) for heading, content in sections),
        ),
    )
    return html_document(title, body)


def _cautions(answer: AttackPower) -> Iterator[Html]:
    sentences = []
    if answer.ancestry_differs:
        sentences.append("Pool and reference differ in ancestry, or were not genotyped alike.")
    if not answer.overlap_checked:
        sentences.append(
            "Too few common variants to find people again: make sure yourself that nobody of the "
            "pool is in the reference."
        )
    if sentences:
        yield element("div", *(element("p", text(each)) for each in sentences), class_="caution")


def _describe_attack(answer: AttackPower, source: str) -> Html:
    whom = {"pool": "everybody in it", "cases": "cases", "controls": "controls"}[answer.on]
    used = "; ".join(answer.published) or "exact allele frequencies of everybody"
    facts = [
        ("Published", name(source)),
        ("Used of it", text(used)),
        *(("Column not read", name(each)) for each in answer.published_unread),
        ("Membership among", text(f"{whom}: {answer.members:,} people")),
        ("Reference", text(f"{answer.strangers:,} people of the same population")),
        ("Variants used", text(f"{answer.variants_used:,}")),
        (
            "Worth",
            text(
                f"{answer.variants_worth:,.0f} exact frequencies of unlinked common variants, of "
                f"{answer.variants_unlinked:,} such variants"
            ),
        ),
    ]
    facts += [
        (f"Left out, {REASONS.get(reason, reason)}", text(f"{number:,}"))
        for reason, number in answer.variants_left_out.items()
        if number
    ]
    rows = (f"{element('dt', text(term))}{element('dd', fact)}" for term, fact in facts)
    return element("dl", *rows, class_="facts")


def _show_power(answer: AttackPower) -> Html:
    rows = [
        ("Likelihood ratio, measured on your people", answer.power_lr),
        ("Homer's statistic, measured on your people", answer.power_homer),
        ("In theory, with perfect knowledge of the population", answer.power_formula),
        *(
            (f"In theory, with {each.people:,} people in the reference", each.power_formula)
            for each in answer.references
        ),
        ("In theory, knowing how all variants are linked, at most", answer.power_linked),
        *(
            (f"In theory, by the genome of {each.relation}, knowing linkage", each.power_linked)
            for each in answer.relatives
        ),
    ]
    figures = table(
        "reached",
        text(f"Members recognised, in 100, at a false-positive rate of {answer.fpr:g}"),
        [text("Attack"), text("Recognised")],
        [[text(what), text(in_100(reached))] for what, reached in rows],
        [False, True],
    )
    parts = [figures]
    if answer.power_limit is not None:
        parts.append(
            element(
                "p",
                text(
                    f"The release's certificate claims ε = {answer.guarantee:g} for whole "
                    f"genotypes. So no attack recognises more than {in_100(answer.power_limit)} "
                    "in 100 at that rate, whatever it is and knows; deniable check says whether "
                    "the certificate holds."
                ),
            )
        )
    return join(parts)


def _show_beliefs(answer: AttackPower) -> Html:
    rows = []
    for prior in _PRIORS:
        pointed = beliefs(answer.power, answer.fpr, prior)
        middle, far = typical_beliefs(answer.variants_worth, answer.members, prior)
        rows.append([text(in_100(each)) for each in (prior, pointed, middle, far)])
    return join(
        [
            table(
                "beliefs",
                text("Beliefs in somebody's membership, in 100"),
                [
                    text("Before"),
                    text("If the attack points at them"),
                    text("A member in the middle, in theory"),
                    text("One member in 44, in theory"),
                ],
                rows,
                [True] * 4,
            ),
            element(
                "p",
                text(
                    "The last two columns are for unlinked common variants and an attacker who "
                    "knows the population's frequencies."
                ),
                class_="quiet",
            ),
        ]
    )


def _guidance(answer: AttackPower) -> Html:
    words = {"limit": f"{answer.limit:g}", "fpr": f"{answer.fpr:g}"}
    return items(text(each.format(**words)) for each in _GUIDANCE)


def _enough(answer: AttackPower) -> Html:
    enough = answer.enough
    if enough is None:
        return element("p", text("Nothing: these figures are not about membership."))
    intro = f"Each of these alone keeps the power within {enough.limit:g}."
    if answer.within:
        intro += " What is published keeps it already."
    changes = table(
        "enough",
        text(intro),
        [text("Change"), text("Enough"), text("What it rests on")],
        [[text(cell) for cell in row] for row in _changes(answer, enough)],
        [False, False, False],
    )
    return join(
        [
            changes,
            element(
                "p",
                text(_AGAIN),
            ),
        ]
    )


def _changes(answer: AttackPower, enough: Enough) -> Iterator[tuple[str, str, str]]:
    theory = "theory of unlinked common variants; no promise"
    yield (
        "Fewer variants, by a list from elsewhere",
        f"{enough.variants:,} unlinked ones",
        f"{theory}. deniable gwas safe says as much in beliefs",
    )
    yield (
        "More people in one table",
        f"{enough.people:,} instead of {answer.members:,}",
        f"{theory}. Groups are added up, not published beside each other",
    )
    if any("frequenc" in each or "counts" in each for each in answer.published) or (
        not answer.published
    ):
        step = "no step up to .25" if enough.step is None else f"steps of {enough.step:g}"
        yield ("Frequencies rounded", "as it is" if answer.within else step, theory)
    yield (
        "Noise with a certificate",
        f"ε = {_down(enough.epsilon)}, or γ = {_down(enough.gamma)} against any prior",
        "a theorem about every attack: deniable gwas release for the top variants, deniable gwas "
        "frequencies for a public list",
    )


def _decision(answer: AttackPower) -> Html:
    lines = [element("p", text(line)) for line in ("Name", "Decision", "Date and signature")]
    return join(
        [
            element("p", text(answer.verdict)),
            element("div", *lines, class_="sign"),
        ]
    )


def _down(value: float) -> str:
    """Three decimals, rounded down."""
    return f"{int(value * 1000) / 1000:g}"
