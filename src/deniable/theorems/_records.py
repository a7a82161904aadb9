"""A guarantee known of data of one size says nothing of data of another."""

from deniable.errors import NotApplicable
from deniable.notions import ApproxDP, PureDP


def check_every_size(guarantee: PureDP | ApproxDP) -> None:
    """Refuse a guarantee that is known of data of one size only."""
    if guarantee.records is not None:
        raise NotApplicable(
            f"Expected a guarantee for data of every size, got one for records={guarantee.records}."
        )
