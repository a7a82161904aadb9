"""Each number of the paper's text beside ours, with a verdict that the marks decide."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from deniable.theorems.analysis.success import attack_success
from reproductions.lowy_2024.marks import TABLE, Mark
from reproductions.lowy_2024.median import (
    BY_SENSITIVITY,
    EXACT,
    ONE_PLUS_C,
    OVER_EPSILON,
    OVER_RESTRICTED,
    TWO_C,
)
from reproductions.lowy_2024.noisy_mean import CERTIFIED, FIRST, MEDIAN, WORST

Row = tuple[str, str, str, str]
Marks = Mapping[int, Sequence[Mark]]
_READINGS = ((BY_SENSITIVITY, ONE_PLUS_C), (BY_SENSITIVITY, TWO_C), (EXACT, ONE_PLUS_C))
_THEIRS, _NEAR = 20, 2.0
"""Parent sets behind a printed mean, which the paper does not say, and the standard errors of the
difference from ours within which we call it the same."""


def numbers(marks: Marks) -> Iterator[Row]:
    """Place, what is printed, what we find, whether it holds."""
    yield from _text()
    for figure in sorted(set(_ROWS) & set(marks)):
        yield from _ROWS[figure](marks[figure])


def modular_ratio(n: int) -> Fraction:
    """e^ε̃ of the sum modulo 2n of n out of 0 … 2n − 1, over all samples."""
    records = 2 * n
    counts = [[[0, 0] for _ in range(records)] for _ in range(records)]
    for sample in itertools.combinations(range(records), n):
        total = sum(sample) % records
        for record in range(records):
            counts[record][total][record in sample] += 1
    return max(Fraction(max(pair), min(pair)) for sums in counts for pair in sums if any(pair))


def _text() -> Iterator[Row]:
    six, twelve = modular_ratio(3), modular_ratio(6)
    place = "Proposition 5 and after it, sum modulo"
    yield f"{place} 6: ε̃", "ln 2", f"ln {six}", _yes(six == 2)
    holds = "yes, and more holds" if twelve < Fraction(40, 37) else _yes(twelve == Fraction(40, 37))
    yield f"{place} 12: ε̃", "≤ ln(40/37)", f"ln({twelve})", holds
    for epsilon, success in ((0.1, 0.525), (0.123, 0.53), (7.0, 0.999)):
        found = attack_success(epsilon, 0.0)
        same = _yes(abs(found - success) < 1e-3)
        yield f"Lemma 6, success at ε̃ = {epsilon:g}", f"{success:g}", f"{found:.5f}", same


def _figure_1(marks: Sequence[Mark]) -> Iterator[Row]:
    at = "Figure 1, σ = 1"
    for reading in (BY_SENSITIVITY, EXACT):
        mark = _at(marks, 1.0, TABLE, f"ε̃, {reading}")
        yield f"{at}: ε̃, {reading}", "about 2.14", _mean(mark), _near(mark, 2.14)
    for reading, by in _READINGS:
        mark = _at(marks, 1.0, TABLE, f"ε, {reading}, {by}")
        yield f"{at}: ε, {reading}, {by}", "about 28.5", _mean(mark), _near(mark, 28.5)
    for reading, by in _READINGS:
        mark = _at(marks, 1.0, OVER_EPSILON, f"{reading}, {by}")
        yield f"{at}: ε̃/ε, {reading}, {by}", "about 0.075", _mean(mark), _near(mark, 0.075)
    for reading in (BY_SENSITIVITY, EXACT):
        yield _trend(marks, 1, OVER_EPSILON, f"{reading}, {ONE_PLUS_C}", rises=True)
    for reading in (BY_SENSITIVITY, EXACT):
        yield _flat([mark for mark in marks if mark.x <= 1], OVER_RESTRICTED, reading)


def _figure_2(marks: Sequence[Mark]) -> Iterator[Row]:
    for reading in (BY_SENSITIVITY, EXACT):
        for panel, curve in (
            (OVER_EPSILON, f"{reading}, {ONE_PLUS_C}"),
            (OVER_RESTRICTED, reading),
        ):
            mark = _at(marks, 50.0, panel, curve)
            place = f"Figure 2, C = 50: {panel}, {curve}"
            yield place, "< 0.0123", _mean(mark), _below(mark, 0.0123)
    for reading in (BY_SENSITIVITY, EXACT):
        mark = _at(marks, 50.0, TABLE, f"ε, {reading}, {ONE_PLUS_C}")
        same = _yes(abs(mark.value - 10) < 1)
        place = f"Figure 2, C = 50: ε, {reading}, {ONE_PLUS_C}"
        yield place, "about ε(X) = 10", _mean(mark), same
    for reading in (BY_SENSITIVITY, EXACT):
        yield _trend(marks, 2, OVER_EPSILON, f"{reading}, {ONE_PLUS_C}", rises=False)
        yield _trend(marks, 2, OVER_RESTRICTED, reading, rises=False)


def _figure_3(marks: Sequence[Mark]) -> Iterator[Row]:
    for reading in (BY_SENSITIVITY, EXACT):
        yield _trend(marks, 3, OVER_EPSILON, f"{reading}, {ONE_PLUS_C}", rises=False)
        yield _trend(marks, 3, OVER_RESTRICTED, reading, rises=False)


def _figure_4(marks: Sequence[Mark]) -> Iterator[Row]:
    for curve in (WORST, MEDIAN):
        mark = _at(marks, 10.0, TABLE, f"ε̃, {curve}")
        yield f"Figure 4, ε(X) = 10: ε̃, {curve}", "< 0.9", _mean(mark), _below(mark, 0.9)
    mark = _at(marks, 10.0, TABLE, f"ε̃, {CERTIFIED}")
    most = _at(marks, 10.0, TABLE, f"ε̃, {WORST}, {FIRST}").high
    verdict = "no" if mark.low > 0.9 else "yes" if mark.high < 0.9 else "open"
    found = f"{mark.low:.3f} to {mark.high:.3f} (Proposition 12: {most:.3f})"
    yield f"Figure 4, ε(X) = 10: ε̃, certified, {FIRST}", "< 0.9", found, verdict
    for panel in (OVER_EPSILON, OVER_RESTRICTED):
        yield _trend(marks, 4, panel, WORST, rises=True)


def _figure_5(marks: Sequence[Mark]) -> Iterator[Row]:
    for fixed in (", ε = 5", ", ε(X) = 5"):
        for curve in (WORST, MEDIAN):
            mark = _at(marks, 100.0, TABLE, f"ε̃, {curve}{fixed}")
            place = f"Figure 5, C = 100{fixed}: ε̃, {curve}"
            yield place, "1", _mean(mark), _near(mark, 1.0)
        mark = _at(marks, 100.0, TABLE, f"ε̃, {CERTIFIED}{fixed}")
        found = f"{mark.low:.3f} to {mark.high:.3f}"
        holds = _yes(mark.low <= 1 <= mark.high)
        yield f"Figure 5, C = 100{fixed}: ε̃, certified, {FIRST}", "1", found, holds
    for panel in (OVER_EPSILON, OVER_RESTRICTED):
        yield _trend(marks, 5, panel, f"{WORST}, ε = 5", rises=False)


def _figure_6(marks: Sequence[Mark]) -> Iterator[Row]:
    for panel in (OVER_EPSILON, OVER_RESTRICTED):
        yield _trend(marks, 6, panel, WORST, rises=True)


_ROWS: Mapping[int, Callable[[Sequence[Mark]], Iterator[Row]]] = {
    1: _figure_1,
    2: _figure_2,
    3: _figure_3,
    4: _figure_4,
    5: _figure_5,
    6: _figure_6,
}


def _trend(marks: Sequence[Mark], figure: int, panel: str, curve: str, *, rises: bool) -> Row:
    """First against last mark; between them a mean may waver."""
    first, last = _ends(marks, panel, curve)
    word = "rises" if rises else "falls"
    found = f"{_mean(first)} at {first.x:g}, {_mean(last)} at {last.x:g}"
    apart = (last.value - first.value) * (1 if rises else -1)
    unsure = 2 * math.hypot(first.error, last.error)
    holds = "yes" if apart > unsure else "no" if apart < -unsure else "neither"
    return f"Figure {figure}: {panel}, {curve}", word, found, holds


def _flat(marks: Sequence[Mark], panel: str, curve: str) -> Row:
    """Figure 1, as far as few norms are cut."""
    first, last = _ends(marks, panel, curve)
    found = f"{_mean(first)} at {first.x:g}, {_mean(last)} at {last.x:g}"
    holds = _yes(abs(first.value - last.value) < 0.1 * first.value)
    return f"Figure 1: {panel}, {curve}", "hardly depends on σ", found, holds


def _ends(marks: Sequence[Mark], panel: str, curve: str) -> tuple[Mark, Mark]:
    line = sorted((m for m in marks if (m.panel, m.curve) == (panel, curve)), key=lambda m: m.x)
    return line[0], line[-1]


def _at(marks: Sequence[Mark], x: float, panel: str, curve: str) -> Mark:
    (mark,) = (m for m in marks if (m.x, m.panel, m.curve) == (x, panel, curve))
    return mark


def _mean(mark: Mark) -> str:
    return f"{mark.value:.3g} ± {mark.error:.1g}" if mark.error else f"{mark.value:.3g}"


def _near(mark: Mark, printed: float) -> str:
    apart = abs(mark.value - printed)
    spread = math.hypot(1, math.sqrt(mark.sets / _THEIRS)) * mark.error
    if apart <= _NEAR * spread:
        return "yes"
    return f"no, {apart / spread:.0f} standard errors away" if spread else "no"


def _below(mark: Mark, printed: float) -> str:
    if mark.value + 2 * mark.error < printed:
        return "yes"
    return "no" if mark.value - 2 * mark.error > printed else "within two standard errors"


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"
