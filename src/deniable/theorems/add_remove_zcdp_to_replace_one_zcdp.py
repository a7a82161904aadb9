"""Exchanging one entity is one removal and one addition: ρ grows fourfold."""

from deniable._rounding import directed, lower, upper
from deniable.errors import NotApplicable
from deniable.notions import ZCDP, Adjacency


def add_remove_zcdp_to_replace_one_zcdp(guarantee: ZCDP) -> ZCDP:
    """ρ-zCDP under add-remove gives 4ρ-zCDP under replace-one.

    Raises
    ------
    NotApplicable
        If the guarantee is replace-one already.

    References
    ----------
    bun-steinke-2016, Proposition 1.9 (groups of two).

    Examples
    --------
    >>> add_remove_zcdp_to_replace_one_zcdp(ZCDP(0.25, Adjacency.ADD_REMOVE)).spec
    'zcdp:1.0'
    """
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable("Expected an add-remove guarantee, got replace-one.")
    with directed() as r:
        return ZCDP(upper(4 * r(guarantee.rho)))


def add_remove_zcdp_for_replace_one_zcdp(target: ZCDP) -> ZCDP:
    """The largest add-remove ρ that gives the replace-one target: a quarter of it."""
    with directed() as r:
        return ZCDP(max(lower(r(target.rho) / 4), 0.0), Adjacency.ADD_REMOVE)
