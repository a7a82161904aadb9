"""A ledger in sentences: what an attacker can conclude in the end and so far, and what is left."""

from collections.abc import Callable, Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from deniable.certificate.limits import plural
from deniable.ledger.charge import State
from deniable.ledger.costs import Cost
from deniable.ledger.households import Read
from deniable.ledger.summary import Summary
from deniable.ledger.units import EXPOSURE_UNITS, UNITS
from deniable.report.sentences import chance, pair
from deniable.theorems.analysis import IdentifiabilityTarget

_NUMBERS = (
    "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
)  # fmt: skip
"""Small numbers as words."""
_DIGITS = 5
"""Significant digits of an amount."""
_ROUNDING = Decimal(1) / UNITS
"""An amount less than a unit from a short one, 1e-12, is that: a charge of 0.1 in whole units."""
_LAST = 6
"""Charges that a terminal lists."""
_ID = 8
"""Digits of an ID, as many as the commands take."""
_BAR = 24
"""Characters of a bar that stands for certainty."""
COPIES = (
    "All this is about one dataset: if others hold some of the same people, their budgets add up, "
    "too. A copy of a ledger is another ledger: each would allow the whole budget, and no file can "
    "tell that it was copied. Keep one ledger in one place. Certificates name the entry that paid "
    "for them, so deniable ledger check finds a copy that was used on its own."
)
"""What nobody can see in a file."""


def headline(summary: Summary) -> str:
    """Return what everything comes to, in three sentences."""
    before, after = pair(summary.prior, summary.belief(summary.everything.beliefs))
    in_the_end = (
        f"After everything ever published from {summary.dataset.name}, someone who was {before} "
        f"sure can become at most {after} sure."
    )
    so_far = "nothing was charged"
    if summary.amounts:
        before, after = pair(summary.prior, summary.belief(summary.so_far))
        so_far = "no more than before" if before == after else f"at most {after}"
    return f"{in_the_end} So far {so_far}. {left(summary)}"


def household(summary: Summary) -> str:
    """What follows for one of several people who belong together; empty where none are named."""
    before = chance(summary.prior)
    if (member := summary.member) is not None:
        return (
            "All these limits are about a household, all in or all out. About one member, whatever "
            f"the others do, someone who was {before} sure can become at most "
            f"{_both(summary, member)}."
        )
    households, read = summary.households, summary.household
    if households is None or read is None:
        return ""
    sentence = (
        f"If people belong together ({households}), someone who was {before} sure of one of them "
        f"can become at most {_both(summary, read)}. This limit is computed once, from the sum "
        "of all releases: limits for households cannot be added up."
    )
    return sentence + (_UNCHECKED if households.model is not None else "")


_UNCHECKED = " No release can show whether this model is right."


def _both(summary: Summary, read: Read) -> str:
    end, now = (chance(summary.belief(each)) for each in (read.everything, read.so_far))
    return f"{end} sure after everything{f', and {now} so far' if summary.amounts else ''}"


def group_rows(summary: Summary) -> Iterator[tuple[str, str, str]]:
    """Yield a number of entities, and what the prior can become after everything and so far."""
    one = summary.dataset.unit or "person"
    for people, read in summary.together:
        end, now = (chance(summary.belief(each)) for each in (read.everything, read.so_far))
        yield f"{people} {plural(one) if people > 1 else one}", end, now


def left(summary: Summary) -> str:
    """What is left, in releases of the size of the last one."""
    more = summary.like_the_last
    if not summary.left:
        return "Nothing is left."
    if more is None:
        return "All of the budget is left."
    if not more:
        return "Left: less than the last one took."
    return f"Left: {_NUMBERS[more] if more < len(_NUMBERS) else f'{more:,}'} more like the last."


def rarely(summary: Summary) -> str:
    """How rarely what the ledger says of an entity fails; empty for ε."""
    exceedance = max(summary.everything.beliefs.exceedance, summary.so_far.exceedance)
    if not exceedance:
        return ""
    return (
        "For each entity, the limits on rising beliefs hold except with probability at most "
        f"{chance(exceedance)}, and so do the limits on falling beliefs. The probability is over "
        "the noise and what the attacker does not know."
    )


def up(units: int) -> str:
    """An amount that is or may be spent in all, rounded up to five digits.

    More is never shown as less. Charged again, what is shown costs at least as many units.
    """
    return _digits(units, ROUND_CEILING)


def down(units: int) -> str:
    """An amount that is left, rounded down to five digits."""
    return _digits(units, ROUND_FLOOR)


def _digits(units: int, rounding: str) -> str:
    exact = Decimal(units) / UNITS
    near = Context(prec=_DIGITS).create_decimal(exact)
    if abs(near - exact) >= _ROUNDING:
        near = Context(prec=_DIGITS, rounding=rounding).create_decimal(exact)
    return f"{near.normalize():f}"


def exposure_up(units: int) -> str:
    """An exposure that is or may be spent, rounded up to five digits."""
    return _probability(units, ROUND_CEILING)


def exposure_down(units: int) -> str:
    """An exposure that is left, rounded down to five digits."""
    return _probability(units, ROUND_FLOOR)


def _probability(units: int, rounding: str) -> str:
    rounded = Context(prec=_DIGITS, rounding=rounding).divide(Decimal(units), EXPOSURE_UNITS)
    return f"{float(rounded):.{_DIGITS}g}".replace("e-0", "e-")


def amounts_of(summary: Summary) -> Iterator[tuple[str, str]]:
    """Budget, what is spent and what is left, by name."""
    dataset, measure = summary.dataset, summary.dataset.measure
    yield "budget", f"{measure} {up(dataset.budget)}{_beside(dataset.exposure, exposure_up)}"
    spent, left = dataset.exposure, dataset.exposure
    if dataset.exposure is not None:
        spent, left = summary.spending.exposure, summary.exposure_left
    yield "spent", f"{measure} {up(summary.spent)}{_beside(spent, exposure_up)}"
    yield "left", f"{measure} {down(summary.left)}{_beside(left, exposure_down)}"


def _beside(exposure: int | None, spelling: Callable[[int], str]) -> str:
    return "" if exposure is None else f" and exposure {spelling(exposure)}"


def exposed(summary: Summary) -> str:
    """What the budget of exposure is of; empty without one."""
    exposure = summary.dataset.exposure
    if exposure is None:
        return ""
    return (
        "For each entity, the probability that any release publishes a key that it alone has is at "
        f"most {exposure_up(exposure)}. Such a key would prove that it is in the data."
    )


def fitting(cost: Cost) -> str:
    """What would fit, as it is asked for."""
    limits, target = [], cost.would_fit
    if cost.units > cost.left:
        if target is None:
            return "Nothing would fit"
        worlds = ""
        if isinstance(target, IdentifiabilityTarget):
            worlds = f" with worlds={target.worlds}"
        limits.append(f"{target.kind} <= {target.value:g}{worlds}")
    if cost.exposure > cost.exposure_left:
        if cost.delta_would_fit is None:
            return "Nothing would fit"
        limits.append(f"delta <= {cost.delta_would_fit:g}")
    return f"{' with '.join(limits)} would fit"


def charge_lines(summary: Summary) -> Iterator[str]:
    """The last charges, and the belief after each as a bar, for a terminal."""
    if not summary.amounts:
        return
    states = {each.id: each.state for each in summary.newest}
    charges = [each for each in summary.newest if each.state is State.CHARGED][-_LAST:]
    beliefs = {moment.charges: moment.belief for moment in summary.path}
    yield f"\nbeliefs so far, of someone who was {chance(summary.prior)} sure before"
    for number, each in enumerate(charges, summary.charges - len(charges) + 1):
        belief = beliefs.get(number)
        bar = "" if belief is None else f"{chance(belief):>9}  {'#' * round(_BAR * belief)}"
        yield (
            f"{each.at[:10]}  {each.id[:_ID]}  {states[each.id]:<8}  {up(each.units):>8}  "
            f"{bar:<{_BAR + 11}}  {each.what}"
        ).rstrip()
