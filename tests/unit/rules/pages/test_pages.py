"""Pages about rules: what they rest on, what they do not cover, and charts for notebooks."""

import pytest

from deniable.rules import Hide, RandomRound, compare, design, judge

HALF = (0.5, 0.5)


def test_a_page_says_what_it_rests_on_and_what_is_not_covered():
    answers = [
        design("opensafely", members=12, prior=(0.05, 0.5), limit=0.75, delta=0.01),
        design([RandomRound(3)], members="5..9", prior=HALF, limit=0.75, floor=0.1),
        design([Hide(1, 4)], members=8, sample=(10, 20)),
    ]
    for answer in answers:
        page = answer.page()
        assert "Exact tables have no finite ε." in page
        assert "Households" in page
        assert "<script" not in page
    assert "81 %" in answers[0].page()  # the chance of "*"
    assert "10 of them were drawn" in answers[2].page()


def test_answers_draw_themselves():
    one = design("cms", members=12, prior=HALF)
    several = compare(["cms", "opensafely"], members=[10, 20], prior=HALF)
    for answer in (one, several):
        assert answer.plot().to_dict()["$schema"]


@pytest.mark.parametrize(
    ("adversary", "before"),
    [
        ({"prior": [0.2, 0.5]}, "between 20 % and 50 %"),
        ({"prior": [0.5, 0.5]}, "the attacker is 50 % sure that a given person"),
        ({"sample": {"n": 20, "N": 40}}, "20 of 40 people were drawn"),
        (None, "You named no attacker"),
    ],
)
def test_a_page_about_tables_says_who_is_feared_and_under_which_rule(adversary, before):
    """A belief without the prior it began at, and the rule, can be read as anything."""
    rules = {
        "list": [{"name": "ward", "size": 12}],
        "table": [{"lists": ["ward"]}],
        "rule": {"preset": "opensafely"},
    }
    if adversary is not None:
        rules |= {"adversary": adversary, "target": {"max_posterior": 0.8}}
    page = judge(rules, {"ward": 10}).page().replace("\u00a0", " ")
    assert before in page
    assert "Counts 1 to 7 are shown as" in page
    assert "multiple of 5" in page
    assert ("at most 80 %" in page) == (adversary is not None)
    assert "1 published number." in page
