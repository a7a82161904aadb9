"""What holds besides against somebody who knows the list of members and nobody who was drawn."""

from deniable.certificate.population import ON_TRUST, SENTENCE, PopulationStatement
from deniable.report.rendering import Section, section

METHODS = {
    "constant": "all members add the same, so that nothing can be learnt",
    "types": "over how many of each of the few kinds of members were drawn",
    "counts": "by how many of each kind were drawn, which no noise needs to hide",
    "hypergeometric": "exact, from the hypergeometric law of the count",
    "lattice": "enclosed, from the law of what is released over all samples",
    "fourier": "enclosed, from the law of the sum over all samples",
    "crowd": "by draws of samples (hidden in a crowd)",
    "pairwise": "enclosed, from exchanges of two members, averaged",
    "mixture": "enclosed, from a member against all who might stand in, at once",
    "exchanges": "enclosed, from exchanges of two members, averaged",
    "swaps": "enclosed, from swaps of pairs of other members",
    "cells": "enclosed, told how many of those who agree in all columns but one were drawn",
    "restricted": "enclosed, from the largest exchange of two members",
    "differential-privacy": "by differential privacy: nothing better was certified",
}
"""What gave the upper end, in words."""


def population_sections(statement: PopulationStatement) -> list[Section]:
    """The section of a plan that names a list of members."""
    parts = statement.as_json()
    return [
        section(
            "population",
            "report/population.html",
            statement=statement,
            posterior=parts["posterior"],
            success=parts["attack_success"],
            method=METHODS.get(statement.claim.method, statement.claim.method),
            sentence=SENTENCE,
            on_trust=ON_TRUST,
        )
    ]
