"""A number that is typed means one: 4.000 is four in a plan, and four thousand in many files.

Somebody whose file has points between thousands types such a bound, and a mean would be clipped to
four without a word. Nor is a text a number here that could be none in a file.
"""

import pytest

from deniable.errors import DeniableError, InvalidArgument, PlanError
from deniable.publish.plan import read_plan
from deniable.studio import draft as forms
from deniable.studio.draft import Draft, form_of, is_of_form
from tests.cases.refusals import refuses

PLAN = """\
[data]
source = "people.csv"
types = { days = "number", age = "integer", died = "boolean" }
entity = "who"

[target]
max_posterior = 0.5

[adversary]
prior = [0.0, 0.1]

[limits]
rows_per_entity = 1
"""
MEAN = {"statistic": "mean", "name": "n", "column": "1", "low": "-99999", "high": "99999"}
SURVIVAL = {"statistic": "survival", "name": "n", "time": "1", "event": "3", "step": "9",
            "horizon": "9"}  # fmt: skip
FORMS = {
    "low": lambda text: MEAN | {"low": text},
    "high": lambda text: MEAN | {"high": text},
    "weight": lambda text: MEAN | {"weight": text},
    "value.0": lambda text: MEAN | {"where.0": "1", "operator.0": ">=", "value.0": text},
    "edges": lambda text: MEAN | {"statistic": "histogram", "edges": f"-99999;{text};99999"},
    "step": lambda text: SURVIVAL | {"step": text, "horizon": text},
    "code": lambda text: SURVIVAL | {"event": "2", "is": text},
    "keys.0": lambda text: MEAN | {"group.0": "2", "keys.0": f"7\n{text}"},
}
WRITTEN = {"4000": 4000, "4.0": 4.0, "4.0000": 4.0, "0.125": 0.125, "1000.500": 1000.5, "1e3": 1e3}
WHOLE = ("code", "keys.0")
"""Fields of whole numbers in these forms."""


@pytest.fixture
def draft(tmp_path):
    (tmp_path / "people.csv").write_text("who,days,age,died\na,1,2,0\n")
    return Draft.of(tmp_path / "people.toml", PLAN)


@pytest.mark.parametrize("text", ["4.000", "999.500", "+12.345", " 4.000 "])
@pytest.mark.parametrize("field", FORMS)
def test_a_point_that_may_stand_between_thousands_is_refused(draft, field, text):
    with refuses(InvalidArgument, "read-in-one-way"):
        forms.with_query(draft, FORMS[field](text))


@pytest.mark.parametrize("text", WRITTEN)
@pytest.mark.parametrize("field", [each for each in FORMS if each not in WHOLE])
def test_what_has_one_reading_is_this_number(draft, field, text):
    changed = forms.with_query(draft, FORMS[field](text))
    (query,) = changed.queries
    assert WRITTEN[text] in (
        *query.get("bounds", ()), query.get("weight"), *query.get("edges", ()),
        query.get("grid", {}).get("step"), *(each[2] for each in query.get("where", ())),
    )  # fmt: skip


@pytest.mark.parametrize("text", ["1_000", "٣", "１", "4,000", "0x10", "1e", "--1"], ids=ascii)
@pytest.mark.parametrize("field", FORMS)
def test_what_no_cell_could_be_is_no_number(draft, field, text):
    with pytest.raises(DeniableError):
        forms.with_query(draft, FORMS[field](text))


def test_a_plan_with_such_a_number_is_still_one_of_the_form(draft):
    """What a form shows of 2.125 can be sent back, and is the same number."""
    text = f"""{PLAN}
[[query]]
name = "n"
statistic = "mean"
column = "days"
bounds = [-1.125, 2.125]
weight = 4.375
where = [["days", "<", 3.625]]
"""
    made = Draft.of(draft.path, text)
    assert is_of_form(made, made.queries[0])
    shown = form_of(made.queries[0], list(made.kinds()))
    assert (shown["low"], shown["high"], shown["value.0"]) == ("-1.1250", "2.1250", "3.6250")
    assert forms.with_query(made, shown | {"query": "0"}).queries == made.queries


@pytest.mark.parametrize("key", ["1_000", "٣"], ids=ascii)
def test_a_file_of_keys_has_the_numbers_of_a_file_of_rows(draft, key):
    """A key that no row can have would publish noise, and leave out the rows that were meant."""
    (draft.path.parent / "ages.txt").write_text(f"7\n{key}\n", encoding="utf-8")
    draft.path.write_text(f"""{PLAN}
[[query]]
name = "n"
statistic = "count"
group_by = ["age"]
keys = {{ age = {{ file = "ages.txt", type = "integer" }} }}
""")
    with pytest.raises(PlanError):
        read_plan(draft.path)
