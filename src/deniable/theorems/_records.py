"""A guarantee known of data of one size says nothing of data of another."""

from deniable.errors import NotApplicable
from deniable.notions import ApproxDP, PopulationPrivacy, PureDP


def check_every_size(guarantee: PureDP | ApproxDP) -> None:
    """Refuse a guarantee that is known of data of one size only."""
    if guarantee.records is not None:
        raise NotApplicable(
            f"Expected a guarantee for data of every size, got one for records={guarantee.records}."
        )


def check_size_at_hand(guarantee: PopulationPrivacy) -> None:
    """Refuse a guarantee that names a size: attacks are on the data at hand, of whatever size."""
    if guarantee.size is not None:
        raise NotApplicable(
            f"Expected a guarantee for the data at hand, got one for size={guarantee.size}. "
            "Leave the size out if theirs is that."
        )
