"""One world through production: exact totals, scores and all that is public, of every table."""

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import attrs
import numpy as np

from deniable.errors import DeniableError
from deniable.mechanisms import NoisyTopK
from deniable.pipeline.kind import Origin
from deniable.pipeline.noise import PublicPart, SelectionPart
from deniable.publish import prepare
from deniable.publish.kind import KIND
from deniable.publish.totals.aggregate import exact_totals
from tests.fuzz.forms import Form
from tests.fuzz.plans import RandomPlan
from tests.fuzz.worlds import World

_ORIGIN = Origin("2026-01-01", {})
_SMALL = 2**26
"""Below it squares of differences add up in 64 bits."""


@attrs.frozen
class Violation:
    """Two neighbours that a release tells apart by more than it says.

    Parameters
    ----------
    what : str
        In words.
    statistic, bounding : str
        Of the query; empty where the release as a whole differs.
    tables : (int, int)
        Which two of the world.
    """

    what: str
    statistic: str = ""
    bounding: str = ""
    tables: tuple[int, int] = (0, 0)


@attrs.frozen
class Outcome:
    """What came of a world.

    Parameters
    ----------
    pairs : Counter
        Compared pairs by (statistic, bounding).
    runs : int
        Totals of one query over one table that production computed for it.
    violations : list of Violation
        What was found.
    refused : str
        Why there was no release from any of the tables; empty where there was.
    existence, ends : int
        Pairs of tables compared by whether there is a release, and tables without one.
    """

    pairs: Counter
    runs: int = 0
    violations: list[Violation] = attrs.field(factory=list)
    refused: str = ""
    existence: int = 0
    ends: int = 0


def released(text: str, data, folder: Path, salt: str):
    """All that a release is computed from: the prepared plan and, of each part, exact numbers.

    The route of `deniable.release` up to the noise, under a given choice of rows.
    """
    path = folder / "plan.toml"
    path.write_text(text, encoding="utf-8")
    prepared = prepare.plan_release(path, data=data, ledger=None, dataset=None, compare=True)
    plan, owner, keys = prepared.plan, [], {}
    totals = exact_totals(
        plan.source,
        plan.entity,
        prepared.protected_queries,
        owner=owner.append,
        salt=salt,
        keys=keys.__setitem__,
    )
    exact = [
        query.query.statistic.exact(each, query.protection)
        for query, each in zip(prepared.queries, totals, strict=True)
    ]
    for number, query in enumerate(prepared.queries):
        if query.threshold is not None:
            [counts] = exact[number]
            exact[number] = [dict(zip(keys[query.query.name], counts.tolist(), strict=True))]
    return prepared, exact


_BY_SCHEMA = " can hold, of the type "
"""Of a plan that compares a column with what no value of its type equals, whatever its rows."""


def attempted(
    form: Form, plan: RandomPlan, world: World, folder: Path, draw: random.Random
) -> Outcome:
    """Compare every pair of a world."""
    answers, failures = [], []
    salt = f"{draw.getrandbits(128):032x}"
    for rows in world.tables:
        written = form.written(rows, world.shape, folder)
        try:
            answers.append(released(plan.text(written.about), written.data, folder, salt))
            failures.append("")
        except DeniableError as error:
            answers.append(None)
            failures.append(f"{type(error).__name__}: {error}")
    violations = [
        Violation(
            f"one ends as {failures[i] or 'a release'}, one as {failures[j] or 'a release'}",
            tables=(i, j),
        )
        for i, j in world.pairs
        if failures[i] != failures[j]
    ]
    there = [place for place, answer in enumerate(answers) if answer is not None]
    existence = len(world.pairs), len(answers) - len(there)
    if not there:
        # A number that the column's type rules out is refused by the schema: nothing to compare.
        by_schema = _BY_SCHEMA in failures[0]
        return Outcome(Counter(), 0, violations, "" if by_schema else failures[0], *existence)
    violations += _public(answers, there)
    compared = [pair for pair in world.pairs if answers[pair[0]] and answers[pair[1]]]
    pairs: Counter = Counter()
    for number, asked in enumerate(plan.queries if compared else ()):
        pairs[asked.statistic, asked.bounding] += len(compared)
        violations += [
            Violation(what, asked.statistic, asked.bounding, compared[place])
            for what, place in _farther(answers, number, compared)
        ]
    return Outcome(pairs, len(plan.queries) * len(there), violations, "", *existence)


def _public(answers, there: Sequence[int]) -> list[Violation]:
    """Where what is public depends on the table: the certificate, or which rows are published."""
    made = {place: KIND.certified(answers[place][0], _ORIGIN) for place in there}
    first, last = there[0], there[-1]
    found = [
        Violation("certificates differ", tables=(first, place))
        for place in there
        if made[place] != made[first]
    ]
    if _published(*answers[first]) != _published(*answers[last]):
        found.append(Violation("published rows differ in more than values", tables=(first, last)))
    return found


def _published(prepared, exact) -> list[object]:
    """The rows that would be published were there no noise, without their values."""
    rows = []
    for query, numbers in zip(prepared.queries, exact, strict=True):
        if query.threshold is not None:  # which keys there are is in no output but by the noise
            continue
        chosen = [
            np.argsort(-each, axis=1, kind="stable")[:, : part.number]
            if isinstance(part, SelectionPart)
            else each
            for part, each in zip(query.parts, numbers, strict=True)
        ]
        made = query.rows(chosen, prepared.plan.rows_per_entity)
        derived = query.query.statistic.kind in ("mean", "sum", "removed")
        rows += [
            attrs.evolve(
                row, value=None, half_width_95=None if derived else row.half_width_95,
                category=None if row.statistic == "top" else row.category, measured=None,
                whole_number=None, approximate_low=None, approximate_high=None, band_low=None,
                band_high=None,
            )
            for row in made
        ]  # fmt: skip
    return rows


def _farther(answers, number: int, pairs: Sequence[tuple[int, int]]):
    """What is told of which pair, where a part moves farther than its noise covers."""
    places = sorted({place for pair in pairs for place in pair})
    first, second = np.searchsorted(places, np.array(pairs).T)
    prepared, _ = answers[places[0]]
    query = prepared.queries[number]
    claims = KIND.certified(prepared, _ORIGIN).queries[number].parts
    for index, (part, claim) in enumerate(zip(query.parts, claims, strict=True)):
        found = [answers[place][1][number][index] for place in places]
        exact = np.array(found) if query.threshold is None else _aligned(found)
        moves = _differences(exact, first, second)
        if query.threshold is not None:
            for one, other in ((first, second), (second, first)):
                own = (exact[one] > 0) & (exact[other] == 0)
                several = (own & (exact[one] > 1)).any(axis=1)
                yield from (
                    ("a key of several is in one table only", p) for p in np.flatnonzero(several)
                )
                many = own.sum(axis=1) > query.threshold.keys
                yield from (("more keys of one than claimed", p) for p in np.flatnonzero(many))
        if isinstance(part, PublicPart):
            bad = moves.reshape(len(pairs), -1).any(axis=1)
            yield from (("a public number differs", place) for place in np.flatnonzero(bad))
            continue
        mechanism, share = query.mechanisms[index], query.shares[index]
        for what, bad in _passed(part, claim.sensitivity, mechanism, share, moves):
            yield from ((f"{part.label}: {what}", place) for place in np.flatnonzero(bad))


def _aligned(counts: Sequence[dict]) -> np.ndarray:
    """A row a table and a column a key that some table has; a key that one lacks counts none."""
    keys = list(dict.fromkeys(itertools.chain.from_iterable(counts)))
    rows = [[each.get(key, 0) for key in keys] for each in counts]
    return np.array(rows, np.int64).reshape(len(counts), len(keys))


def _differences(exact, first, second):
    if np.abs(exact.astype(float)).max(initial=0) >= _SMALL:
        exact = exact.astype(object)
    return exact[first] - exact[second]


def _passed(part, sensitivity, mechanism, share, moves):
    """What a part claims, each with the pairs that pass it; all in whole numbers and fractions."""
    apart = abs(moves)
    if isinstance(part, SelectionPart):
        most = apart.max(axis=2).sum(axis=1)
        yield f"scores move by {most.max()}, claimed {part.sensitivity}", most > part.sensitivity
        yield "the certificate says less", most > Fraction(sensitivity.value)
        factor = part.number * (1 if part.monotone else 2)
        if sensitivity.monotone:
            flat = moves.reshape(len(moves), -1)
            yield "scores move both ways", (flat > 0).any(axis=1) & (flat < 0).any(axis=1)
        yield "less noise than needed", most > _most_covered(mechanism, share, factor, part.number)
        return
    l1, squared = apart.sum(axis=1), (apart * apart).sum(axis=1)
    yield f"L1 of {l1.max()}, claimed {part.l1}", l1 > part.l1
    yield f"L2 of √{squared.max()}, claimed {part.l2}", squared > _floor(Fraction(part.l2) ** 2)
    yield f"more than {part.moved} numbers move", (apart > 0).sum(axis=1) > part.moved
    if sensitivity.norm == "l2":
        yield "the certificate says less", squared > _floor(Fraction(sensitivity.value) ** 2)
        # ρ = Δ²/(2σ²)
        covered = 2 * Fraction(share.rho) * Fraction(mechanism.scale) ** 2
        yield "less noise than needed", squared > _floor(covered)
        return
    yield "the certificate says less", l1 > Fraction(sensitivity.value)
    yield "less noise than needed", l1 > _floor(Fraction(share.epsilon) * Fraction(mechanism.scale))


def _floor(fraction: Fraction) -> int:
    return fraction.numerator // fraction.denominator


def _most_covered(mechanism: NoisyTopK, share, factor: int, number: int) -> int:
    """The farthest that scores may move, from ε = fΔ/s or, of Gumbel noise, ρ = k(fΔ/(ks))²/8."""
    scale = Fraction(mechanism.scale)
    if share.epsilon is not None:
        return _floor(Fraction(share.epsilon) * scale / factor)
    squared = _floor(8 * Fraction(share.rho) * number * scale**2 / factor**2)
    return next(n for n in itertools.count(int(squared**0.5) + 2, -1) if n * n <= squared)
