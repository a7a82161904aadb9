"""What holds besides against somebody who knows the list of members and nobody who was drawn."""

from deniable.certificate.population import ON_TRUST, SENTENCE, PopulationStatement
from deniable.report.html import Html, element, items, join, text
from deniable.report.page import Section
from deniable.report.sentences import (
    at_least,
    chance,
    common,
    exactly,
    factor,
    rounded_up,
    significant,
)
from deniable.theorems.analysis import (
    EACH_WAY,
    AdvantageTarget,
    AttackSuccessTarget,
    GammaTarget,
    MaxPosteriorTarget,
    Target,
)

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


def describe_drawing() -> tuple[str, str]:
    """What analyses of a list of members rest on: how people were drawn, and what is public."""
    drawn, public, _ = ON_TRUST
    return drawn, public


def population_sections(statement: PopulationStatement) -> list[Section]:
    """The section of a plan that names a list of members."""
    return [("population", "Against whoever knows the list", _section(statement))]


def above_everything() -> Html:
    """That the first lines are about everybody, and where the other demand is."""
    link = element("a", text("Against whoever knows the list"), href="#population")
    sentence = text(
        "The lines above are what holds against everybody, the floor of this plan. A second, "
        "narrower promise stands under "
    )
    return element("p", f"{sentence}{link}.", class_="quiet")


def _section(statement: PopulationStatement) -> Html:
    claim, parts = statement.claim, statement.as_json()
    belief, bound = parts["posterior"], claim.bound
    but = _but(statement)
    total = common(belief["prior"], belief["upper"])
    plain = significant(statement.differential_privacy, 4)
    error = ""
    if claim.error:
        error = f", counting a chance of {chance(claim.error)} that the draws mislead"
    facts = (
        ("Members", f"{claim.members:,} on the list, {claim.drawn:,} of them in the data"),
        ("Limit asked for", _describe_target(statement.target)),
        (
            "Before and after",
            f"a belief of {exactly(belief['prior'])} that one of them was drawn stays between "
            f"{at_least(belief['lower'], total)} and {chance(belief['upper'], total)}{but}",
        ),
        ("A guess at even odds", f"is right at most {chance(parts['attack_success'])} times"),
        (
            "Population privacy",
            f"ε̃ = {rounded_up(bound.upper, 4)}"
            + (f" at δ = {exactly(statement.delta)}{error}" if statement.delta else ""),
        ),
        ("Certified", METHODS.get(claim.method, claim.method)),
        (
            "Noise",
            f"{rounded_up(claim.noise_factor, 4)} times what the floor alone needs; against "
            f"everybody it gives ε = {plain} here",
        ),
    )
    rows = (f"{element('dt', text(term))}{element('dd', text(fact))}" for term, fact in facts)
    return join(
        [
            element("p", text(SENTENCE), class_="lead"),
            element(
                "p",
                text(
                    "Whoever knows of some that they are in the data, or out of it, is one of "
                    "everybody: for them the floor holds, and no more. The promise is about this "
                    "list and this release alone, and does not add up with others."
                ),
            ),
            element("dl", *rows, class_="facts"),
            element("p", text("It rests on:")),
            items(map(text, ON_TRUST)),
        ]
    )


def _but(statement: PopulationStatement) -> str:
    if not statement.delta:
        return ""
    return f", except with probability at most {chance(statement.exceedance)} {EACH_WAY}"


def _describe_target(target: Target) -> str:
    match target:
        case MaxPosteriorTarget():
            return f"nobody on the list is given more than {exactly(target.value)} after"
        case AttackSuccessTarget():
            return f"a guess at even odds is right at most {exactly(target.value)} times"
        case AdvantageTarget():
            return f"drawn and not drawn told apart with an advantage of {exactly(target.value)}"
        case GammaTarget():
            return (
                f"no belief multiplied, and no doubt divided, by more than {factor(target.value)}"
            )
        case _:
            return f"a population epsilon of {significant(target.value, 12)} outright"
