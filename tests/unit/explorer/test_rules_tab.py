"""The tab of exact counts: the page's fractions against `deniable.rules.design`."""

import random
import re
from fractions import Fraction

import pytest

from deniable.explorer import explorer_page
from deniable.rules import Hide, Round, Rule, design
from deniable.rules.rule import PRESETS
from tests.cases.chromium import opened
from tests.cases.effort import usual
from tests.cases.prose import probability_of

JUDGED = """asked => asked.map(([rule, members, low, high, limit]) => {
  const text = (share) => share.map(String);
  const extreme = ({ output, belief }) =>
    [output, text(belief), shareOf(belief, true), shareOf(belief, false)];
  const answer = judged(rule, members, low, high, limit);
  return {
    worst: extreme(answer.worst), lowest: extreme(answer.lowest),
    passing: [text(answer.passing), shareOf(answer.passing, true)],
    stated: text(answer.stated),
    after: answer.after.map(({ output, low, high }) => [output, text(low), text(high)]),
  };
})"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    file = tmp_path_factory.mktemp("rules") / "page.html"
    file.write_text(explorer_page(), encoding="utf-8")
    return file


def fraction(pair):
    return Fraction(*map(int, pair))


def share(text):
    return probability_of(text.removeprefix("nearly "))


def cases(number, seed):
    """Rules with and without gaps in their columns; lists up to 60, and a few long ones."""
    rng = random.Random(seed)
    for index in range(number):
        if rng.random() < 0.4:
            rule = rng.choice([*PRESETS.values()]).rule
        else:
            hidden = [Hide(1, rng.randint(1, 12))] if rng.random() < 0.8 else []
            steps = [*hidden, Round(rng.randint(1, 24))]
            rule = Rule(steps, rng.choice(["shown", "hidden", "merged"]))
        low, high = sorted(round(rng.uniform(0, 1), rng.choice([1, 2, 3])) for _ in range(2))
        if rng.random() < 0.4:
            low = high
        members = rng.randint(150, 250) if index % 40 == 0 else rng.randint(2, 40)
        yield rule, members, low, high, round(rng.uniform(0, 1), 2)


def test_every_fraction_of_the_page_is_that_of_design(browser, file):
    asked = list(cases(usual(120, 300), seed=28))
    edges = [(0, 0), (0, 1), (1, 1), (0, 0.5), (0.5, 1), (1e-12, 0.999999999999)]
    asked += [(each.rule, 9, *edge, 0.5) for each in PRESETS.values() for edge in edges]
    asked.append((Rule([Hide(1, 2), Round(20)]), 30, 0.05, 0.5, 0.75))
    with opened(browser, file) as page:
        answers = page.evaluate(JUDGED, [[rule.as_json(), *rest] for rule, *rest in asked])
    for case, answer in zip(asked, answers, strict=True):
        check(case, answer)


def check(case, answer):
    rule, members, low, high, limit = case
    truth = design(rule, members=members, prior=(low, high), limit=limit).sizes[0]
    for side, up in (("worst", True), ("lowest", False)):
        output, pair, raised, lowered = answer[side]
        extreme = getattr(truth, side)
        belief = fraction(pair)
        if extreme.belief.fraction is not None:
            assert belief == extreme.belief.fraction, case
        assert extreme.belief.bound.lower <= belief <= extreme.belief.bound.upper, case
        assert output == extreme.output, case
        check_words(belief, raised, lowered)
        beliefs = {mark: fraction(pair[up]) for mark, *pair in answer["after"]}
        assert beliefs[output] == belief, case
    exceedance = truth.exceedance
    passing, words = answer["passing"]
    for pair, chance in (
        (passing, exceedance.probability),
        (answer["stated"], exceedance.at_stated),
    ):
        assert float(fraction(pair)) == pytest.approx(chance.bound.upper, rel=1e-12), case
    if fraction(passing):
        assert fraction(passing) <= share(words), case
    else:
        assert words == "0 %"


def check_words(exact, raised, lowered):
    """What is read is no nearer than a thousandth, and never on the wrong side."""
    if raised.startswith("nearly"):
        assert exact < 1
    else:
        assert exact <= share(raised) < exact + Fraction(1, 1000)
        assert (share(raised) == 1) == (exact == 1)
    if lowered.endswith("but not 0"):
        assert exact > 0
    else:
        assert exact - Fraction(1, 1000) < share(lowered) <= exact
        assert (share(lowered) == 0) == (exact == 0)


def test_a_gap_in_a_column_makes_the_worst_priors_of_the_others_mixed(browser, file):
    """Hide 1 to 2 and round to 20 leaves 0, 3, …, 9 behind "0": no end of the range is worst."""
    rule = Rule([Hide(1, 2), Round(20)])
    (answer,) = run(browser, file, [[rule.as_json(), 9, 0.1, 0.9, 0.75]])
    truth = design(rule, members=9, prior=(0.1, 0.9)).sizes[0]
    after = {output: (fraction(low), fraction(high)) for output, low, high in answer["after"]}
    assert len(truth.worst.others) == 2
    for each in truth.after:
        low, high = after[each.output]
        assert (float(low), float(high)) == pytest.approx((each.belief.lower, each.belief.upper))


def run(browser, file, asked):
    with opened(browser, file) as page:
        return page.evaluate(JUDGED, asked)


def test_the_table_of_after_is_that_of_design(browser, file):
    asked = list(cases(60, seed=29))
    answers = run(browser, file, [[rule.as_json(), *rest] for rule, *rest in asked])
    for (rule, members, low, high, _), answer in zip(asked, answers, strict=True):
        truth = design(rule, members=members, prior=(low, high)).sizes[0].after
        after = {output: (fraction(least), fraction(most)) for output, least, most in
                 answer["after"]}  # fmt: skip
        for each in truth:
            least, most = after[each.output]
            assert float(least) == pytest.approx(each.belief.lower, rel=1e-12)
            assert float(most) == pytest.approx(each.belief.upper, rel=1e-12)


def test_the_longest_list_is_answered_and_agrees(browser, file):
    asked = [(PRESETS[name].rule, 1000, 0.05, 0.5, 0.75) for name in ("opensafely", "rr3")]
    with opened(browser, file) as page:
        answers = page.evaluate(JUDGED, [[rule.as_json(), *rest] for rule, *rest in asked])
    for case, answer in zip(asked, answers, strict=True):
        check(case, answer)


def test_presets_have_no_step_that_the_page_does_not_know():
    for step in [step.as_json() for each in PRESETS.values() for step in each.rule.steps]:
        assert step.keys() <= {"hide", "round", "halves", "random", "midpoint"}
        assert step.get("halves", "up") == "up"


def test_the_tab_says_what_it_judged_and_how_to_ask_for_it_proved(browser, file):
    with opened(browser, file) as page:
        page.locator("#tab-rules").click()
        page.locator("#low").fill("0.5")
        assert "at most 70.8 %" in page.locator("#rules-sentence").inner_text()
        told = page.locator("#rules-facts").inner_text()
        assert "exactly 281/397" in told
        assert "--preset opensafely --members 12 --prior 0.5 0.5 --max-posterior 0.75" in told
        page.locator("#members").fill("13")
        assert "at most 100 %" in page.locator("#rules-sentence").inner_text()
        page.locator("#rule").select_option(label="my own: hide, then round")
        page.locator("#hide").fill("0")
        page.locator("#base").fill("10")
        page.locator("#members").fill("15")
        assert re.search("--round 10 --zero shown", page.locator("#rules-facts").inner_text())
        page.locator("#hide").fill("2")
        page.locator("#base").fill("20")
        assert "0, 3 to 9" in page.locator("#outputs").inner_text()
        page.locator("#members").fill("1001")
        assert page.locator("#rules-answer").is_hidden()
        assert "Enter 2 to 1,000 people" in page.locator("#rules-sentence").inner_text()
