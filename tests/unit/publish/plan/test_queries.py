import datetime

import attrs
import pytest

from deniable.errors import PlanError
from deniable.notions import Adjacency
from deniable.publish.plan import LARGEST, Setting, parse_plan, read_query, refuse_unknown_keys
from deniable.publish.query import Condition, Grouping, Protection, Query
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
from tests.cases.prose import Refusal, refusal_of

ADD_REMOVE, REPLACE_ONE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
ROWS = Setting(None, REPLACE_ONE)
PEOPLE = Setting("person", REPLACE_ONE, 5)
UNLIMITED = Setting("person", ADD_REMOVE)


def query(text, setting=PEOPLE):
    top = parse_plan(f'[[query]]\nname = "q"\n{text}', "p.toml")
    refuse_unknown_keys(top)
    return read_query(top.tables("query")[0], setting)


def refusal(text, setting=PEOPLE):
    """The parts of the message; the place is a key of the query."""
    with pytest.raises(PlanError) as caught:
        query(text, setting)
    return refusal_of(caught.value, 'p.toml, [[query]] "q"')


SUM = 'statistic = "sum"\ncolumn = "x"\nbounds = [0, 1]\n'
COUNT = 'statistic = "count"\n'
TAKEN = "text, a finite number of at most 64 bits, true or false, a date or a local time"
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
    ("written", "said"),
    [
        ("[]", {"expected": "at least one value", "got": "an empty list"}),
        ('["a", "b", "a"]', {"expected": "each value once", "got": '"a" twice'}),
        ("[1, 1.0]", {"expected": "each value once", "got": "1.0 twice"}),
        ("[0.0, -0.0]", {"got": "-0.0 twice"}),
        ('["1", 1]', {"expected": "values of one kind", "got": '["1", 1]'}),
        ("[true, 1]", {"expected": "values of one kind", "got": "[true, 1]"}),
        ("[2024-01-31, 2024-01-31T00:00:00]", {"expected": "values of one kind"}),
        ("[nan]", {"expected": TAKEN, "got": "nan"}),
        ("[inf]", {"expected": TAKEN}),
        ("[9223372036854775808]", {"got": "9223372036854775808"}),
        ("[2024-01-31T12:00:00Z]", {"expected": TAKEN, "got": "2024-01-31T12:00:00+00:00"}),
        ("[12:00:00]", {"expected": TAKEN, "got": "12:00:00"}),
        ("[[1]]", {"got": "[1]"}),
        ('"a"', {"expected": "a list", "got": '"a"'}),
    ],
)
def test_wrong_keys_are_refused(written, said):
    found = refusal(f'{COUNT}group_by = ["x"]\nkeys = {{ x = {written} }}')
    assert found.parts(*said) == said
    assert found.place == "keys.x"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('statistic = "median"', {"expected": "a statistic", "got": '"median"'}),
        ('statistic = "cuont"', {"remedy": 'Did you mean "count"?'}),
        ("statistic = 3", {"expected": "text", "got": "3"}),
        ("", {"expected": "a value", "got": "none", "place": "statistic"}),
        (COUNT + 'column = "x"', {"got": 'the unknown key "column"'}),
        (SUM + "edges = [0, 1]", {"got": 'the unknown key "edges"'}),
        (SUM + "wieght = 1", {"place": "wieght", "remedy": 'Did you mean "weight"?'}),
        ('statistic = "sum"\nbounds = [0, 1]', {"got": "none", "place": "column"}),
        ('statistic = "sum"\ncolumn = "x"', {"got": "none", "place": "bounds"}),
        (
            'statistic = "sum"\ncolumn = "x"\nbounds = []',
            {"place": "bounds", "remedy": "Fill it in from public knowledge, never from the data."},
        ),
        (
            'statistic = "sum"\ncolumn = "x"\nbounds = [1, 0]',
            {"place": "bounds", "remedy": "Put the lower end first."},
        ),
        ('statistic = "sum"\ncolumn = "x"\nbounds = [1, 1]', {"place": "bounds"}),
        (
            'statistic = "sum"\ncolumn = "x"\nbounds = [0, inf]',
            {"expected": "a finite number", "got": "inf"},
        ),
        (
            'statistic = "sum"\ncolumn = "x"\nbounds = [0, nan]',
            {"expected": "a finite number", "got": "nan"},
        ),
        (
            'statistic = "sum"\ncolumn = "x"\nbounds = ["0", 1]',
            {"expected": "a number", "got": '"0"'},
        ),
        (
            'statistic = "sum"\ncolumn = "x"\nbounds = [0, true]',
            {"expected": "a number", "got": "true"},
        ),
        (
            'statistic = "sum"\ncolumn = "x"\nbounds = [0, 1, 2]',
            {"expected": "two numbers [low, high]", "got": "[0.0, 1.0, 2.0]"},
        ),
        (
            'statistic = "sum"\ncolumn = "x"\nbounds = 1',
            {"expected": "two numbers [low, high]", "got": "1"},
        ),
        (SUM + "weight = 0", {"expected": "weight > 0", "got": "weight=0.0"}),
        (SUM + "weight = -1", {"place": "weight"}),
        (SUM + "weight = inf", {"expected": "a finite number", "got": "inf"}),
        (SUM + 'weight = "1"', {"remedy": "Write it without quotation marks."}),
        (SUM + "weight = true", {"expected": "a number", "got": "true"}),
    ],
)
def test_wrong_parameters_are_refused(text, said):
    assert refusal(text).parts(*said) == said


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
    assert refusal(f'column = "x"\n{text}').place == key


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('group_by = ["x"]', {"expected": 'public keys for ["x"]'}),
        ('keys = { x = ["a"] }', {"place": "keys", "remedy": "Add group_by."}),
        ('group_by = []\nkeys = { x = ["a"] }', {"remedy": "Leave group_by out instead."}),
        ('group_by = "x"\nkeys = { x = ["a"] }', {"remedy": "Put it in square brackets."}),
        (
            'group_by = ["x", "x"]\nkeys = { x = ["a"] }',
            {"expected": "each value once", "got": '"x" twice'},
        ),
        (
            'group_by = ["x", "y"]\nkeys = { x = ["a"] }',
            {"place": "keys.y", "remedy": "Add y = …."},
        ),
        (
            'group_by = ["x"]\nkeys = { x = ["a"], y = ["a"] }',
            {"place": "keys.y", "remedy": 'Known: "x".'},
        ),
        ('group_by = ["x"]\nkeys = ["a"]', {"expected": "a table"}),
    ],
)
def test_groups_and_keys_belong_together(text, said):
    assert refusal(COUNT + text).parts(*said) == said


def test_top_takes_keys_for_its_column_and_no_groups():
    found = refusal(f'{TOP}group_by = ["x"]\nkeys = {{ x = ["a", "b"] }}')
    assert found == Refusal("no group_by for top", "one", "group_by", "Use one query a group.")


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ('["age", ">=", 18]', {"remedy": 'Write where = [["age", ">=", 18]].'}),
        ('[["age", "=>", 18]]', {"expected": "an operator", "got": '"=>"'}),
        ('[["age", 1, 18]]', {"expected": "an operator", "got": "1"}),
        (
            '[["age", "between", [18, 65]]]',
            {"remedy": 'Write where = [["age", ">=", 18], ["age", "<=", 65]].'},
        ),
        (
            '[["age", "is", "null"]]',
            {"remedy": "No condition finds rows without a value; a crosstab counts them."},
        ),
        ('[["plan", "is", "free"]]', {"remedy": 'Write where = [["plan", "==", "free"]].'}),
        ('[[1, "==", 18]]', {"expected": "a column", "got": "1"}),
        ('[["age", ">="]]', {"expected": "[column, operator, value]"}),
        ('[["age", "==", [1]]]', {"got": "[1]"}),
        ('[["age", "in", 1]]', {"expected": 'a list after "in"', "got": "1"}),
        ('[["age", "in", []]]', {"expected": "at least one value"}),
        ('[["age", "in", [1, "a"]]]', {"expected": "values of one kind"}),
        ('[["age", "<", inf]]', {"expected": TAKEN}),
        ("3", {"expected": "a list", "got": "3"}),
    ],
)
def test_wrong_conditions_are_refused(where, said):
    found = refusal(f"{SUM}where = {where}")
    assert found.parts(*said) == said
    assert found.place == "where"


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
    found = refusal(f'statistic = "{statistic}"', ROWS)
    assert found.got == f"{statistic} of all rows, which replace-one makes public"
    assert found.remedy == 'Add where or group_by, or set adjacency = "add-remove" in [data].'


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
    scalable = statistic in ("count", "sum", "histogram")
    other = ", or max_contribution in this query" if scalable else ""
    assert refusal(text, UNLIMITED) == Refusal(
        "a limit on what one entity adds",
        "none",
        "statistic",
        f"Set rows_per_entity in [limits]{other}.",
    )
    scaled = text + "max_contribution = 3"
    if scalable:
        assert query(scaled, UNLIMITED).max_contribution == 3.0
        assert query(scaled, PEOPLE).max_contribution == 3.0
    else:
        assert refusal(scaled, PEOPLE) == Refusal(
            f"no max_contribution for {statistic}",
            "one",
            "max_contribution",
            "Remove it and set rows_per_entity in [limits].",
        )


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("0", {"expected": "max_contribution > 0"}),
        ("-1", {"expected": "max_contribution > 0"}),
        ("inf", {"expected": "a finite number"}),
        ('"3"', {"expected": "a number"}),
        (
            "1e300",
            {"expected": "max_contribution between 5.960464477539063e-08 and 274877906944.0"},
        ),
        (
            "1e-300",
            {"expected": "max_contribution between 5.960464477539063e-08 and 274877906944.0"},
        ),
    ],
)
def test_max_contribution_out_of_range_is_refused(value, said):
    found = refusal(f"{SUM}max_contribution = {value}", UNLIMITED)
    assert found.parts(*said) == said
    assert found.place == "max_contribution"


def test_scaling_needs_an_entity_column():
    found = refusal(SUM + "max_contribution = 3", ROWS)
    assert (found.expected, found.got) == ("an entity column with max_contribution", "none")


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
    "text",
    [COUNT, 'statistic = "quantile"\ncolumn = "z"\nbounds = [0, 1]\ncandidates = 11\n'],
)
def test_too_many_groups_are_refused(text):
    keys = listed(5000)
    grouped = f'group_by = ["x", "y"]\nkeys = {{ x = {keys}, y = {keys} }}'
    assert refusal(text + grouped) == Refusal(f"at most {LARGEST} groups", "25000000", "keys", "")


@pytest.mark.parametrize(
    ("text", "counted", "number"),
    [
        (
            'statistic = "quantile"\nbounds = [0, 1]\ncandidates = 1048576\n',
            "groups times candidates",
            "52428800000",
        ),
        (
            f'statistic = "histogram"\nedges = {listed(501)}\n',
            "groups times bins",
            "25000000",
        ),
    ],
)
def test_a_query_too_large_for_memory_is_refused(text, counted, number):
    grouped = f'column = "z"\ngroup_by = ["x"]\nkeys = {{ x = {listed(50_000)} }}'
    found = refusal(text + grouped)
    assert found == Refusal(f"at most {LARGEST} {counted}", number, "statistic", "")


def test_a_limit_that_no_sensitivity_can_hold_is_refused():
    found = refusal(
        'statistic = "sum"\ncolumn = "x"\nbounds = [0, 1]', Setting("p", REPLACE_ONE, 2**50)
    )
    assert found.remedy == "Lower rows_per_entity."


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
    ("text", "setting", "said"),
    [
        (
            'group_by = ["x"]\nkeys = { x = [1] }',
            PEOPLE,
            {"expected": "no group_by for removed", "got": "one"},
        ),
        ('where = [["x", "==", 1]]', PEOPLE, {"expected": "no where for removed", "got": "one"}),
        (
            "max_contribution = 3",
            PEOPLE,
            {"expected": "no max_contribution for removed", "got": "one"},
        ),
        ("most_rows = 1", PEOPLE, {"expected": "most_rows >= 2"}),
        ("most_rows = 2.5", PEOPLE, {"expected": "a whole number"}),
        (
            "",
            UNLIMITED,
            {"remedy": "Set rows_per_entity in [limits]; without it no row is removed."},
        ),
        (
            "",
            ROWS,
            {
                "remedy": "Name the entity column in [data]. Set rows_per_entity in [limits]; "
                "without it no row is removed."
            },
        ),
    ],
)
def test_what_was_removed_is_of_the_whole_table(text, setting, said):
    assert refusal(REMOVED + text, setting).parts(*said) == said
