"""The first lines: the limit that was asked for, and the same as icons."""

import attrs

from deniable.certificate.model import Certificate
from deniable.report.charts import readable_prior, worst_prior
from deniable.report.html import PALETTE, Html, element, join, text
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
from deniable.theorems.analysis import (
    AdvantageTarget,
    AttackSuccessTarget,
    FalseNegativesTarget,
    GammaTarget,
    IdentifiabilityTarget,
    MaxPosteriorTarget,
    posterior_upper,
)

# --- Arrays of 100 or 1,000 icons: how many of so many, before and after.


_SHAPE = "M5 0a2.4 2.4 0 1 1 0 4.8A2.4 2.4 0 1 1 5 0Z M1.4 11V9a3.6 3.6 0 0 1 7.2 0V11Z"
_CELL_WIDTH, _CELL_HEIGHT = 12, 14
"""Pixels of one person with the space around."""


def icon_array(
    total: int, before: int, after: int, identifier: str, title: str, description: str
) -> Html:
    """Icons row by row: `before` dark, up to `after` in the second colour, the rest hollow.

    Parameters
    ----------
    total : int
        Number of icons, 10 (or, above 100, 25) a row.
    before, after : int
        How many belief was given to before, and how many at most after; equal for the array of
        what was believed before.
    identifier : str
        Unique on the page; names the shape and the texts.
    """
    columns = 10 if total <= 100 else 25
    rows = -(-total // columns)
    groups = ((0, before, "accent"), (before, after, "target"), (after, total, "muted"))
    drawn = (
        element(
            "g",
            *(_icon(index, columns, identifier) for index in range(start, end)),
            fill=PALETTE["paper" if role == "muted" else role],
            stroke=PALETTE[role],
            stroke_width=0.6,
        )
        for start, end, role in groups
    )
    width, height = columns * _CELL_WIDTH, rows * _CELL_HEIGHT
    return element(
        "svg",
        element("title", text(title), id=f"{identifier}-title"),
        element("desc", text(description), id=f"{identifier}-desc"),
        element("defs", element("path", d=_SHAPE, id=f"{identifier}-icon")),
        *drawn,
        viewBox=f"0 0 {width} {height}",
        width=width * 2,
        height=height * 2,
        role="img",
        aria_labelledby=f"{identifier}-title {identifier}-desc",
    )


def _icon(index: int, columns: int, identifier: str) -> Html:
    row, column = divmod(index, columns)
    x, y = column * _CELL_WIDTH + 1, row * _CELL_HEIGHT + 1
    return element("use", href=f"#{identifier}-icon", x=x, y=y)


# --- The first lines: the limit that was asked for, and the same as icons.


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
