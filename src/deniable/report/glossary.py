"""The words of the report, for who does not meet them every day."""

from deniable.certificate.model import Certificate
from deniable.report.html import Html, element, text

_ALWAYS = (
    (
        "Adversary",
        "Anybody who reads this release and wants to find out about one person or thing in the "
        "data. They may know everything about all the others.",
    ),
    (
        "Belief",
        "How probable the adversary holds it, before or after the release; “30 in 100” is a "
        "probability of 0.3. Doubt is the rest: 70 in 100.",
    ),
    ("γ (gamma)", "The most that a belief is multiplied by, or a doubt divided by."),
    (
        "ε (epsilon)",
        "The privacy budget of differential privacy: whatever is published is at most e^ε times "
        "as probable with one set of data as with its neighbour. Smaller protects more.",
    ),
    (
        "Neighbours",
        "Two sets of data that differ in what is protected, and in nothing else. Replace-one: one "
        "is exchanged for another. Add-remove: one is there or not.",
    ),
    (
        "Noise",
        "Random numbers, added so that nobody can tell neighbours apart from what is published.",
    ),
    ("Sensitivity", "The most that exact numbers differ between neighbours."),
    ("Scale", "How wide noise is spread: sensitivity divided by the share of the budget."),
    (
        "95 % half-width (±)",
        "In 95 of 100 releases the noise moves a number by no more than this. It does not count "
        "what limits leave out beforehand.",
    ),
    (
        "Attack success",
        "How often a guess is right at most, if it was as likely to be true as not beforehand.",
    ),
    (
        "Advantage",
        "By how much the share of hits of an attack exceeds its share of false alarms at most.",
    ),
)
_RARE = (
    (
        "δ (delta)",
        "A small probability: with it an output may tell more than the limit on beliefs says.",
    ),
    (
        "Except with probability",
        "Over the noise and over what the adversary does not know of the others, for each limit "
        "and whoever is asked about. That the limit of somebody among many is passed may be more "
        "probable.",
    ),
    (
        "Privacy loss",
        "The logarithm of how many times more probable an output is with one set of data than "
        "with its neighbour.",
    ),
    (
        "ρ (rho), noise multiplier",
        "The budget of Gaussian noise, and its standard deviation per unit of sensitivity.",
    ),
)


def glossary(certificate: Certificate) -> Html:
    """Words and what they mean here; those of δ only where there is one."""
    entries = _ALWAYS + (_RARE if certificate.guarantee.delta else ())
    return element(
        "dl",
        *(
            f"{element('dt', text(term))}{element('dd', text(meaning))}"
            for term, meaning in entries
        ),
        class_="facts",
    )
