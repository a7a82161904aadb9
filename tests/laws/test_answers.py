"""Every public answer: text, the command line's object, a safe table, a chart."""

import ast
import copy
import importlib
import inspect
import itertools
import json
import math
import pickle
import pkgutil
import re
import subprocess
import sys
from decimal import Decimal, localcontext
from fractions import Fraction
from html.parser import HTMLParser
from inspect import isfunction
from pathlib import Path

import altair as alt
import attrs
import pytest

import deniable
from deniable.errors import NotApplicable
from deniable.numerics.answer import Answer
from deniable.publish.totals.aggregate import Truncation
from tests.cases.answers import ANSWERS, HOSTILE, Folder
from tests.cases.effort import usual
from tests.cases.refusals import refuses

ROOT = Path(__file__).resolve().parents[2]
TOPICS = [name for name in dir(deniable) if inspect.ismodule(getattr(deniable, name))]
NO_ANSWER = {
    "new": "a plan's text",
    "schema": "a schema",
    "studio": "a page, until it is closed",
    "correlation.household_epsilon": "a number",
    "correlation.person_epsilon": "a number",
    "correlation.wasserstein_infinity": "a number",
    "correlation.wasserstein_mechanism": "a mechanism",
    "correlation.worst_household_epsilon": "a number",
    "judge.negative_gamma": "a number",
    "judge.positive_gamma": "a number",
    "mechanisms.dominating_laws": "an array",
    "mechanisms.exposure": "a probability",
    "mechanisms.least_threshold": "a number",
    "population.quantile_losses": "losses",
    "population.top_losses": "losses",
    "rules.preset": "a rule",
    "serve.serve": "nothing: it answers until it is stopped",
}
"""Public functions whose result is a value to go on with."""


def public_functions() -> set[str]:
    found = {name for name in dir(deniable) if isfunction(getattr(deniable, name))}
    for topic in TOPICS:
        module = getattr(deniable, topic)
        for name in dir(module):
            value = getattr(module, name)
            found |= {f"{topic}.{name}"} if isfunction(value) else set()
            if inspect.ismodule(value):  # such as rules.book
                inner = {each for each in dir(value) if isfunction(getattr(value, each))}
                found |= {f"{topic}.{name}.{each}" for each in inner}
    return found


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Each answer, made once."""
    at = Folder(tmp_path_factory.mktemp("answers"))
    return {name: make(at) for name, make in ANSWERS.items()}


class Page(HTMLParser):
    """Tags, attributes and texts of a piece of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.attributes, self.texts, self.rows = [], [], [], []
        self.within = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "tr":
            self.rows.append([])
            self.within = True

    def handle_endtag(self, tag):
        self.within = self.within and tag != "tr"

    def handle_data(self, data):
        self.texts.append(data)
        if self.within:
            self.rows[-1].append(data)


def test_every_public_function_has_its_answer_here():
    """A new one needs a line in tests/cases/answers.py, and its answer to be an `Answer`."""
    assert set(ANSWERS) == public_functions() - set(NO_ANSWER)


@pytest.mark.parametrize("name", ANSWERS)
def test_it_is_an_answer_of_one_line(answers, name):
    answer = answers[name]
    assert isinstance(answer, Answer)
    assert repr(answer).isprintable()
    assert repr(answer).startswith(f"{type(answer).__name__}(")
    assert len(repr(answer)) <= 160


_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")


def numbers_of(value):
    """Every number of an answer, but in what is longer than a screen; of enclosures the bounds."""
    match value:
        case {"evidence": _, "lower": lower, "upper": upper}:
            return numbers_of([lower, upper])
        case dict():
            return [number for each in value.values() for number in numbers_of(each)]
        case list():
            return [number for each in value[:20] for number in numbers_of(each)]
        case bool():
            return []
        case int() | float():
            return [value]
    return []


@pytest.mark.parametrize("name", ANSWERS)
def test_printed_it_says_every_number_that_it_holds_and_is_no_repr(answers, name):
    text = str(answers[name])
    assert all(line.isprintable() for line in text.split("\n"))
    assert f"{type(answers[name]).__name__}(" not in text
    printed = {float(each.replace(",", "")) for each in _NUMBER.findall(text)}
    for number in numbers_of(answers[name].as_json()):
        near = [each for each in printed if abs(each - number) <= abs(number) * 2e-5]
        assert near, (number, text)


def test_a_printed_release_says_what_was_published(answers):
    released = answers["release"]
    text = str(released)
    for row in released.rows:
        (line,) = [
            line
            for line in text.split("results: ")[1].splitlines()
            if (row.value is None or f" {row.value!r}" in line)
            and f" {row.statistic}" in line
            and all(f" {key}" in line for key in (*row.groups.values(), row.category or ""))
            and (row.query == HOSTILE or row.query in line)
        ][:1]
        assert line
    assert len(released.rows) < 20


def test_a_printed_catalogue_is_a_table_of_all_theorems():
    head, *lines = str(deniable.catalogue()).splitlines()
    assert head.split() == ["name", "from", "to", "map", "source", "evidence", "checked"]
    for line, row in zip(lines, deniable.catalogue(), strict=True):
        assert line.split()[:3] == [row.name, row.premise, row.conclusion]


@pytest.mark.parametrize("name", ANSWERS)
def test_it_can_be_kept_in_a_file_and_compared(answers, name):
    """Arrays among its fields, mappings that are never changed: neither may stand in the way."""
    again = pickle.loads(pickle.dumps(answers[name]))
    assert again == answers[name]
    assert copy.deepcopy(answers[name]) == answers[name]
    assert answers[name] != answers["derive" if name != "derive" else "explain"]


@pytest.mark.parametrize("name", ANSWERS)
def test_its_json_is_json(answers, name):
    told = answers[name].as_json()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert type(answers[name]).as_json.__doc__


def test_what_the_commands_print_as_json_is_what_answers_say():
    """Its `as_json`; but of a plan, a schema and a list of theorems."""
    others = []
    for path in sorted((ROOT / "src" / "deniable" / "cli").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Name("print_json") | ast.Attribute(attr="print_json"), args=[given]
                ):
                    match given:
                        case ast.Call(func=ast.Attribute(attr="as_json"), args=[]):
                            pass
                        case _:
                            others.append(ast.unparse(given))
    assert sorted(others) == [
        "deniable.schema(name)",
        "{'plan': text}",
        "{'theorems': [row.as_json() for row in rows]}",
    ]


@pytest.mark.parametrize("name", ANSWERS)
def test_its_table_holds_no_script_no_address_and_no_markup_of_others(answers, name):
    page = Page(answers[name]._repr_html_())
    assert "table" in page.tags
    assert set(page.tags) <= {
        "bdi", "caption", "details", "div", "li", "p", "strong", "summary", "table", "tbody", "td",
        "th", "thead", "tr", "ul",
    }  # fmt: skip
    assert {key for key, _ in page.attributes} <= {"open", "scope", "style"}
    assert {value for key, value in page.attributes if key == "style"} <= {"text-align:left"}
    assert not any(mark in text for text in page.texts for mark in "\u202e\u2066")


def test_names_of_others_are_shown_as_they_are_written(answers):
    """So the cases above do meet markup: in a plan, an entity, a study, a ledger."""
    for name in ("plan", "verify", "gwas.simulate", "ledger.show", "ledger.void", "unreadable"):
        assert any("<script>alert(" in text for text in Page(answers[name]._repr_html_()).texts)
    assert "<script>" in HOSTILE


OWNERS = {
    "gwas.attack", "gwas.safe", "gwas.scan", "gwas.utility", "ledger.charge_guarantee",
    "ledger.check", "ledger.cost", "ledger.export", "ledger.new", "ledger.show", "ledger.void",
    "preview", "rules.book.add", "rules.book.check", "rules.book.new", "rules.book.show",
    "unreadable",
}  # fmt: skip
"""Whose figures are exact, or tell what a ledger's keepers keep."""


@pytest.mark.parametrize("name", ANSWERS)
def test_what_is_not_for_publication_says_so_wherever_it_is_shown(answers, name):
    marked = "NOT FOR PUBLICATION" in repr(answers[name])
    assert marked == ("NOT FOR PUBLICATION" in answers[name]._repr_html_()) == (name in OWNERS)
    assert marked == str(answers[name]).startswith("NOT FOR PUBLICATION")


def test_what_a_release_keeps_for_its_owner_is_shown_nowhere(answers):
    kept = Truncation(**{each.name: 918273645 for each in attrs.fields(Truncation)})
    release = attrs.evolve(answers["release"], truncation=kept)
    assert "918273645" in repr(kept)
    texts = (repr(release), str(release), release._repr_html_(), json.dumps(release.as_json()))
    for shown in texts:
        assert "918273645" not in shown
        assert "918,273,645" not in shown


UP = ["gamma", "gamma outside", "advantage", "attack success", "upper", "exceedance"]


@pytest.mark.parametrize("epsilon", [0.123456789, 1 / 3, 1.00000001, 7.77777777])
@pytest.mark.parametrize("delta", [None, 1.23456789e-7])
def test_a_shown_number_promises_no_more_than_the_answer(epsilon, delta):
    answer = deniable.explain(epsilon, delta, prior=(0.0123456789, 0.3))
    told = {key.replace("_", " "): value for key, value in answer.as_json().items()}
    shown = dict(row for row in Page(answer._repr_html_()).rows if len(row) == 2)
    lines = str(answer).split("\n\n")[0].splitlines()
    printed = dict(re.split("  +", line, maxsplit=1) for line in lines if "  " in line)
    for key in (set(UP) & set(told)) - {"upper"}:
        assert printed[key] == shown[key]
    for key in set(UP) & set(told):
        assert 0 <= Fraction(shown[key]) - Fraction(told[key]) <= Fraction(told[key]) / 10**5
    assert Fraction(shown["epsilon"]) >= Fraction(epsilon)
    budget = deniable.calibrate(gamma=1 + epsilon, delta=delta)
    rows = dict(row for row in Page(budget._repr_html_()).rows if len(row) == 2)
    assert Fraction(rows["epsilon"]) <= Fraction(budget.epsilon)
    if delta is not None:
        assert Fraction(rows["noise multiplier"]) >= Fraction(budget.noise_multiplier)
        assert Fraction(rows["apply: rho"]) <= Fraction(budget.apply["rho"])
        assert Fraction(rows["apply: mu"]) <= Fraction(budget.apply["mu"])


PLOTTED = {
    "audit", "calibrate", "calibrate_training", "certify_training", "compare_training",
    "compose", "derive", "explain", "explain_guarantee",
    "explain_training", "training.calibrate", "training.certify", "training.compare",
    "training.explain", "gwas.release", "gwas.safe", "gwas.scan", "ledger.new", "ledger.show",
    "plan",
    "population.count", "population.discrete_gaussian", "population.discrete_laplace",
    "population.exponential", "population.gaussian", "population.joint", "population.laplace",
    "population.noise_curve", "population.query", "release",
    "rules.compare", "rules.design", "rules.judge", "rules.repair", "verify",
}  # fmt: skip
"""Where there is something to see."""

ALIKE = usual(
    {f"population.{each}" for each in ("discrete_gaussian", "discrete_laplace", "laplace", "query")}
    | {f"training.{each}" for each in ("calibrate", "certify", "compare", "explain")}
    | {"calibrate", "compose"},
    set(),
)
"""Drawn by one method with others of them, and with other numbers only."""


@pytest.mark.parametrize("name", ANSWERS)
def test_what_can_be_seen_is_a_chart_that_vega_lite_accepts_and_that_asks_for_nothing(
    answers, name
):
    assert hasattr(answers[name], "plot") == (name in PLOTTED)
    if name in PLOTTED - ALIKE:
        chart = answers[name].plot()
        told = json.dumps(chart.to_dict())  # compared with the schema
        assert isinstance(chart, alt.TopLevelMixin)
        assert '"url"' not in told
        assert "href" not in told
        assert ("publication" in told.lower()) == (name in OWNERS)


BUDGETS = [
    "explain",
    "derive",
    "explain_guarantee",
    "calibrate",
    "compose",
    "plan",
    "release",
    "explain_training",
    "certify_training",
]


def test_several_budgets_stand_in_one_chart_each_with_a_name_of_its_own(answers):
    first, *others = [answers[name] for name in BUDGETS]
    told = first.plot(*others, first).to_dict()["datasets"].values()
    curves = [row for rows in told for row in rows if "budget" in row]
    names = list(dict.fromkeys(row["budget"] for row in curves))
    assert len(names) == len(BUDGETS) + 1
    assert len(curves) == 101 * len(names)


@pytest.mark.parametrize("delta", [0.0, 0.001])
def test_no_point_of_a_trade_off_is_above_what_a_guarantee_allows(delta):
    """Randomised response with a leak of δ attains it, so nothing above would be true."""
    epsilon = math.log(3)
    answer = deniable.explain(epsilon, delta or None)
    keep = Fraction(3, 4) * (1 - Fraction(delta))
    flip = Fraction(1, 4) * (1 - Fraction(delta))
    corners = [(Fraction(0), 1 - Fraction(delta)), (flip, flip), (1 - Fraction(delta), Fraction(0))]
    assert keep + flip + Fraction(delta) == 1
    for flagged, missed in answer.trade_off:
        allowed = missed_at(corners, Fraction(flagged))
        assert allowed - Fraction(1, 10**12) <= Fraction(missed) <= allowed + Fraction(1, 10**12)


@pytest.mark.parametrize("delta", [None, 1e-9, 0.001])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1 / 3, 1.0, 7.0, 709.5, 1000.0])
def test_a_trade_off_is_rounded_down_not_by_one_digit_above(epsilon, delta):
    with localcontext(prec=400):
        e, d = Decimal(epsilon), Decimal(delta or 0)
        up, down = e.exp(), (-e).exp()
        for flagged, missed in deniable.explain(epsilon, delta).trade_off:
            x = Decimal(flagged)
            truth = max(Decimal(0), 1 - d - up * x, down * (1 - d - x))
            assert Decimal(missed) <= truth <= Decimal(missed) + Decimal("1e-12")


def missed_at(corners, flagged):
    """On the broken line through the corners; 0 after the last."""
    for (x0, y0), (x1, y1) in itertools.pairwise(corners):
        if flagged <= x1:
            return y0 + (y1 - y0) * (flagged - x0) / (x1 - x0)
    return Fraction(0)


@pytest.mark.parametrize(
    ("draw", "told"),
    [
        (lambda a: a["explain"].plot(a["risk"]), "answers-with-budget"),
        (lambda a: a["explain"].plot(a["compose"], kind="trade-off"), "with-trade-off-answers"),
        (lambda _: deniable.derive("pure-dp:1", "advantage").plot(), "bounds-privacy-loss"),
        (lambda a: a["explain"].plot(kind="tradeoff"), "one-of-kind-posterior: _ | _ | trade-off"),
        (lambda a: a["gwas.scan"].plot("quantiles"), "not-one-of: _ | manhattan, qq"),
        (
            lambda a: attrs.evolve(a["gwas.scan"], statistic="distance").plot("qq"),
            "scan-with-statistic-allelic",
        ),
        (lambda a: attrs.evolve(a["verify"], curve=None).plot(), "curve-to-draw"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_remedy(answers, draw, told):
    with refuses(deniable.errors.DeniableError, told):
        draw(answers)


WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"altair", "vl_convert"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
import deniable
answer = deniable.explain(1.0)
answer._repr_html_(), repr(answer)
try:
    answer.plot()
except deniable.errors.InvalidArgument as error:
    print(error)
"""


def test_without_the_extra_a_table_is_shown_and_a_chart_names_the_extra():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert 'pip install "deniable[publish]"' in done.stdout


def test_an_audit_of_too_few_runs_has_no_rates_to_draw(answers):
    with refuses(NotApplicable, "ask-for-more-runs"):
        attrs.evolve(answers["audit"], curve=()).plot()


def test_what_draws_an_answer_is_there():
    modules = pkgutil.walk_packages(deniable.__path__, "deniable.")
    drawn = {}
    for name in ("deniable", *(module.name for module in modules if module.ispkg)):
        drawn |= vars(importlib.import_module(name)).get("DRAWN_BY", {})
    assert {"Answer.text", "Summary.plot", "RuleDesign.page"} <= drawn.keys()
    for place in drawn.values():
        module, _, function = place.partition(":")
        assert callable(getattr(importlib.import_module(module), function))
