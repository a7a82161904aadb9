"""The page for the owner."""

import attrs
import pytest

from deniable.gwas.attacks import AttackPower, attack_page
from deniable.report.html import write_page

ANSWER = AttackPower(
    0.5, 0.4, 0.9, 0.8, 0.45, 900, 0.05, 200, 1000, 0.0, 0.5, False, 0,
    power_measured=0.5, variants_unlinked=300, variants_worth=250.0, limit=0.1,
    variants_left_out={"published_ambiguous": 7}, published=("frequencies in cases",), on="cases",
)  # fmt: skip


def test_it_ends_in_a_decision():
    page = attack_page(ANSWER, "study.assoc")
    last = page[page.index(">Decision<") :]
    assert ANSWER.verdict in last
    assert "Do not publish" in ANSWER.verdict
    assert "50 % of members" in ANSWER.verdict
    assert attrs.evolve(ANSWER, limit=0.6).verdict.startswith("Within")


def test_figures_that_mean_nothing_decide_nothing():
    answer = attrs.evolve(ANSWER, ancestry_differs=True)
    assert answer.verdict.startswith("These figures decide nothing")
    assert answer.enough is None
    assert answer.verdict in attack_page(answer, "x")


def test_a_guarantee_decides_before_a_measurement():
    answer = attrs.evolve(ANSWER, power_limit=0.06, guarantee=0.1)
    assert "no attack" in answer.verdict


@pytest.mark.parametrize(
    "name",
    ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "\u202egpj.exe", "a\x00b"],
)
def test_names_are_text(tmp_path, name):
    write_page(attack_page(ANSWER, name), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "<img" not in page
    assert "\u202e" not in page
    assert "\x00" not in page
    assert "default-src 'none'" in page
