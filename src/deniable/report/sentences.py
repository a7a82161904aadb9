"""Probabilities and beliefs in words; a limit is rounded up, never down."""

import math
import re
from decimal import Decimal
from fractions import Fraction

from deniable.certificate.limits import plural
from deniable.certificate.model import Certificate, NamedUnit, Unit
from deniable.numerics.answer import round_outwards
from deniable.report.html import Html, name, text

_WHOLE_UNITS = frozenset({"rows", "entities"})
_SIGNIFICANT = 6  # significant digits of a figure in a report


def format_value(value: float | None, width: float | None, unit: str | None) -> str:
    """A value with as many decimals as its half-width has; whole where rows are counted.

    >>> format_value(1234.5678, 3.21, "euros"), format_value(-7.0, 4.0, "rows")
    ('1,234.6', '−7')
    """
    if value is None or not math.isfinite(value):
        return "" if value is None else "∞"
    if width is None or not math.isfinite(width) or width == 0:
        return significant(value)
    return _format_signed(value, _decimals(width, unit))


def half_width(width: float | None, unit: str | None) -> str:
    """Two digits, rounded up.

    >>> half_width(3.21, "euros"), half_width(4.0, "rows"), half_width(None, None)
    ('± 3.3', '± 4', '')
    """
    if width is None:
        return ""
    if not math.isfinite(width):
        return "± ∞"
    decimals = _decimals(width, unit)
    up = math.ceil(round(width * 10**decimals, 9)) / 10**decimals
    return f"± {up:,.{decimals}f}"


def significant(value: float, digits: int = _SIGNIFICANT) -> str:
    """Round to significant digits, without trailing zeros or an exponent where readable.

    >>> significant(1234567.0), significant(0.25), significant(2**-18)
    ('1,234,567', '0.25', '3.8147e-06')
    """
    if math.isinf(value):
        return "∞"
    if value == 0:
        return "0"
    if not 1e-4 <= abs(value) < 1e15:
        return f"{value:.{digits - 1}g}".replace("-", "−", value < 0)
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = _format_signed(value, decimals)
    return text.rstrip("0").rstrip(".") if decimals else text


def _decimals(width: float, unit: str | None) -> int:
    if unit in _WHOLE_UNITS or width == 0:
        return 0
    return min(max(1 - math.floor(math.log10(width)), 0), 12)


def _format_signed(value: float, decimals: int) -> str:
    text = f"{value:,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        text = text.removeprefix("-")
    return text.replace("-", "−")


_LEAST_PERCENTAGE = Fraction(1, 1000)
"""Smaller probabilities are easier to read as "1 in 10,000" than as a percentage."""
_MOST_DIGITS = 15  # "One in 10^15" and rarer is said as that
_MOST_WRITTEN = 12  # Digits of a number that somebody wrote; a quotient such as 1/3 has more
_MOST_DECIMALS = 9  # digits that are tried until a factor above 1 does not look like 1
_LARGE = 1e9  # smallest factor that is written with an exponent


def denominator(probability: float) -> int:
    """100, or the first power of ten above it that tells the probability from 0 and from 1.

    >>> denominator(0.3), denominator(0.004), denominator(0.997)
    (100, 1000, 1000)
    """
    result = 100
    while 0 < probability < 1 and result < 10**_MOST_DIGITS:
        if _times(probability, result) >= 1 and count(probability, result) < result:
            return result
        result *= 10
    return 100 if probability in (0, 1) else result


def chance(probability: float, of: int | None = None) -> str:
    """A probability as "13 %", rounded up; below 0.1 % as "3 in 10,000".

    >>> chance(0.1252), chance(0.07), chance(0.0021), chance(1e-6)
    ('13 %', '7 %', '0.3 %', '1 in 1,000,000')
    """
    total = of or denominator(probability)
    return _spoken(Fraction(count(probability, total)), total)


def exactly(probability: float) -> str:
    """A number of the plan as it is; one with more than a dozen digits, such as 1/3, to six.

    >>> exactly(0.3), exactly(0.001), exactly(0.125), exactly(1e-6)
    ('30 %', '0.1 %', '12.5 %', '1 in 1,000,000')
    """
    total = 100
    while 0 < _times(probability, total) < 1 and total < 10**_MOST_DIGITS:
        total *= 10
    is_written = len(Decimal(repr(float(probability))).as_tuple().digits) <= _MOST_WRITTEN
    return _spoken(_times(probability, total), total, _MOST_DIGITS if is_written else _SIGNIFICANT)


def at_least(probability: float, of: int | None = None) -> str:
    """A lower limit as "4 %", rounded down."""
    total = of or denominator(probability)
    return _spoken(Fraction(count_down(probability, total)), total)


def pair(prior: float, posterior: float) -> tuple[str, str]:
    """Round the belief before down and the one after up, to the same step.

    >>> pair(0.004, 0.012), pair(0.00004, 0.00012)
    (('0.4 %', '1.2 %'), ('4 in 100,000', '12 in 100,000'))
    """
    total = common(prior, posterior)
    return at_least(prior, total), chance(posterior, total)


def common(prior: float, posterior: float) -> int:
    """Return the denominator that both numbers of a pair are rounded to."""
    return max(denominator(prior), denominator(posterior))


def count(probability: float, of: int) -> int:
    """How many out of so many, rounded up."""
    return math.ceil(_times(probability, of))


def count_down(probability: float, of: int) -> int:
    """How many out of so many, rounded down."""
    return math.floor(_times(probability, of))


def rounded_up(value: float, digits: int = 2) -> str:
    """A factor with so many decimals, rounded up; more where it would look like 1.

    >>> rounded_up(2.0), rounded_up(2.001), rounded_up(1.0004)
    ('2.00', '2.01', '1.0004')
    """
    if math.isinf(value):
        return "∞"
    while digits < _MOST_DECIMALS and 1 < value < 1 + 10.0**-digits:
        digits += 1
    return f"{count(value, 10**digits) / 10**digits:,.{digits}f}"


def factor(value: float) -> str:
    """A factor γ, rounded up: as a short decimal where it is one, else with two decimals.

    >>> factor(2.0), factor(1.5), factor(2.4286), factor(1e300)
    ('2', '1.5', '2.43', '1e+300')
    """
    if math.isfinite(value) and value >= _LARGE:
        return f"{float(round_outwards(value, 3)):.3g}"
    decimals = rounded_up(value)
    return decimals.rstrip("0").rstrip(".") if "." in decimals else decimals


def at_most(value: float, digits: int = 4) -> str:
    """Round up to so many significant digits.

    >>> at_most(0.0353530714), at_most(1e-9)
    ('0.03536', '1e-09')
    """
    return significant(value if math.isinf(value) else float(round_outwards(value, digits)), digits)


def one(unit: Unit) -> Html:
    """The word for what is protected: the plan's own, or the entity's column, or a row."""
    if unit.word is not None:
        return Html(name(unit.word))
    return text("row") if unit.entity is None else Html(f"<i>{name(unit.entity)}</i>")


def protected(unit: Unit | NamedUnit) -> str:
    """Return what a release protects, in the plan's own word where it has one, or by its claim.

    The certificate's sentence says which column it is.
    """
    if isinstance(unit, NamedUnit):
        return f"This release hides whether {unit.claim}."
    if (word := unit.word) is None:
        return unit.sentence
    owns = "which is one row" if unit.entity is None else "with all of their rows"
    moves = f" It also hides changes inside a {word}, such as a member who joins or leaves."
    inside = moves if unit.members else ""
    what = f"This release protects each {word}, {owns}. It hides whether"
    if unit.adjacency == "replace-one":
        other = f"{what} the data contain a given {word} or, in that {word}'s place, another one."
        return f"{other} The number of {plural(word)} is public.{inside}"
    return f"{what} a given {word} is in the data, and how many {plural(word)} there are.{inside}"


def in_own_word(sentence: str, unit: Unit | NamedUnit) -> str:
    """A sentence of a certificate about entities, in the plan's own word for one of them.

    >>> in_own_word("Of one “nr”, at most 3 rows.", Unit("nr", "add-remove", "…", "patient"))
    'Of one patient, at most 3 rows.'
    """
    word, entity = (unit.word, unit.entity or "") if isinstance(unit, Unit) else (unit.one, "")
    if word is None:
        return sentence
    own = {"entity": word, "entities": plural(word), f"one “{entity}”": f"one {word}"}
    pattern = rf"one “{re.escape(entity)}”|\b[Ee]ntit(?:y|ies)\b"
    own |= {each.capitalize(): words[:1].upper() + words[1:] for each, words in own.items()}
    return re.sub(pattern, lambda match: own[match[0]], sentence)


def claim(unit: Unit | NamedUnit) -> Html:
    """What the adversary believes or not: that a given person is in the data."""
    if isinstance(unit, NamedUnit):
        return text(unit.claim)
    return Html(f"a given {'member of a ' if unit.members else ''}{one(unit)} is in the data")


def members(unit: Unit | NamedUnit) -> tuple[str, str]:
    """Return the names of the people whom an attack tells apart: members and others."""
    if isinstance(unit, NamedUnit):
        return unit.members, unit.others
    return "members", "non-members"


def exception(certificate: Certificate) -> Html:
    """The words ", except with probability at most … for each …" where there is an exception."""
    guarantee, unit = certificate.guarantee, certificate.unit
    if guarantee.delta == 0:
        return Html("")
    rare = f", except with probability at most {chance(guarantee.exceedance)} for each "
    return Html(rare + (text(unit.one) if isinstance(unit, NamedUnit) else one(unit)))


def _spoken(parts: Fraction, total: int, digits: int = _MOST_DIGITS) -> str:
    """Return so many parts of a total as a percentage, or below 0.1 % as "3 in 10,000"."""
    if 0 < parts / total < _LEAST_PERCENTAGE:
        return f"{significant(float(parts), digits)} in {total:,}"
    return f"{significant(float(100 * parts / total), digits)} %"


def _times(value: float, total: int) -> Fraction:
    """The product of the decimal that a float64 prints as: 0.07 * 100 is 7, not a little more."""
    return Fraction(repr(float(value))) * total
