"""What an audit found, in sentences: for the command line and for the page."""

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from deniable.auditing.audit import EXACT, NOT_RANDOM, Audit
from deniable.auditing.statistics import accusing

_DIGITS = 4
"""Significant digits of ε: more than any number of runs tells apart."""
_EXACT = 12
"""Decimals of 1 − confidence: all that a decimal of the confidence has."""
_TENTHS = 3
"""Digits of a percentage of right bets: tenths, which a thousand runs tell apart."""


_JUST_KEPT = "Visible with these runs, where the claim is just kept"
"""What half of perfect attacks show there: what is found may be above it, by chance or for good."""


def up(value: float, digits: int = _DIGITS) -> str:
    """What is at most so large, rounded up."""
    return _round(value, digits, ROUND_CEILING)


def down(value: float, digits: int = _DIGITS) -> str:
    """What is at least so large, rounded down."""
    return _round(value, digits, ROUND_FLOOR)


def headline(audit: Audit) -> str:
    """Claim and attack side by side, as bets at even odds on who is in the data."""
    reached = f"attacked: at least {bets_down(audit.belief_found)} of 100 are"
    if audit.belief_claimed is None:
        return f"Of 100 bets at even odds, {bets_down(audit.belief_found)} or more are right."
    allowed = f"at most {bets_up(audit.belief_claimed)} of 100 bets at even odds are right"
    return f"Claimed: {allowed} — {reached}."


def verdict_sentence(audit: Audit) -> str:
    """What follows, in one plain sentence."""
    runs = f"{audit.runs:,} runs" if audit.runs != 1 else "one run"
    match audit.verdict:
        case "violated" if broken := [each for each in audit.findings if each.breaks]:
            return f"Violated: {audit.claimed} is false. {broken[0].sentence}"
        case "violated":
            delta = f" at δ = {audit.delta:g}" if audit.delta else ""
            return (
                f"Violated: {audit.claimed} allows ε = {up(audit.claimed_epsilon or 0.0)}"
                f"{delta}, and an attack shows at least {down(audit.found.lower)}; the "
                "accusation is wrong with probability at most "
                f"{up(round(1 - accusing(audit.confidence), _EXACT), 2)}."
            )
        case "consistent":
            return (
                f"Consistent: {runs} did not contradict {audit.claimed}, and would have shown "
                "twice its ε."
            )
        case _:
            return f"Inconclusive: {_explain_undecided(audit, runs)}"


def numbers(audit: Audit) -> Iterator[tuple[str, str, str]]:
    """Claimed, visible and found: name, ε, and bets of 100 that are right."""
    if audit.claimed_epsilon is not None and audit.belief_claimed is not None:
        yield ("Claimed, at most", up(audit.claimed_epsilon), bets_up(audit.belief_claimed))
    else:
        yield "Claimed", "nothing", "100"
    visible = "Best visible with these runs" if audit.claimed is None else _JUST_KEPT
    yield visible, up(audit.visible), bets_up(audit.belief_visible)
    yield "Found, at least", down(audit.found.lower), bets_down(audit.belief_found)


def bets_up(share: float) -> str:
    """Return a share in percent, rounded up."""
    return up(100 * share, _TENTHS)


def bets_down(share: float) -> str:
    """Return a share in percent, rounded down."""
    return down(100 * share, _TENTHS)


def _explain_undecided(audit: Audit, runs: str) -> str:
    for each in audit.findings:
        if each.name == NOT_RANDOM:
            return each.sentence
        if each.name == EXACT and audit.claimed is None:
            return f"nothing is claimed. {each.sentence}"
        if each.name == EXACT:
            number = "no number of runs" if audit.decides is None else f"about {audit.decides:,}"
            return (
                f"{runs} do not refute a claim as weak as {audit.claimed}; {number} would. "
                f"{each.sentence}"
            )
    if audit.claimed is None:
        return f"nothing is claimed; {runs} showed an ε of at least {down(audit.found.lower)}."
    if audit.found.lower > (audit.claimed_epsilon or 0.0):
        return (
            f"an attack shows at least ε = {down(audit.found.lower)}, more than {audit.claimed} "
            f"allows, which may be chance with a confidence of {audit.confidence:g}. Audit again "
            f"with another seed and more than {runs}."
        )
    if audit.decides is None:
        return f"{runs} did not decide about {audit.claimed}, and no number of runs would."
    return f"{runs} did not decide about {audit.claimed}; about {audit.decides:,} would."


def _round(value: float, digits: int, rounding: str) -> str:
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else "−∞"
    exact = Decimal(repr(float(value)))
    number = Context(prec=digits, rounding=rounding).create_decimal(exact).normalize()
    return f"{number:f}" if abs(number) >= Decimal("1e-4") or not number else f"{number:e}"
