import json
import re
from importlib import resources
from pathlib import Path

import pytest

from deniable.analysis.calibrate import calibrate
from deniable.report.derivation import derivation, in_words, theorems_appendix
from deniable.theorems.catalogue import CATALOGUE
from tests.cases.prose import Page
from tests.cases.sample_certificate import gaussian_certificate, sample_certificate

BIBLIOGRAPHY = Path(__file__).parents[3] / "docs" / "reference" / "bibliography.md"
TARGETS = [
    {"gamma": 2.0},
    {"max_posterior": 0.3, "prior": (0.0, 0.1)},
    {"attack_success": 0.6},
    {"advantage": 0.1},
    {"identifiability": 0.1, "worlds": 100},
]
SHORT = re.compile(r"\d\.\d{7,}")


def chains():
    for target in TARGETS:
        for adjacency in ("replace-one", "add-remove"):
            for delta in (None, 1e-6):
                yield calibrate(**target, adjacency=adjacency, delta=delta).derivation


def test_every_step_that_calibration_can_take_has_its_words():
    specs = {spec for steps in chains() for step in steps for spec in (step.source, step.target)}
    assert len(specs) > 20
    for spec in specs:
        told = in_words(spec)
        assert ":" not in told
        assert not SHORT.search(told)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("zcdp:0.052", "zero-concentrated differential privacy with ρ = 0.052"),
        (
            "privacy-loss-tail:1.3499267169490154,1e-06",
            "a privacy loss that passes 1.35 with a probability of at most 1 in 1,000,000",
        ),
        (
            "positive-membership:2.0@0.3-0.7",
            "no belief multiplied, and no doubt divided, by more than 2 (beliefs between 30 in "
            "100 and 70 in 100)",
        ),
        ("sampling-dp:0.1,1.0", "sampling-dp:0.1,1.0"),
        ("pure-dp:1,2,3", "pure-dp:1,2,3"),
    ],
)
def test_words(spec, told):
    assert in_words(spec) == told


@pytest.mark.parametrize("make", [sample_certificate, gaussian_certificate])
def test_each_step_links_to_its_theorem(make):
    steps = make().derivation
    linked = re.findall(r'href="#(theorem-\d+)"', derivation(steps))
    named = re.findall(r'id="(theorem-\d+)"', theorems_appendix(steps))
    assert len(linked) == len(steps)
    assert set(linked) == set(named)
    assert len(set(named)) == len(named)


def test_each_theorem_stands_with_title_and_source():
    (found,) = Page(theorems_appendix(sample_certificate().derivation)).facts
    (title, source, *entries, name) = found["Theorem 1"].splitlines()
    assert title.startswith("ε-DP gives γ = ")
    assert source == "Source: tramer-2015, Theorem 2; add-remove: li-2013, Theorem 4.5"
    assert entries == [f"[{key}] {sources()[key]}" for key in ("tramer-2015", "li-2013")]
    assert name == "In Deniable's catalogue: pure_dp_to_positive_membership"


def sources() -> dict[str, str]:
    return json.loads(
        resources.files("deniable.report").joinpath("sources.json").read_text("utf-8")
    )


def test_the_sources_are_those_of_the_bibliography():
    page = BIBLIOGRAPHY.read_text("utf-8")
    written = dict(re.findall(r"^## (\S+)\n\n(.*?)(?=\n\n|\Z)", page, re.MULTILINE | re.DOTALL))
    cited = {key for each in CATALOGUE for key in re.findall(r"[a-z-]+-\d{4}", each.source)}
    assert set(sources()) == cited
    for key, entry in sources().items():
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(written[key].split()))
        assert entry == plain.replace("*", "")


def test_noisy_steps_are_said_in_words():
    one = in_words("poisson-gaussian:1.0,0.03125,1320")
    assert one == "1,320 steps with noise multiplier 1 at a sampling rate of 3.125 in 100"
    assert ":" not in in_words("poisson-gaussian:1.0,0.5,3 + 2.0,0.5,1")
