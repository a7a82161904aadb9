"""An adversary who knows all other records is one of those that Bayesian semantic privacy faces."""

from deniable.notions import BayesianSemantic, Semantic


def bayesian_semantic_to_semantic(guarantee: BayesianSemantic) -> Semantic:
    """τ-Bayesian semantic privacy gives τ-semantic privacy: no record is left unknown.

    References
    ----------
    zhao-2019, Section II (ii) and the remark after Definition 2.

    Examples
    --------
    >>> bayesian_semantic_to_semantic(BayesianSemantic(0.2)).spec
    'semantic:0.2'
    """
    return Semantic(guarantee.epsilon, adjacency=guarantee.adjacency)
