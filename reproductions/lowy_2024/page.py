"""The page: what is printed beside what we find, then figure by figure."""

import textwrap
from collections.abc import Mapping, Sequence

from reproductions._output import markdown_table
from reproductions.lowy_2024.marks import Mark
from reproductions.lowy_2024.numbers import numbers

_HEAD = """# Population privacy with a large ε (lowy-2024)

Written by `python -m reproductions.lowy_2024 --out DIR`; with numbers behind it (`lowy_2024 4 6`)
only those figures are computed again. The paper compares ε̃, what an attacker can learn who knows
the parent set X but not which n of its 2n records are the data, with ε, which holds in the worst
case, and with ε(X), for which the data and their neighbours are samples of X. Every figure draws
two ratios, ε̃/ε and ε̃/ε(X), as means over T parent sets. Here they stand with the paper's
settings and axes, with two standard errors each way, beside exact or certified values.

The text defines ε(X) as the largest privacy loss between neighbouring samples of X. For Gaussian
noise that is ε with the sensitivity *restricted to X*. For the exponential mechanism the
restricted sensitivity gives an upper bound, which can be far above the largest loss; both
readings are drawn, and the printed ε̃ of Figure 1 and ratios of Figure 2 speak for the first.
Solid: the paper's curve. Dashed: ours, at the paper's settings. Dotted: ours, with settings of
ours.

## What is printed, and what we find

{numbers}
± is one standard error of our mean. The paper does not say over how many parent sets its own
means are; a printed one counts as met if it is within two standard errors of ours for a mean over
20. What rises or falls is judged by the first and the last mark.
"""

_TITLES = {7: "Beyond the paper: ε̃ against n"}
_TEXTS = {
    1: """Exponential mechanism on a geometric median: n = 6, d = 1, m = 10 candidates scaled to
unit norm, X ~ N(w_1, σ²) cut to C = 10, ε(X) = 5. ε̃ is exact: all 924 samples are enumerated.
The worst-case ε needs the loss's sensitivity Δ over the whole ball: (1 + C)/n is attained, 2C/n
is the bound for any two points of the ball. No reading that we tried gives an ε of about 28.5.
From σ = 2 on norms are cut so often that the records no longer differ much. A parent set whose
ten candidates are all alike is drawn again: nothing is published there.""",
    2: """d = 5, m = 32, σ = 1, ε(X) = 10; two random records are multiplied by 100 before norms
are cut to C. ε̃ is small beside ε(X) by sensitivity because a far record moves the loss of *all*
candidates by nearly the same amount, which cancels when probabilities are normalised: the
sensitivity counts it, the privacy loss does not. Beside the exact ε(X) the ratio is about one
half.""",
    3: """m = 10, σ = 1, ε(X) = 2. The paper does not say where norms are cut; C = 10 is ours. Both
ratios fall with the dimension under either reading.""",
    4: """Gaussian noise on a mean: n = 100, d = 20, C = 50, X ~ N(0, I), δ = 0.01. ε̃ as the
paper computes it is the smallest for which Proposition 12 meets δ for every record; beside it
the same for the median record. The bracket (vertical line; the curve is its upper end) is of the
record of the first parent set that an estimate ranks worst: below an exact projection to one
line, above a bound of confidence 95 %. Its *lower* end is what shows that the printed 0.9 cannot
hold for every record.""",
    5: """d = 10, σ = 5, two records times 10, δ = 0.01, n = 100. The paper does not say which of
ε and ε(X) is held fixed; ε = 5 is drawn, and the ratios for ε(X) = 5 lie on it. By Proposition
12 the worst record is an outlier; most others are far better off, as the median record shows.
The certified values of the worst record rise with C, up to the bound.""",
    6: """C = 50, σ = 1, no outliers, δ = 0.01, n = 100. The paper does not say at which ε(X);
10 is ours.""",
    7: """Settings of ours. ε(X) = 10 by sensitivity is held fixed: the noise is always in
proportion to what one record moves. Gaussian noise in one dimension is exact at every n, and its
parent sets grow by adding records. The exponential mechanism (d = 5, m = 32, C = 10, no
outliers, 3 parent sets) is enumerated. Its ε̃ hardly falls at all: the scores of a sample add
up, so the choice among candidates becomes surer while n grows.""",
}


_WORDS = (
    "both ratios as described above, with their error bars; each mark is a row of figure_{}.csv"
)


def page(marks: Mapping[int, Sequence[Mark]]) -> str:
    """Markdown, with the figures beside it."""
    table = markdown_table(["Place", "Printed", "Ours", "Holds?"], numbers(marks))
    parts = [_HEAD.format(numbers=table), "## Figures\n"]
    for number in sorted(marks):
        title = _TITLES.get(number, f"Figure {number}")
        parts.append(f"### {title}\n")
        parts.append(_TEXTS[number] + "\n")
        parts.append(f"![{title}: {_WORDS.format(number)}](figure_{number}.png)\n")
        parts.append(f"Numbers: [figure_{number}.csv](figure_{number}.csv).\n")
    return "\n".join(_wrapped(part) for part in parts)


def _wrapped(text: str) -> str:
    """Paragraphs filled to 100 characters; tables, headings and images as they are."""
    filled = (
        part if part.lstrip().startswith(("|", "#", "!")) else textwrap.fill(part, 100)
        for part in text.strip("\n").split("\n\n")
    )
    return "\n\n".join(filled) + "\n"
