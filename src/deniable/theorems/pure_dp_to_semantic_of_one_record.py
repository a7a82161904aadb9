"""Pure DP is semantic privacy, sharper still where the data are one record."""

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, PureDP, Semantic
from deniable.theorems.pure_dp_to_semantic import moved_by


def pure_dp_to_semantic_of_one_record(guarantee: PureDP) -> Semantic:
    """ε replace-one DP of one record gives tanh(ε/4)-semantic privacy, rounded up; attained.

    With its only record replaced, a data set says nothing: the spread of the factors is e^ε.

    Raises
    ------
    NotApplicable
        If the guarantee is add-remove, or of data of another size.

    References
    ----------
    kasiviswanathan-smith-2014, with the sharp constant.

    Examples
    --------
    >>> round(pure_dp_to_semantic_of_one_record(PureDP(0.5)).epsilon, 6)
    0.124353
    """
    if guarantee.adjacency is not Adjacency.REPLACE_ONE:
        raise NotApplicable("Expected a replace-one guarantee, got add-remove.")
    if guarantee.records not in (None, 1):
        raise NotApplicable(f"Expected data of one record, got records={guarantee.records}.")
    return Semantic(moved_by(guarantee.epsilon, 1), records=1)
