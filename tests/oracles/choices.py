"""Laws of a chosen candidate over all samples, in plain Python: slow and obvious.

Probabilities are kept as logarithms, so that no score is too large.
"""

import itertools
import math


def log_sum(values):
    top = max(values, default=-math.inf)
    if top == -math.inf:
        return top
    return top + math.log(math.fsum(math.exp(value - top) for value in values))


def log_law(scores, sample):
    """ln P(w|D) for each candidate w; scores[w][i]."""
    weights = [-math.fsum(row[i] for i in sample) for row in scores]
    total = log_sum(weights)
    return [weight - total for weight in weights]


def samples(scores, size):
    """Every sample and its law."""
    for sample in itertools.combinations(range(len(scores[0])), size):
        yield sample, log_law(scores, sample)


def log_laws(scores, size):
    """ln P_in and ln P_out; a list of candidates for each record."""
    everything = list(samples(scores, size))

    def mean(record, inside, candidate):
        chosen = [law[candidate] for sample, law in everything if (record in sample) == inside]
        return log_sum(chosen) - math.log(len(chosen))

    records, candidates = range(len(scores[0])), range(len(scores))
    return tuple(
        [[mean(record, inside, w) for w in candidates] for record in records]
        for inside in (True, False)
    )


def epsilon(law, other, delta=0.0):
    """The smallest ε of one record: the worst of all sets of outputs, in both directions."""
    worst = 0.0
    for number in range(1, len(law) + 1):
        for outputs in itertools.combinations(range(len(law)), number):
            one, two = (log_sum([p[w] for w in outputs]) for p in (law, other))
            for above, below in ((one, two), (two, one)):
                if delta == 0:
                    worst = max(worst, above - below)
                elif math.exp(above) > delta:
                    worst = max(worst, math.log(math.exp(above) - delta) - below)
    return worst


def neighbours(size, records):
    """Pairs of samples that differ in one record."""
    for rest in itertools.combinations(range(records), size - 1):
        outside = [i for i in range(records) if i not in rest]
        for one, other in itertools.permutations(outside, 2):
            yield (*rest, one), (*rest, other)


def adjacent_epsilon(scores, size):
    """The largest ln ratio between adjacent samples."""
    laws = {frozenset(sample): law for sample, law in samples(scores, size)}
    return max(
        above - below
        for one, other in neighbours(size, len(scores[0]))
        for above, below in zip(laws[frozenset(one)], laws[frozenset(other)], strict=True)
    )


def restricted_epsilon(scores, size):
    """2 max over adjacent samples and candidates of the change of the score."""
    return 2 * max(
        abs(math.fsum(row[i] for i in one) - math.fsum(row[i] for i in other))
        for one, other in neighbours(size, len(scores[0]))
        for row in scores
    )


def exchange_epsilon(scores):
    """How far the output's log-odds can move when one record is exchanged for another, at most."""
    records = range(len(scores[0]))
    away = [[row[i] - row[j] for row in scores] for i, j in itertools.combinations(records, 2)]
    return max((max(each) - min(each) for each in away), default=0.0)
