"""The explorer's page in a real browser: every number against Python, and every way to use it."""

import json
import re
import tomllib

import attrs
import pytest
from axe_playwright_python.sync_playwright import Axe

import deniable
from deniable import population
from deniable.explorer import explorer_page
from deniable.gwas.owner import exact_top_probability
from deniable.mechanisms import DiscreteGaussian, NoisyTopK
from deniable.notions import Adjacency
from deniable.pipeline.noise import SelectionPart, Share, calibrate_mechanism
from deniable.priors import BoundedPriors
from deniable.publish.prepare import calibrate_plan
from deniable.theorems.analysis import calibrated as to_budget
from deniable.theorems.analysis import target_of
from tests.cases.chromium import opened
from tests.cases.effort import usual
from tests.cases.explorer_case import settings, target, written_plan
from tests.cases.prose import probability_of


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    file = tmp_path_factory.mktemp("plain") / "page.html"
    file.write_text(explorer_page(), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planned")
    plan = written_plan(folder)
    file = folder / "page.html"
    file.write_text(explorer_page(plan), encoding="utf-8")
    return plan, file


SHOWN = """asked => asked.map(s => {
  const budget = budgetOf(s, CURVES);
  if (budget.refused) return { refused: budget.refused };
  const readings = readingsOf(s, budget, CURVES);
  return {
    ...budget, sentence: beliefSentence(s, readings, "person").join(""),
    facts: Object.fromEntries(beliefFacts(s, readings, CURVES)),
  };
})"""


def number(text):
    return float(re.match(r"[\d,.]+", text)[0].replace(",", ""))


def shares(text):
    """All probabilities of a text."""
    found = re.findall(r"[\d.]+ %|[\d,.]+ in [\d,]+", text)
    return [float(probability_of(each)) for each in found]


def digits_below(value, digits=4):
    """The size of one unit in the last of so many digits."""
    return 10 ** (len(str(int(value))) - digits) if value >= 1 else value * 10 ** (1 - digits)


def test_what_2000_settings_show_is_python_s_and_never_on_the_unsafe_side(browser, plain):
    asked = settings(2000, seed=16)
    with opened(browser, plain) as page:
        answers = page.evaluate(SHOWN, asked)
    assert sum("refused" in answer for answer in answers) < 20
    for setting, answer in zip(asked, answers, strict=True):
        if "refused" not in answer:
            check_pure(setting, answer)


def check_pure(setting, answer):
    prior = (setting["a"], setting["b"])
    loss, shown = answer["loss"], answer["facts"]
    if setting["kind"] == "epsilon":
        allowed = setting["value"]
    else:
        allowed = deniable.calibrate(**target(setting)).epsilon
    # A budget is never larger than Python's, and what is shown of it is no larger still.
    assert loss <= allowed
    assert loss == pytest.approx(allowed, rel=1e-9, abs=1e-9)
    applied = number(shown["ε, to apply"])
    assert applied <= loss
    assert applied >= loss - digits_below(loss) - 1e-12
    truth = deniable.explain(loss, adjacency=setting["adjacency"], prior=prior)
    at_most(number(shown["γ, for these beliefs"]), truth.gamma, 0.01 + truth.gamma * 1e-2)
    at_most(
        number(shown["γ, for any belief"]), truth.gamma_outside, 0.01 + truth.gamma_outside / 99
    )
    at_most(*shares(shown["guesses that are right"])[:1], truth.attack_success, 0.0011)
    at_most(number(shown["advantage of an attack"]), truth.advantage, 0.0011)
    rows = [row for name, row in shown.items() if name.startswith(("least belief", "largest"))]
    for posterior, row in zip(truth.posterior, rows[-len(truth.posterior) :], strict=True):
        if posterior.prior in (0, 1):
            assert row == "stays as it is"
            continue
        least, most = shares(row)
        assert least <= posterior.lower
        at_most(most, posterior.upper, max(0.0101, posterior.upper / 9))
        assert least >= min(posterior.lower - 0.0101, posterior.lower * 0.9)


def at_most(shown, truth, step):
    """At least the truth, by no more than what the display rounds."""
    assert truth <= shown <= truth + step


def test_the_error_of_each_query_is_never_below_python_s(browser, planned):
    plan, file = planned
    read = deniable.plan(plan).plan
    asked = [
        each | {"adjacency": "replace-one"}
        for each in settings(60, seed=3, kinds="gamma max_posterior attack_success epsilon")
    ]
    sizes = """asked => asked.map(s => {
      const budget = budgetOf(s, CURVES);
      return budget.refused ? null : view.rows.map(row =>
        [row.query.name, row.error.of, errorOf(row.query, row.error, budget, PLAN.ledger, 1000)]);
    })"""
    with opened(browser, file) as page:
        answers = page.evaluate(sizes, asked)
    for setting, answer in zip(asked, answers, strict=True):
        if answer is not None:
            check_errors(read, setting, answer)


def check_errors(read, setting, answer, slack=1e-8):
    prepared = calibrate_plan(
        attrs.evolve(
            read,
            target=target_of(setting["kind"], setting["value"]),
            adversary=BoundedPriors(setting["a"], setting["b"]),
            delta=1e-6 if setting["tail"] else None,
        )
    )
    truth = {
        (query.query.name, error.of): dict(error.among).get(1000, error.half_width_95)
        for query in prepared.queries
        for error in query.errors
    }
    for name, of, size in answer:
        exact = truth[name, of]
        if exact is None:  # Python says nothing where the error passes the bounds
            assert size == 120
            continue
        assert size >= exact
        assert size <= exact * (1 + slack) + 1.01 * (of not in {"sum", "mean"}) + slack


GAUSSIAN = """asked => asked.map(s => {
  const budget = budgetOf(s, CURVES);
  if (budget.refused) return budget;
  return { ...budget, ...readingsOf(s, budget, CURVES), errors: PLAN ? view.rows.map(row =>
    [row.query.name, row.error.of, errorOf(row.query, row.error, budget, false, 1000)]) : [] };
})"""


@pytest.mark.parametrize(
    "kind",
    ["gamma", "max_posterior", "attack_success", "advantage", "identifiability", "epsilon"],
)
def test_with_delta_the_next_certified_point_on_the_safe_side_is_taken(browser, plain, kind):
    asked = [each | {"tail": True} for each in settings(usual(2, 4), seed=7, kinds=kind)]
    with opened(browser, plain) as page:
        answers = page.evaluate(GAUSSIAN, asked)
    for setting, answer in zip(asked, answers, strict=True):
        truth = calibration(setting)
        assert "refused" not in answer
        assert 0.8 * truth.composition.rho <= answer["rho"] <= truth.composition.rho
        assert answer["multiplier"] >= truth.noise_multiplier
        # The plan that is taken away gets Python's ρ, which is larger: what is read off covers it.
        assert truth.loss <= answer["loss"] <= truth.loss * 1.12
        assert truth.attack_success <= answer["success"]
        assert answer["success"] - 0.5 <= (truth.attack_success - 0.5) * 1.15 + 0.005
        assert answer["gamma"] >= truth.gamma * (1 - 1e-12)
        assert answer["gammaAny"] >= truth.gamma_outside


def calibration(setting):
    return to_budget(
        target_of(setting["kind"], setting["value"], target(setting).get("worlds")),
        BoundedPriors(setting["a"], setting["b"]),
        Adjacency(setting["adjacency"]),
        1e-6,
    )


def test_with_delta_the_errors_of_a_plan_are_on_the_safe_side_too(browser, planned):
    plan, file = planned
    read = deniable.plan(plan).plan
    asked = [
        each | {"tail": True, "adjacency": "replace-one"}
        for each in settings(2, seed=5, kinds="gamma epsilon")
    ]
    with opened(browser, file) as page:
        answers = page.evaluate(GAUSSIAN, asked)
    for setting, answer in zip(asked, answers, strict=True):
        check_errors(read, setting, answer["errors"], slack=0.08)


def test_the_width_of_a_discrete_gaussian_is_never_below_the_certified_one(browser, plain):
    scales = [2**-10, 0.3, 0.51, 0.99, 1.0, 1.7, 12.34, 99.5, 256.0, 256.5, 1e6]
    with opened(browser, plain) as page:
        found = page.evaluate(
            "scales => scales.map(s => [gaussianWidth(s, .95), gaussianWidth(s, .975)])", scales
        )
    for scale, widths in zip(scales, found, strict=True):
        for width, confidence in zip(widths, (0.95, 0.975), strict=True):
            exact = DiscreteGaussian(scale).half_width(confidence)
            assert exact <= width <= exact + 1


COUNTS = [(3, 6, 3, 1.0), (0, 9, 4, 1.0), (9, 9, 4, 1.0), (1, 2, 1, 0.4), (5, 40, 39, 2.5),
          (40, 90, 30, 0.2), (100, 200, 100, 1.1), (1, 300, 10, 7.0)]  # fmt: skip


def test_a_count_s_population_epsilon_is_python_s(browser, plain):
    with opened(browser, plain) as page:
        found = page.evaluate("all => all.map(each => populationEpsilon(...each))", COUNTS)
    for case, shown in zip(COUNTS, found, strict=True):
        bound = population.count(*case[:3], scale=case[3]).population_epsilon
        assert bound.lower <= shown <= bound.upper + 2e-7


VARIANTS = [
    (1, 50, 3, 0.7),
    (2, 1000, 20, 1.5),
    (3, 30, 5, 2.0),
    (3, 4000, 200, 0.5),
    (1, 2, 1, 9.0),
]


def test_how_often_variants_are_named_is_a_lower_end(browser, plain):
    with opened(browser, plain) as page:
        found = page.evaluate("all => all.map(each => allNamed(...each))", VARIANTS)
    for (leaders, variants, lead, loss), shown in zip(VARIANTS, found, strict=True):
        part = SelectionPart("top", 1.0, 1, variants, leaders, sensitivity=1, monotone=False)
        noise = calibrate_mechanism(part, Share(epsilon=loss))
        assert isinstance(noise, NoisyTopK)
        truth = exact_top_probability([lead] * leaders + [0] * (variants - leaders), noise)
        assert truth.lower * (1 - 1e-6) - 1e-12 <= shown <= truth.upper


def test_the_page_asks_for_nothing_and_has_no_violation_of_accessibility(browser, planned):
    _, file = planned
    with opened(browser, file) as page:
        for tab in page.get_by_role("tab").all():
            tab.click()
            assert violations(page) == []
        page.emulate_media(color_scheme="dark")
        page.locator("#low").fill("0.9")  # an error is shown
        assert violations(page) == []


def violations(page):
    found = Axe().run(page).response["violations"]
    return [(each["id"], each["nodes"][0]["html"]) for each in found]


@pytest.mark.parametrize(
    "settings_",
    [{"viewport": {"width": 390, "height": 800}, "has_touch": True},
     {"viewport": {"width": 640, "height": 450}, "device_scale_factor": 2}],
    ids=["phone", "zoom of 200 %"],
)  # fmt: skip
def test_nothing_is_cut_on_a_small_window(browser, planned, settings_):
    _, file = planned
    with opened(browser, file, **settings_) as page:
        for tab in page.get_by_role("tab").all():
            tab.click()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_band_is_moved_by_keys_and_stops_at_its_other_end(browser, planned):
    _, file = planned
    with opened(browser, file, reduced_motion="reduce") as page:
        end = page.get_by_role("slider", name="Least belief before")
        end.focus()
        for key in ("ArrowRight", "PageUp", "ArrowDown"):
            end.press(key)
        assert page.locator("#low").input_value() == "0.4"
        end.press("End")
        assert page.locator("#low").input_value() == "0.7"
        end.press("Home")
        assert page.locator("#low").input_value() == "0"
        assert end.get_attribute("aria-valuetext") == "0 %"
        assert page.evaluate("document.getAnimations().length") == 0


def test_the_band_is_dragged_by_a_pointer(browser, planned):
    _, file = planned
    with opened(browser, file) as page:
        box = page.locator(".handle[data-end=high] circle").last.bounding_box()
        at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        before = page.locator("#sentence").inner_text()
        page.mouse.move(*at)
        page.mouse.down()
        page.mouse.move(at[0] - 60, at[1], steps=4)
        page.mouse.up()
        assert 0.3 < float(page.locator("#high").input_value()) < 0.7
        assert page.locator("#sentence").inner_text() != before


def test_tabs_are_reached_with_the_keyboard_alone(browser, planned):
    _, file = planned
    with opened(browser, file) as page:
        seen = set()
        for _ in range(14):
            page.keyboard.press("Tab")
            seen.add(
                page.evaluate("document.activeElement.id || document.activeElement.dataset.end")
            )
        assert {"low", "high", "kind", "value", "slide", "tail", "tab-belief"} <= seen
        page.locator("#tab-belief").focus()
        page.keyboard.press("ArrowRight")
        assert page.get_by_role("tab", selected=True).inner_text() == "This plan"
        assert page.locator("#plan").is_visible()
        page.keyboard.press("End")
        assert page.get_by_role("tab", selected=True).inner_text() == "Training"


@pytest.mark.parametrize(
    "typed",
    [{"low": "0.7", "high": "0.3"}, {"low": "", "high": "0.3"}, {"high": "1.5"}, {"value": "1"},
     {"value": "0.5"}, {"value": ""}, {"value": "1e400"}, {"low": "-0.1"}],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_met_is_said_and_no_number_is_shown(browser, planned, typed):
    _, file = planned
    with opened(browser, file) as page:
        for name, text in typed.items():
            page.locator(f"#{name}").fill(text)
        assert page.get_by_role("alert").is_visible()
        for tab in page.get_by_role("tab").all():
            tab.click()
            assert not re.search(r"NaN|undefined|Infinity", page.locator("body").inner_text())
        assert page.locator("#toml").input_value() == ""
        assert page.get_by_role("button", name="Download").is_disabled()
        page.locator("#tab-belief").click()
        assert page.locator("#facts dd").count() == 0


def test_another_kind_of_limit_keeps_the_budget(browser, plain):
    with opened(browser, plain) as page:
        page.locator("#kind").focus()
        page.locator("#kind").select_option("epsilon")
        shown = float(page.locator("#value").input_value())
        truth = deniable.calibrate(gamma=2, prior=(0.05, 0.5)).epsilon
        assert shown == pytest.approx(truth, rel=5e-3)
        page.locator("#slide").focus()
        page.keyboard.press("Home")
        assert float(page.locator("#value").input_value()) == 0.01


def test_the_exported_plan_is_the_plan_with_what_was_chosen(browser, planned, tmp_path):
    plan, file = planned
    with opened(browser, file) as page:
        page.locator("#low").fill("0.25")
        page.locator("#kind").select_option("identifiability")
        page.locator("#value").fill("0.3")
        page.locator("#worlds").fill("8")
        page.locator("#tail").select_option("yes")
        with page.expect_download() as download:
            page.get_by_role("button", name="Download").click()
        text = tmp_path / "plan.toml"
        download.value.save_as(text)
    exported = tomllib.loads(text.read_text(encoding="utf-8"))
    asked = tomllib.loads(plan.read_text(encoding="utf-8"))
    assert exported.pop("adversary") == {"prior": [0.25, 0.7]}
    assert exported.pop("target") == {"identifiability": {"rho": 0.3, "worlds": 8}, "delta": 1e-6}
    assert exported["data"].pop("source") == "withheld"
    asked["data"].pop("source")
    assert exported == {key: asked[key] for key in exported}
    assert exported.keys() == asked.keys() - {"adversary", "target"}


def test_every_view_is_printed(browser, planned):
    _, file = planned
    with opened(browser, file) as page:
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        panels = page.get_by_role("tabpanel").all()
        assert [panel.is_visible() for panel in panels] == [True] * 6
        assert not page.get_by_role("tab").first.is_visible()
        assert all(panel.locator(".lead").inner_text() for panel in panels)
        assert page.pdf()[:4] == b"%PDF"


def test_the_embedded_numbers_are_what_python_gave(browser, plain):
    with opened(browser, plain) as page:
        held = page.evaluate("JSON.stringify(PUBLIC)")
    embedded = re.search(r'id="public">(.*?)</script>', plain.read_text("utf-8"))[1]
    assert json.loads(held) == json.loads(embedded)


TYPED = """texts => {
  const odd = [];
  const set = (field, text) => {
    if (field.tagName === "SELECT") field.selectedIndex = text;
    else field.value = text;
    for (const kind of ["focus", "input", "change"]) field.dispatchEvent(new Event(kind));
    tabs().forEach(choose);
    const shown = document.querySelector("main").outerHTML + $("toml").value;
    const found = /.{0,20}(NaN|undefined|Infinity|null)/.exec(shown);
    if (found) odd.push(`${field.id} = ${text}: ${found[0]}`);
  };
  for (const field of document.querySelectorAll("input:not([type=range]), select")) {
    const before = field.value;
    const all = field.tagName === "SELECT" ? field.options.length : 0;
    for (const text of all ? [...Array(all).keys()] : texts) set(field, text);
    field.value = before;
    for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind));
  }
  return odd;
}"""


def test_whatever_is_typed_no_answer_is_nan(browser, planned):
    _, file = planned
    texts = ["", "0", "1", "0.5", "-1", "1e-12", "1e9", "2.5", "20", "1999", "2000", "0.999999999"]
    with opened(browser, file) as page:
        assert page.evaluate(TYPED, texts) == []


def test_the_error_of_a_crosstab_is_left_to_the_command(browser, tmp_path):
    (tmp_path / "visits.csv").write_text("ward\na\n")
    plan, file = tmp_path / "visits.toml", tmp_path / "page.html"
    plan.write_text(
        '[data]\nsource = "visits.csv"\n[target]\nepsilon = 1.0\n[[query]]\nname = "tables"\n'
        'statistic = "crosstab"\ncolumns = ["ward"]\nkeys = { ward = ["a", "b"] }\n'
    )
    file.write_text(explorer_page(plan), encoding="utf-8")
    words = """() => view.rows.map(({ query, error }) => errorWords(
      { query, error }, errorOf(query, error, { rho: null, loss: 1 }, PLAN.ledger, 100), 100))"""
    with opened(browser, file) as page:
        ((size, unit),) = page.evaluate(words)
    assert size == "—"
    assert "deniable plan" in unit


FIGURES = """() => ({
  choices: [...$("query").options].map((each) => each.textContent),
  chart: $("error-chart").closest("figure").hidden,
})"""


def test_only_errors_that_follow_a_limit_have_a_chart(browser, tmp_path):
    (tmp_path / "visits.csv").write_text("age\n1\n")
    plan, file = tmp_path / "visits.toml", tmp_path / "page.html"
    spread = '[[query]]\nname = "spread"\nstatistic = "{}"\ncolumn = "age"\nbounds = [1, 90]\n'
    top = (
        '[data]\nsource = "visits.csv"\nadjacency = "add-remove"\ntypes = { age = "number" }\n'
        "[target]\nepsilon = 1.0\n"
    )
    plan.write_text(top + spread.format("variance"))
    file.write_text(explorer_page(plan), encoding="utf-8")
    with opened(browser, file) as page:
        assert page.evaluate(FIGURES) == {"choices": [], "chart": True}
    plan.write_text(top + spread.format("variance") + spread.format("sum").replace("spread", "all"))
    file.write_text(explorer_page(plan), encoding="utf-8")
    with opened(browser, file) as page:
        page.click("#tab-plan")
        assert page.evaluate(FIGURES) == {"choices": ["all: sum"], "chart": False}
        told = page.locator("#error-told").inner_text()
    assert told.startswith("all, sum.")
