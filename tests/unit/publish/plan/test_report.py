import html
import re
import tomllib

import pytest

from deniable.errors import PlanError
from deniable.publish.page import document
from deniable.publish.plan import PlanTable, check_report, refuse_unknown_keys
from deniable.report.heading import LONGEST
from tests.cases.certified_case import REPORT, certificate
from tests.cases.prose import refusal_of
from tests.cases.sample_certificate import sample_certificate


def checked(**entries):
    top = PlanTable("p.toml", "", {"report": entries})
    refuse_unknown_keys(top)
    check_report(top.section("report"))


def test_every_key_may_be_left_out_and_be_as_long_as_its_place():
    checked()
    checked(**{key: "x" * most for key, most in LONGEST.items()})


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (
            {"titel": "x"},
            {"got": 'the unknown key "titel"', "place": "titel", "remedy": 'Did you mean "title"?'},
        ),
        ({"title": ""}, {"expected": "text", "got": "an empty text", "place": "title"}),
        ({"contact": 3}, {"expected": "text", "got": "3", "place": "contact"}),
        ({"title": "x" * 201}, {"expected": "at most 200 characters", "got": "201"}),
        ({"text": "x" * 4001}, {"expected": "at most 4000 characters", "got": "4001"}),
    ],
)
def test_what_no_report_shows_is_refused(entries, said):
    with pytest.raises(PlanError) as refused:
        checked(**entries)
    assert refusal_of(refused.value, "p.toml, [report]").parts(*said) == said


def test_the_words_stand_in_the_certificate_and_in_the_report():
    made = certificate(
        '[data]\nsource = "v.csv"\nadjacency = "add-remove"\n[target]\ngamma = 2.0\n'
        '[[query]]\nname = "all"\nstatistic = "count"\n' + REPORT
    )
    own = tomllib.loads(REPORT)["report"]
    assert made.plan["report"] == own
    page = html.unescape(re.sub("<[^>]*>", "\n", document(made, [])))
    lines = {line.strip() for line in page.split("\n")}
    wanted = {own["title"], own["organisation"], own["contact"], "For the board."}
    assert wanted <= lines
    assert own["title"] not in document(sample_certificate(), [])
