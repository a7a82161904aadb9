"""Answers about rules, in words for a terminal."""

from collections.abc import Iterator, Sequence

from deniable.cli.output import at_least, at_most, print_lines, say
from deniable.errors.validate import in_full
from deniable.rules.beliefs import Extreme
from deniable.rules.designing import RuleComparison, RuleDesign, SizeDesign
from deniable.rules.numbers import Chance, power_above

_LONGEST = 20  # Characters of a fraction that is read beside a number; as JSON it has more
_SMALL = 1e-4  # A probability below which a power of ten is easier to read
_RARE = 1e-6  # A chance of the worst belief below which `--delta` says more: a person in a million


def print_design(answer: RuleDesign) -> None:
    """The worst and the lowest belief with their witnesses, and chances."""
    if answer.policy is not None:
        policy = answer.policy
        say(f"{policy.name}: {policy.source} ({policy.date})")
    if rarely := [each for each in answer.sizes if each.belief_except and each.lowest_except]:
        low = min(each.lowest_except.bound.lower for each in rarely if each.lowest_except)
        high = max(each.belief_except.bound.upper for each in rarely if each.belief_except)
        lists = ", whatever the list" if len(rarely) > 1 else ""
        say(
            f"Except with probability {in_full(float(rarely[0].delta or 0))}: "
            f"{at_least(100 * low, 2)} to {at_most(100 * high, 2)} %{lists}."
        )
    if answer.several:
        _print_sizes([(None, each) for each in answer.sizes])
    else:
        print_lines(_lines(answer.sizes[0]))
        for each in answer.sizes[0].after:
            span = f"{at_least(each.belief.lower)} to {at_most(each.belief.upper)}"
            say(f"  after {each.output}: {span}, {chance(each.probability)}")
    if not rarely and any(
        each.worst.probability.power_of_ten is not None
        and each.worst.probability.bound.upper < _RARE
        for each in answer.sizes
    ):
        say(
            f"\nThe worst belief is very rare. Add --delta {_RARE:g} to ignore outputs whose total "
            "probability is below it."
        )
    print_assumptions(answer.assumes)


def print_comparison(answer: RuleComparison) -> None:
    """A row a rule and list: the worst and the lowest belief, and chances."""
    sizes = [(rule.name, each) for rule in answer.rules for each in rule.design.sizes]
    _print_sizes(sizes)
    print_assumptions(answer.assumes)


def _print_sizes(sizes: Sequence[tuple[str | None, SizeDesign]]) -> None:
    """A row for each list, of a rule if it is named, with a column for all that is printed."""
    name, first = sizes[0]
    has_exception = first.delta is not None
    names = ["listed", "worst belief", "after", "lowest", "chance above limit"]
    if has_exception:
        names.insert(1, f"except with {in_full(float(first.delta or 0))}")
    names = ["rule", *names] if name else [*names[:-1], "after", names[-1]]
    if first.shortfall is not None:
        names.append("chance below floor")
    has_unlisted = any(size.unlisted for _, size in sizes)
    names += ["people not listed"] if has_unlisted else []
    rows = [names]
    for rule, size in sizes:
        row = [f"{size.members:,}"]
        if size.lowest_except and size.belief_except:
            low, high = size.lowest_except.bound.lower, size.belief_except.bound.upper
            row.append(f"{at_least(low)} to {at_most(high)}")
        row += [at_most(size.worst.belief.bound.upper), str(size.worst.output)]
        row.append(at_least(size.lowest.belief.bound.lower))
        row = [rule, *row] if rule else [*row, str(size.lowest.output)]
        row.append("" if size.exceedance is None else chance(size.exceedance.probability))
        row += [chance(size.shortfall.probability)] if size.shortfall else []
        row += [_span(*size.unlisted) if size.unlisted else ""] if has_unlisted else []
        rows.append(row)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        say("  ".join(cells).rstrip())


def _lines(size: SizeDesign) -> Iterator[tuple[str, str]]:
    yield "members", f"{size.members:,}"
    yield from _extreme("worst belief", size.worst, at_most(size.worst.belief.bound.upper))
    yield from _extreme("lowest belief", size.lowest, at_least(size.lowest.belief.bound.lower))
    if size.unlisted:
        yield "people not listed", _span(*size.unlisted)
    for each in (size.exceedance, size.shortfall):
        if each is None:
            continue
        side, given = ("above", "in") if each.above else ("below", "out")
        bound = each.probability.bound
        most = f"{chance(each.probability)} at most, if the person is {given}"
        if bound.lower < bound.upper and bound.evidence.word != "exact":
            most += f"; {at_least(bound.lower, 4)} is reached"
        yield f"belief {side} {in_full(float(each.limit))}", most
        yield (
            f"  all at prior {in_full(float(each.stated))}",
            f"{chance(each.at_stated)} if the person is {given}, "
            f"{chance(each.unconditional)} in all",
        )
    if size.delta is not None and size.belief_except and size.lowest_except:
        low, high = size.lowest_except.bound.lower, size.belief_except.bound.upper
        rarely = f"except with {in_full(float(size.delta))}"
        yield rarely, f"at most {at_most(high)}, if the person is in"
        yield rarely, f"at least {at_least(low)}, if the person is out"
    if size.expected is not None:
        yield "on average", f"{at_most(size.expected.bound.upper)}, if the person is in"


def _span(low: Extreme, high: Extreme) -> str:
    return f"{at_least(low.belief.bound.lower)} to {at_most(high.belief.bound.upper)}"


def _extreme(name: str, extreme: Extreme, belief: str) -> Iterator[tuple[str, str]]:
    exact = extreme.belief.text or ""
    fraction = f" = {exact}" if "/" in exact and len(exact) <= _LONGEST else ""
    yield name, f"{belief}{fraction}, after {extreme.output}"
    others = " and ".join(f"{count:,} at {in_full(float(p))}" for p, count in extreme.others)
    yield "  priors", f"target {in_full(float(extreme.target))}, others {others or 'none'}"
    yield "  chance of it", chance(extreme.probability)


def chance(probability: Chance) -> str:
    """A probability rounded up; a power of ten where it is small, 0 only where impossible."""
    if probability.power_of_ten is None:
        return "0, impossible"
    if probability.bound.upper >= _SMALL:
        return at_most(probability.bound.upper, 4)
    return f"10^{power_above(probability.power_of_ten[1])}"


def print_assumptions(assumes: tuple[str, ...]) -> None:
    """What an answer rests on."""
    say("\n".join(("", *assumes)))
