"""Files of rules and p-tables: what they say, and where it is wrong."""

import random
from fractions import Fraction

import pytest

from deniable.errors import InvalidArgument, PlanError
from deniable.rules import Hide, Rule, preset
from deniable.rules.files import read_rules
from deniable.rules.steps import Round, read_p_table
from deniable.rules.worlds import Priors, Sample
from tests.cases.refusals import refuses

F = Fraction
WHOLE = """
[[list]]
name = "ward A"
size = 40
[[list]]
name = "ward B"
members = ["p01", "p02"]
[[table]]
name = "wards"
lists = ["ward A", "ward B"]
total = "exact"
[rule]
steps = [{ hide = [1, 7] }, { round = 10, halves = "even" }]
zero = "hidden"
[adversary]
prior = [0.05, 0.5]
[target]
max_posterior = 0.75
delta = 0.001
"""


def read(path, text):
    (path / "rules.toml").write_text(text, encoding="utf-8")
    return read_rules(path / "rules.toml")


def test_a_whole_file(tmp_path):
    rules = read(tmp_path, WHOLE)
    assert [each.size for each in rules.lists] == [40, 2]
    assert rules.lists[1].members == ("p01", "p02")
    assert (rules.tables[0].lists, rules.tables[0].total) == (("ward A", "ward B"), "exact")
    assert rules.rule == Rule((Hide(1, 7), Round(10, "even")), "hidden")
    assert rules.adversary == Priors(F(1, 20), F(1, 2))
    assert (rules.max_posterior, rules.min_posterior, rules.delta) == (F(3, 4), None, F(1, 1000))


def test_a_policy_and_a_sample(tmp_path):
    rules = read(tmp_path, '[rule]\npreset = "ehrql"\n[adversary]\nsample = { n = 10, N = 20 }')
    assert rules.rule == preset("ehrql")
    assert rules.policy.name == "ehrql"
    assert rules.adversary == Sample(10, 20)
    changed = read(tmp_path, '[rule]\npreset = "ehrql"\nzero = "shown"')
    assert (changed.rule, changed.policy) == (preset("opensafely"), None)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("[rule]", "[rules]", "did-you-mean-one-of-list: 'rules' | rules | rule"),
        ("steps =", "step =", "parameters-key: 'step'"),
        ("hide =", "hde =", "p-percent-prior-posterior-dominance: 'hde'"),
        ("[1, 7]", "[7, 1]", "at-most-b-rules-toml-rule"),
        ("[1, 7]", "7", "two-numbers-rule"),
        ('"even"', '"odd"', "up-down-even"),
        ('zero = "hidden"', 'zero = "gone"', "shown-hidden-merged"),
        ("[0.05, 0.5]", "[0.5, 0.05]", "lower-adversary-prior"),
        ("max_posterior = 0.75", "max_posterior = 75", "target-max-posterior"),
        ("size = 40", "size = 0", "size-at-least-1"),
        ("size = 40", "", "exactly-one-of-size-members"),
        ('name = "ward B"', 'name = "ward A"', "names-that-differ"),
        ('["p01", "p02"]', '["p01", "p01"]', "one-name-twice"),
        ('lists = ["ward A", "ward B"]', 'lists = ["ward C"]', "names-of-lists"),
        ('total = "exact"', 'total = "sum"', "none-shown-independent-exact"),
        ("[rule]", "[rule", "toml-mistake"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path, before, after, message):
    assert before in WHOLE
    with refuses(PlanError, message):
        read(tmp_path, WHOLE.replace(before, after))


def test_a_file_of_rules_without_a_rule_or_with_two(tmp_path):
    for text in ("", '[rule]\npreset = "cms"\nsteps = []'):
        with refuses(PlanError, "exactly-one-of-preset"):
            read(tmp_path, text)


def table(path, text):
    (path / "p.csv").write_text(text, encoding="utf-8")
    return read_p_table(path / "p.csv")


def test_three_spellings_of_a_p_table(tmp_path):
    noise = {0: {0: F(1)}, 1: {-1: F(1, 4), 0: F(1, 2), 1: F(1, 4)}}
    ours = "count,noise,probability\n0,0,1\n1,-1,0.25\n1,0,0.5\n1,1,0.25\n"
    ptable = "i,j,p,v\n0,0,1,0\n1,0,0.25,-1\n1,1,0.5,0\n1,2,0.25,1\n"
    ons = "pcv,ckey,pvalue\n" + "".join(f"0,{k},0\n" for k in range(4)) + (
        "1,0,-1\n1,1,0\n1,2,0\n1,3,1\n"
    )  # fmt: skip
    spelled = [table(tmp_path, text).rows for text in (ours, ptable, ptable.replace(",", ";"))]
    assert spelled == [noise] * 3
    counted = table(tmp_path, ons)
    assert [counted.rows[count] for count in (0, 1, 2)] == [noise[0], noise[1], noise[0]]
    thirds = table(tmp_path, "i,j,p\n0,0,0.3333333\n0,1,0.3333333\n0,2,0.3333333\n")
    assert thirds.rows == {0: {0: F(1, 3), 1: F(1, 3), 2: F(1, 3)}}


def of_the_ons(rows, count, keys):
    """What the ONS publishes of a count at each key, by the steps of its method."""
    place = count if count <= 750 else (count - 1) % 250 + 501
    return [count + rows.get((place, key), 0) for key in range(keys)]


@pytest.mark.parametrize("last", [1, 10, 249, 501, 749, 750])
def test_p_tables_of_the_ons(tmp_path, last):
    """Counts above 750 take the rows of 501 to 750 in turn; without a row there is no noise."""
    draw = random.Random(last)
    keys = 8
    rows = {
        (count, key): draw.choice([-1, 0, 1, 2])
        for count in range(1, last + 1)
        for key in range(keys)
        if draw.random() < 0.9 or key == keys - 1
    }
    lines = [f"{count},{key},{noise}" for (count, key), noise in rows.items()]
    cell_key = table(tmp_path, "\n".join(['"pcv","ckey","pvalue"', *lines, ""]))
    for count in [*range(30), *range(480, 520), *range(730, 780), *range(985, 1030), 1700, 10**6]:
        published = of_the_ons(rows, count, keys)
        law = {value: F(published.count(value), keys) for value in sorted(set(published))}
        assert dict(cell_key.law(count)) == law


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,c\n1,2,3\n", "each-once-other-columns"),
        ("count,noise,probability\n", "with-rows-none"),
        ("count,noise,probability\n0,x,1\n", "line-public-key-or-allowed: 2"),
        ("count,noise,probability\n0,0,2\n", "0-at-most-probability-at-most-1"),
        ("count,noise,probability\n0,0,0.5\n", "add-up-to-1"),
        ("count,noise,probability\n0,0\n", "not-a-number: a probability"),
        ("pcv,ckey,pvalue\n751,0,1\n", "counts-of-0-to-keys: 750"),
        ("pcv,ckey,pvalue\n1,-1,1\n", "counts-of-0-to-keys"),
    ],
)
def test_a_p_table_that_is_none(tmp_path, text, message):
    with refuses(InvalidArgument, message):
        table(tmp_path, text)
