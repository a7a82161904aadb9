"""Every theorem, subject after subject; a new one joins derivations and laws by its decorator."""

from deniable.theorems import (
    adjacency,
    attacks,
    beliefs,
    concentrated,
    false_positive_rate,
    gaussian,
    identifiability,
    membership,
    membership_inference,
    one_sided,
    other_families,
    population,
    pure_and_approximate,
    random_data,
    semantic,
    training,
    values,
)
from deniable.theorems._theorem import Theorem, theorems_of

SUBJECTS = (
    pure_and_approximate,
    concentrated,
    gaussian,
    adjacency,
    random_data,
    membership,
    one_sided,
    other_families,
    beliefs,
    identifiability,
    semantic,
    values,
    attacks,
    false_positive_rate,
    population,
    membership_inference,
    training,
)
"""In the order in which theorems are listed, and tried where two are equally strong."""

CATALOGUE: tuple[Theorem, ...] = tuple(
    each for subject in SUBJECTS for each in theorems_of(subject)
)

_BY_NAME = {each.name: each for each in CATALOGUE}


def named(name: str) -> Theorem:
    """The theorem of that name."""
    return _BY_NAME[name]
