"""The first lines: the requested limit, and the same as icons."""

import attrs

from deniable.certificate.model import Certificate
from deniable.report.charts import readable_prior, worst_prior
from deniable.report.html import Html
from deniable.report.rendering import render
from deniable.report.sentences import common, count, count_down, pair
from deniable.theorems import analysis

_CELL_WIDTH, _CELL_HEIGHT = 12, 14  # pixels of one person with the space around
_MOST_ICONS = 1000  # people in a picture: a shape for each of them can still be told apart


def icon_array(
    total: int, before: int, after: int, identifier: str, title: str, description: str
) -> Html:
    """Icons row by row: `before` dark, up to `after` in the second colour, the rest hollow.

    `before` and `after` are equal for the array of what was believed before; `identifier` is unique
    on the page.
    """
    columns = 10 if total <= 100 else 25
    places = [
        (index % columns * _CELL_WIDTH + 1, index // columns * _CELL_HEIGHT + 1)
        for index in range(total)
    ]
    return render(
        "report/icons.html",
        groups=[
            (places[:before], "accent", "accent"),
            (places[before:after], "target", "target"),
            (places[after:], "paper", "muted"),
        ],
        width=columns * _CELL_WIDTH,
        height=-(-total // columns) * _CELL_HEIGHT,
        identifier=identifier,
        title=title,
        description=description,
    )


@attrs.frozen
class Change:
    """What the icons show: a probability before, and the most that it can become.

    With `guesses` it is the share of guesses that are right, and not a belief.
    """

    before: float
    after: float
    guesses: bool = False


def headline(certificate: Certificate) -> Html:
    """Return the requested limit in one or two sentences, and icons of what changes."""
    beliefs = change(certificate)
    before, after = pair(beliefs.before, beliefs.after)
    total = min(common(beliefs.before, beliefs.after), _MOST_ICONS)
    return render(
        "report/headline.html",
        certificate=certificate,
        unit=certificate.unit,
        change=beliefs,
        before=before,
        after=after,
        total=total,
        first=count_down(beliefs.before, total),
        then=count(beliefs.after, total),
        icon_array=icon_array,
    )


def change(certificate: Certificate) -> Change:
    """Return the belief before and after; a requested limit stands as it is."""
    target, band, loss = certificate.target, certificate.adversary, certificate.guarantee.loss
    match target:
        case analysis.MaxPosteriorTarget() if 0 < band.high < 1:
            return Change(band.high, target.value)
        case analysis.AttackSuccessTarget():
            return Change(0.5, target.value, guesses=True)
        case analysis.AdvantageTarget():
            return Change(0.5, (1 + target.value) / 2, guesses=True)
        case analysis.IdentifiabilityTarget():
            return Change(1 / target.worlds, target.value)
        case analysis.GammaTarget():
            prior, _ = worst_prior(target, band, loss)
        case _:
            prior = readable_prior(band)
    return Change(prior, analysis.posterior_upper(loss, prior))
