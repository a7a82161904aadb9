"""What several releases about the same people add up to, and what may be believed after all.

Beliefs do not compose, differential privacy does: the guarantees are added up first, and beliefs
are read off the total. The releases may be chosen adaptively, each in the light of all earlier
outputs; their guarantees are those that are given, fixed beforehand.
"""

import math
from collections.abc import Sequence
from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.notions import ZCDP, ApproxDP, GaussianDP, Notion, PureDP
from deniable.notions.notation import form_of, parse
from deniable.numerics.answer import BudgetAnswer
from deniable.priors import BoundedPriors
from deniable.theorems.analysis.belief import USUAL_PRIORS, PosteriorRange, posterior_ranges
from deniable.theorems.analysis.explain import DEFAULT_EXCEEDANCE
from deniable.theorems.analysis.privacy_loss import LARGEST_RHO, Composition, Route, least_loss
from deniable.theorems.analysis.target import Step
from deniable.theorems.analysis.total import Composable, total
from deniable.theorems.gaussian import gaussian_dp_to_zcdp
from deniable.theorems.membership import pure_dp_to_positive_membership
from deniable.theorems.pure_and_approximate import approx_dp_to_privacy_loss_tail

RARELY = 1e-6
"""Exceedance of totals without a δ of their own (ρ, μ) where none is asked for."""


@attrs.frozen(repr=False)
class Composed(BudgetAnswer):
    """What several releases satisfy together; every number is on the safe side.

    Parameters
    ----------
    given : tuple of notions
        The guarantee of each release.
    total : PureDP, ApproxDP, ZCDP or GaussianDP
        What all of them together satisfy.
    adversary : BoundedPriors
        What the adversary may believe before the first release.
    exceedance : float
        The probability of outputs that may move beliefs further; 0 for a pure total.
    loss : float
        The privacy loss at which γ and beliefs are read.
    gamma, gamma_outside : float
        γ for priors of the adversary, and for any prior.
    posterior : tuple of PosteriorRange
        Where beliefs may lie after all releases.
    derivation : tuple of Step
        What was converted and added, and why that is right.
    """

    given: tuple[Notion, ...]
    total: Composable
    adversary: BoundedPriors
    exceedance: float
    loss: float
    gamma: float
    gamma_outside: float
    posterior: tuple[PosteriorRange, ...]
    derivation: tuple[Step, ...]

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        form = form_of(type(self.total))
        return {
            "from": [each.spec for each in self.given],
            "to": {
                "notion": form.word,
                "parameters": {name: getattr(self.total, name) for name in form.claims},
                "spec": self.total.spec,
                "adjacency": str(self.total.adjacency),
            },
            "prior": [self.adversary.low, self.adversary.high],
            "exceedance": self.exceedance,
            "loss": self.loss,
            "gamma": self.gamma,
            "gamma_outside": self.gamma_outside,
            "posterior": [attrs.asdict(each) for each in self.posterior],
            "derivation": [step.as_json() for step in self.derivation],
        }


def compose(
    guarantees: Sequence[str | Notion],
    *,
    exceedance: float | None = None,
    prior: tuple[float, float] = (0.0, 1.0),
) -> Composed:
    r"""Add up the guarantees of several releases about the same people.

    Pure and Gaussian guarantees are converted to ρ where they meet ρ; pure ones to (ε, 0) where
    they meet δ; add-remove ones to replace-one where both adjacencies occur.

    .. math:: \epsilon = \sum \epsilon_i, \quad \delta = \sum \delta_i, \quad
              \rho = \sum \rho_i, \quad \mu = \sqrt{\sum \mu_i^2}

    Parameters
    ----------
    guarantees : sequence of str or notion
        One a release, as a value or written like ``pure-dp:1.0``: pure-dp, approx-dp, zcdp or
        gaussian-dp. They are the guarantees of *different* releases; several that hold of one and
        the same release go to `derive`.
    exceedance : float, optional
        For totals in δ, ρ or μ: the probability of outputs that may move beliefs further; 100 δ,
        else 1e-6, if left out.
    prior : (float, float)
        The ends [a, b] of what the adversary may believe before the first release.

    Returns
    -------
    Composed
        The total, and beliefs after all releases, rounded outwards.

    Raises
    ------
    InvalidArgument
        If a guarantee is written wrong, or the exceedance is out of its range.
    NotApplicable
        If a guarantee is not known to add up: statements about beliefs, about one population, or
        ρ or μ beside δ.

    References
    ----------
    dwork-roth-2014, Theorem B.1; bun-steinke-2016, Lemma 2.3; dong-roth-su-2022.

    Examples
    --------
    >>> answer = compose(["pure-dp:0.5", "pure-dp:0.25"], prior=(0.1, 0.1))
    >>> answer.total.spec, round(answer.posterior[2].upper, 4)
    ('pure-dp:0.75', 0.1904)
    """
    adversary = BoundedPriors(*validate.pair(prior, "prior"))
    given = tuple(parse(each) if isinstance(each, str) else each for each in guarantees)
    added = total(given)
    rarely, loss = _loss(added.guarantee, exceedance)
    at_loss = PureDP(loss, added.guarantee.adjacency)
    return Composed(
        given=given,
        total=added.guarantee,
        adversary=adversary,
        exceedance=rarely,
        loss=loss,
        gamma=pure_dp_to_positive_membership(at_loss, adversary).gamma,
        gamma_outside=pure_dp_to_positive_membership(at_loss, BoundedPriors()).gamma,
        posterior=posterior_ranges(loss, sorted({*USUAL_PRIORS, adversary.low, adversary.high})),
        derivation=added.steps,
    )


def _loss(guarantee: Composable, exceedance: float | None) -> tuple[float, float]:
    """How rarely beliefs may move further, and the loss at which they are read."""
    match guarantee:
        case PureDP():
            if exceedance is not None:
                raise InvalidArgument(
                    f"Expected no `exceedance` with {guarantee.spec}, which all outputs keep to, "
                    f"got {exceedance}. Leave `exceedance` out."
                )
            return 0.0, guarantee.epsilon
        case ApproxDP(delta=0.0) if exceedance is None:
            return 0.0, guarantee.epsilon
        case ApproxDP():
            rarely = DEFAULT_EXCEEDANCE * guarantee.delta if exceedance is None else exceedance
            if not guarantee.delta < rarely < 1:
                raise InvalidArgument(
                    f"Expected delta < exceedance < 1, got delta={guarantee.delta}, "
                    f"exceedance={rarely}. State an exceedance in between."
                )
            return rarely, approx_dp_to_privacy_loss_tail(guarantee, rarely).epsilon
        case ZCDP():
            composition = Composition(guarantee.rho, Route.CONCENTRATED, None, guarantee.adjacency)
        case GaussianDP():
            rho = gaussian_dp_to_zcdp(guarantee).rho
            composition = Composition(rho, Route.GAUSSIAN, 0.0, guarantee.adjacency)
    rarely = validate.open_probability(RARELY if exceedance is None else exceedance, "exceedance")
    if composition.rho > LARGEST_RHO:
        return rarely, math.inf  # beyond what the search covers, and beyond any protection
    return rarely, least_loss(composition, rarely).epsilon
