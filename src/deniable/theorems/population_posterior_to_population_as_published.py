"""What a release may do to the belief in a record bounds likelihoods, with the published 2δ."""

from deniable.errors import NotApplicable
from deniable.notions import PopulationPosterior, PopulationPrivacy


def population_posterior_to_population_as_published(
    guarantee: PopulationPosterior,
) -> PopulationPrivacy:
    """Beliefs within (ε, δ) at prior ½ give (ε, 2δ)-population privacy; δ itself suffices.

    Raises
    ------
    NotApplicable
        If the share is not ½: the paper samples half of the parent set.

    References
    ----------
    lowy-2024, Lemma 3, (1) to (2).

    Examples
    --------
    >>> population_posterior_to_population_as_published(PopulationPosterior(1.0, 0.1, 0.5)).spec
    'population:1.0,0.2'
    """
    if guarantee.share != 0.5:
        raise NotApplicable(f"Expected share ½, got share={guarantee.share}.")
    every = guarantee.every_parent_set and guarantee.size is not None
    return PopulationPrivacy(
        guarantee.epsilon, min(2 * guarantee.delta, 1.0), guarantee.size, every
    )
