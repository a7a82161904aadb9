"""Slow, obvious references for releases that are chosen one after the other, in fractions.

An adversary sees every output and then chooses the next mechanism. A mechanism is a tuple of laws,
one for each world (who is in the data), each a tuple of the probabilities of its outputs. Nothing
here comes from the package.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache

Mechanism = Sequence[Sequence[Fraction]]
Masses = tuple[Fraction, ...]


def randomised_response(odds: Fraction) -> Mechanism:
    """The true answer is `odds` times as probable as the false one; two worlds."""
    true = odds / (1 + odds)
    return ((true, 1 - true), (1 - true, true))


def leak(chance: Fraction) -> Mechanism:
    """Tells which of the two worlds it is with this probability, and nothing otherwise."""
    return ((chance, 1 - chance, Fraction(0)), (Fraction(0), 1 - chance, chance))


def after(masses: Masses, mechanism: Mechanism) -> Iterator[Masses]:
    """Probabilities in each world of everything seen so far and one more output."""
    for output in range(len(mechanism[0])):
        yield tuple(mass * law[output] for mass, law in zip(masses, mechanism, strict=True))


def moments(
    menu: Mapping[int, Mechanism], budget: int, masses: Masses, most_open: int = 1
) -> Iterator[tuple[int, Masses]]:
    """Every moment that any adversary can bring about: what was charged by then, and its masses.

    Keys of the menu are costs. A mechanism is charged first and its output seen later, in any
    order; up to `most_open` outputs are outstanding at a time.
    """

    def reached(spent: int, seen: Masses, waiting: tuple[int, ...]) -> Iterator[tuple[int, Masses]]:
        yield spent, seen
        if len(waiting) < most_open:
            for cost in menu:
                if spent + cost <= budget and (not waiting or cost >= waiting[-1]):
                    yield from reached(spent + cost, seen, (*waiting, cost))
        for index in range(len(waiting)):
            rest = waiting[:index] + waiting[index + 1 :]
            for masses in after(seen, menu[waiting[index]]):
                yield from reached(spent, masses, rest)

    yield from reached(0, masses, ())


def most_likely_to_pass(
    menu: Mapping[int, Mechanism],
    budget: int,
    masses: Masses,
    passed: Callable[[int, Masses], Fraction],
) -> Fraction:
    """The largest probability, over all adversaries, that some moment passes a limit.

    `passed` gives the probability of the moment under the law that is asked about where the limit
    is passed, and 0 elsewhere.
    """

    @cache
    def best(spent: int, seen: Masses) -> Fraction:
        if found := passed(spent, seen):
            return found
        return max(
            (
                sum((best(spent + cost, more) for more in after(seen, mechanism)), Fraction(0))
                for cost, mechanism in menu.items()
                if spent + cost <= budget
            ),
            default=Fraction(0),
        )

    return best(0, masses)


def walk_passes(
    odds: Fraction, costs: Mapping[int, int], budget: int, limit: Callable[[int], int]
) -> Fraction:
    """The same for randomised response alone, which may be repeated many times.

    A response of odds^j costs `costs[j]` and moves the log-odds by ±j; the limit on them, in the
    same unit, is `limit(spent)`. The law is that of the world in which the answer is true.
    """

    ups = {step: odds**step / (1 + odds**step) for step in costs}

    @cache
    def best(spent: int, moved: int) -> Fraction:
        if moved > limit(spent):
            return Fraction(1)
        choices = [Fraction(0)]
        for step, cost in costs.items():
            if spent + cost <= budget:
                up = ups[step]
                higher, lower = best(spent + cost, moved + step), best(spent + cost, moved - step)
                choices.append(up * higher + (1 - up) * lower)
        return max(choices)

    return best(0, 0)


def hockey_stick(pairs: Sequence[tuple[Fraction, Fraction]], factor: Fraction) -> Fraction:
    """Σ max(P − factor Q, 0): the δ at e^ε = factor."""
    return sum((max(p - factor * q, Fraction(0)) for p, q in pairs), Fraction(0))


def composed(*mechanisms: Mechanism) -> list[tuple[Fraction, Fraction]]:
    """The two laws of fixed mechanisms one after the other, output by output."""
    pairs: list[Masses] = [(Fraction(1), Fraction(1))]
    for mechanism in mechanisms:
        pairs = [more for pair in pairs for more in after(pair, mechanism)]
    return [(pair[0], pair[1]) for pair in pairs]


# --- Two amounts at once: a mechanism is, but for a rare part, one that costs less.

Amounts = tuple[int, int]


def but_for(chance: Fraction, usual: Mechanism, rare: Mechanism) -> Mechanism:
    """The usual mechanism with probability 1 − chance, and else the rare one; both may be seen.

    Outputs of the rare one are counted on behind those of the usual one.
    """
    return tuple(
        (*((1 - chance) * p for p in law), *(chance * p for p in other))
        for law, other in zip(usual, rare, strict=True)
    )


def excused(chance: Fraction, odds: Fraction, common: Fraction) -> Mechanism:
    """A leak that looks like a rare output of noise: the first of two outputs, two worlds.

    Without the leak the first output has probability `common`, and in the other world 1/odds of
    it; the leak, which is of the first world alone, is the same output.
    """
    usual = ((common, 1 - common), (common / odds, 1 - common / odds))
    leaked = ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
    return tuple(
        tuple((1 - chance) * p + chance * more for p, more in zip(law, other, strict=True))
        for law, other in zip(usual, leaked, strict=True)
    )


def both_fit(spent: Amounts, cost: Amounts, budget: Amounts) -> Amounts | None:
    """What is spent afterwards, if neither amount passes its budget."""
    total = spent[0] + cost[0], spent[1] + cost[1]
    return total if total[0] <= budget[0] and total[1] <= budget[1] else None


def most_likely_to_pass_both(
    menu: Mapping[Amounts, Mechanism],
    budget: Amounts,
    masses: Masses,
    passed: Callable[[Amounts, Masses], Fraction],
) -> Fraction:
    """The largest probability of all adversaries, as in `most_likely_to_pass`."""

    @cache
    def best(spent: Amounts, seen: Masses) -> Fraction:
        if found := passed(spent, seen):
            return found
        choices = [Fraction(0)]
        for cost, mechanism in menu.items():
            if (total := both_fit(spent, cost, budget)) is not None:
                choices.append(
                    sum((best(total, more) for more in after(seen, mechanism)), Fraction(0))
                )
        return max(choices)

    return best((0, 0), masses)


def largest_hockey_stick(
    menu: Mapping[Amounts, Mechanism], budget: Amounts, factor: Fraction
) -> Fraction:
    """The largest δ at e^ε = factor that any adversary reaches, who may stop at any moment."""

    @cache
    def best(spent: Amounts, seen: Masses) -> Fraction:
        choices = [max(seen[0] - factor * seen[1], Fraction(0))]
        for cost, mechanism in menu.items():
            if (total := both_fit(spent, cost, budget)) is not None:
                choices.append(
                    sum((best(total, more) for more in after(seen, mechanism)), Fraction(0))
                )
        return max(choices)

    return best((0, 0), (Fraction(1), Fraction(1)))


def transcript(
    menu: Mapping[Amounts, tuple[Fraction, Mechanism, Mechanism]],
    budget: Amounts,
    choose: Callable[[tuple[int, ...], list[Amounts]], Amounts | None],
) -> Iterator[tuple[Masses, Masses]]:
    """Every whole transcript of one adversary: its two laws, and those without any rare part.

    A menu's entry is the chance of the rare part, the usual mechanism, and the rare one. `choose`
    sees all outputs so far and what is still affordable; None ends.
    """

    def reached(
        spent: Amounts, seen: Masses, usually: Masses, outputs: tuple[int, ...]
    ) -> Iterator[tuple[Masses, Masses]]:
        affordable = [cost for cost in menu if both_fit(spent, cost, budget)]
        cost = choose(outputs, affordable) if affordable else None
        if cost is None:
            yield seen, usually
            return
        chance, usual, rare = menu[cost]
        total = spent[0] + cost[0], spent[1] + cost[1]
        never = len(usual[0])
        for output, more in enumerate(after(seen, but_for(chance, usual, rare))):
            without = (Fraction(0), Fraction(0))
            if output < never:
                without = tuple(
                    mass * law[output] for mass, law in zip(usually, usual, strict=True)
                )
            yield from reached(total, more, without, (*outputs, output))

    yield from reached((0, 0), (Fraction(1), Fraction(1)), (Fraction(1), Fraction(1)), ())
