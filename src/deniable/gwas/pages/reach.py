"""What a private choice of variants can find, in the first lines of the report."""

import math
from typing import Any

import attrs

from deniable.gwas.certificates import StudyCertificate
from deniable.report.html import Html, element, text
from deniable.report.sentences import significant


@attrs.frozen
class Reach:
    """What the noise of a release lets through; from public numbers only.

    Parameters
    ----------
    probability : float
        With at least this probability a variant that leads by `lead` is published.
    lead : float
        By how much its score exceeds that of all variants but top − 1 others; in score units.
    largest_lead : float
        What the strongest association has that cases and controls can show.
    largest_probability : float
        With what probability, at least, a variant with that lead is published.
    chi_squared : tuple of (float, float or None)
        For the distance: a share of allele 1 among the controls' alleles, and about what allelic
        χ² has a score of `lead` there; None where none has.
    frequency_difference : float or None
        For published statistics: by how much published frequencies of cases and controls must
        differ, so that noise alone does not explain it.
    """

    probability: float
    lead: float
    largest_lead: float
    largest_probability: float
    chi_squared: tuple[tuple[float, float | None], ...]
    frequency_difference: float | None

    def as_json(self) -> dict[str, Any]:
        """The same under its names, with examples by share of the allele."""
        examples = [
            {"controls_frequency": share, "chi_squared": value} for share, value in self.chi_squared
        ]
        return attrs.asdict(self) | {"chi_squared": examples}

    @property
    def possible(self) -> bool:
        """Whether any association leads so far."""
        return self.lead <= self.largest_lead


def reach_paragraph(certificate: StudyCertificate, reach: Reach) -> Html:
    """What this release can find, what it cannot, and what its numbers tell from noise."""
    title = element("b", text("What it can find."))
    paragraphs = [element("p", title, " ", text(_choice(certificate, reach)))]
    if reach.frequency_difference is not None:
        sentence = _NUMBERS_OF_NOISE
        if reach.frequency_difference < 1:
            sentence = (
                "Published frequencies of cases and controls that differ by "
                f"{_up(reach.frequency_difference, 2)} or less may differ by noise alone."
            )
        paragraphs.append(element("p", text(sentence)))
    return element("div", *paragraphs, class_="finds")


def _choice(certificate: StudyCertificate, reach: Reach) -> str:
    choice, study = certificate.selection, certificate.study
    if choice.top == study.variants:
        return "All variants are published, so that only their order is chosen."
    published = f"among the {choice.top:,} published" if choice.top > 1 else "the one published"
    if not reach.possible:
        whom = f"{study.cases:,} cases and {study.controls:,} controls"
        return (
            f"Nothing reliably: even the strongest association that {whom} can show is promised to "
            f"be {published} with a probability of only "
            f"{significant(reach.largest_probability, 2)}. {_LESS}"
        )
    often = f"{significant(100 * reach.probability, 3)} in 100"
    what = "a variant" if choice.window is None else "a variant, or one whose window holds it,"
    intro = f"With a probability of at least {often} {what} is {published} if"
    if choice.threshold is None:
        least = _up(reach.lead, 3)
        return f"{intro} its {choice.score_unit} exceeds {_rest(choice.top)} by {least}. {_LESS}"
    least = f"{math.ceil(reach.lead):,} {choice.score_unit}"
    return (
        f"{intro} it is significant by at least {least}, and {_others(choice.top)} significant. "
        f"{_examples(reach) if reach.chi_squared else 'The score is stratified'}; significance "
        f"begins at {significant(choice.threshold.chi_squared, 3)}. {_LESS}"
    )


_NUMBERS_OF_NOISE = (
    "The published numbers say nothing: even frequencies of 0 and 1 may differ by noise alone."
)
_LESS = "A weaker one may be missing, and any variant may be here by chance."


def _rest(top: int) -> str:
    if top == 1:
        return "that of every other variant"
    return f"that of all but {top - 1:,} other{'' if top == 2 else 's'}"


def _others(top: int) -> str:
    if top == 1:
        return "no other is"
    return f"at most {top - 1:,} other{' is' if top == 2 else 's are'}"


def _examples(reach: Reach) -> str:
    known = [
        f"{significant(value, 3)} for an allele of frequency {significant(share, 2)} in controls"
        for share, value in reach.chi_squared
        if value is not None
    ]
    if not known:
        return "Only an association stronger than usual is"
    return f"In a study of this size that is an allelic χ² of about {' and '.join(known)}"


def _up(value: float, digits: int) -> str:
    """So many significant digits, rounded up."""
    if value <= 0:
        return "0"
    step = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    return significant(math.ceil(value / step * (1 - 1e-12)) * step, digits)
