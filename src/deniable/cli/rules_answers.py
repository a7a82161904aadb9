"""What `deniable rules …` prints: beliefs in whole sentences, and what they rest on."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from deniable.cli.output import at_least, at_most, in_full, print_lines, say

if TYPE_CHECKING:
    from deniable.rules.beliefs import Extreme
    from deniable.rules.comparing import RuleComparison
    from deniable.rules.designing import RuleDesign, SizeDesign
    from deniable.rules.exceedance import Exceedance
    from deniable.rules.numbers import Chance

_LONGEST = 20
"""Characters of a fraction that is read beside a number; as JSON it has more."""
_SMALL = 1e-4
"""A probability below which a power of ten is easier to read."""


def print_design(answer: "RuleDesign") -> None:
    """The worst and the lowest belief with their witnesses, and chances."""
    if answer.policy is not None:
        policy = answer.policy
        say(f"{policy.name}: {policy.source} ({policy.date})")
    if answer.several:
        _table(answer)
    else:
        print_lines(_lines(answer.sizes[0]))
        for each in answer.sizes[0].after:
            low, high = at_least(each.belief.lower), at_most(each.belief.upper)
            say(f"  after {each.output}: {low} to {high}, {chance(each.probability)}")
    _rests(answer.assumes)


def print_comparison(answer: "RuleComparison") -> None:
    """A row a rule and list: the worst and the lowest belief, and chances."""
    rows = [["rule", "listed", "worst belief", "after", "lowest", "chance above limit"]]
    for rule in answer.rules:
        for size in rule.design.sizes:
            passed = "" if size.exceedance is None else chance(size.exceedance.probability)
            rows.append([
                rule.name, f"{size.members:,}", at_most(size.worst.belief.bound.upper),
                str(size.worst.output), at_least(size.lowest.belief.bound.lower), passed,
            ])  # fmt: skip
    _print_rows(rows)
    _rests(answer.assumes)


def _table(answer: "RuleDesign") -> None:
    rows = [["listed", "worst belief", "after", "lowest", "after", "chance above limit"]]
    for size in answer.sizes:
        passed = "" if size.exceedance is None else chance(size.exceedance.probability)
        rows.append([
            f"{size.members:,}", at_most(size.worst.belief.bound.upper), str(size.worst.output),
            at_least(size.lowest.belief.bound.lower), str(size.lowest.output), passed,
        ])  # fmt: skip
    _print_rows(rows)


def _print_rows(rows: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        say("  ".join(cells).rstrip())


def _lines(size: "SizeDesign") -> Iterator[tuple[str, str]]:
    yield "members", f"{size.members:,}"
    yield from _extreme("worst belief", size.worst, at_most(size.worst.belief.bound.upper))
    yield from _extreme("lowest belief", size.lowest, at_least(size.lowest.belief.bound.lower))
    for each in (size.exceedance, size.shortfall):
        if each is not None:
            yield from _exceedance_lines(each)
    if size.delta is not None and size.belief_except and size.lowest_except:
        low, high = size.lowest_except.bound.lower, size.belief_except.bound.upper
        yield f"except with {in_full(float(size.delta))}", f"{at_least(low)} to {at_most(high)}"
    if size.expected is not None:
        yield "on average, given in", at_most(size.expected.bound.upper)


def _extreme(name: str, extreme: "Extreme", belief: str) -> Iterator[tuple[str, str]]:
    exact = extreme.belief.text or ""
    fraction = f" = {exact}" if "/" in exact and len(exact) <= _LONGEST else ""
    yield name, f"{belief}{fraction}, after {extreme.output}"
    others = " and ".join(f"{count:,} at {in_full(float(p))}" for p, count in extreme.others)
    yield "  priors", f"target {in_full(float(extreme.target))}, others {others or 'none'}"
    yield "  chance of it", chance(extreme.probability)


def _exceedance_lines(each: "Exceedance") -> Iterator[tuple[str, str]]:
    side, given = ("above", "in") if each.above else ("below", "out")
    limit = in_full(float(each.limit))
    bound = each.probability.bound
    most = f"{chance(each.probability)} at most, given {given}"
    if bound.lower < bound.upper and bound.evidence.word != "exact":
        most += f"; {at_least(bound.lower, 4)} is reached"
    yield f"belief {side} {limit}", most
    yield (
        "  all at prior " + in_full(float(each.stated)),
        (f"{chance(each.at_stated)} given {given}, {chance(each.unconditional)} anyhow"),
    )


def chance(probability: "Chance") -> str:
    """A probability rounded up; as a power of ten where it is small, and 0 only where impossible.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from deniable.rules.numbers import Chance
    >>> chance(Chance.between(Fraction(1, 2**4000), Fraction(1, 2**4000)))
    '10^-1204.1'
    """
    if probability.power_of_ten is None:
        return "0, impossible"
    if probability.bound.upper >= _SMALL:
        return at_most(probability.bound.upper, 4)
    from deniable.rules.numbers import power_above

    return f"10^{power_above(probability.power_of_ten[1])}"


def _rests(assumes: tuple[str, ...]) -> None:
    say()
    for each in assumes:
        say(each)
