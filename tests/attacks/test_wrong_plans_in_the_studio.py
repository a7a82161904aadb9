"""Every plan, right or wrong, opens in the studio with a page that says what is wrong with it."""

import copy
import random
import tomllib
from contextlib import suppress

import pytest

from deniable.errors import DeniableError, PlanError
from deniable.publish.plan import write_toml
from deniable.studio.draft import Draft
from deniable.studio.pages import STEPS, Studio
from tests.attacks.test_wrong_plans import PLANS
from tests.cases.effort import one_in
from tests.cases.wrong_inputs import PLAN, folder_of_mistakes

FULL = {
    **(plan := tomllib.loads(PLAN)),
    "data": plan["data"] | {
        "csv": {"delimiter": ",", "decimal": ",", "date_format": "%d.%m.%Y"}, "nulls": ["-"],
        "types": {"visits": "integer"}, "trim": ["plan"], "fold": ["plan"],
        "recode": {"plan": {"f": "free"}}, "adjacency": "add-remove",
    },
    "columns": {"some": {"of": "visits", "bands": [0, 5]}},
    "ledger": {"file": "a.ledger", "dataset": "x"},
    "query": [
        *plan["query"],
        {"name": "h", "statistic": "histogram", "column": "visits", "edges": [0, 1, 2]},
        {"name": "s", "statistic": "survival", "time": "visits", "weight": 1.0,
         "event": {"column": "plan", "is": "x"}, "grid": {"step": 1, "horizon": 3},
         "where": [["visits", ">", 1]]},
    ],
}  # fmt: skip
"""A plan in which all stands that a form shows."""
OTHERS = (
    5,
    -1.5,
    True,
    "",
    [],
    {},
    [1],
    ["a"],
    {"a": 1},
    [[]],
    [{}],
    float("nan"),
    2**62,
    "\u202e<b>",
)
"""What may stand where something else should."""
FORM = {
    "source": "visits.csv", "columns": "3", "type.0": "integer", "whose": "entity", "column": "0",
    "rows": "1", "number": "public", "before": "10", "after": "50", "statistic": "count",
    "name": "z", "query": "0", "place": "0", "way": "plan", "of": "0", "part": "bands",
    "bands": "0 1", "file": "new.ledger", "dataset": "x", "limit": "60",
}  # fmt: skip
"""Fields of all forms."""
FORMS = {
    "file": ("save", "next"), "who": ("next",), "attacker": ("next",), "cost": ("advice",),
    "publish": ("save", "column", "remove"), "release": ("ledger", "new"),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("wrong")
    folder_of_mistakes(place)
    return place


def places_in(value, at=()):
    if at:
        yield at
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places_in(value[key], (*at, key))


def mutated(place, other):
    content = copy.deepcopy(FULL)
    inner = content
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = other
    return write_toml(content)


def open_everywhere(folder, text, steps):
    """Show some steps of a plan, and send their forms: of this page, and of an older one."""
    place = folder / "plan.toml"
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    for step in steps:
        place.write_bytes(raw)
        desk = Studio(place)
        pages = [desk.show(step, {"query": "0"})]
        for do in FORMS.get(step, ()):
            place.write_bytes(raw)
            try:
                version = Draft.read(place).version
            except DeniableError:
                version = "0"
            pages += [desk.send(step, {}, FORM | {"do": do, "version": v}) for v in ("0", version)]
        for page in pages:
            assert page.place or page.status in (200, 409, 422)
            assert page.place or page.status == 200 or 'role="alert"' in page.content


CATALOGUE = one_in(12, range(len(PLANS)))


@pytest.mark.parametrize("number", CATALOGUE)
def test_a_wrong_plan_opens_with_a_message(folder, number):
    open_everywhere(folder, PLANS[number][0], [[*STEPS][number // 12 % 7]])


def test_a_plan_in_which_anything_stands_anywhere_opens_with_a_message(folder):
    chance = random.Random(52)
    cases = [(place, other) for place in places_in(FULL) for other in OTHERS]
    for place, other in one_in(80, chance.sample(cases, len(cases))):
        with suppress(PlanError):  # no TOML says it
            open_everywhere(folder, mutated(place, other), [chance.choice([*STEPS][:-1])])


@pytest.mark.parametrize("text", ["csv = 5", "csv = { date_format = 5 }", 'trim = ["plan"]',
                                  "types = [1]", "nulls = 5", "source = 5"])  # fmt: skip
def test_the_first_form_opens_whatever_the_data_are_said_to_be(folder, text):
    begun = '[data]\nsource = "visits.csv"\n'
    open_everywhere(folder, (begun if "source" not in text else "[data]\n") + text, ["file"])


def test_back_from_a_form_without_a_page_leads_to_its_step(folder):
    for step in ("cancel", "answer"):
        assert Studio(folder / "plan.toml").show(step, {}).place == "release"
