"""What rules let one believe, tried from outside: ends of the range, labels that say too much."""

import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from deniable.errors import DeniableError, InvalidArgument, PlanError
from deniable.rules import (
    Barnardise,
    Bottom,
    CellKey,
    Hide,
    Noise,
    Round,
    Rule,
    design,
    judge,
    judge_values,
    repair,
)  # fmt: skip
from deniable.rules.files import read_rules
from tests.cases.command_line import app
from tests.cases.refusals import refuses, says


def answer(*words):
    run = CliRunner().invoke(app, ["rules", "design", *words, "--json"])
    assert run.exit_code == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("prior", [("0", "0.5"), ("0.5", "1"), ("0", "1")])
def test_a_mark_that_says_all_or_nobody_says_so_whatever_the_prior(prior):
    """The mark is impossible at one end of the range; wherever it is possible, it is certain."""
    after = answer("--round", "1", "--members", "3", "--prior", *prior, "--stated", "0.5")["after"]
    beliefs = {each["output"]: each["belief"] for each in after}
    assert beliefs[0] == {"lower": 0.0, "upper": 0.0}
    assert beliefs[3] == {"lower": 1.0, "upper": 1.0}


def test_a_belief_except_with_delta_is_exact_only_where_one_is_left():
    """Hundreds of counts tell beliefs within the last interval, of which two were looked at."""
    words = ("--hide", "1", "2", "--hide", "20", "1000", "--members", "1000")
    except_ = answer(*words, "--prior", "1e-10", "0.5", "--delta", "1e-80")["except"]
    # Count 11 alone, with the target at 1/2 and the others at a = 1e-10.
    a, m, x = Fraction(1, 10**10), 1000, 11
    odds = Fraction(x, m - x) * (1 - a) / a
    assert except_["worst"]["upper"] >= float(odds / (1 + odds))
    assert except_["worst"]["evidence"] != "exact"


KEYED = """
[[list]]
name = "a"
size = 1
[[list]]
name = "b"
size = 1
[rule]
steps = [{ cell_key = "keys.csv" }]
[adversary]
prior = [0.5, 0.5]
"""


def judged(folder, table):
    (folder / "keys.csv").write_text("count,noise,probability\n0,0,0.5\n0,1,0.5\n1,0,1\n")
    (folder / "rules.toml").write_text(KEYED)
    (folder / "t.csv").write_text(table)
    words = ["rules", "judge", str(folder / "rules.toml"), str(folder / "t.csv"), "--json"]
    return CliRunner().invoke(app, words)


def test_nobody_has_one_key_on_lists_that_share_nobody(tmp_path):
    """Were both out, both cells would show one number: 1 and 0 say that the first is in."""
    run = judged(tmp_path, "list,count\na,1\nb,0\n")
    assert run.exit_code == 0, run.stderr
    beliefs = json.loads(run.stdout)["beliefs"]
    assert [(each["lowest"]["upper"], each["highest"]["upper"]) for each in beliefs] == [
        (1.0, 1.0),
        (0.0, 0.0),
    ]


def test_a_file_without_a_header_loses_no_row(tmp_path):
    run = judged(tmp_path, "a,1\nb,0\n")
    assert run.exit_code == 2
    assert says(run.stderr, "header-above-the-rows")


def test_noise_drawn_anew_that_can_leave_nothing_is_refused():
    below = Noise({-2: 0.25, 0: 0.25, 1: 0.5}, negative="shown")
    anew = Noise({-2: 0.25, 0: 0.25, 1: 0.5}, negative="redrawn")
    with refuses(InvalidArgument, "noise-drawn-anew-after-step"):
        Rule((below, anew, Bottom(3)))
    with refuses(InvalidArgument, "noise-drawn-anew-after-step"):
        Rule((below, Round(5), anew))
    law = Rule((below, Bottom(1), anew)).publish(0)
    assert sum(law.values()) == 1


@pytest.mark.parametrize(("prior", "published"), [("[0, 0]", 10), ("[1, 1]", 0)])
def test_tables_that_a_sure_adversary_cannot_see_are_refused(tmp_path, prior, published):
    (tmp_path / "rules.toml").write_text(
        '[[list]]\nname = "a"\nsize = 10\n[rule]\nsteps = [{ hide = [1, 4] }]\n'
        f"[adversary]\nprior = {prior}\n"
    )
    (tmp_path / "t.csv").write_text(f"list,count\na,{published}\n")
    words = ["rules", "judge", str(tmp_path / "rules.toml"), str(tmp_path / "t.csv")]
    run = CliRunner().invoke(app, words)
    assert run.exit_code == 4
    assert says(run.stderr, "sure-for-everybody")


LONG = "9" * 5000
DESIGN = ("rules", "design", "--round", "5")


@pytest.mark.parametrize(
    "words",
    [
        (*DESIGN, "--members", "9", "--prior", "0", "1e400"),
        (*DESIGN, "--members", "9", "--prior", "0", "1e-99999999"),
        (*DESIGN, "--members", "9", "--prior", "0", "inf"),
        (*DESIGN, "--members", "9", "--prior", "0", "1/0"),
        (*DESIGN, "--members", "9", "--limit", "1e-9999999"),
        (*DESIGN, "--members", LONG),
        ("rules", "design", "--hide", "1", LONG, "--members", "9"),
    ],
)
def test_numbers_that_are_too_long_are_refused_in_a_sentence(words):
    run = CliRunner().invoke(app, words)
    assert run.exit_code == 2
    assert "Expected" in run.stderr
    assert len(run.stderr) < 600


@pytest.mark.parametrize("text", [f"size = {LONG}", "x = " + "[" * 3000], ids=["digits", "depth"])
def test_files_that_are_too_long_are_refused_in_a_sentence(tmp_path, text):
    (tmp_path / "rules.toml").write_text(f"[[list]]\n{text}\n")
    (tmp_path / "t.csv").write_text("list,count\na,1\n")
    words = ["rules", "judge", str(tmp_path / "rules.toml"), str(tmp_path / "t.csv")]
    run = CliRunner().invoke(app, words)
    assert run.exit_code == 2
    assert says(run.stderr, "file-too-long")


def test_a_table_of_noise_with_a_far_row_is_not_filled_up():
    with refuses(InvalidArgument, "none-for-p-table: 1"):
        CellKey({10**9: {0: 1}})


@pytest.mark.parametrize("total", ["exact", "independent", "shown", "none"])
def test_no_repair_is_nearer_than_exact(tmp_path, total):
    """An exact total that a change no longer publishes had a half-width below 0, or none."""
    (tmp_path / "rules.toml").write_text(
        '[[list]]\nname = "A"\nsize = 16\n[[list]]\nname = "B"\nsize = 4\n'
        f'[[table]]\nlists = ["A", "B"]\ntotal = "{total}"\n'
        "[rule]\nsteps = [{ hide = [1, 2] }, { round = 3 }]\n"
        "[adversary]\nprior = [0.3, 0.5]\n[target]\nmax_posterior = 0.75\n"
    )
    options = repair(tmp_path / "rules.toml").options
    assert options
    for each in options:
        assert 0 <= each.half_width <= 10
        assert 0 <= each.share <= 0.5


NINE = (9.0, Decimal("9.0"), Fraction(9), np.int64(9), np.uint8(9), np.float32(9), np.array(9))
NOT_WHOLE = (True, np.bool_(True), None, float("nan"), Decimal("NaN"), Decimal("9.5"), "nine")


def counted(size, count):
    people = [{"name": "a", "size": size}, {"name": "b", "size": 20}]
    rules_file = {
        "list": people, "rule": {"steps": [{"hide": [1, 7]}]},
        "adversary": {"prior": [0.25, 0.5]}, "table": [{"name": "t", "lists": ["a", "b"]}],
    }  # fmt: skip
    return judge(rules_file, {"a": count, "b": "*"}).as_json()


@pytest.mark.parametrize("nine", NINE, ids=repr)
def test_a_number_of_any_type_is_that_number(nine):
    assert counted(nine, 9) == counted(9, nine) == counted(9, 9)
    assert Hide(1, nine) == Hide(1, 9)
    assert design("cms", members=nine, prior=(0.5, 0.5)) == design(
        "cms", members=9, prior=(0.5, 0.5)
    )


@pytest.mark.parametrize("half_tenth", ["0.05", "1/20", Decimal("0.05"), Fraction(1, 20)], ids=repr)
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble])
def test_a_share_of_any_type_is_the_decimal_that_it_is_printed_as(half_tenth, kind):
    shares = Barnardise(half_tenth), Barnardise(kind("0.05"))
    assert [each.probability for each in shares] == [Fraction(1, 20)] * 2


@pytest.mark.parametrize("other", NOT_WHOLE, ids=repr)
def test_what_is_no_whole_number_is_refused(other):
    for act in (
        lambda: counted(other, 9),
        lambda: counted(9, other),
        lambda: Hide(1, other),
        lambda: design("cms", members=other, prior=(0.5, 0.5)),
    ):
        with pytest.raises(DeniableError):
            act()


@pytest.mark.parametrize("large", [Decimal(2**53) + Decimal("0.5"), Fraction(2**60 + 1, 2)])
def test_a_part_beyond_the_digits_of_a_float_is_not_dropped(large):
    with refuses(InvalidArgument, "not-whole: a count"):
        Hide(1, large)


@pytest.mark.parametrize("table", [{"Anna": 17}, ["Anna", 17], np.array([17]), 17])
def test_a_table_of_another_type_is_refused_without_its_numbers(table):
    values = {
        "table": [{"columns": ["r"], "sum": "t"}], "rule": {"steps": [{"p_percent": 0.1}]},
        "values": {"file": pd.DataFrame({"r": ["x"], "contributor": ["a"], "value": [17]})},
    }  # fmt: skip
    with pytest.raises(DeniableError) as refused:
        judge_values(values, table)
    assert "17" not in str(refused.value)
    assert "Anna" not in str(refused.value)


LISTS_THAT_FIT = [
    [{"name": "a", "size": 20}],
    [{"name": "a", "size": 15}, {"name": "b", "size": 5}, {"name": "c", "parts": ["a", "b"]}],
    [
        {"name": "a", "members": ["x", "y"]},
        {"name": "b", "members": ["y"]},
        {"name": "c", "size": 18},
    ],
    [{"name": "a", "size": 15}, {"name": "b", "size": 15, "follows": "a", "change": 3}],
    [{"name": "a", "size": 15}, {"name": "b", "follows": "a", "change": {"joined": 5}}],
    [{"name": "a", "size": 20}, {"name": "b", "follows": "a", "change": {"at_most": 9}}],
]
LISTS_THAT_DO_NOT = [
    [{"name": "a", "size": 21}],
    [{"name": "a", "size": 15}, {"name": "b", "size": 6}],
    [
        {"name": "a", "members": ["x", "y"]},
        {"name": "b", "members": ["y"]},
        {"name": "c", "size": 19},
    ],
    [{"name": "a", "size": 15}, {"name": "b", "size": 22, "follows": "a", "change": 9}],
    [{"name": "a", "size": 15}, {"name": "b", "follows": "a", "change": {"joined": 7}}],
    [{"name": "a", "size": 15}, {"name": "b", "size": 6, "follows": False}],
]


@pytest.mark.parametrize("lists", LISTS_THAT_FIT + LISTS_THAT_DO_NOT)
def test_lists_without_a_table_fit_into_the_people_that_were_drawn_from(lists):
    content = {
        "list": [{"name": "published", "size": 1}, *lists],
        "rule": {"steps": [{"hide": [1, 7]}]},
        "adversary": {"sample": {"n": 5, "N": 21}},
        "table": [{"name": "t", "lists": ["published"]}],
    }
    if lists in LISTS_THAT_FIT:
        assert read_rules(content).adversary.population == 21
        return
    with refuses(PlanError, "at-most-n-people-together: 21"):
        read_rules(content)
