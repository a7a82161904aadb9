import re

import attrs
import pytest

from deniable.auditing.audit import Audit, Finding, RatePoint, RecordFound
from deniable.auditing.page import (
    audit_page,
    bets_down,
    bets_up,
    down,
    headline,
    up,
    verdict_sentence,
)
from deniable.numerics.bound import Bound, Evidence

FOUND = Audit(
    verdict="consistent",
    subject="differential privacy",
    claimed="pure-dp:1.0@add-remove",
    claimed_epsilon=1.0,
    delta=0.0,
    adjacency="add-remove",
    visible=5.8,
    found=Bound(0.5, float("inf"), Evidence.CONFIDENCE, confidence=0.95, draws=500, seed=0),
    runs=1_000,
    pilot=500,
    right=330,
    guesses=500,
    confidence=0.95,
    attack="classifier",
    curve=(RatePoint(0.2, 0.4, 0.1, 0.3, 0.3, 0.5), RatePoint(0.5, 0.8, 0.4, 0.6, 0.7, 0.9)),
    worst=(RecordFound(7, 40, 50, 0.4),),
)
NOTHING = attrs.evolve(
    FOUND, verdict="inconclusive", claimed=None, claimed_epsilon=None, curve=(), worst=()
)
BROKEN = Finding("low-bits", "The last <bits> tell.", breaks=True)
HOSTILE = "<script>alert(1)</script>"


@pytest.mark.parametrize(
    "audit",
    [
        FOUND,
        NOTHING,
        attrs.evolve(FOUND, delta=0.1),
        attrs.evolve(FOUND, verdict="violated", findings=(BROKEN,)),
        attrs.evolve(FOUND, claimed_epsilon=float("inf")),
        attrs.evolve(FOUND, adjacency="parent-set", claimed_epsilon=0.0),
    ],
    ids=["all", "nothing", "delta", "broken", "infinite", "parent-set"],
)
def test_a_page_is_whole_and_without_script(audit):
    page = audit_page(audit, HOSTILE)
    assert page.startswith("<!DOCTYPE html>")
    assert page.endswith("</html>\n")
    assert "<script" not in page
    assert "NaN" not in page
    identifiers = re.findall(r'\bid="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))


def test_what_is_proved_is_rounded_down_and_what_is_claimed_up():
    assert (up(0.12341), down(0.12349)) == ("0.1235", "0.1234")
    assert (bets_up(0.7301), bets_down(0.7309)) == ("73.1", "73")
    assert FOUND.belief_found < 1 / (1 + 2.718281828**-0.5) + 1e-9
    assert FOUND.believed(0.0) == 0.0
    assert FOUND.believed(1.0) <= 1.0


@pytest.mark.parametrize(
    ("audit", "first"),
    [
        (FOUND, "Consistent"),
        (attrs.evolve(FOUND, verdict="violated"), "Violated"),
        (attrs.evolve(FOUND, verdict="violated", findings=(BROKEN,)), "Violated"),
        (NOTHING, "Inconclusive"),
        (attrs.evolve(FOUND, verdict="inconclusive", decides=5_000), "Inconclusive"),
        (attrs.evolve(FOUND, verdict="inconclusive", claimed_epsilon=0.4), "Inconclusive"),
    ],
    ids=["consistent", "violated", "broken", "nothing", "few", "chance"],
)
def test_a_verdict_is_one_line_that_begins_with_its_word(audit, first):
    told = verdict_sentence(audit)
    assert told.partition(":")[0] == first
    assert "\n" not in told
    assert headline(audit).count("% of bets") == 1


def test_one_training_is_not_told_as_many_runs():
    """The first line of its page said that the attack ran many times."""
    once = attrs.evolve(NOTHING, subject="one training run", runs=1, pilot=0)
    page = audit_page(once, "fit")
    assert "trained once" in page
    assert "many\n  times" not in page
    assert "0 of them chose" not in page
    many = audit_page(NOTHING, "fit")
    assert "trained once" not in many
    assert "500 of them chose the attack" in many
