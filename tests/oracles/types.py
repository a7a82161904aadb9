"""Sums of few types of records by their definition: every sample listed, every output added up.

Records are numbered one by one here, equal or not; shares no code with the library.
"""

import numpy as np

from tests.oracles.population import smallest_epsilon
from tests.oracles.samples import samples


def listed(rows, counts):
    """A record a row, each type as often as it is there."""
    return np.repeat(np.asarray(rows, float), counts, axis=0)


def lattice_laws(records, size, log_pmf, record, reach):
    """Laws of the noisy sums given the record in and out, on a lattice wide enough.

    `log_pmf` is of the noise on every column, or a list with one a column.
    """
    highest = np.sort(records, axis=0)[-size:].clip(0).sum(axis=0)
    axes = [np.arange(-reach, int(most) + reach + 1) for most in highest]
    every = log_pmf if isinstance(log_pmf, list) else [log_pmf] * records.shape[1]
    laws = []
    for some in samples(len(records), size, record):
        total = 0.0
        for members in some:
            centre = records[list(members)].sum(axis=0)
            each = [np.exp(one(axis - c)) for one, axis, c in zip(every, axes, centre, strict=True)]
            law = each[0]
            for other in each[1:]:
                law = law[..., None] * other
            total = total + law
        laws.append(total / len(some))
    return laws


def whole_epsilon(rows, counts, size, log_pmf, delta, kind, reach):
    """ε̃ of a record of one type under whole noise; δ = 0: the supremum within reach."""
    record = int(np.sum(counts[:kind]))
    p, q = lattice_laws(listed(rows, counts), size, log_pmf, record, reach)
    if delta == 0:
        return float(np.abs(np.log(p) - np.log(q)).max())
    return smallest_epsilon(p, q, delta)
