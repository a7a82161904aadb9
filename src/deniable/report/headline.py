"""The first lines: the limit that was asked for, and the same as icons."""

import attrs

from deniable.certificate.model import Certificate
from deniable.report.beliefs import readable_prior, worst_prior
from deniable.report.html import Html, element, join, text
from deniable.report.icons import icon_array
from deniable.report.sentences import (
    asker,
    before_after,
    claim,
    common,
    count,
    count_down,
    exactly,
    exception,
    factor,
    members,
    pair,
)
from deniable.theorems.analysis.belief import posterior_upper
from deniable.theorems.analysis.target import (
    AdvantageTarget,
    AttackSuccessTarget,
    FalseNegativesTarget,
    GammaTarget,
    IdentifiabilityTarget,
    MaxPosteriorTarget,
)

_MOST_ICONS = 1000
"""People in a picture: a shape for each of them can still be told apart."""


@attrs.frozen
class Change:
    """What the icons show: a probability before, and the most that it can become.

    Parameters
    ----------
    guesses : bool
        Whether it is of guesses that are right, and not of a belief.
    """

    before: float
    after: float
    guesses: bool = False


def headline(certificate: Certificate) -> Html:
    """What was asked for, in one or two sentences, and icons of what changes."""
    belief_change = change(certificate)
    before, after = pair(belief_change.before, belief_change.after)
    total = min(common(belief_change.before, belief_change.after), _MOST_ICONS)
    first, then = count_down(belief_change.before, total), count(belief_change.after, total)
    return join(
        [
            element("p", _target_sentence(certificate), class_="lead"),
            element(
                "div",
                _icons("before", "Before", before, total, (first, first)),
                _icons("after", "After, at most", after, total, (first, then)),
                class_="pair",
            ),
            element("p", _reading(certificate, belief_change, total), class_="quiet"),
        ]
    )


def change(certificate: Certificate) -> Change:
    """Before and after, where the limit speaks; a limit that was asked for stands as it is."""
    target, band, loss = certificate.target, certificate.adversary, certificate.guarantee.loss
    match target:
        case MaxPosteriorTarget() if 0 < band.high < 1:
            return Change(band.high, target.value)
        case AttackSuccessTarget():
            return Change(0.5, target.value, guesses=True)
        case AdvantageTarget():
            return Change(0.5, (1 + target.value) / 2, guesses=True)
        case IdentifiabilityTarget():
            return Change(1 / target.worlds, target.value)
        case GammaTarget():
            prior, _ = worst_prior(target, band, loss)
        case _:
            prior = readable_prior(band)
    return Change(prior, posterior_upper(loss, prior))


def _target_sentence(certificate: Certificate) -> Html:
    target, band = certificate.target, certificate.adversary
    believed, word = claim(certificate.unit), asker(certificate.unit)
    after, but = f"after everything in this {word}", exception(certificate)
    match target:
        case MaxPosteriorTarget() if 0 < band.high < 1:
            before, most = (element("b", exactly(end)) for end in (band.high, target.value))
            return Html(
                f"Before this release somebody gives at most {before} that {believed}: this may "
                f"become at most {most} {after}{but}."
            )
        case AttackSuccessTarget():
            most = element("b", exactly(target.value))
            return Html(
                f"Whoever guesses, at even odds before, whether {believed} is right at most "
                f"{most} times {after}."
            )
        case AdvantageTarget():
            insiders, outsiders = members(certificate.unit)
            most = element("b", exactly(target.value))
            return Html(
                f"Whoever points people out, {after}, points out a share of {insiders} that "
                f"exceeds the share of {outsiders} by at most {most}."
            )
        case FalseNegativesTarget():
            insiders, outsiders = members(certificate.unit)
            few, most = exactly(target.fpr), element("b", exactly(target.value))
            return Html(
                f"Whoever points people out, {after}, and points out {few} of {outsiders} by "
                f"mistake misses at least {most} of {insiders}. "
                f"{before_after(certificate, change(certificate).before)}"
            )
        case IdentifiabilityTarget():
            return Html(
                f"Of {target.worlds:,} candidates who are equally likely before, none is "
                f"given more than {element('b', exactly(target.value))} {after}{but}."
            )
        case GammaTarget():
            most = element("b", factor(target.value))
            example = before_after(certificate, change(certificate).before)
            return Html(
                f"No belief {_prior_range(certificate)}that {believed} is multiplied, and no doubt "
                f"divided, by more than {most}{but}. {example}"
            )
        case _:
            return before_after(certificate, change(certificate).before)


def _prior_range(certificate: Certificate) -> str:
    band = certificate.adversary
    if (band.low, band.high) == (0.0, 1.0):
        return ""
    if exactly(band.low) == exactly(band.high):
        return f"of {exactly(band.low)} "
    return f"between {exactly(band.low)} and {exactly(band.high)} "


def _icons(identifier: str, label: str, number: str, total: int, filled: tuple[int, int]) -> Html:
    first, then = filled
    description = f"{then:,} of {total:,} icons are filled" + (
        f", {then - first:,} of them added by the release." if then > first else "."
    )
    return element(
        "figure",
        element("p", text(label), "<br>", element("span", text(number), class_="big")),
        icon_array(total, first, then, identifier, f"{label}: {number}", description),
    )


def _reading(certificate: Certificate, belief_change: Change, total: int) -> Html:
    what = (
        f"of {total:,} situations that look alike to the adversary, the filled ones are those in "
        f"which, by that belief, {claim(certificate.unit)}"
    )
    if belief_change.guesses:
        what = f"of {total:,} guesses at even odds, the filled ones are right"
    elif isinstance(certificate.target, IdentifiabilityTarget):
        what = f"out of {total:,}, the filled ones are the probability given to one candidate"
    return Html(
        f"How to read the icons: {what}. The second colour is what this release can add at most."
    )
