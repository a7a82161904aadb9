"""The section about whoever knows the list: its first line, its numbers, and the floor above it."""

import re

import attrs

from deniable.numerics.bound import Bound, Evidence
from deniable.publish.page import document
from tests.cases.certified_case import CLAIMS, DRAWN, DRAWN_GAUSSIAN, PLANS, certificate


def page(text):
    return document(certificate(text), [])


def section(text):
    found = re.search(r'<section aria-labelledby="population">.*?</section>', page(text), re.DOTALL)
    return re.sub(r"<[^>]*>", " ", found[0]) if found else None


def test_the_first_line_says_against_whom_it_holds():
    told = " ".join(section(DRAWN).split())
    assert told.startswith(
        "Against an attacker who knows the list This holds only against an attacker who knows "
        "nobody who was drawn."
    )


def test_numbers_are_those_of_the_certificate():
    made = certificate(DRAWN_GAUSSIAN)
    told = " ".join(section(DRAWN_GAUSSIAN).split())
    numbers = [float(each) for each in re.findall(r"ε̃ = ([0-9.]+)", told)]
    assert numbers == [made.population.claim.bound.upper]
    assert "400 on the list, 100 of them in the data" in told
    assert "except with probability at most" in told


def test_an_ordinary_plan_has_no_such_section():
    assert section(PLANS["success"]) is None


def test_what_it_can_be_read_from_is_what_was_written():
    for text in (DRAWN, DRAWN_GAUSSIAN):
        made = certificate(text)
        again = type(made).from_json(made.as_json())
        assert again.population == made.population
        assert again.population.claim == CLAIMS[text]


def test_a_tighter_bound_is_never_shown_wider_nor_narrower():
    made = certificate(DRAWN)
    claim = attrs.evolve(made.population.claim, bound=Bound(0.0, 0.30001, Evidence.ENCLOSURE))
    changed = attrs.evolve(made, population=attrs.evolve(made.population, claim=claim))
    (shown,) = re.findall(r"ε̃ = ([0-9.]+)", document(changed, []))
    assert 0.30001 <= float(shown) <= 0.3001
