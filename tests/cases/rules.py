"""Random rules in two spellings: as values of the package, and as tuples of the oracle."""

from fractions import Fraction

from deniable.rules import (
    Barnardise,
    Bottom,
    CellKey,
    Hide,
    Midpoint,
    Noise,
    RandomRound,
    Round,
    RoundDown,
    Rule,
    Top,
)

PRIORS = [Fraction(n, 20) for n in range(1, 20)]


def law(draw, offsets):
    """Noise with small probabilities, some of them 0."""
    parts = [draw.randrange(4) for _ in offsets]
    parts[draw.randrange(len(parts))] += 1
    return {o: Fraction(p, sum(parts)) for o, p in zip(offsets, parts, strict=True) if p}


def random_step(draw, most):
    """A step for counts up to about `most`, in both spellings."""
    kind = draw.randrange(11)
    base = draw.randrange(1, most + 2)
    if kind <= 1:
        low, high = sorted((draw.randrange(most + 1), draw.randrange(most + 1)))
        return Hide(low, high), ("hide", low, high)
    if kind <= 3:
        halves = draw.choice(("up", "down", "even"))
        return Round(base, halves), ("round", base, halves)
    match kind:
        case 4:
            return RoundDown(base), ("down", base)
        case 5:
            return Midpoint(base), ("midpoint", base)
        case 6:
            return Top(base), ("top", base)
        case 7:
            return Bottom(base // 2), ("bottom", base // 2)
        case 8:
            return RandomRound(base), ("random", base)
        case 9:
            q = Fraction(draw.randrange(6), 10)
            return Barnardise(q), ("barnard", q)
    if draw.random() < 0.5:
        noise, negative = law(draw, (-2, -1, 0, 1, 3)), draw.choice(("shown", "zero", "redrawn"))
        if max(noise) < 0:
            negative = "zero"
        return Noise(noise, negative), ("noise", sorted(noise.items()), negative)
    rows = {count: law(draw, range(-min(count, 2), 3)) for count in range(draw.randrange(4) + 1)}
    return CellKey(rows), ("cell key", sorted((c, sorted(r.items())) for c, r in rows.items()))


def random_rule(draw, most):
    """A rule of up to three steps, in both spellings."""
    steps = [random_step(draw, most) for _ in range(draw.choice((1, 1, 2, 2, 3)))]
    zero = draw.choice(("shown", "shown", "hidden", "merged"))
    return Rule([ours for ours, _ in steps], zero), [plain for _, plain in steps], zero
