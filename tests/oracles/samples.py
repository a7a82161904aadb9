"""Every sample of a size, one by one: those that hold a record, and those that do not."""

import itertools


def samples(n_records, size, record):
    """Positions of the members of each sample with the record, and of each without it."""
    every = list(itertools.combinations(range(n_records), size))
    return [s for s in every if record in s], [s for s in every if record not in s]
