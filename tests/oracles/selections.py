"""Slow, obvious references for noisy choices released beside noisy sums. Nothing of the package."""

import itertools
import math


def gumbel_round(scores, scale):
    """The exponential mechanism."""
    weights = [math.exp(x / scale) for x in scores]
    return [w / sum(weights) for w in weights]


def flipped_round(scores, scale):
    """Permute-and-flip: in random order the first one whose coin, e^(−gap/s), falls on heads."""
    best, many = max(scores), len(scores)
    heads = [math.exp((x - best) / scale) for x in scores]
    law = [0.0] * many
    for order in itertools.permutations(range(many)):
        still = 1 / math.factorial(many)
        for i in order:
            law[i] += still * heads[i]
            still *= 1 - heads[i]
    return law


ROUNDS = {"gumbel": gumbel_round, "exponential": flipped_round}


def selection_law(scores, number, scale, noise):
    """Probability of each ordered choice without replacement."""
    law = {}
    for chosen in itertools.permutations(range(len(scores)), number):
        left, chance = list(range(len(scores))), 1.0
        for i in chosen:
            round_law = ROUNDS[noise]([scores[j] for j in left], scale)
            chance *= round_law[left.index(i)]
            left.remove(i)
        law[chosen] = chance
    return law


def laws(members, size, record, release):
    """Both laws of a release, by adding up all samples; `release` gives a dict of chances."""
    both, many = ({}, {}), [0, 0]
    for sample in itertools.combinations(range(len(members)), size):
        out = record not in sample
        many[out] += 1
        for output, chance in release([members[i] for i in sample]).items():
            both[out][output] = both[out].get(output, 0.0) + chance
    return [{o: p / n for o, p in law.items()} for law, n in zip(both, many, strict=True)]


def one_of_each(members):
    """Places of records; of those that are alike, which have the same laws, of the first."""
    return [place for place, member in enumerate(members) if members.index(member) == place]


def largest_ratio(members, size, release):
    """ε̃ at δ = 0: the largest |ln P_in/P_out| over records and outputs."""
    found = 0.0
    for record in one_of_each(members):
        inside, outside = laws(members, size, record, release)
        found = max(found, *(abs(math.log(inside[o] / outside[o])) for o in inside))
    return found


def delta_at(members, size, release, epsilon):
    """The larger hockey stick of the worst record."""
    found = 0.0
    for record in one_of_each(members):
        both = laws(members, size, record, release)
        for p, q in (both, both[::-1]):
            found = max(found, sum(max(p[o] - math.exp(epsilon) * q.get(o, 0.0), 0.0) for o in p))
    return found
