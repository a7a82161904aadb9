"""Certificates of format 2 are compared with the words they had, and those of 2.1 with today's."""

import json
from pathlib import Path

import pytest

from deniable.certificate.json_documents import read_packaged_schema, statement_sha256
from deniable.certificate.wording import in_earlier_words
from deniable.pipeline.check import check_certificate
from deniable.pipeline.kind import kind_of
from second_checker.__main__ import examine
from tests.cases.effort import one_in
from tests.cases.every_sentence import certificates

OLD = json.loads((Path(__file__).parents[2] / "data" / "format_2.json").read_text("utf-8"))
PAIRS = read_packaged_schema("earlier_words.json")
ON_PAGES = 2  # pairs of sentences that stand on pages of reports alone
MIXED = one_in(3, [*OLD])
"""Certificates that are also tried with the words of the other format."""


@pytest.fixture(scope="module")
def new():
    return {name: json.loads(json.dumps(made.as_json())) for name, made in certificates()}


def refused(document):
    """Names of the checks that do not hold, after the digest was repaired as a forger would."""
    sealed = document | {"statement_sha256": statement_sha256(document)}
    answer, _ = check_certificate(kind_of(sealed), sealed, files_beside=True)
    return [each.name for each in answer.checks if not each.holds]


def sentences(value):
    """Every sentence in a part of a certificate."""
    if isinstance(value, str):
        return [value] if " " in value else []
    children = (
        value.values()
        if isinstance(value, dict)
        else value
        if value and isinstance(value, list)
        else ()
    )
    return [each for child in children for each in sentences(child)]


SAYING = ("unit", "adversary", "population", "assumptions", "not_covered")


def said(document):
    return [each for key in SAYING for each in sentences(document.get(key))]


@pytest.mark.parametrize("name", OLD)
def test_every_certificate_holds_in_its_own_words_alone(name, new):
    old, today = OLD[name], new[name]
    assert (old["format"].endswith("/2"), today["format"].endswith("/2.1")) == (True, True)
    assert refused(old) == refused(today) == []
    assert said(old) != said(today)
    if name in MIXED:
        assert refused(old | {"format": today["format"]}) != []
        assert refused(today | {"format": old["format"]}) != []


@pytest.mark.parametrize("name", ["household", "study filtered", "frequencies", "training 5"])
def test_no_sentence_can_be_changed_left_out_or_taken_from_the_other_words(name, new):
    for own, other in ((OLD[name], new[name]), (new[name], OLD[name])):
        for key in ("assumptions", "not_covered"):
            for place, words in one_in(2, [*enumerate(own[key])]):
                for forged in {words + " Or not.", other[key][place]} - {words}:
                    changed = [*own[key][:place], forged, *own[key][place + 1 :]]
                    assert refused(own | {key: changed}) != []
            assert refused(own | {key: own[key][1:]}) != []
        forged = own["unit"] | {"sentence": own["unit"]["sentence"] + " Or not."}
        assert refused(own | {"unit": forged}) != []


def test_every_pair_is_one_of_some_certificate_and_none_is_changed_twice(new):
    texts = " ".join(each for document in new.values() for each in said(document))
    used = [today for today, _ in PAIRS if in_earlier_words(texts) and _stands(today, texts)]
    assert len(used) == len(PAIRS) - ON_PAGES
    for _, before in PAIRS:
        assert in_earlier_words(before) == before


def _stands(template, text):
    """Whether the longest piece of a template between two values stands in a text."""
    pieces = [piece.partition("}")[2] or piece for piece in template.split("{")]
    return max(pieces, key=len) in text


def test_the_second_checker_knows_both_words_and_no_mixture(new):
    name = "unknown keys"
    for own, other in ((OLD[name], new[name]), (new[name], OLD[name])):

        def verdict(document):
            sealed = document | {"statement_sha256": statement_sha256(document)}
            return examine(json.dumps(sealed).encode()).verdict

        assert verdict(own) == "verified"
        assert verdict(own | {"format": other["format"]}) == "refused"
        assert verdict(own | {"not_covered": other["not_covered"]}) == "refused"
