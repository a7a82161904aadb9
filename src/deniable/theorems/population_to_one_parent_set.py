"""From every parent set to one of them."""

import attrs

from deniable.errors import NotApplicable
from deniable.notions import PopulationPrivacy


def population_to_one_parent_set(guarantee: PopulationPrivacy) -> PopulationPrivacy:
    """(ε, δ) whatever the parent set is (ε, δ) for each one.

    Raises
    ------
    NotApplicable
        If the guarantee is for one parent set already.

    References
    ----------
    lowy-2024, Definition 2.

    Examples
    --------
    >>> population_to_one_parent_set(PopulationPrivacy(0.5, every_parent_set=True)).spec
    'population:0.5,0.0'
    """
    if not guarantee.every_parent_set:
        raise NotApplicable("Expected a guarantee for every parent set, got one for one of them.")
    return attrs.evolve(guarantee, every_parent_set=False)
