"""The page: each number of the paper's text, whether we get it, and by which reading."""

import itertools
import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from deniable.analysis.population.success import attack_success
from reproductions._output import markdown_table
from reproductions.lowy_2024.marks import Mark
from reproductions.lowy_2024.median import ONE_PLUS_C, TWO_C
from reproductions.lowy_2024.readings import COLUMNS, Reading
from reproductions.lowy_2024.settings import (
    CANDIDATES,
    CLIP,
    DELTA,
    RESTRICTED,
    SMALL,
    Settings,
)
from reproductions.lowy_2024.settings import COLUMNS as D

_PRINTED = {"figure 1": 28.5, "figure 2": 0.0123, "figure 4": 0.9}

_HEAD = """# Population privacy with a large ε (lowy-2024)

Written by `python -m reproductions.lowy_2024`. The paper sets ε̃, what an attacker can learn who
knows the parent set X but not which n of its 2n records are the data, beside two figures of
differential privacy: ε (worst case) and ε(X) (over this parent set). Its exponential mechanism is
enumerated at n = {small}; for Gaussian noise it has an upper bound, Proposition 12. Here the same
curves stand beside exact or certified ones.

Not all of the paper's choices are known to us. Ours: records N(0, σ²I) in dimension {d}, norms cut
to C = {clip:g} where C is not the axis, {candidates} candidates on the unit sphere, {replicates}
parent sets a mark at n = {small} and {growing} beyond (vertical lines: 10 % to 90 % of them).
Gaussian noise with δ = {delta:g} and n = {large}, one parent set. An outlier is one record at norm
C. **ε(X)** on an axis, and where it is fixed at {restricted:g}, is the figure that the paper's
curves use: ε times the sensitivity *restricted to X* over the worst-case sensitivity.

## The numbers in the text

{numbers}
"""

_TEXTS = {
    1: """ε that goes with ε(X) = 10, by two readings of the loss's sensitivity Δ. Below them what
the text defines as ε(X), the largest loss between adjacent samples of X, which is never larger
than ε(X) by sensitivity; and the exact ε̃. Where σ is large all norms are cut to C, the records lie
on one sphere, and no longer differ by much in their distance from a candidate.""",
    2: """One record lies at norm C. ε̃ is small beside ε(X) by sensitivity because a far record
moves the loss of *all* candidates by nearly the same amount, which cancels when probabilities are
normalised: the sensitivity counts it, the privacy loss does not. Beside the exact ε(X) the ratio
is about one half or more.""",
    3: """Exact for every n shown. Beside ε̃ stands the exact ε(X) that belongs to the ε(X) by
sensitivity on the axis.""",
    4: """Proposition 12 in dimension 1 and {d}, and the exact ε̃ in dimension 1. In dimension {d}
stand two certified brackets (vertical lines; the curve is the upper end) of confidence 95 % each:
over all records, and of the record alone that the estimate ranks worst. The estimate takes sums for
normal and is no bound. How narrow a bracket is depends on the {seconds:g} seconds given to it, on
whatever machine this was.""",
    5: """The bound hardly moves with n, the truth falls like 1/√n. Over all records the certified
upper end is higher where {seconds:g} seconds are not enough to show that every other record stays
below the worst.""",
    6: """Dimension 1 is exact; beyond it stand the certified brackets and the estimate.""",
    7: """ε(X) = 10 is held fixed: the noise is always in proportion to what one record moves. The
exponential mechanism (dimension {d}) is enumerated up to n = {most}, {subsets:,} samples; Gaussian
noise in one dimension is exact at every n. Its parent sets grow by adding records. With ε(X) by
sensitivity held fixed, the exponential mechanism's ε̃ falls far more slowly: the scores of a sample
add up, so the choice among candidates becomes surer while n grows.""",
}


def page(
    marks: Mapping[int, Sequence[Mark]], readings: Sequence[Reading], settings: Settings
) -> str:
    """Markdown, with the figures beside it."""
    most = max(settings.enumerated_sizes)
    words = {"d": D, "seconds": settings.crowd_seconds, "most": most}
    words["subsets"] = math.comb(2 * most, most)
    head = _HEAD.format(
        small=SMALL,
        d=D,
        clip=CLIP,
        candidates=CANDIDATES,
        replicates=settings.replicates,
        growing=settings.growing,
        delta=DELTA,
        large=settings.large,
        restricted=RESTRICTED,
        numbers=markdown_table(
            ["Place", "Printed", "Ours", "Reproduced?"], _numbers(marks, readings)
        ),
    )
    parts = [head, _readings_text(readings), "## Figures\n"]
    for number in marks:
        title = f"Figure {number}" if number < 7 else "Beyond the paper: ε̃ against n"
        parts.append(f"### {title}\n")
        parts.append(_TEXTS[number].format(**words) + "\n")
        parts.append(f"![{title}](figure_{number}.png)\n")
        parts.append(f"Numbers: [figure_{number}.csv](figure_{number}.csv).\n")
    return "\n".join(_wrapped(part) for part in parts)


def _wrapped(text: str) -> str:
    """Paragraphs filled to 100 characters; tables, headings and images as they are."""
    filled = (
        part if part.lstrip().startswith(("|", "#", "!")) else textwrap.fill(part, 100)
        for part in text.strip("\n").split("\n\n")
    )
    return "\n\n".join(filled) + "\n"


def _numbers(
    marks: Mapping[int, Sequence[Mark]], readings: Sequence[Reading]
) -> Iterable[tuple[str, str, str, str]]:
    """A row a number, every verdict decided by what was computed."""
    six, twelve = modular_ratio(3), modular_ratio(6)
    place = "Example after Proposition 5, sum modulo"
    yield f"{place} 6", "ln 2", f"ln {six}", _yes(six == 2)
    upper = "it is an upper bound only" if twelve < Fraction(40, 37) else "it is too small"
    yield f"{place} 12", "ln(40/37)", f"ln({twelve})", f"no: {upper}"
    for epsilon, success in ((0.1, 0.525), (7.0, 0.999)):
        found = attack_success(epsilon, 0.0)
        same = _yes(round(found, 3) == success)
        yield f"Lemma 6, ε = {epsilon:g}", f"about {success}", f"{found:.5f}", same
    yield _figure_1(readings)
    yield from _figure_2(readings)
    yield from _figure_4(marks[4], readings)


def _figure_1(readings: Sequence[Reading]) -> tuple[str, str, str, str]:
    printed = _PRINTED["figure 1"]
    (one,) = _pick(readings, "Figure 1", by=ONE_PLUS_C, columns=D, clip=CLIP)
    (two,) = _pick(readings, "Figure 1", by=TWO_C, columns=D, clip=CLIP)
    near: dict[str, list[str]] = {}
    for each in _pick(readings, "Figure 1"):
        if each.low <= printed <= each.high:
            near.setdefault(f"C = {each.clip:g}, {each.by}", []).append(str(each.columns))
    inside = "; ".join(f"{how}, d = {' or '.join(columns)}" for how, columns in near.items())
    verdict = f"open; within 10–90 % of parent sets for {inside}" if near else "no reading tried"
    found = f"{one.mean:.1f} ({ONE_PLUS_C}), {two.mean:.1f} ({TWO_C})"
    return "Figure 1, σ = 1: ε", f"about {printed}", found, verdict


def _figure_2(readings: Sequence[Reading]) -> Iterable[tuple[str, str, str, str]]:
    printed = _PRINTED["figure 2"]
    for by in ("ε", "ε(X) by sensitivity", "ε(X) exact"):
        (far,) = _pick(readings, "Figure 2", by=by, columns=D, outlier=True)
        found = f"{far.mean:.4f} ({far.low:.4f} to {far.high:.4f})"
        if far.mean < printed:
            verdict = f"yes at d = {D}, with an outlier; see the readings"
        elif far.low < printed:
            verdict = "for some parent sets"
        else:
            verdict = "no"
        yield f"Figure 2, C = 50: ε̃ over {by}", f"< {printed}", found, verdict


def _figure_4(
    marks: Sequence[Mark], readings: Sequence[Reading]
) -> Iterable[tuple[str, str, str, str]]:
    printed = _PRINTED["figure 4"]
    place, says = f"Figure 4, ε(X) = {RESTRICTED:g}: ε̃", f"< {printed}"
    bounds = [m for m in marks if m.curve.startswith("Proposition 12") and m.x == RESTRICTED]
    for mark in bounds:
        columns = mark.curve.split(", ")[1]
        yield (
            f"{place}, Proposition 12, {columns}",
            says,
            f"{mark.value:.2f}",
            _yes(mark.value < printed),
        )
    (exact,) = (m for m in marks if m.curve.startswith("exact") and m.x == RESTRICTED)
    true = "true, but the bound does not show it" if exact.value < printed else "no"
    yield f"{place}, exact, d = 1", says, f"{exact.value:.3f}", true
    (tight,) = (m for m in marks if m.curve.endswith("worst-ranked") and m.x == RESTRICTED)
    yield (
        f"{place}, certified, d = {D}, the record ranked worst",
        says,
        f"{tight.low:.2f} to {tight.high:.2f}",
        "no" if tight.low >= printed else "yes" if tight.high < printed else "open",
    )
    met: dict[str, list[str]] = {}
    for each in _pick(readings, "Figure 4", by="median", outlier=True):
        if each.mean < printed:
            met.setdefault(f"outlier at {each.clip:g}", []).append(str(each.columns))
    found = "; ".join(f"met with an {how}, d = {' or '.join(d)}" for how, d in met.items())
    yield (
        f"{place}, Proposition 12, the median record of a parent set with an outlier",
        says,
        found or "not met",
        "possibly what is drawn; the definition takes the worst record",
    )


def _readings_text(readings: Sequence[Reading]) -> str:
    first = markdown_table(
        ["d", *(f"C = {clip:g}, {by}" for clip in (5.0, 10.0) for by in (ONE_PLUS_C, TWO_C))],
        ([d, *(_span(r, 1) for r in _pick(readings, "Figure 1", columns=d))] for d in COLUMNS),
    )
    second = markdown_table(
        [
            "d",
            *(
                f"ε̃ over {by}, {'an' if outlier else 'no'} outlier"
                for outlier in (True, False)
                for by in ("ε", "ε(X) by sensitivity", "ε(X) exact")
            ),
        ],
        ([d, *(_span(r, 4) for r in _pick(readings, "Figure 2", columns=d))] for d in COLUMNS),
    )
    fourth = markdown_table(
        [
            "d",
            *(
                f"{by} record, {f'outlier at {clip:g}' if clip else 'no outlier'}"
                for clip in (0.0, 10.0, 50.0)
                for by in ("worst", "median")
            ),
        ],
        ([d, *(f"{r.mean:.2f}" for r in _pick(readings, "Figure 4", columns=d))] for d in COLUMNS),
    )
    return (
        "## Readings\n\nMeans, and 10 % to 90 % over parent sets. Figure 1, ε at σ = 1 and "
        f"ε(X) = {RESTRICTED:g}:\n\n{first}\nFigure 2, ratios at C = 50:\n\n{second}\n"
        f"Figure 4, Proposition 12 at ε(X) = {RESTRICTED:g}:\n\n{fourth}"
    )


def _pick(readings: Iterable[Reading], number: str, **wanted: object) -> list[Reading]:
    return [
        each
        for each in readings
        if each.number.startswith(number)
        and all(getattr(each, name) == value for name, value in wanted.items())
    ]


def _span(reading: Reading, digits: int) -> str:
    return f"{reading.mean:.{digits}f} ({reading.low:.{digits}f} to {reading.high:.{digits}f})"


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def modular_ratio(n: int) -> Fraction:
    """e^ε̃ of the sum modulo 2n of n out of 0 … 2n − 1, over all samples."""
    records = 2 * n
    counts = [[[0, 0] for _ in range(records)] for _ in range(records)]
    for sample in itertools.combinations(range(records), n):
        total = sum(sample) % records
        for record in range(records):
            counts[record][total][record in sample] += 1
    return max(Fraction(max(pair), min(pair)) for sums in counts for pair in sums if any(pair))
