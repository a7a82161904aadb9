import datetime

import attrs
import pytest

from deniable.errors import PlanError
from deniable.notions import Adjacency
from deniable.publish.plan.queries import LARGEST, Setting, read_query
from deniable.publish.plan.table import parsed
from deniable.publish.statistics import (
    Count,
    Entities,
    Histogram,
    Mean,
    Quantile,
    Removed,
    Sum,
    Top,
)
from deniable.publish.statistics.query import Query
from deniable.publish.statistics.scope import Condition, Grouping, Protection

ADD_REMOVE, REPLACE_ONE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
ROWS = Setting(None, REPLACE_ONE)
PEOPLE = Setting("person", REPLACE_ONE, 5)
UNLIMITED = Setting("person", ADD_REMOVE)


def query(text, setting=PEOPLE):
    table = parsed(f'[[query]]\nname = "q"\n{text}', "p.toml").tables("query")[0]
    return read_query(table, setting)


def refusal(text, setting=PEOPLE):
    with pytest.raises(PlanError) as caught:
        query(text, setting)
    message = str(caught.value)
    assert message.startswith("Expected ")
    assert ' at p.toml, [[query]] "q", ' in message
    assert message.endswith((".", "?"))
    return message


SUM = 'statistic = "sum"\ncolumn = "x"\nbounds = [0, 1]\n'
COUNT = 'statistic = "count"\n'
TOP = 'statistic = "top"\ncolumn = "x"\nnumber = 2\n'


@pytest.mark.parametrize(
    ("text", "statistic"),
    [
        (COUNT, Count()),
        ('statistic = "entities"', Entities()),
        (SUM, Sum("x", (0, 1))),
        ('statistic = "mean"\ncolumn = "x"\nbounds = [0.5, 1]', Mean("x", (0.5, 1))),
        ('statistic = "histogram"\ncolumn = "x"\nedges = [0, 1, 2.5]', Histogram("x", (0, 1, 2.5))),
        ('statistic = "quantile"\ncolumn = "x"\nbounds = [0, 1]', Quantile("x", (0, 1))),
        (
            'statistic = "quantile"\ncolumn = "x"\nbounds = [0, 1]\nquantile = 0.9\n'
            "candidates = 11",
            Quantile("x", (0, 1), 0.9, 11),
        ),
        (TOP + 'keys = { x = ["a", "b", "c"] }', Top("x", ("a", "b", "c"), 2)),
    ],
)
def test_every_statistic_is_built_from_its_keys(text, statistic):
    assert query(text) == Query("q", statistic)


def test_a_full_query():
    found = query(
        SUM
        + """
        group_by = ["plan", "year"]
        keys = { year = [2019, 2020], plan = ["free"] }
        where = [["age", ">=", 18], ["sex", "in", ["f", "m"]]]
        max_contribution = 100
        weight = 2
        """,
        UNLIMITED,
    )
    assert found.grouping == Grouping(("plan", "year"), (("free",), (2019, 2020)))
    assert found.where == (
        Condition("age", ">=", 18),
        Condition("sex", "in", ("f", "m")),
    )
    assert (found.max_contribution, found.weight) == (100.0, 2.0)


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("[1, 2.5]", (1.0, 2.5)),
        ("[true, false]", (True, False)),
        ('["", "ä"]', ("", "ä")),
        ("[2024-01-31]", (datetime.date(2024, 1, 31),)),
        ("[2024-01-31T12:00:00]", (datetime.datetime(2024, 1, 31, 12),)),
    ],
)
def test_keys_keep_their_kind_and_numbers_are_alike(written, values):
    keys = query(f'{COUNT}group_by = ["x"]\nkeys = {{ x = {written} }}').grouping.keys[0]
    assert keys == values
    assert [type(key) for key in keys] == [type(value) for value in values]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("[]", "Expected at least one value, got an empty list at"),
        ('["a", "b", "a"]', 'Expected each value once, got "a" twice at'),
        ("[1, 1.0]", "Expected each value once, got 1.0 twice"),
        ("[0.0, -0.0]", "got -0.0 twice"),
        ('["1", 1]', 'Expected values of one kind, got ["1", 1]'),
        ("[true, 1]", "Expected values of one kind, got [true, 1]"),
        ("[2024-01-31, 2024-01-31T00:00:00]", "Expected values of one kind"),
        ("[nan]", "true or false, a date or a local time, got nan at"),
        ("[inf]", "a finite number of at most 64 bits"),
        ("[9223372036854775808]", "got 9223372036854775808 at"),
        ("[2024-01-31T12:00:00Z]", "a local time, got 2024-01-31T12:00:00+00:00"),
        ("[12:00:00]", "a local time, got 12:00:00"),
        ("[[1]]", "got [1] at"),
        ('"a"', 'Expected a list, got "a" at'),
    ],
)
def test_wrong_keys_are_refused(written, message):
    text = refusal(f'{COUNT}group_by = ["x"]\nkeys = {{ x = {written} }}')
    assert message in text
    assert "keys.x" in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('statistic = "median"', 'Expected a statistic, got "median" at'),
        ('statistic = "cuont"', 'Did you mean "count"?'),
        ("statistic = 3", "Expected text, got 3"),
        ("", 'Expected a value, got none at p.toml, [[query]] "q", statistic.'),
        (COUNT + 'column = "x"', 'the unknown key "column" at'),
        (SUM + "edges = [0, 1]", 'the unknown key "edges" at'),
        (SUM + "wieght = 1", 'wieght. Did you mean "weight"?'),
        ('statistic = "sum"\nbounds = [0, 1]', 'none at p.toml, [[query]] "q", column.'),
        ('statistic = "sum"\ncolumn = "x"', 'none at p.toml, [[query]] "q", bounds.'),
        ('statistic = "sum"\ncolumn = "x"\nbounds = []', "bounds. Fill it in from public knowl"),
        ('statistic = "sum"\ncolumn = "x"\nbounds = [1, 0]', '"q", bounds. Put the lower end fir'),
        ('statistic = "sum"\ncolumn = "x"\nbounds = [1, 1]', '"q", bounds.'),
        ('statistic = "sum"\ncolumn = "x"\nbounds = [0, inf]', "a finite number, got inf at"),
        ('statistic = "sum"\ncolumn = "x"\nbounds = [0, nan]', "a finite number, got nan at"),
        ('statistic = "sum"\ncolumn = "x"\nbounds = ["0", 1]', 'a number, got "0" at'),
        ('statistic = "sum"\ncolumn = "x"\nbounds = [0, true]', "a number, got true at"),
        ('statistic = "sum"\ncolumn = "x"\nbounds = [0, 1, 2]', "two numbers [low, high], got [0"),
        (
            'statistic = "sum"\ncolumn = "x"\nbounds = 1',
            "Expected two numbers [low, high], got 1 at",
        ),
        (SUM + "weight = 0", "Expected weight > 0, got weight=0.0 at"),
        (SUM + "weight = -1", '"q", weight.'),
        (SUM + "weight = inf", "a finite number, got inf at"),
        (SUM + 'weight = "1"', "Write it without quotation marks."),
        (SUM + "weight = true", "Expected a number, got true at"),
    ],
)
def test_wrong_parameters_are_refused(text, message):
    assert message in refusal(text)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('statistic = "quantile"\nbounds = [0, 1]\nquantile = 0', "quantile"),
        ('statistic = "quantile"\nbounds = [0, 1]\nquantile = 1', "quantile"),
        ('statistic = "quantile"\nbounds = [0, 1]\ncandidates = 1', "candidates"),
        ('statistic = "quantile"\nbounds = [0, 1]\ncandidates = 1048577', "candidates"),
        ('statistic = "quantile"\nbounds = [0, 1]\ncandidates = 2.5', "candidates"),
        ('statistic = "histogram"\nedges = [0]', "edges"),
        ('statistic = "histogram"\nedges = [0, 0]', "edges"),
        ('statistic = "histogram"\nedges = [0, 2, 1]', "edges"),
        ('statistic = "histogram"\nedges = [0, inf]', "edges"),
        ('statistic = "mean"\nbounds = [0, 1]\nnulls = 2', "nulls"),
        ('statistic = "mean"\nbounds = [0, 1]\nnulls = nan', "nulls"),
        ('statistic = "top"\nkeys = { x = ["a"] }\nnumber = 2', "number"),
        ('statistic = "top"\nkeys = { x = ["a"] }\nnumber = 0', "number"),
        ('statistic = "top"\nnumber = 1', "keys"),
        ('statistic = "top"\nkeys = { x = ["a", "a"] }\nnumber = 1', "keys.x"),
        ('statistic = "top"\nkeys = { y = ["a"] }\nnumber = 1', "keys.y"),
    ],
)
def test_parameters_out_of_range_are_refused_at_their_key(text, key):
    assert f' at p.toml, [[query]] "q", {key}.' in refusal(f'column = "x"\n{text}')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('group_by = ["x"]', "Expected public keys for "),
        ('keys = { x = ["a"] }', "keys. Add group_by."),
        ('group_by = []\nkeys = { x = ["a"] }', "Leave group_by out instead."),
        ('group_by = "x"\nkeys = { x = ["a"] }', "Put it in square brackets."),
        ('group_by = ["x", "x"]\nkeys = { x = ["a"] }', 'each value once, got "x" twice'),
        ('group_by = ["x", "y"]\nkeys = { x = ["a"] }', '"q", keys.y. Add y = ….'),
        ('group_by = ["x"]\nkeys = { x = ["a"], y = ["a"] }', '"q", keys.y. Known: "x".'),
        ('group_by = ["x"]\nkeys = ["a"]', "Expected a table, got"),
    ],
)
def test_groups_and_keys_belong_together(text, message):
    assert message in refusal(COUNT + text)


def test_top_takes_keys_for_its_column_and_no_groups():
    message = refusal(f'{TOP}group_by = ["x"]\nkeys = {{ x = ["a", "b"] }}')
    assert "Expected no group_by for top, got one" in message


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ('["age", ">=", 18]', 'Write where = [["age", ">=", 18]].'),
        ('[["age", "=>", 18]]', 'an operator, got "=>" at'),
        ('[["age", 1, 18]]', "an operator, got 1 at"),
        ('[[1, "==", 18]]', "a column, got 1 at"),
        ('[["age", ">="]]', "[column, operator, value], got"),
        ('[["age", "==", [1]]]', "got [1] at"),
        ('[["age", "in", 1]]', 'a list after "in", got 1'),
        ('[["age", "in", []]]', "at least one value"),
        ('[["age", "in", [1, "a"]]]', "values of one kind"),
        ('[["age", "<", inf]]', "finite number"),
        ("3", "Expected a list, got 3"),
    ],
)
def test_wrong_conditions_are_refused(where, message):
    text = refusal(f"{SUM}where = {where}")
    assert message in text
    assert '"q", where.' in text


@pytest.mark.parametrize("operator", ["==", "!=", "<", "<=", ">", ">="])
def test_every_comparison_is_understood(operator):
    text = f'{COUNT}where = [["age", "{operator}", 18]]'
    assert query(text).where == (Condition("age", operator, 18),)


@pytest.mark.parametrize("operator", ["in", "not in"])
def test_every_membership_is_understood(operator):
    text = f'{COUNT}where = [["age", "{operator}", [18, 19]]]'
    assert query(text).where == (Condition("age", operator, (18, 19)),)


@pytest.mark.parametrize("statistic", ["count", "entities"])
def test_a_count_that_is_public_is_refused(statistic):
    message = refusal(f'statistic = "{statistic}"', ROWS)
    assert f"got a {statistic} of all rows, which replace-one makes public" in message
    assert 'Add where or group_by, or set adjacency = "add-remove"' in message


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        (COUNT, attrs.evolve(ROWS, adjacency=ADD_REMOVE)),
        (COUNT, PEOPLE),
        ('statistic = "entities"', PEOPLE),
        (COUNT + 'where = [["age", ">=", 18]]', ROWS),
        (COUNT + 'group_by = ["x"]\nkeys = { x = ["a"] }', ROWS),
    ],
)
def test_a_count_that_is_secret_is_taken(text, setting):
    assert query(text, setting).name == "q"


@pytest.mark.parametrize(
    "statistic", ["count", "sum", "histogram", "mean", "quantile", "entities", "top"]
)
def test_an_entity_column_needs_a_limit_in_every_query(statistic):
    texts = {
        "count": "",
        "entities": "",
        "sum": 'column = "x"\nbounds = [0, 1]',
        "mean": 'column = "x"\nbounds = [0, 1]',
        "quantile": 'column = "x"\nbounds = [0, 1]',
        "histogram": 'column = "x"\nedges = [0, 1]',
        "top": 'column = "x"\nkeys = { x = ["a", "b"] }\nnumber = 1',
    }
    text = f'statistic = "{statistic}"\n{texts[statistic]}\n'
    message = refusal(text, UNLIMITED)
    assert "a limit on what one entity adds, got none" in message
    scalable = statistic in ("count", "sum", "histogram")
    assert ("max_contribution" in message) is scalable
    scaled = text + "max_contribution = 3"
    if scalable:
        assert query(scaled, UNLIMITED).max_contribution == 3.0
        assert query(scaled, PEOPLE).max_contribution == 3.0
    else:
        assert f"no max_contribution for {statistic}, got one" in refusal(scaled, PEOPLE)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("0", "Expected max_contribution > 0"),
        ("-1", "Expected max_contribution > 0"),
        ("inf", "a finite number"),
        ('"3"', "a number"),
        ("1e300", "Expected max_contribution between"),
        ("1e-300", "Expected max_contribution between"),
    ],
)
def test_max_contribution_out_of_range_is_refused(value, message):
    text = refusal(f"{SUM}max_contribution = {value}", UNLIMITED)
    assert message in text
    assert '"q", max_contribution.' in text


def test_scaling_needs_an_entity_column():
    message = refusal(SUM + "max_contribution = 3", ROWS)
    assert "an entity column with max_contribution, got none" in message


def test_protection_follows_the_setting():
    assert ROWS.protection(None) == Protection(REPLACE_ONE, 1)
    assert PEOPLE.protection(None) == Protection(REPLACE_ONE, 5)
    assert PEOPLE.protection(3.0) == Protection(REPLACE_ONE, None, 3.0)


MEAN = 'statistic = "mean"\ncolumn = "x"\nbounds = [0, 4]\n'


@pytest.mark.parametrize(
    ("text", "setting", "public"),
    [
        (MEAN + "nulls = 1", ROWS, True),
        (MEAN, ROWS, False),
        (MEAN + "nulls = 1", attrs.evolve(ROWS, adjacency=ADD_REMOVE), False),
        (MEAN + "nulls = 1", PEOPLE, False),
        (MEAN + 'nulls = 1\nwhere = [["age", ">=", 18]]', ROWS, False),
        (MEAN + 'nulls = 1\ngroup_by = ["p"]\nkeys = { p = ["a"] }', ROWS, False),
    ],
)
def test_a_mean_has_a_public_size_only_where_all_rows_take_part(text, setting, public):
    assert query(text, setting).statistic.size_is_public is public


def listed(size):
    return str(list(range(size)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (COUNT, "groups, got 25000000"),
        (
            'statistic = "quantile"\ncolumn = "z"\nbounds = [0, 1]\ncandidates = 11\n',
            "groups, got 25000000",
        ),
    ],
)
def test_too_many_groups_are_refused(text, message):
    keys = listed(5000)
    grouped = f'group_by = ["x", "y"]\nkeys = {{ x = {keys}, y = {keys} }}'
    assert f"Expected at most {LARGEST} {message}" in refusal(text + grouped)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'statistic = "quantile"\nbounds = [0, 1]\ncandidates = 1048576\n',
            "groups times candidates, got 52428800000",
        ),
        (
            f'statistic = "histogram"\nedges = {listed(501)}\n',
            "groups times bins, got 25000000",
        ),
    ],
)
def test_a_query_too_large_for_memory_is_refused(text, message):
    grouped = f'column = "z"\ngroup_by = ["x"]\nkeys = {{ x = {listed(50_000)} }}'
    assert f"Expected at most {LARGEST} {message}" in refusal(text + grouped)


def test_a_limit_that_no_sensitivity_can_hold_is_refused():
    message = refusal(
        'statistic = "sum"\ncolumn = "x"\nbounds = [0, 1]', Setting("p", REPLACE_ONE, 2**50)
    )
    assert "Lower rows_per_entity." in message


def test_scaled_counts_are_counted_in_shares_of_a_row():
    assert query(COUNT + "max_contribution = 2", UNLIMITED).statistic == Count(scaled=True)
    histogram = 'statistic = "histogram"\ncolumn = "x"\nedges = [0, 1]\n'
    found = query(histogram + "max_contribution = 2", UNLIMITED).statistic
    assert found == Histogram("x", (0, 1), scaled=True)
    assert query(COUNT, PEOPLE).statistic == Count()


REMOVED = 'statistic = "removed"\n'


def test_what_was_removed_takes_the_plans_limit():
    limit = PEOPLE.rows_per_entity
    assert query(REMOVED, PEOPLE).statistic == Removed(limit)
    assert query(f"{REMOVED}most_rows = 100", PEOPLE).statistic == Removed(limit, 100)


@pytest.mark.parametrize(
    ("text", "setting", "message"),
    [
        ('group_by = ["x"]\nkeys = { x = [1] }', PEOPLE, "no group_by for removed, got one"),
        ('where = [["x", "==", 1]]', PEOPLE, "no where for removed, got one"),
        ("max_contribution = 3", PEOPLE, "no max_contribution for removed, got one"),
        ("most_rows = 1", PEOPLE, "most_rows"),
        ("most_rows = 2.5", PEOPLE, "a whole number"),
        ("", UNLIMITED, "Set rows_per_entity in [limits]; without it no row is removed."),
        ("", ROWS, "Name the entity column in [data]. Set rows_per_entity in [limits]"),
    ],
)
def test_what_was_removed_is_of_the_whole_table(text, setting, message):
    assert message in refusal(REMOVED + text, setting)
