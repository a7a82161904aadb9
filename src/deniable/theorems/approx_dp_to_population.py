"""Replace-one DP is population privacy for every parent set."""

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP, PopulationPrivacy


def approx_dp_to_population(guarantee: ApproxDP) -> PopulationPrivacy:
    """(ε, δ) replace-one DP gives (ε, δ)-population privacy, whatever the parent set.

    A uniform subset with a record becomes one without it by exchanging that record for a
    uniform other one, so the two laws are mixtures of neighbours.

    Raises
    ------
    NotApplicable
        If the guarantee is add-remove: the number of records is fixed.

    References
    ----------
    lowy-2024, Proposition 5 (δ = 0 and N = 2n; by convexity for every δ and N).

    Examples
    --------
    >>> approx_dp_to_population(ApproxDP(0.5, 0.0)).spec
    'population:0.5,0.0@every-parent-set'
    """
    if guarantee.adjacency is not Adjacency.REPLACE_ONE:
        raise NotApplicable("Expected a replace-one guarantee, got add-remove.")
    return PopulationPrivacy(
        guarantee.epsilon, guarantee.delta, guarantee.records, every_parent_set=True
    )
