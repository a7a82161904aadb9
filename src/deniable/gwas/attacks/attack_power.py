"""What an attack on published frequencies reached, and what theory says of it."""

import math
from typing import TYPE_CHECKING, Any

import attrs
from scipy.special import logit, ndtri

from deniable.certificate.model import read_sentences
from deniable.errors.late import late
from deniable.gwas.attacks.attack_scores import theoretical_power
from deniable.numerics.answer import Answer, fields_of

if TYPE_CHECKING:
    from deniable.numerics import rounding
else:
    rounding = late("deniable.numerics.rounding")


_LEAST_SHARE = 1e-3
"""Shares of an exact frequency below: rounding to nothing, which is better left out."""
_COARSEST = 0.25
"""Steps of frequencies beyond it tell rare from common alleles and no more."""


@attrs.frozen
class Enough:
    """What would keep the power within a limit, each by itself.

    A share `limit` of members may be recognised, at the false-positive rate. It is kept by so many
    unlinked common variants, as precise as they are published now; by so many people whose
    frequencies are published together; by steps that frequencies are rounded to, None where none up
    to 0.25 is enough or nothing needs rounding; by a release with this ε for whole genotypes, and
    the largest factor γ on a belief by it: then no attack passes the limit, whatever it is and
    knows.
    """

    limit: float
    variants: int
    people: int
    step: float | None
    epsilon: float
    gamma: float


def enough(
    *, power: float, limit: float, fpr: float, people: int, variants: int, share: float
) -> Enough:
    """Turn Φ(√(w/n) − z) round, for an attacker who knows the population's frequencies.

    A power stands for w = n (Φ⁻¹(power) + z)² unlinked exact frequencies; the limit for W = n
    (Φ⁻¹(limit) + z)². So m variants become m W/w, and n people n w/W. Rounding in steps of 2h
    leaves V/(V + h²/3) of what a frequency of variance V tells, V = 1/(8n) at most. And an attack
    against ε has a power of at most min(e^ε α, 1 − e^−ε (1 − α)).

    The power is the larger of measured and theory; limit > fpr = α. Of n people m unlinked common
    variants are published, worth `share` of exact ones.
    """
    z = -float(ndtri(fpr))
    # Everybody recognised of n is at least 1 − 1/(2n).
    reached = min(max(power, fpr), 1 - 0.5 / people)
    worth = people * (float(ndtri(reached)) + z) ** 2
    allowed = people * (float(ndtri(limit)) + z) ** 2
    ratio = min(allowed / worth, 1.0) if worth > 0 else 1.0
    with rounding.directed() as r:
        lower = rounding.lower
        most = max(lower(r(limit) / fpr), lower((1 - r(fpr)) / (1 - r(limit))))
        epsilon = lower(r.log(r(most)))
    step, wanted = None, ratio * share
    if _LEAST_SHARE <= wanted < share:
        # The finest step of two digits that leaves this share of an exact frequency.
        half = math.sqrt(3 / (8 * people) * (1 / wanted - 1))
        digit = 10.0 ** (math.floor(math.log10(2 * half)) - 1)
        finest = round(math.ceil(2 * half / digit) * digit, 12)
        step = finest if finest <= _COARSEST else None
    fewer, more = math.floor(variants * ratio), math.ceil(people / ratio)
    return Enough(limit, fewer, more, step, epsilon, most)


def beliefs(power: float, fpr: float, prior: float) -> float:
    """Belief in the membership of somebody whom the attack points at; power π / (power π + …).

    Examples
    --------
    >>> round(beliefs(0.5, 0.05, 0.5), 4)
    0.9091
    """
    pointed = power * prior + fpr * (1 - prior)
    return power * prior / pointed if pointed else prior


def typical_beliefs(worth: float, people: int, prior: float) -> tuple[float, float]:
    """What an attacker believes of a member in the middle, and of one in 44, by the normal law.

    The log likelihood ratio of a member has mean s²/2 and deviation s, s² = worth/people.
    """
    s = math.sqrt(worth / people)
    odds = [float(logit(prior)) + s * s / 2 + out * s for out in (0.0, 2.0)]
    middle, far = (1 / (1 + math.exp(-min(each, 700.0))) for each in odds)
    return middle, far


REASONS: dict[str, str] = read_sentences(__file__)["left_out"]
"""Why variants are left out, in words."""


@attrs.frozen
class Level:
    """The attacks at the variants that one level of pruning keeps.

    No two neighbouring ones have a squared correlation above `r_squared`; 1 is all variants. Powers
    are shares of members recognised there, by everybody's scores: the largest of several levels is
    too large on average.
    """

    r_squared: float
    variants: int
    power_lr: float
    power_homer: float


@attrs.frozen
class Reference:
    """What the likelihood ratio reaches in theory with so many people in the reference."""

    people: int
    power_formula: float


@attrs.frozen
class Relative:
    """What is reached in theory with a relative's genotype in place of the person's own.

    Where the person is in the pool and the relative is not, it is also how often the attack takes
    the relative for a member. The relative explains a share of the variance of the person's
    genotype, as of `RELATIVES`. The formula is for unlinked common variants and known frequencies;
    `power_linked` for an attacker who knows how all variants are linked.
    """

    relation: str
    variance_explained: float
    power_formula: float
    power_linked: float


RELATIVES = {
    "both parents": 1 / 2,
    "a parent, child or sibling": 1 / 4,
    "a grandparent, uncle, aunt or half-sibling": 1 / 16,
    "a first cousin": 1 / 64,
}
"""Share of the variance of a person's genotype that relatives' genotypes explain: (2φ)² of one
whose coefficient of kinship is φ, 1/4 of the closest; of parents who are strangers to each other,
their sum."""


@attrs.frozen(repr=False)
class AttackPower(Answer):
    """How well two attacks tell members of the pool from people of the reference.

    Parameters
    ----------
    power_lr, power_homer : float
        Share of members that are recognised while at most `fpr` of the strangers are taken for
        members, at the best level of pruning; chosen and measured on different people. A lower
        bound for an attacker with this reference, up to chance.
    auc_lr, auc_homer : float
        Probability that a member scores above a stranger; ½ is guessing.
    power_formula : float
        Power of the likelihood ratio in theory, for `variants_unlinked` independent variants and an
        attacker who knows the population's frequencies.
    variants_used : int
        Variants that the attack uses: of all frequencies, and linked ones unless they were pruned.
    fpr, members, strangers : float, int, int
        Share of strangers taken for members, in (0, 1); people in the pool and in the reference.
    f_st, ancestry_p_value : float
        How far the frequencies of pool and reference differ, beyond chance, 0 in one population;
        and how often people dealt to them by lot differ as much.
    ancestry_differs : bool
        Whether the latter is at most 1/1000: then members are recognised by their ancestry, and
        the powers above say nothing about membership.
    only_named, overlap_left_out : int
        Members with the identifier of somebody in the reference who has other genotypes; and people
        of the reference who were left out, as they are in the pool.
    power_measured : float
        Of the better of both attacks at the best level; chosen and measured on different people.
    power_formula_independent : float
        The formula for `variants_used`, as if they were independent. For attackers who do not weigh
        linkage that is too large where variants are linked; an attacker who knows the linkage comes
        near.
    variants_unlinked : int
        Common variants (minor allele frequency 0.05 or more) that pruning to r² < 0.1 leaves.
    variants_left_out : dict of str to int
        Variants that were not used, by reason.
    levels, references : tuple of Level, of Reference
        What was tried; and the formula for this reference and larger ones.
    variants_worth : float
        How many unlinked exact frequencies what is published is worth; `variants_unlinked` where
        it is exact frequencies.
    on, published, published_unread : str, tuple of str
        Whose membership was asked about: "pool", "cases", "controls". What is published that the
        attack uses, nothing for exact frequencies without a file; and columns that it takes nothing
        from: what they tell comes on top.
    guarantee, power_limit : float or None
        ε that the certificate of a release claims for whole genotypes, and what no attack passes
        by it, whatever it is and knows.
    limit : float
        The power that is accepted.
    overlap_checked : bool
        Whether the variants distinguish strangers. Otherwise the pool's people may be in the
        reference under other identifiers, and the attack looks weaker than it is.
    """

    OWNER_ONLY = True

    power_lr: float
    power_homer: float
    auc_lr: float
    auc_homer: float
    power_formula: float
    variants_used: int
    fpr: float
    members: int
    strangers: int
    f_st: float
    ancestry_p_value: float
    ancestry_differs: bool
    only_named: int
    power_measured: float = 0.0
    power_formula_independent: float = 0.0
    variants_unlinked: int = 0
    variants_left_out: dict[str, int] = attrs.field(factory=dict)
    levels: tuple[Level, ...] = ()
    references: tuple[Reference, ...] = ()
    overlap_left_out: int = 0
    overlap_checked: bool = True
    variants_worth: float = 0.0
    on: str = "pool"
    published: tuple[str, ...] = ()
    published_unread: tuple[str, ...] = ()
    guarantee: float | None = None
    power_limit: float | None = None
    limit: float = 0.1

    @property
    def power(self) -> float:
        """The larger of what was measured and what theory says of unlinked variants."""
        return max(self.power_measured, self.power_lr, self.power_homer, self.power_formula)

    @property
    def power_linked(self) -> float:
        r"""What a likelihood ratio that knows how all variants are linked reaches, in theory.

        .. math:: \Phi\left(\sqrt{\frac{1}{n} \, \mathrm{E}\, (x - \mu)^T \Sigma^{-1} (x - \mu)} -
            z_{1-\alpha}\right), \qquad \mathrm{E}\, (x - \mu)^T \Sigma^{-1} (x - \mu) = m

        However the m variants are linked, short of copies of each other: its statistic is
        :math:`(x - \mu)^T \Sigma^{-1} (\hat p - \mu)`. The attacks that are measured leave out
        linked variants instead, or take them for independent. At least `power`, or what the
        guarantee of a release limits every attack to.
        """
        linked = theoretical_power(self._linked_worth, self.members, self.fpr)
        return min(max(self.power, linked), self._most)

    @property
    def _linked_worth(self) -> float:
        """Exact frequencies that all used variants are worth, as much each as an unlinked one."""
        worth = self.variants_worth / self.variants_unlinked if self.variants_unlinked else 1.0
        return self.variants_used * worth

    @property
    def _most(self) -> float:
        return 1.0 if self.power_limit is None else self.power_limit

    @property
    def relatives(self) -> tuple[Relative, ...]:
        r"""The power in theory of relatives' genotypes without the person's own.

        .. math:: \Phi\left(\sqrt{R^2 m / n} - z_{1-\alpha}\right)

        Of the person's genotype x relatives say :math:`\hat x = \mathrm E[x \mid y]`, whose
        variance is R² times that of x. For a member,
        :math:`\sum_j (\hat x_j - 2 p_j)(\hat p_j - p_j) / (p_j (1 - p_j))` has mean R² m/n, for
        others mean 0, and variance R² m/n for both. It is the derivative of the log likelihood
        ratio by 1/n, so that no test does better to first order. R² is (2φ)² for one relative of
        kinship φ, as E[x | y] = 2p + 2φ (y − 2p) whichever alleles are shared; m is that of
        `power_formula` and of `power_linked`.
        """

        def of(relation: str, share: float) -> Relative:
            formula, linked = (
                min(theoretical_power(share * worth, self.members, self.fpr), self._most)
                for worth in (self.variants_worth, self._linked_worth)
            )
            return Relative(relation, share, formula, max(formula, linked))

        return tuple(of(*each) for each in RELATIVES.items())

    @property
    def within(self) -> bool:
        """Whether `power` keeps the limit; says nothing where the ancestry differs.

        Nor of attackers who know how variants are linked: see `power_linked`.
        """
        return self.power <= self.limit

    @property
    def enough(self) -> Enough | None:
        """What would keep the limit; None where the figures are not about membership."""
        if self.ancestry_differs or not self.fpr < self.limit < 1:
            return None
        unlinked = self.variants_unlinked
        return enough(
            power=self.power,
            limit=self.limit,
            fpr=self.fpr,
            people=self.members,
            variants=unlinked,
            share=self.variants_worth / unlinked if unlinked else 0.0,
        )

    @property
    def verdict(self) -> str:
        """The decision in a sentence."""
        reached = f"an attack recognises {in_100(self.power)} % of members"
        at = f"while it wrongly flags {in_100(self.fpr)} % of others"
        allowed = f"Your limit is {in_100(self.limit)} %"
        if self.ancestry_differs:
            return (
                "These figures decide nothing. Pool and reference come from different populations, "
                "so an attack recognises people by their ancestry. Take another reference."
            )
        if self.power_limit is not None and self.power_limit <= self.limit:
            return (
                f"Within the limit, by the release's guarantee: no attack recognises more than "
                f"{in_100(self.power_limit)} % of members {at}. {allowed}."
            )
        if self.within and self.power_linked > self.limit:
            return (
                f"Within the limit for attackers who do not know the linkage: {reached} {at}. "
                f"{allowed}. An attacker who knows the linkage recognises up to "
                f"{in_100(self.power_linked)} % in theory. Publish only variants that are hardly "
                "linked."
            )
        if self.within:
            return f"Within the limit: {reached} {at}. {allowed}."
        return f"Do not publish it like this: {reached} {at}. {allowed}."

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable gwas attack` prints."""
        derived = fields_of(self, "power_linked", "relatives", "within", "verdict", "enough")
        return {"power": self.power, **attrs.asdict(self), **derived}


def in_100(share: float) -> str:
    """Return a share in percent, in a few digits; only certainty becomes 100.

    Examples
    --------
    >>> in_100(0.0512), in_100(0.9999), in_100(0.0004), in_100(1.0)
    ('5.1', 'more than 99.9', '0.04', '100')
    """
    value = 100 * share
    if 99.95 <= value < 100:
        return "more than 99.9"
    return f"{value:.1f}".removesuffix(".0") if value >= 1 or not value else f"{value:.2g}"
