"""What contributors to sums can infer of each other's values: the answer of `judge_values`."""

import gc
import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import attrs

from deniable.errors import DataError, NotApplicable
from deniable.numerics.answer import PageAnswer, fields_of
from deniable.rules.attacks import Attack, Table, attacks
from deniable.rules.dominance import Threat
from deniable.rules.files import RulesFile, ValuesQuestion, read_rules
from deniable.rules.guessing import ValueLaw, best_guess, near_truth, posterior
from deniable.rules.holdings import read_magnitudes
from deniable.rules.judgement import Rules, name_tables
from deniable.rules.numbers import Belief
from deniable.rules.rule import Rule
from deniable.rules.steps import Midpoint, RandomRound, Round, RoundDown, Top
from deniable.rules.tables import Source

Verdict: TypeAlias = Literal["revealed", "too close", "likely", "kept", "undecided"]
_WORST: tuple[Verdict, ...] = ("revealed", "too close", "likely", "undecided", "kept")
"""Verdicts, the worst first."""


@attrs.frozen
class ValueVerdict:
    """What some attackers can infer of the values of a contributor, or of some together.

    Bounds hold for the sum of the contributors' values in the cell; `upper` is None if there is
    none. Of one contributor, `near` is the belief that the value is nearer to the truth than
    `within` times the truth, and `guess` that the best guess is that near, after and before.
    """

    cell: str
    contributors: tuple[str, ...]
    attackers: tuple[str, ...]
    lower: int
    upper: int | None
    proof: str
    near: Fraction | None
    guess: tuple[Fraction, Fraction] | None
    verdict: Verdict

    def as_json(self) -> dict[str, Any]:
        """One entry of `values`."""
        upper = math.inf if self.upper is None else self.upper
        return {
            "cell": self.cell,
            "contributor": list(self.contributors),
            "attacker": list(self.attackers),
            "interval": {"lower": self.lower, "upper": upper, "proof": self.proof},
            "near_truth": None if self.near is None else _belief(self.near),
            "best_guess": None if self.guess is None else {
                "after": _belief(self.guess[0]), "before": _belief(self.guess[1])
            },
            "verdict": self.verdict,
        }  # fmt: skip


def _belief(belief: Fraction) -> dict[str, Any]:
    return Belief.between(belief, belief).as_json()


@attrs.frozen(repr=False)
class ValuesJudgement(PageAnswer):
    """What contributors can infer of each other's values from published sums, for their owner.

    Parameters
    ----------
    rule : Rule
        How numbers were rounded.
    threats : tuple of Threat
        The attacks that were tried.
    values : tuple of ValueVerdict
        For each cell the contributor who is bounded most closely, and everyone bounded too
        closely.
    cells, hidden : int
        How many cells have contributors, and how many of these are hidden.
    max_posterior : Fraction or None
        The largest belief that is allowed.
    assumes : tuple of str
        What the answer rests on.
    """

    rule: Rule
    threats: tuple[Threat, ...]
    values: tuple[ValueVerdict, ...]
    cells: int
    hidden: int
    max_posterior: Fraction | None
    assumes: tuple[str, ...]

    @property
    def worst(self) -> ValueVerdict:
        """Return the first of the worst verdicts."""
        return min(self.values, key=lambda each: _WORST.index(each.verdict))

    @property
    def is_met(self) -> bool | None:
        """Whether every value is kept; None where that is undecided."""
        return {"kept": True, "undecided": None}.get(self.worst.verdict, False)

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable rules judge` prints of sums."""
        return {
            **fields_of(self, "rule", "threats", "cells", "hidden"),
            "target": {
                "max_posterior": self.max_posterior,
                "verdict": {True: "met", False: "missed", None: "undecided"}[self.is_met],
            },
            **fields_of(self, "worst", "values", "assumes"),
        }


OWNER = (
    "This answer is for the owner of the values. Do not publish it: a bound beside its sum reveals "
    "the attackers' values."
)
ATTACKERS = (
    "Attackers know who contributes to which cell, their own values, and the bounds of all others."
)
SECRET = (
    "The parameters of the rule are secret, and the hidden cells reveal nothing about the values."
)
ROWS = (
    "Each value is judged in its own cell. The sum of a contributor's values in several cells is "
    "judged only by the published total of these cells, without beliefs."
)
LAW = (
    "Values follow the stated distribution within their bounds, independently of each other. "
    "Beliefs are those of the attackers with the closest bound."
)
REACHED = (
    "Intervals whose proof is reached are at least this wide, which is enough for the verdict. A "
    "bound that is too close is exact."
)
SOLVER = (
    "Bounds whose proof is solver rest on the solver (HiGHS): no value lies beyond them. Deniable "
    "checked the values that reach such a bound in whole numbers."
)


def judge_values(rules: Rules, *tables: Source) -> ValuesJudgement:
    """Say what contributors can infer about each other's values from published sums.

    Parameters
    ----------
    rules : path, mapping or RulesFile
        A file of rules with [values] file, or what it would hold.
    tables : path or data frame
        The published tables, in the order of the file's [[table]].

    Returns
    -------
    ValuesJudgement
        Intervals of values, beliefs if values have a law, and verdicts.

    Raises
    ------
    PlanError
        If the file of rules is wrong.
    DataError
        If a table or the values cannot be read.
    InconsistentTables
        If the values do not add up to the published sums.

    Examples
    --------
    >>> import pandas, deniable
    >>> firms = pandas.DataFrame(
    ...     {"region": ["n"] * 3, "contributor": ["a", "b", "c"], "value": [100, 50, 9]}
    ... )
    >>> rules = {
    ...     "table": [{"columns": ["region"], "sum": "turnover"}],
    ...     "values": {"file": firms},
    ...     "rule": {"steps": [{"p_percent": 0.1}]},
    ... }
    >>> sums = pandas.DataFrame({"region": ["n"], "turnover": [159]})
    >>> answer = deniable.rules.judge_values(rules, sums)
    >>> answer.worst.upper, answer.worst.verdict
    (109, 'too close')
    """
    rules = rules if isinstance(rules, RulesFile) else read_rules(rules)
    # Among millions of values there are no cycles, and looking for them takes longest.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return _judged(rules, tables)
    finally:
        if was_enabled:
            gc.enable()


def _judged(rules: RulesFile, tables: Sequence[Source]) -> ValuesJudgement:
    question = rules.values
    if question is None:
        raise DataError("Expected [values] with a file of contributors, got none. Add it.")
    for step in rules.rule.steps:
        if not isinstance(step, Round | RoundDown | RandomRound | Midpoint | Top):
            raise NotApplicable(
                f"Expected steps that round a sum, got {next(iter(step.as_json()))}. Write hidden "
                'sums as "*" in the table, and say p_percent, prior_posterior or dominance.'
            )
    named = name_tables(rules, tables, ())
    if missing := [each.name for each in named if not each.columns or not each.sum or each.rule]:
        raise DataError(
            "Expected columns and sum for each [[table]] and one [rule] for all, got others at "
            f'"{missing[0]}". Judge counts, and each other rule, with a file of rules of its own.'
        )
    known = read_magnitudes(question.source, tables, named, rules.marks, rules.rule, question.law)
    # The attack that [adversary] and [target] name; else those for which the rule stands.
    threats = tuple(dict.fromkeys(each.threat for each in question.rules))
    if question.within is not None or question.coalition is not None or not threats:
        near = [each.within for each in threats if each.largest == 1 and each.within]
        within = max(near, default=None) if question.within is None else question.within
        threats = (Threat(1, 1 if question.coalition is None else question.coalition, within),)
    table = Table(known, question.names)
    if unknown := sorted(set(question.names) - table.contributors):
        raise DataError(
            f'Expected contributors of [values] file, got "{unknown[0]}" in [adversary] coalition.'
        )
    verdicts: list[ValueVerdict] = []
    for threat in threats:
        verdicts += _verdicts(table, threat, question, rules.max_posterior)
        if sum(map(len, known.holdings)) > len(table.contributors):
            totals = Table(known.totals(), question.names)
            verdicts += _verdicts(totals, threat, attrs.evolve(question, law=None), None)
    if not verdicts:
        raise DataError(
            "Expected contributors who are no attackers, got none. Leave somebody out of "
            "[adversary] coalition."
        )
    proofs = {each.proof for each in verdicts}
    more = ((LAW, question.law), (REACHED, "reached" in proofs), (SOLVER, "solver" in proofs))
    return ValuesJudgement(
        rules.rule, threats, tuple(verdicts), len(known.cells),
        len(known.cells) - len(known.runs_of), rules.max_posterior,
        (OWNER, ATTACKERS, SECRET, ROWS, *(sentence for sentence, applies in more if applies)),
    )  # fmt: skip


def _verdicts(
    table: Table, threat: Threat, question: ValuesQuestion, limit: Fraction | None
) -> Iterator[ValueVerdict]:
    """The closest attack on each cell, and all that come too close or are likely."""
    known, law, computed = table.known, question.law, 0
    for cell, some in itertools.groupby(attacks(table, threat), key=lambda each: each.cell):
        judged = []
        for attack in some:
            near, guess = None, None
            if law is not None and threat.within and len(attack.targets) == 1:
                computed += 1
                if computed <= 500:  # Contributors with computed beliefs: beyond, intervals alone
                    near, guess = _beliefs(table, attack, threat.within, law)
            wanted = None if law is None or len(attack.targets) > 1 else limit
            verdict = _verdict(attack, threat.within, near, guess, wanted)
            holdings = known.holdings[cell]
            names = tuple(holdings[each].contributor for each in attack.targets)
            judged.append(
                ValueVerdict(
                    known.name(cell), names, attack.attackers, attack.lower, attack.upper,
                    attack.proof, near, guess, verdict,
                )
            )  # fmt: skip
        bad = [each for each in judged if each.verdict != "kept"]
        yield from bad or judged[:1]


def _verdict(
    attack: Attack,
    within: Fraction | None,
    near: Fraction | None,
    guess: tuple[Fraction, Fraction] | None,
    limit: Fraction | None,
) -> Verdict:
    if attack.lower == attack.upper:
        return "revealed"
    if attack.is_closer_than(within):
        return "too close"
    if attack.proof in ("outward", "unknown"):
        return "undecided"
    if limit is None:
        return "kept"
    if near is None or guess is None:
        return "undecided"
    return "likely" if max(near, guess[0]) > limit else "kept"


def _beliefs(
    table: Table, attack: Attack, within: Fraction, law: ValueLaw
) -> tuple[Fraction | None, tuple[Fraction, Fraction] | None]:
    """The belief near the truth, and in the best guess after and before."""
    holding = table.known.holdings[attack.cell][attack.targets[0]]
    relations, lows, target = table.relations(attack)
    if relations is None or holding.high is None:
        return None, None
    belief = posterior(relations, lows, law, target)
    if belief is None:
        return None, None
    weights = law.weights(holding.low, holding.high)
    before = {value: weight for value, weight in enumerate(weights, holding.low) if weight}
    return (
        near_truth(belief, holding.value, within),
        (best_guess(belief, within), best_guess(before, within)),
    )
