"""The pages of docs/maps-to/ are what the regimes' questions say."""

import pytest

from deniable.pipeline.certified import of_certificate
from deniable.pipeline.dossiers import regimes
from docs.maps_to import FOLDER, pages
from tests.cases import certified_case
from tests.cases.sample_study import study_certificate
from tests.cases.sample_training import training_certificate

QUESTIONS = [(key, each) for key, regime in regimes().items() for each in regime.questions]


def test_the_pages_are_up_to_date():
    """If they are not: `python docs/maps_to.py`."""
    written = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    assert written == pages()


def test_every_statement_that_a_question_names_is_there_and_every_other_is_named():
    named = {name for _, question in QUESTIONS for name in question.statements}
    plans = (certified_case.certificate(text) for text in certified_case.PLANS.values())
    made = (*plans, study_certificate(), training_certificate())
    tables = (of_certificate(each, baselines=[0.5], candidates=3) for each in made)
    assert named == {name for table in tables for name in table}


@pytest.mark.parametrize("question", [question for _, question in QUESTIONS])
def test_a_question_has_a_place_its_words_and_an_answer_or_a_reason(question):
    assert question.place
    assert question.words
    assert question.statements or question.otherwise
    assert len(question.words) < 260  # a quotation, and no copy


@pytest.mark.parametrize("regime", regimes().values(), ids=str)
def test_a_regime_says_what_of_its_source_was_read(regime):
    assert regime.date
    assert len(regime.source) > 80
    assert regime.address.startswith("https://")


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("ema", "may not be applicable in the context of Policy 0070"),
        ("gdpr", "as long as the original data remains"),
        ("gdpr", "the data controller can still identify the data subject"),
    ],
)
def test_what_a_source_says_against_the_method_stands_there_and_no_figure_answers_it(key, words):
    (question,) = [each for each in regimes()[key].questions if words in each.words]
    assert not question.statements
    assert question.otherwise
