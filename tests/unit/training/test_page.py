import re

import attrs
import pytest

from deniable.numerics.bound import Bound, Evidence
from deniable.training.page import training_document
from tests.cases.prose import Page, probability_of
from tests.cases.sample_training import PHASES, charged_training, training_certificate


@pytest.fixture(scope="module")
def made():
    return training_certificate(PHASES, prior=(0.01, 0.1), fpr=0.05)


@pytest.fixture(scope="module")
def page(made):
    return Page(training_document(made))


def share(told):
    return float(probability_of(told))


def table(page, caption):
    (found,) = [each for each in page.tables if each.caption.startswith(caption)]
    return found.rows


def test_the_history_stands_there_in_full(made, page):
    rows = table(page, "Steps")
    told = [
        (int(row["Steps"]), share(row["Sampling rate"]), float(row["Noise multiplier"]))
        for row in rows
    ]
    assert told == [(x.steps, x.sample_rate, x.noise_multiplier) for x in made.training.history]


def test_misses_are_rounded_down_and_those_asked_for_are_among_them(made, page):
    stated = {each.fpr: each.fnr for each in made.training.trade_off}
    stated[made.training.rates.fpr] = made.training.rates.fnr
    rows = {
        share(row["Other records wrongly flagged (false positives)"]): row
        for row in table(page, "The least that any attack misses")
    }
    assert made.training.rates.fpr in rows
    for fpr, row in rows.items():
        assert share(row["Training records missed, at least"]) <= stated[fpr] <= 1 - fpr
        assert share(row["Guessing"]) == pytest.approx(1 - fpr)


def test_the_budget_is_epsilon_and_rho_is_what_a_ledger_adds_up(made, page):
    guarantee = made.guarantee
    (facts,) = [each for each in page.facts if "Privacy budget" in each]
    epsilon, delta = re.fullmatch(
        r"ε = ([\d.]+) with δ = (.*), add-remove.*", facts["Privacy budget"]
    ).groups()
    assert guarantee.epsilon <= float(epsilon) <= guarantee.epsilon + 1e-4
    assert share(delta) == guarantee.delta
    assert "ρ" not in " ".join(facts.values())
    loss, chance = re.fullmatch(
        r"exceeds ([\d.]+) with probability at most (.*)", facts["Privacy loss"]
    ).groups()
    assert float(loss) >= guarantee.privacy_loss
    assert share(chance) >= guarantee.exceedance
    assert "A ledger would charge ρ" in " ".join(page.sections["The training"])


def test_every_sentence_of_what_is_not_covered_stands_there(made, page):
    assert set(made.not_covered) <= set(page.sections["What is not covered"])
    assert set(made.assumptions) <= set(page.sections["What it rests on"])


def test_every_theorem_has_its_source(made, page):
    told = [each for each in page.facts if any(term.startswith("Theorem ") for term in each)]
    entries = [text for facts in told for text in facts.values()]
    assert len(entries) == len({step.theorem for step in made.derivation})
    assert all(re.search(r"Source: [a-z]+(-[a-z]+)*-\d{4}", text) for text in entries)


def test_a_charge_has_a_section_of_its_own_that_does_not_speak_of_noise_to_come(page):
    charged = charged_training()
    told = Page(training_document(charged)).sections
    (section,) = set(told) - set(page.sections)
    paragraphs = " ".join(told[section])
    assert "before its certificate was written" in paragraphs
    (amount,) = re.findall(r"Charged for this release: ρ = ([\d.]+)\.", paragraphs)
    assert float(amount) >= charged.ledger.charged == 8 / (2 * 2.0**2)


@pytest.mark.parametrize("budget", [1.0, 2.1972245773362196, 1 / 3, 4e-5])
def test_a_budget_is_told_as_no_less_than_it_is(budget):
    charged = charged_training()
    document = training_document(
        attrs.evolve(charged, ledger=attrs.evolve(charged.ledger, budget=budget))
    )
    (told,) = re.findall(r"Budget of [^:]*: ρ = ([\d.]+) in all", document)
    assert float(told) >= budget


@pytest.mark.parametrize("ends", [(0.123456, 0.123457), (1.23456e-5, 1.23464e-5)])
def test_no_end_of_the_advantage_is_rounded_inwards(made, ends):
    training = attrs.evolve(made.training, advantage=Bound(*ends, Evidence.ENCLOSURE))
    document = training_document(attrs.evolve(made, training=training))
    ((high, low),) = re.findall(
        r"is at most ([-\d.e−]+)\. The steps .* limit than ([-\d.e−]+): in some", document
    )
    told = [float(each.replace("−", "-")) for each in (low, high)]
    assert told[0] <= ends[0]
    assert ends[1] <= told[1]
