"""What other programs say of sums is what we say, or differs as stated.

`python -m reproductions.sums_beside_peers --write tests/data/peers` asked them.
"""

import functools
import json
import math
from fractions import Fraction
from pathlib import Path

import polars
import pytest

from deniable.rules import judge_values
from deniable.rules.attacks import Table
from deniable.rules.dominance import Dominance, PPercent, PriorPosterior
from deniable.rules.files import read_rules
from deniable.rules.holdings import read_magnitudes
from reproductions.sums_beside_peers import CELLS, RULES, TABLES, cells, tables
from tests.cases.effort import one_in
from tests.oracles import values as oracle

SAID = {
    name: json.loads((Path(__file__).parents[2] / f"data/peers/{name}.json").read_text())
    for name in ("pytauargus", "GaussSuppression", "sdcTable")
}
OURS = {
    "P(10,1)": PPercent("0.1"), "P(15,2)": PPercent("0.15", 2),
    "P(10,50,1)": PriorPosterior("0.1", "0.5"), "NK(1,75)": Dominance(1, "0.75"),
    "NK(2,90)": Dominance(2, "0.9"),
}  # fmt: skip
PROTECTED = [(name, number) for name, said in SAID.items() for number in range(len(said["tables"]))]


@pytest.mark.parametrize("rule", OURS)
def test_the_rules_of_pytauargus_hide_the_cells_that_ours_hide(rule):
    verdicts = SAID["pytauargus"]["verdicts"][rule]
    assert [OURS[rule].hides(values) for values in cells(CELLS)] == [
        each == "1" for each in verdicts
    ]
    assert 300 < verdicts.count("1") < 1_000


class Protected:
    """A table that a program protected, and the values behind it."""

    def __init__(self, name, number):
        entry = SAID[name]["tables"][number]
        self.rule, self.names = entry["rule"], ["r", "s"]
        self.cells = {(*each[:2],): each[2:] for each in entry["cells"]}
        self.rows = _made()[entry["table"]] if entry["table"] >= 0 else None
        if self.rows is None:  # GaussSuppression's example: sectors and places, each nested
            self.names += ["group", "union"]
            people = SAID[name]["magnitude"]
            self.rows = [
                (sector, place, group, union, who, value)
                for sector, group, place, union, who, value in people
            ]

    def keys(self, key):
        """Keys by column of ours: groups of sectors have a column of their own."""
        first, second = key
        if self.rows and len(self.names) == 4:
            group, union = first in ("private", "public"), second in ("EU", "nonEU")
            return (
                "Total" if group else first, "Total" if union else second,
                first if group else "Total", second if union else "Total",
            )  # fmt: skip
        return key

    def rules(self, **adversary):
        """Our file of rules, and what is published."""
        text = lambda rows, head: polars.DataFrame(  # noqa: E731
            [[str(each) for each in row] for row in rows], schema=head, orient="row"
        )
        values = text(self.rows, [*self.names, "contributor", "value"])
        published = [
            [*self.keys(key), "*" if hidden else value]
            for key, (value, _, hidden, *_) in self.cells.items()
        ]
        rules = {
            "table": [{"columns": self.names, "sum": "turnover"}],
            "values": {"file": values},
            "rule": {"steps": [RULES[self.rule]]},
            "adversary": adversary,
        }
        return rules, text(published, [*self.names, "turnover"])

    def values(self, key):
        """The values behind a sum; a contributor's are added up."""
        some = {}
        for row in self.rows:
            if all(a in (b, "Total") for a, b in zip(self.keys(key), row, strict=False)):
                some[row[-2]] = some.get(row[-2], 0) + row[-1]
        return list(some.values())

    def intervals(self):
        """What an outsider can infer of each hidden cell, by our networks or integer programs."""
        rules, published = self.rules()
        read = read_rules(rules)
        known = read_magnitudes(
            read.values.source, [published], read.tables, read.marks, read.rule, None
        )
        table = Table(known, ())
        return {
            known.cells[cell][:2]: bounds[:2]
            for some in table.components
            for cell, bounds in zip(some, table.intervals(some, ()), strict=True)
        }


@functools.cache
def _made():
    return tables(TABLES)


@pytest.mark.parametrize(("name", "number"), one_in(2, PROTECTED))
def test_what_others_protect_is_hidden_by_our_rule_and_bounded_by_our_intervals(name, number):
    table = Protected(name, number)
    for key, (value, primary, *_) in table.cells.items():
        some = table.values(key)
        assert value == sum(some)
        assert primary == OURS[table.rule].hides(some)
    ours = table.intervals()
    for key, bounds in ours.items():
        _, _, hidden, *ends = table.cells[key]
        assert hidden
        if ends and ends[0] is not None:  # GaussSuppression bounds what the rule hides
            assert bounds == (round(ends[0]), round(ends[1]))
    inside = [k for k, each in table.cells.items() if each[2] and table.keys(k)[:2] in ours]
    assert len(inside) == len(ours)


@pytest.mark.parametrize("number", [2, 8])
def test_the_audit_of_pytauargus_differs_by_the_bounds_that_it_takes_as_known(number):
    # No sum is below the smallest of the table, but by as much as the p % rule asks for.
    table = Protected("pytauargus", number)
    sums = [each[0] for each in table.cells.values()]
    inner = [key for key in table.cells if "Total" not in key]
    rows = []
    for key in inner:
        value, (first, *rest) = table.cells[key][0], sorted(table.values(key), reverse=True)
        level = max(Fraction(first, 10) - sum(rest[1:]), 0)
        rows.append((min(min(sums), math.floor(value - level)), max(sums), value))
    windows = [
        ([n for n, (r, s) in enumerate(inner) if key[0] in (r, "Total") and key[1] in (s, "Total")],
         value, value)
        for key, (value, _, hidden, *_) in table.cells.items()
        if not hidden
    ]  # fmt: skip
    for n, key in enumerate(inner):
        if table.cells[key][2]:
            theirs = table.cells[key][5:]
            ours = oracle.bounds(rows, windows, set(), [n])
            assert all(abs(a - b) <= 1 for a, b in zip(ours, theirs, strict=True))  # it rounds
            assert theirs[0] > table.cells[key][3]


NOT_KEPT = {
    ("pytauargus", "P(10,1)"): 2, ("pytauargus", "NK(2,90)"): 0,
    ("GaussSuppression", "P(10,1)"): 1, ("GaussSuppression", "NK(2,90)"): 1,
    ("sdcTable", "P(10,1)"): 4, ("sdcTable", "NK(2,90)"): 4,
}  # fmt: skip
"""Protected tables in which somebody is bounded too closely."""


def test_what_others_protect_is_too_close_only_to_those_whom_they_do_not_fear():
    counts = dict.fromkeys(NOT_KEPT, 0)
    for name, number in PROTECTED:
        table = Protected(name, number)
        rules, published = table.rules()
        answer = judge_values(rules, published)
        bad = [each for each in answer.values if each.verdict not in ("kept", "undecided")]
        counts[name, table.rule] += bool(bad)
        hidden_to = {row[-2] for row in table.rows if table.cells[row[:2]][2]}
        for each in bad:
            if each.attackers:
                # They know a hidden sum, at least in part; the programs protect from outsiders, and
                # from those in the same cell.
                assert set(each.attackers) <= hidden_to
            else:
                # No program but pytauargus keeps a distance: the sum is not known exactly.
                assert name != "pytauargus"
                assert each.verdict == "too close"
    assert counts == NOT_KEPT
