"""Mechanisms that keep a narrow statement and break a wide one, and what is true of them.

What is least true is read off by brute force; the notions only say what is asked.
"""

import itertools
import math

import attrs
import numpy as np
from scipy.special import ndtr, ndtri

from deniable.notions import (
    ZCDP,
    Adjacency,
    Advantage,
    ApproxDP,
    ApproxZCDP,
    AttackSuccess,
    BaselineRisk,
    BayesianDP,
    BayesianSemantic,
    FalseNegativeRate,
    GaussianDP,
    Identifiability,
    MaxPosterior,
    MembershipInference,
    NegativeMembership,
    OneSidedDP,
    PopulationPosterior,
    PopulationPrivacy,
    PositiveMembership,
    PosteriorGain,
    PosteriorRatio,
    PredictiveValue,
    PrivacyLossTail,
    PureDP,
    RenyiDP,
    SamplingDP,
    Semantic,
    Setting,
    Side,
    TradeOffCurve,
)
from deniable.notions.notation import form_of
from deniable.priors import (
    BoundedPriors,
    CorrelatedPriors,
    Households,
    OneOutOfPriors,
    SampledPriors,
)
from tests.oracles import baseline_risk as secrets
from tests.oracles import labels as brute

SWAP, FLIP = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE
ANY = BoundedPriors()
POPULATION = Setting.POPULATION
LEAST_EPSILON = 0.2
"""The ε at which δ is read: most mechanisms below have some δ there."""


# --- mechanisms, each built to satisfy a narrow statement only


def mechanism(n, law_of):
    """The law of each subset, given as its members 0 … n − 1."""
    rows = [law_of(frozenset(i for i in range(n) if s >> i & 1)) for s in range(2**n)]
    return np.array(rows, dtype=float)


def bit(p):
    return [1 - p, p]


def told(answer, outputs):
    return [float(answer == y) for y in range(outputs)]


def random_mechanism(n, seed, spread):
    rng = np.random.default_rng(seed)
    rows = rng.uniform(1, spread, size=(2**n, 3))
    return rows / rows.sum(axis=1, keepdims=True)


def v2_rows(members):
    """ln 2 add-remove and 2 ln 2 replace-one."""
    laws = {(): 0.8, (0,): 0.6, (1,): 0.9, (0, 1): 0.8}
    p = laws[tuple(sorted(members))]
    return [1 - p, p]


MECHANISMS = {
    "the size is told": mechanism(3, lambda t: told(len(t), 4)),
    "two of add-remove are one of replace-one": mechanism(2, v2_rows),
    "data of one record say nothing, of two all": mechanism(
        3, lambda t: told(1 + min(t) if len(t) == 2 else 0, 4)
    ),
    "one record is noisy, two are told": mechanism(
        3, lambda t: bit(0.3 + 0.1 * min(t)) if len(t) == 1 else bit(float(2 in t and len(t) == 2))
    ),
    "only the third entity is told": mechanism(3, lambda t: bit(float(2 in t))),
    "the sum modulo 4 of two": mechanism(4, lambda t: told(sum(t) % 4 if len(t) == 2 else 0, 4)),
    "one of three, the third never shows": mechanism(
        3, lambda t: bit([0.01, 0.01, 0.0][min(t)] if len(t) == 1 else 0.0)
    ),
    "one of four, the fourth never shows": mechanism(
        4, lambda t: bit([0.01, 0.01, 0.01, 0.0][min(t)] if len(t) == 1 else 0.0)
    ),
    "somebody's presence is told now and then": mechanism(
        3, lambda t: [0.9, *(0.1 * x for x in told(min(t, default=3), 4))]
    ),
    "an average of δ is no exception": mechanism(
        2, lambda t: [0.55, 0.45] if 0 in t else [0.45, 0.55]
    ),
    "presence is never proved, absence is": mechanism(2, lambda t: bit(0.5 if not t else 0.0)),
    "absence is never proved, presence is": mechanism(
        2, lambda t: bit(0.5 if len(t) == 2 else 0.0)
    ),
    "the number, leaning": mechanism(3, lambda t: bit(0.3 + 0.1 * len(t))),
    "that both are there shows": mechanism(2, lambda t: bit(0.99 if len(t) == 2 else 0.01)),
    "random, close": random_mechanism(3, 1, 1.5),
    "random, far": random_mechanism(3, 2, 4.0),
    "random, of two": random_mechanism(2, 3, 3.0),
}


@attrs.frozen(eq=False)
class World:
    """A mechanism, the law of a Bayesian guarantee and the parent set of a population one."""

    rows: np.ndarray

    @property
    def n(self):
        return brute.entities(self.rows)

    @property
    def law(self):
        """All or nobody, nearly always: what DP says nothing of."""
        law = np.full(2**self.n, 0.001)
        law[0], law[-1] = 0.6, 0.4
        return law / law.sum()

    @property
    def parents(self):
        return 0b11 if self.n < 4 else 0b1111

    @property
    def records(self):
        return brute.size(self.parents) // 2

    def pairs(self, adjacency, records=None):
        """Neighbours, both ways round."""
        if adjacency is SWAP:
            return brute.exchanging(self.n, records)
        one_way = brute.joining(self.n, records)
        return [*one_way, *((t, s) for s, t in one_way)]

    def laws(self, adversary, adjacency):
        match adversary:
            case BoundedPriors():
                family = brute.given_size if adjacency is SWAP else brute.independent
                return family(self.n, adversary.low, adversary.high)
            case OneOutOfPriors():
                return brute.one_of(self.n, adversary.worlds)
            case SampledPriors():
                return brute.sampled(self.n, adversary.rate)
            case CorrelatedPriors():
                return brute.after_learning(self.law, self.n)

    def drawn(self, notion):
        """Laws with and without each record, over the parent sets that the notion speaks of."""
        named = getattr(notion, "size", None)
        if isinstance(notion, PopulationPosterior) and notion.every_parent_set and named is None:
            halves = [brute.populations(self.rows, None, k) for k in range(1, self.n // 2 + 1)]
            return [pair for each in halves for pair in each]
        if getattr(notion, "every_parent_set", False) or named not in (None, self.records):
            return brute.populations(self.rows, None, named)
        return brute.populations(self.rows, self.parents, self.records)


def both_ways(pairs):
    return [*pairs, *((q, p) for p, q in pairs)]


def laws_of(world, pairs):
    return [(world.rows[s], world.rows[t]) for s, t in pairs]


# --- what is least true: by brute force


def least(world, notion):
    """The least first claim that holds with the other numbers and all labels as they are.

    None where the notion cannot be read off subsets. From below where a family is infinite.
    """
    rows = world.rows
    match notion:
        case PureDP():
            return brute.loss(rows, world.pairs(notion.adjacency, notion.records))
        case OneSidedDP():
            pairs = brute.joining(world.n)
            return brute.loss(
                rows, pairs if notion.side is Side.POSITIVE else [(t, s) for s, t in pairs]
            )
        case ZCDP():
            tried = laws_of(world, world.pairs(notion.adjacency))
            return max([0.0, *(brute.renyi_rate(*each) for each in tried)])
        case RenyiDP():
            tried = laws_of(world, world.pairs(notion.adjacency))
            return max([0.0, *(brute.renyi(*each, notion.order) for each in tried)])
        case SamplingDP():
            thin = brute.thinned(rows, notion.beta)
            if notion.delta:
                return None
            return World(thin).pairs(FLIP) and brute.loss(thin, World(thin).pairs(FLIP))
        case BayesianDP() if notion.households is not None:
            pairs = brute.tied(world.n, notion.households.size)
            return brute.loss(rows, both_ways(pairs))
        case PositiveMembership() | MaxPosterior() if notion.households is not None:
            # Certain of all but one household, who is in one of two states: any law mixes such.
            odds = math.exp(brute.loss(rows, brute.tied(world.n, notion.households.size)))
            if isinstance(notion, MaxPosterior):
                return odds * notion.prior / ((odds - 1) * notion.prior + 1)
            ends = notion.adversary
            return max((odds - 1) * ends.high + 1, odds / ((odds - 1) * ends.low + 1))
        case BayesianDP(adjacency=Adjacency.ADD_REMOVE):
            if notion.independent:
                return brute.loss(rows, world.pairs(FLIP))
            return brute.leakage(world.law, rows)
        case BayesianSemantic(adjacency=Adjacency.ADD_REMOVE):
            if notion.independent:
                return brute.bayesian_semantic(brute.product([0.3] * world.n), rows)
            return brute.bayesian_semantic(world.law, rows)
        case BayesianDP(independent=True):
            return brute.loss(rows, world.pairs(SWAP))
        case PositiveMembership() | NegativeMembership():
            laws = world.laws(notion.adversary, notion.adjacency)
            exceedance = getattr(notion, "exceedance", 0.0)
            if isinstance(notion, NegativeMembership):
                return brute.least_gamma(laws, rows, negative=True)
            gamma = brute.least_gamma(laws, rows, exceedance)
            if notion.adversary == CorrelatedPriors(downward_scalable=True):
                return math.exp(brute.leakage(world.law, rows))  # its laws scaled towards 0
            if isinstance(notion.adversary, CorrelatedPriors):
                gamma = max(gamma, brute.least_gamma(laws, rows, exceedance, negative=True))
            return gamma
        case MaxPosterior():
            laws = brute.up_to(world.n, notion.prior, notion.adjacency is SWAP)
            return brute.largest_posterior(laws, rows, notion.prior, notion.exceedance)
        case Identifiability():
            laws = brute.one_of(world.n, notion.worlds)
            return brute.largest_posterior(laws, rows, 1 / notion.worlds, notion.exceedance)
        case Semantic(adjacency=Adjacency.ADD_REMOVE):
            return brute.semantic(rows, notion.records)
        case Semantic(records=1):
            return brute.semantic_of_one(rows)
        case Semantic(records=None) | PosteriorGain():
            return math.tanh(brute.loss(rows, world.pairs(SWAP)) / 4)
        case PosteriorRatio():
            return math.exp(brute.loss(rows, world.pairs(SWAP)))
        case AttackSuccess() | Advantage() if notion.households is not None:
            tied = laws_of(world, brute.tied(world.n, notion.households.size))
            apart = max([0.0, *(abs(p - q).sum() / 2 for p, q in tied)])
            return (1 + apart) / 2 if isinstance(notion, AttackSuccess) else apart
        case AttackSuccess() | Advantage() | MembershipInference():
            return attack(world, notion)
        case PredictiveValue():
            tried = laws_of(world, world.pairs(notion.adjacency))
            powers = [brute.power(*each, notion.fpr) for each in tried]
            return max(x / (x + notion.nonmembers * notion.fpr) for x in powers)
        case BaselineRisk():
            return largest_risk(world, notion)
        case PopulationPrivacy(delta=0.0) | PopulationPosterior(delta=0.0, share=0.5):
            pairs = both_ways(world.drawn(notion))
            return max([0.0, *(math.log(brute.ratio(*each)) for each in pairs)])
    return None


def largest_risk(world, notion):
    """Of attacks on one record beside known others: equally likely values, from below."""
    worst = 0.0
    for rest in range(2**world.n):
        values = [world.rows[rest | 1 << i] for i in range(world.n) if not rest >> i & 1]
        if notion.adjacency is FLIP:
            values.append(world.rows[rest])
        for count in range(1, len(values) + 1):
            if notion.candidates not in (None, count):
                continue
            equal = np.full(count, 1 / count)
            sets = list(secrets.names(equal, notion.baseline + 1e-12))
            for rows in itertools.combinations(values, count):
                worst = max(worst, float(secrets.success(equal, np.array(rows), sets)))
    return worst


def most_missed(world, notion):
    """The false-negative rate that every test of two neighbours has, at least, at the rate."""
    tried = laws_of(world, world.pairs(notion.adjacency))
    return 1 - max(brute.power(*each, notion.fpr) for each in tried)


def attack(world, notion):
    setting = getattr(notion, "setting", POPULATION)
    if setting is POPULATION:
        pairs = world.drawn(notion)
    else:
        pairs = laws_of(world, world.pairs(setting.adjacency))
    apart = max([0.0, *(brute.distance(*each) for each in pairs)])
    scale = {AttackSuccess: (0.5, 0.5), Advantage: (0.0, 1.0), MembershipInference: (0.0, 0.5)}
    base, slope = scale[type(notion)]
    return base + slope * apart


def delta(world, notion, epsilon):
    """The least δ of an (ε, δ) statement."""
    if isinstance(notion, PopulationPosterior):
        # With odds r after an event the belief r/(1 + r) passes e^ε/(1 + r) by δ; events are
        # worst one output at a time.
        odds = [brute.ratio(*each) for each in both_ways(world.drawn(notion))]
        worst = max([1.0, *odds])
        return 1.0 if math.isinf(worst) else max(0.0, (worst - math.exp(epsilon)) / (1 + worst))
    if isinstance(notion, PopulationPrivacy):
        pairs = both_ways(world.drawn(notion))
    else:
        pairs = laws_of(world, world.pairs(notion.adjacency, getattr(notion, "records", None)))
    return max([0.0, *(brute.hockey_stick(p, q, epsilon) for p, q in pairs)])


def broken(world, notion):
    """Whether the mechanism breaks what the notion claims."""
    slack = 1e-6
    match notion:
        case ApproxDP() | PopulationPrivacy() | PopulationPosterior() if getattr(
            notion, "delta", 0.0
        ):
            return delta(world, notion, notion.epsilon) > notion.delta + slack
        case ApproxDP():
            return brute.loss(world.rows, world.pairs(notion.adjacency, notion.records)) > (
                notion.epsilon + slack
            )
        case SamplingDP() if notion.delta:
            thin = World(brute.thinned(world.rows, notion.beta))
            whole = ApproxDP(notion.epsilon, notion.delta, FLIP)
            return delta(thin, whole, notion.epsilon) > notion.delta + slack
        case TradeOffCurve():
            return any(
                most_missed(world, FalseNegativeRate(0.0, fpr, notion.adjacency)) < fnr - slack
                for fpr, fnr in notion.points
                if 0 < fpr < 1
            )
        case FalseNegativeRate():
            return most_missed(world, notion) < notion.fnr - slack
        case GaussianDP():
            return any(
                delta(world, notion, x) > gaussian_delta(notion.mu, x) + slack
                for x in (0.0, 0.5, 1.0, 2.0)
            )
        case PrivacyLossTail() if notion.households is not None:
            found = tail_of_tied(world, notion, notion.epsilon)
            return found > notion.exceedance + slack
        case PositiveMembership() | MaxPosterior() if notion.households and notion.exceedance:
            if isinstance(notion, MaxPosterior):
                prior, most = notion.prior, notion.posterior
            else:  # at even odds, or the end that is nearest: a belief that rises by γ at most
                prior = min(max(0.5, notion.adversary.low), notion.adversary.high)
                most = min(notion.gamma * prior, 1 - (1 - prior) / notion.gamma)
            if not 0 < prior < most < 1:
                return False
            loss = math.log(most * (1 - prior) / (prior * (1 - most)))
            return tail_of_tied(world, notion, loss) > notion.exceedance + slack
        case PrivacyLossTail():
            laws = world.laws(ANY, notion.adjacency)
            found = brute.least_tail(laws, world.rows, notion.epsilon * (1 + 1e-9) + 1e-9)
            return found > notion.exceedance + slack
    value = least(world, notion)
    claim = getattr(notion, form_of(type(notion)).claims[0])
    return value is not None and value > claim * (1 + slack) + slack


def tail_of_tied(world, notion, loss):
    """How probable outputs are that pass a loss, all but one household being certain."""
    least_ratio = math.exp(loss) * (1 + 1e-9)
    pairs = both_ways(brute.tied(world.n, notion.households.size))
    return max([0.0, *(p[p > q * least_ratio].sum() for p, q in laws_of(world, pairs))])


def gaussian_delta(mu, epsilon):
    if not mu:
        return 0.0
    return float(ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu))


# --- what to start from


PLAIN = (
    PureDP(0.0),
    PureDP(0.0, FLIP),
    PureDP(0.0, SWAP, 1),
    PureDP(0.0, FLIP, 1),
    OneSidedDP(0.0, Side.POSITIVE),
    OneSidedDP(0.0, Side.NEGATIVE),
    SamplingDP(0.3, 0.0),
    SamplingDP(1.0, 0.0),
    BayesianDP(0.0, FLIP),
    BayesianDP(0.0, FLIP, independent=True),
    *(BayesianDP(0.0, FLIP, households=Households(k)) for k in (1, 2)),
    PositiveMembership(1.0, BoundedPriors(0.3, 0.7), adjacency=FLIP, households=Households(2)),
    MaxPosterior(0.3, 0.3, adjacency=FLIP, households=Households(2)),
    AttackSuccess(0.5, Setting.ADD_REMOVE, Households(2)),
    Advantage(0.0, Setting.ADD_REMOVE, Households(2)),
    BayesianSemantic(0.0, FLIP),
    *(PositiveMembership(1.0, each) for each in (
        ANY, BoundedPriors(0.3, 0.7), BoundedPriors(0, 0.3), BoundedPriors(1 / 3, 1 / 3),
        BoundedPriors(0.5, 0.5), OneOutOfPriors(2), OneOutOfPriors(3),
    )),
    *(PositiveMembership(1.0, each, adjacency=FLIP) for each in (
        ANY, BoundedPriors(0.3, 0.7), BoundedPriors(0, 0.3), BoundedPriors(0.5, 0.5),
        SampledPriors(0.3), CorrelatedPriors(), CorrelatedPriors(True),
    )),
    *(NegativeMembership(1.0, each, adjacency) for each in (ANY, BoundedPriors(0.3, 0.7))
      for adjacency in Adjacency),
    NegativeMembership(1.0, SampledPriors(0.3), FLIP),
    Identifiability(0.0, 2),
    Identifiability(0.0, 3),
    Semantic(0.0, None, FLIP),
    Semantic(0.0, 1, FLIP),
    Semantic(0.0, 1),
    PosteriorRatio(1.0),
    PosteriorGain(0.0),
    *(notion(0.0, each) for notion in (AttackSuccess, Advantage) for each in Setting),
    *(BaselineRisk(0.0, 0.5, each, count) for each in Adjacency for count in (None, 2)),
    MembershipInference(0.0),
    PopulationPrivacy(0.0),
    PopulationPrivacy(0.0, 0.0, 1),
    PopulationPrivacy(0.0, every_parent_set=True),
    PopulationPrivacy(0.0, 0.0, 1, every_parent_set=True),
    PopulationPosterior(0.0, 0.0, 0.5),
    PopulationPosterior(0.0, 0.0, 0.5, 1),
    PopulationPosterior(0.0, 0.0, 0.5, every_parent_set=True),
    PopulationPosterior(0.0, 0.0, 0.5, 1, every_parent_set=True),
)  # fmt: skip
WITH_DELTA = (
    ApproxDP(20.0, 0.0),
    ApproxDP(LEAST_EPSILON, 0.0),
    ApproxDP(LEAST_EPSILON, 0.0, FLIP),
    ApproxDP(LEAST_EPSILON, 0.0, SWAP, 1),
    PopulationPrivacy(LEAST_EPSILON, 0.0),
    PopulationPrivacy(LEAST_EPSILON, 0.0, 1, every_parent_set=True),
    PopulationPosterior(LEAST_EPSILON, 0.0, 0.5),
    PopulationPosterior(LEAST_EPSILON, 0.0, 0.5, 1, every_parent_set=True),
)


def starts(world):
    """True statements about a mechanism, as strong as they can be, with every label."""
    for notion in PLAIN:
        name = form_of(type(notion)).claims[0]
        value = least(world, notion)
        if isinstance(getattr(notion, "adversary", None), BoundedPriors):
            value = 1 + (value - 1) * (1 + brute.MARGIN)
        value = value * (1 + 1e-6) + 1e-9
        if math.isfinite(value) and value <= limits(notion):
            yield attrs.evolve(notion, **{name: value})
    for adjacency in Adjacency:
        missed = FalseNegativeRate(0.0, 0.1, adjacency)
        yield attrs.evolve(missed, fnr=max(most_missed(world, missed) - 1e-9, 0.0))
    for notion in WITH_DELTA:
        yield attrs.evolve(notion, delta=read_delta(world, notion))
    for adjacency in Adjacency:
        rest = 1 - read_delta(world, ApproxDP(LEAST_EPSILON, 0.0, adjacency))
        corner = rest / (1 + math.exp(LEAST_EPSILON)) * (1 - 1e-9)
        yield TradeOffCurve([(0, rest), (corner, corner), (rest, 0)], adjacency)
        yield from through_dp(world, adjacency)


def read_delta(world, notion):
    exact = delta(world, notion, notion.epsilon)
    return min(exact + 1e-9, 1.0) if exact else 0.0


def limits(notion):
    """Beyond which the notion's number says nothing, or is none."""
    shares = (
        Identifiability,
        Semantic,
        BayesianSemantic,
        PosteriorGain,
        Advantage,
        AttackSuccess,
        BaselineRisk,
    )
    return (
        0.5
        if isinstance(notion, MembershipInference)
        else (1.0 if isinstance(notion, shares) else 50.0)
    )


def through_dp(world, adjacency):
    """Statements that a proof gives from what was measured: ρ, μ, and what rare outputs pass."""
    epsilon = brute.loss(world.rows, world.pairs(adjacency)) + 1e-9
    if math.isfinite(epsilon) and epsilon < 20:
        yield ZCDP(epsilon**2 / 2, adjacency)
        yield ApproxZCDP(epsilon**2 / 2, 0.01, adjacency)
        yield RenyiDP(4.0, 2 * epsilon**2, adjacency)
        yield GaussianDP(float(2 * ndtri(1 / (1 + math.exp(-epsilon)))) + 1e-9, adjacency)
    # (ε, δ) puts loss above ℓ on outputs of probability δ/(1 − e^(ε−ℓ)), averaged or not
    small = delta(world, ApproxDP(LEAST_EPSILON, 0.0, adjacency), LEAST_EPSILON) + 1e-9
    passed = small / (1 - math.exp(LEAST_EPSILON - 0.5))
    if adjacency is FLIP:
        ratio = math.exp(LEAST_EPSILON)
        pairs = laws_of(world, both_ways(brute.tied(world.n, 2)))
        of_two = max([0.0, *(np.maximum(p - ratio * q, 0).sum() for p, q in pairs)]) + 1e-9
        of_two /= 1 - math.exp(LEAST_EPSILON - 0.5)
        if of_two < 1:
            yield PrivacyLossTail(0.5, of_two, adjacency, Households(2))
    if passed < 1:
        yield PrivacyLossTail(0.5, passed, adjacency)
        # of a ratio within e^ℓ: Theorem 2
        e = math.exp(0.5)
        for a, b in ((0.0, 1.0), (0.3, 0.7), (0.0, 0.3)):
            gamma = max((e - 1) * b + 1, e / ((e - 1) * a + 1)) + 1e-9
            yield PositiveMembership(gamma, BoundedPriors(a, b), passed, adjacency)
        if adjacency is SWAP:
            yield Identifiability(e / (e + 2) + 1e-9, 3, passed)
