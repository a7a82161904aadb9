"""Pure population privacy bounds what a release may do to the belief in a record."""

from deniable.errors import NotApplicable
from deniable.notions import PopulationPosterior, PopulationPrivacy


def population_to_population_posterior(guarantee: PopulationPrivacy) -> PopulationPosterior:
    """ε-population privacy of half a parent set keeps beliefs within ε at prior ½; δ = 0 only.

    At prior ½ the odds after an event are the ratio of its likelihoods. With δ > 0 nothing
    follows: an output of probability δ given the record in, and 0 given it out, is within
    (0, δ) and leaves a belief of 1, which is within no (ε, δ') with δ' < 1.

    Raises
    ------
    NotApplicable
        If δ > 0, or it is not said that the data are half of the parent set: name their size,
        or every parent set.

    References
    ----------
    lowy-2024, Lemma 3 (for δ = 0 its three forms are equivalent).

    Examples
    --------
    >>> population_to_population_posterior(PopulationPrivacy(0.5, size=8)).spec
    'population-posterior:0.5,0.0,0.5,8'
    """
    if guarantee.delta > 0:
        raise NotApplicable(f"Expected delta = 0, got delta={guarantee.delta}.")
    if guarantee.size is None and not guarantee.every_parent_set:
        raise NotApplicable("Expected data that are half of the parent set, got no size.")
    return PopulationPosterior(
        guarantee.epsilon, 0.0, 0.5, guarantee.size, guarantee.every_parent_set
    )
