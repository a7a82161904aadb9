"""What may be believed: picture, key, figures, table; and what attacks get wrong."""

import math
from collections.abc import Sequence

from deniable.certificate.model import GAUSSIAN, Certificate, Guarantee
from deniable.certificate.tables import TableCertificate
from deniable.errors import NotApplicable
from deniable.priors import BoundedPriors
from deniable.report.charts import (
    belief_chart,
    belief_picture,
    error_chart,
    steepest_prior,
    table_priors,
)
from deniable.report.headline import change
from deniable.report.html import PALETTE, Html, element, items, join, table, text
from deniable.report.sentences import (
    asker,
    at_least,
    at_most,
    chance,
    claim,
    common,
    exactly,
    exception,
    exception_words,
    factor,
    members,
    pair,
    rounded_up,
    significant,
)
from deniable.theorems.analysis import (
    EACH_WAY,
    AdvantageTarget,
    AttackSuccessTarget,
    EpsilonTarget,
    ErrorCurve,
    FalseNegativesTarget,
    GammaTarget,
    IdentifiabilityTarget,
    MaxPosteriorTarget,
    posterior_lower,
    posterior_upper,
)

# --- The privacy budget in words: ε where there is one, else the noise and a tail.


def budget(certificate: Certificate) -> list[tuple[str, str]]:
    """What was spent. With δ no ε is offered, for no mechanism may be built from it.

    With δ the calibrated noise meets the target, and a mechanism that is merely (ε, δ)-DP for the
    numbers of the tail need not. Where noise was drawn before, by a trainer, ε at δ is what holds:
    the ρ of its certificate is what a ledger is charged, and says nothing of beliefs.
    """
    guarantee = certificate.guarantee
    neighbours = f"{certificate.unit.adjacency} neighbours"
    if guarantee.rho is None or not certificate.parts:
        rare = f" with δ = {exactly(guarantee.delta)}" if guarantee.delta else ""
        spent = f"ε = {rounded_up(guarantee.epsilon, 4)}{rare}, {neighbours}"
        rest = [] if guarantee.rho is None else [("Privacy loss", _passed(guarantee))]
        return [("Privacy budget", spent), *rest]
    spent = f"ρ = {at_most(guarantee.rho)} (zero-concentrated), {neighbours}"
    facts = [("Privacy budget", spent)]
    if (noise := noise_multiplier(certificate)) is not None:
        equivalent = (
            f"as much as one Gaussian release with a noise multiplier of {significant(noise, 4)}"
        )
        facts.append(("Noise of everything", equivalent))
    return [*facts, ("Privacy loss", _tail(certificate, guarantee))]


def noise_multiplier(certificate: Certificate) -> float | None:
    """Standard deviation per unit of L2 sensitivity, rounded down; None with other noise.

    ρ = μ²/2 for Gaussian noise, and the noise multiplier is 1/μ.
    """
    rho = certificate.guarantee.rho
    if rho is None or not isinstance(certificate, TableCertificate):
        return None
    parts = (part for query in certificate.queries for part in query.parts)
    if any(part.mechanism not in (None, GAUSSIAN) for part in parts):
        return None
    return 1 / math.sqrt(2 * rho) * (1 - 1e-9)


def _tail(certificate: Certificate, guarantee: Guarantee) -> str:
    if isinstance(certificate.target, EpsilonTarget):
        return (
            f"(ε, δ)-differential privacy with ε = {rounded_up(guarantee.epsilon, 4)} and "
            f"δ = {exactly(guarantee.delta)}"
        )
    return f"{_passed(guarantee)}; this is no ε to build other noise from"


def _passed(guarantee: Guarantee) -> str:
    return (
        f"passes {at_most(guarantee.loss, 5)} with a probability of at most "
        f"{chance(guarantee.exceedance)}"
    )


# --- What may be believed: the picture, its key, the figures, the table.


def belief_section(certificate: Certificate) -> Html:
    """Chart, key and figures; then the posteriors of a few priors."""
    picture = belief_picture(certificate)
    before, after = pair(*picture.worst)
    chart = belief_chart(
        picture,
        "belief",
        "Belief after the release against belief before it",
        f"The upper curve is the largest belief possible after the release. Marked is a belief of "
        f"{before} before, which can become at most {after} after. The table of beliefs holds "
        f"numbers of both curves.",
    )
    worst = f"worst prior: {before} before, at most {after} after; {picture.worst_reason}"
    figure = element("figure", chart, _key(certificate, worst))
    return join(
        [
            element("div", figure, _facts(certificate), class_="side"),
            _belief_table(certificate),
        ]
    )


def _key(certificate: Certificate, worst: str) -> Html:
    word = asker(certificate.unit)
    entries = [
        (_swatch("accent", 3), "most that can be believed after the release (thin line: least)"),
        (_swatch("muted", 1.5, "2 4"), "what is believed if the release tells nothing"),
        (_swatch("band", 12), f"adversaries of this {word}: {_range(certificate.adversary)}"),
    ]
    if not isinstance(certificate.target, EpsilonTarget | FalseNegativesTarget):
        entries.insert(1, (_swatch("target", 3, "8 4"), f"limit that the {word} asked for"))
    shape = element("path", d="M16 0l5 6-5 6-5-6Z", fill=PALETTE["ink"])
    entries.append((element("svg", shape, viewBox="0 0 32 12", aria_hidden="true"), worst))
    lines = (Html(f"{swatch}{element('span', text(label))}") for swatch, label in entries)
    return items(lines, class_="key")


def _swatch(role: str, width: float, dash: str | None = None) -> Html:
    line = element("line", x1=0, y1=6, x2=32, y2=6, stroke=PALETTE[role], stroke_width=width,
                   stroke_dasharray=dash)  # fmt: skip
    return element("svg", line, viewBox="0 0 32 12", aria_hidden="true")


def _facts(certificate: Certificate) -> Html:
    guarantee, band = certificate.guarantee, certificate.adversary
    steep = steepest_prior(band, guarantee.loss)
    low, high = pair(steep, posterior_upper(guarantee.loss, steep))
    but = exception_words(certificate)
    believed, (insiders, outsiders) = claim(certificate.unit), members(certificate.unit)
    adversary = Html(f"gives {text(_range(band))} that {believed}, before the release")
    facts = _factors(certificate)
    if certificate.has_target:
        facts.insert(0, ("Limit asked for", _target(certificate, band)))
    if steep != change(certificate).before:  # else the first lines say the same
        facts.append(("Largest rise", f"from {low} to at most {high}{but}"))
    if not isinstance(certificate.target, AttackSuccessTarget):
        success = f"is right at most {chance(guarantee.attack_success)} times (attack success)"
        facts.append(("A guess at even odds", success))
    if not isinstance(certificate.target, AdvantageTarget):
        facts.append(
            (
                f"Telling {insiders} apart",
                f"the share of {insiders} pointed out exceeds that of {outsiders} by at most "
                f"{chance(guarantee.advantage)} (advantage)",
            )
        )
    facts += budget(certificate)
    if exposure := guarantee.exposure:
        facts.append(
            (
                "Keys that nobody knew",
                "one that nobody else has appears with a probability of at most "
                f"{chance(exposure)}, and proves that its owner is in the data; all limits here "
                "count that",
            )
        )
    rows = [("Adversary", adversary), *((term, text(fact)) for term, fact in facts)]
    return element(
        "dl",
        *(f"{element('dt', text(term))}{element('dd', fact)}" for term, fact in rows),
        class_="facts",
    )


def _factors(certificate: Certificate) -> list[tuple[str, str]]:
    """The factor within the range, unless it was asked for, and outside it, if it is another."""
    guarantee, target = certificate.guarantee, certificate.target
    inside, outside = factor(guarantee.gamma), factor(guarantee.gamma_outside)
    but = exception_words(certificate) + (f" {EACH_WAY}" if guarantee.delta else "")
    rows = []
    if not isinstance(target, GammaTarget) or inside != factor(target.value):
        what = f"no belief is multiplied, and no doubt divided, by more than {inside} (γ){but}"
        if inside == outside:
            what += ", whatever is believed before"
        rows.append(("Release" if inside == outside else "Release, within that range", what))
    if inside != outside:
        what = f"by no more than {outside}, whatever is believed before{but}"
        rows.append(("Release, outside that range", what))
    return rows


def _range(band: BoundedPriors) -> str:
    if band.low == 0.0 and band.high == 1.0:
        return "any chance"
    if exactly(band.low) == exactly(band.high):  # or so near that nobody could tell
        return f"exactly {exactly(band.low)}"
    return f"between {exactly(band.low)} and {exactly(band.high)}"


def _target(certificate: Certificate, band: BoundedPriors) -> str:
    target = certificate.target
    value = factor(target.value)
    match target:
        case GammaTarget():
            return f"no belief multiplied, and no doubt divided, by more than {value} (γ)"
        case MaxPosteriorTarget():
            before, after = exactly(band.high), exactly(target.value)
            return f"whoever gives at most {before} before gives at most {after} after"
        case AttackSuccessTarget():
            return f"a guess at even odds is right at most {exactly(target.value)} times"
        case AdvantageTarget():
            insiders, outsiders = members(certificate.unit)
            most = exactly(target.value)
            return f"{insiders} and {outsiders} told apart with an advantage of at most {most}"
        case FalseNegativesTarget():
            insiders, outsiders = members(certificate.unit)
            few, least = exactly(target.fpr), exactly(target.value)
            return f"with {few} of {outsiders} pointed out, at least {least} of {insiders} missed"
        case IdentifiabilityTarget():
            return (
                f"of {target.worlds:,} equally likely candidates, none is given more than "
                f"{exactly(target.value)}"
            )
        case _:
            word = asker(certificate.unit)
            spent = significant(target.value, 12)
            return f"none in beliefs: the {word} sets the budget ε = {spent} outright"


def _belief_table(certificate: Certificate) -> Html:
    band, loss = certificate.adversary, certificate.guarantee.loss
    rows = []
    for prior in table_priors(band):
        upper, lower = posterior_upper(loss, prior), posterior_lower(loss, prior)
        total = common(prior, upper)
        within = band.low <= prior <= band.high
        rows.append(
            [
                text(exactly(prior)),
                text(at_least(lower, total)),
                text(chance(upper, total)),
                text("within" if within else "outside"),
            ]
        )
    return table(
        "beliefs",
        Html(
            "Beliefs before and after, for some adversaries; limits are rounded outwards"
            f"{exception(certificate)}{f' {EACH_WAY}' if certificate.guarantee.delta else ''}."
        ),
        [
            text(title)
            for title in (
                "Before",
                "After, at least",
                "After, at most",
                f"The {asker(certificate.unit)}'s range",
            )
        ],
        rows,
        [True, True, True, False],
    )


# --- What attacks get wrong: the trade-off curve, and μ where all noise is Gaussian.


_TABLE_RATES = (0.001, 0.01, 0.1, 0.5)
"""False-positive rates of the table: of a strict attack to that of a coin."""
_FINE = (0.001, *(step / 50 for step in range(1, 50)), 0.01)
"""Of the picture, each 2 in 100 further, and those of the table."""
_COARSE = (0.05, 0.3, 0.7)
"""Of the picture where ρ is all there is, each of which takes a search for its best order."""


def error_sections(certificate: Certificate) -> list[tuple[str, str, Html]]:
    """The least that attacks get wrong by what is stated; none where that bounds no tests."""
    try:
        curve = ErrorCurve(certificate.notions)
    except NotApplicable:
        return []
    rates = [
        (fpr, curve.false_negatives(fpr))
        for fpr in sorted({*_TABLE_RATES, *(_COARSE if curve.is_searched else _FINE)})
    ]
    section = join(
        [
            error_rates(certificate, "what is published", rates),
            element("p", text(_basis(curve))),
        ]
    )
    return [("errors", "What attacks get wrong", section)]


def _basis(curve: ErrorCurve) -> str:
    """What the curve rests on; μ is that of everything together."""
    if curve.mu is not None:
        mu = rounded_up(curve.mu, 5)
        return (
            f"All noise is Gaussian: everything together is μ-Gaussian differentially private with "
            f"μ = {mu}. No attack does better than whoever is shown one number with normal noise "
            f"of standard deviation 1 and has to say whether it was added to 0 or to {mu}. The "
            "whole curve follows from μ, which counts that the noise is one of whole numbers; "
            "(ε, δ) is one point of it."
        )
    if curve.is_searched:
        return (
            "The curve is the highest that (ε, δ) and ρ prove, at the best Rényi order. There is "
            "no μ of Gaussian differential privacy, for not all noise is Gaussian."
        )
    return "The curve is that of the privacy budget, which is all that is known of the noise."


def error_rates(
    certificate: Certificate,
    what: str,
    rates: Sequence[tuple[float, float]],
    also: Sequence[tuple[float, float]] = (),
) -> Html:
    """Chart and table of false positives and the least false negatives.

    Parameters
    ----------
    what : str
        What is attacked.
    rates : sequence of (float, float)
        False positives in rising order, and false negatives rounded down.
    also : sequence of (float, float)
        More rows of the table.
    """
    insiders, outsiders = members(certificate.unit)
    if insiders == outsiders:  # of one's value, not of being there
        outsiders = "others"
    intro = (
        f"Whoever attacks {what} points out some of those whom they test as {insiders}. The fewer "
        f"{outsiders} they point out by mistake (false positives), the more {insiders} they miss "
        "(false negatives). No attack is below the line, the trade-off curve, however it is made "
        "and whatever it knows of everybody else."
    )
    chart = error_chart(
        rates,
        "errors-chart",
        "Trade-off curve: false negatives against false positives",
        f"The line is the least share of {insiders} that an attack misses, by the share of "
        f"{outsiders} that it points out by mistake. It falls in steps, each of which holds to its "
        "left; the dotted line is that of guessing.",
        (insiders.capitalize(), outsiders.capitalize()),
    )
    rows = sorted({*(row for row in rates if row[0] in _TABLE_RATES), *also})
    facts = table(
        "errors-table",
        text("What an attack misses at least (false negatives), rounded down"),
        [
            text(f"{outsiders.capitalize()} pointed out (false positives)"),
            text(f"{insiders.capitalize()} missed, at least"),
            text("Guessing"),
        ],
        [[text(exactly(a)), text(at_least(b)), text(exactly(1 - a))] for a, b in rows],
        [True, True, True],
    )
    figure = element("figure", chart, class_="side")
    return join([element("p", text(intro)), figure, facts])
