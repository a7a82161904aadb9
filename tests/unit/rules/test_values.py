import itertools
import json
import math
from fractions import Fraction

import polars
import pytest
from click.testing import CliRunner

from deniable.errors import (
    DataError,
    InconsistentTables,
    InvalidArgument,
    NotApplicable,
    PlanError,
)
from deniable.numerics.answer import plain
from deniable.rules import judge, judge_values
from tests.cases.command_line import app
from tests.cases.refusals import refuses
from tests.oracles import values as oracle

U200 = {"law": "uniform", "low": 0, "high": 200}


def frame(rows):
    return polars.DataFrame(
        [[str(each) for each in row] for row in rows[1:]], schema=list(rows[0]), orient="row"
    )


def firms(*cells, bounds=None):
    """Contributors c1, c2, … of cells, each the values of one."""
    numbers = itertools.count(1)
    rows = [["cell", "contributor", "value", "low", "high"]]
    for name, values in zip("abcd", cells, strict=False):
        for value in values:
            low, high = bounds(name, value) if bounds else ("", "")
            rows.append([name, f"c{next(numbers)}", value, low, high])
    return frame(rows)


def judged(values, *sums, steps=({"p_percent": 0.1},), who=None, **target):
    table = frame([["cell", "sum"], *zip([*"abcd"[: len(sums) - 1], "Total"], sums, strict=True)])
    rules = {
        "table": [{"columns": ["cell"], "sum": "sum"}],
        "values": {"file": values},
        "rule": {"steps": list(steps)},
        "adversary": who or {},
        "target": target,
    }
    return judge_values(rules, table)


def test_v1_a_rule_keeps_and_hides_what_its_intervals_say():
    kept, hidden = (
        judged(firms(some), sum(some), sum(some), who={"values": U200}, within=0.1).worst
        for some in ([100, 50, 10], [100, 50, 9])
    )
    assert (kept.lower, kept.upper, kept.near) == (0, 110, Fraction(19, 111))
    assert kept.guess == (Fraction(20, 111), Fraction(37, 201))
    assert (hidden.lower, hidden.upper, hidden.near) == (0, 109, Fraction(19, 110))
    assert hidden.guess[0] == Fraction(2, 11)
    assert (kept.verdict, hidden.verdict) == ("kept", "too close")


@pytest.mark.parametrize(
    ("some", "interval", "near", "verdict"),
    [
        ([100, 50, 10], (95, 105), 1, "too close"),
        ([100, 50, 40], (80, 120), Fraction(19, 41), "kept"),
        ([100, 50, 20, 20], (80, 120), Fraction(103, 147), "kept"),
    ],
)
def test_v3_public_bounds_of_half_a_value_tell_more_than_the_p_percent_rule(
    some, interval, near, verdict
):
    values = firms(some, bounds=lambda _, value: ((value + 1) // 2, 3 * value // 2))
    first = judged(
        values, sum(some), sum(some), who={"values": {"law": "uniform"}}, within=0.1
    ).worst
    assert first.contributors == ("c1",)
    assert ((first.lower, first.upper), first.near, first.verdict) == (interval, near, verdict)


@pytest.mark.parametrize(
    ("values", "attackers", "guess"),
    [
        (([16, 3], [6]), 0, Fraction(1, 3)),
        (([16, 5], [4]), ["c3"], Fraction(7, 20)),
        (([16, 3], [6]), ["c2"], Fraction(7, 9)),
    ],
)
def test_v4_hidden_cells_of_a_shown_total(values, attackers, guess):
    some = firms(*values, bounds=lambda name, _: (0, 20 if name == "a" else 10))
    who = {"coalition": attackers, "values": {"law": "uniform"}}
    answer = judged(some, "*", "*", 25, who=who, within=0.2)
    first = next(each for each in answer.values if each.contributors == ("c1",))
    assert first.guess[0] == guess
    if attackers == ["c2"]:
        assert (first.lower, first.upper) == (12, 20)


def test_v5_two_editions_of_which_the_second_has_one_more():
    values = firms(
        [40, 40, 40, 40], [50], bounds=lambda name, _: (20, 60) if name == "a" else (0, 100)
    )
    joiner = judged(
        values, 160, "*", 210, steps=[{"round": 10}], within=0.1,
        who={"coalition": 0, "values": {"law": "uniform"}},
    ).values[-1]  # fmt: skip
    assert joiner.contributors == ("c5",)
    assert (joiner.lower, joiner.upper) == (41, 59)
    assert joiner.near == Fraction(1598903, 2281375)


def test_g1_a_total_over_crossing_hierarchies_is_bounded_outwards_and_has_gaps():
    cells = [(i, j) for i in (1, 2, 3) for j in (1, 2, 3)]
    ones = {(1, 1), (1, 3), (3, 1), (2, 2)}
    group = {1: "g", 2: "g", 3: "h"}
    rows = [["R", "r", "C", "c", "contributor", "value"]]
    rows += [
        [f"R{group[i]}", f"r{i}", f"C{group[j]}", f"c{j}", f"f{i}{j}", int((i, j) in ones)]
        for i, j in cells
    ]
    table = [["R", "r", "C", "c", "sum"]]
    table += [
        [f"R{group[i]}", f"r{i}", f"C{group[j]}", f"c{j}", "*" if (i, j) in ones else 0]
        for i, j in cells
    ]
    table += [["Total", "r1", "Total", "Total", 2], ["Total", "Total", "Total", "c1", 2],
              ["Rg", "Total", "Cg", "Total", 2]]  # fmt: skip
    rules = {
        "table": [{"columns": ["R", "r", "C", "c"], "sum": "sum"}],
        "values": {"file": frame(rows)},
        "rule": {"steps": []},
        "adversary": {"coalition": 0},
    }
    hidden = [e for e in judge_values(rules, frame(table)).values if e.lower != e.upper]
    # a + b = 2, a + c = 2, a + d = 2: the total 6 − 2a is 2, 4 or 6, and each cell 0 to 2.
    assert {(each.lower, each.upper) for each in hidden} == {(0, 2)}
    assert len(hidden) == 4


def test_dominance_attacks_the_largest_together():
    answer = judged(firms([60, 35, 4]), 99, 99, steps=[{"dominance": [2, 0.9]}])
    assert answer.worst.contributors == ("c1", "c2")
    assert answer.worst.attackers == ()
    assert (answer.worst.upper, answer.worst.verdict) == (99, "too close")
    assert judged(firms([60, 30, 10]), 100, 100, steps=[{"dominance": [2, 0.9]}]).is_met


def test_a_sole_contributor_of_a_hidden_cell_subtracts_it():
    assert judged(firms([70, 20], [30, 25]), "*", "*", 145).is_met
    answer = judged(firms([70], [30]), "*", "*", 100)
    assert answer.worst.verdict == "revealed"
    assert not answer.is_met


def test_beliefs_above_the_target_are_likely():
    values = firms([100, 50, 40], bounds=lambda _, v: ((v + 1) // 2, 3 * v // 2))
    who = {"values": {"law": "uniform"}}
    assert judged(values, 190, 190, who=who, within=0.1, max_posterior=0.4).worst.verdict == (
        "likely"
    )
    assert judged(values, 190, 190, who=who, within=0.1, max_posterior=0.9).is_met


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: judged(firms([5, 4]), 8, 8), InconsistentTables, "sum-of-values"),
        (lambda: judged(firms([5, -4]), 1, 1), DataError, "whole-numbers-of-at-least-0: 3"),
        (lambda: judged(firms([5, 2.5]), 7, 7), DataError, "whole-numbers-of-at-least-0"),
        (
            lambda: judged(firms([5], bounds=lambda *_: (6, 9)), 5, 5),
            DataError, "within-its-bounds-one",
        ),
        (lambda: judged(firms([5]), "?", 5), DataError, "say-in-marks"),
        (lambda: judged(firms([5]), 5, 5, who={"coalition": ["x"]}), DataError, "file-x"),
        (
            lambda: judged(firms([5]), 5, 5, steps=[{"hide": [1, 7]}]),
            NotApplicable, "say-p-percent-prior-posterior",
        ),
        (
            lambda: judged(firms([5]), 5, 5, steps=[{"prior_posterior": [0.5, 0.1]}]),
            PlanError, "steps-prior-posterior: p < q",
        ),
        (
            lambda: judged(firms([5]), 5, 5, steps=[{"prior_posterior": [0.5, 1.1]}]),
            PlanError, "share-from-0-to-1",
        ),
        (lambda: judged(firms([5]), 5, 5, within=0), PlanError, "within-above-0"),
        (
            lambda: judged(firms([5]), 5, 5, who={"prior": [0, 1]}),
            PlanError, "one-of-coalition-values",
        ),
        (lambda: judged(firms([5]), 5, 5, who={"values": "normal"}), PlanError, "law-uniform-low"),
        (
            lambda: judge({"rule": {"steps": [{"p_percent": 0.1}]}}, {}),
            PlanError, "values-beside-question",
        ),
        (
            lambda: judge_values(
                {"values": {"file": firms([5])}, "rule": {"steps": [], "parameters": "known"}}
            ),
            PlanError, "parameters-secret",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_is_refused_with_a_remedy(make, kind, message):
    with refuses(kind, message):
        make()


def test_one_contributor_twice_in_a_cell_is_refused():
    rows = [["cell", "contributor", "value"], ["a", "c1", 3], ["a", "c1", 4]]
    with refuses(DataError, "one-twice-in-values"):
        judged(frame(rows), 7, 7)


def test_a_wide_table_is_that_of_a_long_one():
    rows = [["r", "s", "contributor", "value"]]
    rows += [[r, s, f"{r}{s}{n}", 10 * n] for r in "ab" for s in "xy" for n in (1, 2, 3)]
    rules = {
        "table": [{"columns": ["r", "s"], "sum": "turnover"}],
        "values": {"file": frame(rows)},
        "rule": {"steps": [{"p_percent": 0.1}]},
    }
    wide = frame([["", "x", "y", "Total"], ["a", "*", "*", 120], ["b", "*", "*", 120],
                  ["Total", 120, 120, 240]])  # fmt: skip
    answer = judge_values(rules, wide)
    assert answer.hidden == 4
    assert answer.is_met


def test_the_command_prints_the_verdict_first(tmp_path):
    (tmp_path / "firms.csv").write_text("cell,contributor,value\na,x,100\na,y,50\na,z,9\n")
    (tmp_path / "table.csv").write_text("cell,turnover\na,159\n")
    (tmp_path / "rules.toml").write_text(
        '[[table]]\ncolumns = ["cell"]\nsum = "turnover"\n[values]\nfile = "firms.csv"\n'
        "[rule]\nsteps = [{ p_percent = 0.1 }]\n"
    )
    files = [str(tmp_path / name) for name in ("rules.toml", "table.csv")]
    text = CliRunner().invoke(app, ["rules", "judge", *files]).output
    entry = json.loads(CliRunner().invoke(app, ["rules", "judge", *files, "--json"]).output)
    assert entry["values"][0]["interval"] == {"lower": 0, "upper": 109, "proof": "integers"}
    assert "missed" in text.splitlines()[0]
    assert "a: y can bound x to 0 to 109" in text
    page = tmp_path / "page.html"
    CliRunner().invoke(app, ["rules", "judge", *files, "--page", str(page)])
    words = page.read_text()
    assert "The target is missed" in words
    assert "109" in words
    assert "159" not in words


def test_a_log_normal_law_is_that_of_its_density_at_whole_values():
    values = firms([100, 50, 10])
    law = {"law": "log_normal", "median": 40, "sigma": 0.8, "high": 200}
    answer = judged(values, 160, 160, who={"values": law}, within=0.1)
    density = lambda v: math.exp(-math.log(v) - math.log(v / 40) ** 2 / (2 * 0.8**2))  # noqa: E731
    # The second attacks: x₁ + x₃ = 110.
    after = {v: density(v) * density(110 - v) for v in range(1, 110)}
    before = {v: density(v) for v in range(1, 201)}
    for mine, law in zip(answer.worst.guess, (after, before), strict=True):
        assert float(mine) == pytest.approx(
            float(oracle.best_guess(law, Fraction(1, 10))) / sum(law.values()), rel=1e-12
        )
    near = sum(p for v, p in after.items() if abs(v - 100) < 10) / sum(after.values())
    assert float(answer.worst.near) == pytest.approx(near, rel=1e-12)


@pytest.mark.parametrize(
    ("median", "sigma"),
    [(40, 0.0001), (40, 0), (40, -1), ("1e300", 1)]
    + [(each, 1) for each in ("1e400", "1e-400", "1e1000", "1e-1000")]
    + [(40, each) for each in ("1e-150", "1e-160", "1e-170", "1e-1000", "1e200", "1e1000")],
)
def test_a_log_normal_law_out_of_reach_is_refused(median, sigma):
    law = {"law": "log_normal", "median": median, "sigma": sigma, "high": 200}
    with refuses((PlanError, InvalidArgument), "sigma-bounds-within-reach"):
        judged(firms([100, 50, 10]), 160, 160, who={"values": law}, within=0.1)


@pytest.mark.parametrize(
    ("median", "sigma"), [(40, "1e100"), ("1e100", "100"), ("1e-100", "100"), (40, "1/2")]
)
def test_a_log_normal_law_at_the_ends_of_its_numbers_is_judged(median, sigma):
    law = {"law": "log_normal", "median": median, "sigma": sigma, "high": 200}
    worst = judged(firms([100, 50, 10]), 160, 160, who={"values": law}, within=0.1).worst
    assert 0 < worst.near <= worst.guess[0] <= 1


@pytest.mark.parametrize(
    ("steps", "within"),
    [([{"p_percent": number}], {}) for number in ("1e301", "1e400", "1e1000")]
    + [([{"dominance": [2, number]}], {}) for number in ("1e-301", "1e-320", "1e-1000")]
    + [([], {"within": number}) for number in ("1e301", "1e400", "1e1000")],
)
def test_a_distance_that_no_answer_could_write_is_refused(steps, within):
    with refuses(InvalidArgument, "within-of-at-most-1e300"):
        judged(firms([100, 50, 10]), 160, 160, steps=steps, **within)


LOG_NORMAL = {"law": "log_normal", "median": 40, "sigma": 0.8}


def test_a_log_normal_law_gives_0_no_chance_where_public_bounds_begin_there():
    from_0, from_1 = (
        judged(firms([100, 50, 10], bounds=lambda *_, low=low: (low, 200)), 160, 160,
               who={"values": LOG_NORMAL}, within=0.1).worst
        for low in (0, 1)
    )  # fmt: skip
    assert (from_0.near, from_0.guess) == (from_1.near, from_1.guess)
    assert (from_0.lower, from_1.lower) == (0, 1)


@pytest.mark.parametrize(
    "law", [LOG_NORMAL, {"law": "table", "chances": {"10": 0.5, "50": 0.25, "100": 0.25}}]
)
def test_a_value_that_its_law_cannot_give_is_refused(law):
    with refuses(DataError, "values-that-law-can-give"):
        judged(firms([100, 50, 10, 0], bounds=lambda *_: (0, 200)), 160, 160, who={"values": law})


def test_bounds_too_wide_for_beliefs_are_refused_and_bound_values_without_a_law():
    values = firms([100, 50, 10], bounds=lambda *_: (0, 10**12))
    assert judged(values, 160, 160).worst.upper == 110
    for law in ({"law": "uniform"}, LOG_NORMAL):
        with refuses(DataError, "values-within-bounds"):
            judged(values, 160, 160, who={"values": law}, within=0.1)


def test_what_a_contributor_has_in_several_cells_is_judged_where_their_total_is_shown():
    # Each cell keeps the p % rule, but c1 has 100 of 125 in both: the others know the rest.
    rows = [["cell", "contributor", "value"], ["a", "c1", 50], ["a", "c2", 12], ["a", "c3", 5],
            ["b", "c1", 50], ["b", "c4", 4], ["b", "c2", 4]]  # fmt: skip
    answer = judged(frame(rows), "*", "*", 125)
    together = answer.values[-1]
    assert (together.cell, together.contributors, together.attackers) == ("Total", ("c1",), ("c2",))
    assert (together.lower, together.upper, together.verdict) == (0, 109, "too close")
    assert {each.verdict for each in answer.values[:-1]} == {"kept"}
    assert not answer.is_met


def test_an_interval_without_an_upper_bound_says_that_it_is_infinite():
    """As every answer does: null would pass for a bound that nobody computed."""
    answer = judged(firms([100, 50, 10]), "*", "*", who={"coalition": 0})
    assert answer.worst.upper is None
    intervals = [each["interval"] for each in plain(answer.as_json())["values"]]
    assert {each["upper"] for each in intervals} == {"inf"}
