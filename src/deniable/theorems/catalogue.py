"""Every theorem, once: what it leads from, what it leads to, where it is from."""

from collections.abc import Callable
from typing import Any

import attrs

from deniable import notions
from deniable.theorems import add_remove_dp_to_replace_one_dp as _add_remove
from deniable.theorems import add_remove_gaussian_dp_to_replace_one_gaussian_dp as _twice_gaussian
from deniable.theorems import add_remove_zcdp_to_replace_one_zcdp as _twice_zcdp
from deniable.theorems import advantage_to_attack_success as _advantage_success
from deniable.theorems import approx_dp_to_advantage as _advantage
from deniable.theorems import approx_dp_to_attack_success as _success
from deniable.theorems import approx_dp_to_privacy_loss_tail as _tail
from deniable.theorems import discrete_gaussian_to_gaussian_dp as _discrete
from deniable.theorems import gaussian_dp_to_advantage as _gaussian_advantage
from deniable.theorems import gaussian_dp_to_approx_dp as _gaussian_approx
from deniable.theorems import gaussian_dp_to_privacy_loss_tail as _gaussian_tail
from deniable.theorems import privacy_loss_tail_to_identifiability as _tail_identifiability
from deniable.theorems import privacy_loss_tail_to_max_posterior as _tail_posterior
from deniable.theorems import privacy_loss_tail_to_positive_membership as _tail_membership
from deniable.theorems import pure_dp_to_max_posterior as _posterior
from deniable.theorems import pure_dp_to_positive_membership as _membership
from deniable.theorems import replace_one_dp_to_identifiability as _identifiability
from deniable.theorems import zcdp_to_advantage as _zcdp_advantage
from deniable.theorems import zcdp_to_approx_dp as _zcdp_approx
from deniable.theorems import zcdp_to_privacy_loss_tail as _zcdp_tail


@attrs.frozen
class Theorem:
    """One implication: `implication` maps a guarantee of `source` to one of `target`."""

    implication: Callable[..., Any]
    source: type
    target: type
    citation: str

    @property
    def name(self) -> str:
        """The function's name, `a_to_b`."""
        return self.implication.__name__

    @property
    def title(self) -> str:
        """Name and citation, as a derivation prints it."""
        return f"{self.name} ({self.citation})"


CATALOGUE: tuple[Theorem, ...] = (
    Theorem(
        _membership.pure_dp_to_positive_membership,
        notions.PureDP,
        notions.PositiveMembership,
        "tramer-2015, Theorem 2",
    ),
    Theorem(
        _posterior.pure_dp_to_max_posterior,
        notions.PureDP,
        notions.MaxPosterior,
        "tramer-2015, Section 3.2",
    ),
    Theorem(
        _identifiability.replace_one_dp_to_identifiability,
        notions.PureDP,
        notions.Identifiability,
        "lee-clifton-2012, Theorem 1",
    ),
    Theorem(
        _add_remove.add_remove_dp_to_replace_one_dp,
        notions.PureDP,
        notions.PureDP,
        "triangle inequality",
    ),
    Theorem(
        _success.approx_dp_to_attack_success,
        notions.ApproxDP,
        notions.AttackSuccess,
        "lowy-2024, Lemma 6",
    ),
    Theorem(
        _advantage.approx_dp_to_advantage,
        notions.ApproxDP,
        notions.Advantage,
        "humphries-2020, Theorem 3",
    ),
    Theorem(
        _advantage_success.advantage_to_attack_success,
        notions.Advantage,
        notions.AttackSuccess,
        "yeom-2018, Definition 4",
    ),
    Theorem(
        _tail.approx_dp_to_privacy_loss_tail,
        notions.ApproxDP,
        notions.PrivacyLossTail,
        "hockey-stick tail",
    ),
    Theorem(
        _gaussian_approx.gaussian_dp_to_approx_dp,
        notions.GaussianDP,
        notions.ApproxDP,
        "balle-wang-2018, Theorem 8",
    ),
    Theorem(
        _gaussian_tail.gaussian_dp_to_privacy_loss_tail,
        notions.GaussianDP,
        notions.PrivacyLossTail,
        "balle-wang-2018, Theorem 8, and the hockey-stick tail",
    ),
    Theorem(
        _gaussian_advantage.gaussian_dp_to_advantage,
        notions.GaussianDP,
        notions.Advantage,
        "dong-roth-su-2022, Corollary 1",
    ),
    Theorem(
        _discrete.discrete_gaussian_to_gaussian_dp,
        notions.GaussianDP,
        notions.GaussianDP,
        "one grid step between discrete and continuous",
    ),
    Theorem(
        _tail_membership.privacy_loss_tail_to_positive_membership,
        notions.PrivacyLossTail,
        notions.PositiveMembership,
        "tramer-2015, Theorem 2, but for rare outputs",
    ),
    Theorem(
        _tail_posterior.privacy_loss_tail_to_max_posterior,
        notions.PrivacyLossTail,
        notions.MaxPosterior,
        "tramer-2015, Section 3.2, but for rare outputs",
    ),
    Theorem(
        _tail_identifiability.privacy_loss_tail_to_identifiability,
        notions.PrivacyLossTail,
        notions.Identifiability,
        "lee-clifton-2012, Theorem 1, but for rare outputs",
    ),
    Theorem(
        _twice_gaussian.add_remove_gaussian_dp_to_replace_one_gaussian_dp,
        notions.GaussianDP,
        notions.GaussianDP,
        "dong-roth-su-2022, Theorem 2.14",
    ),
    Theorem(
        _twice_zcdp.add_remove_zcdp_to_replace_one_zcdp,
        notions.ZCDP,
        notions.ZCDP,
        "bun-steinke-2016, Proposition 1.9",
    ),
    Theorem(
        _zcdp_tail.zcdp_to_privacy_loss_tail,
        notions.ZCDP,
        notions.PrivacyLossTail,
        "bun-steinke-2016, Lemma 3.5",
    ),
    Theorem(
        _zcdp_approx.zcdp_to_approx_dp,
        notions.ZCDP,
        notions.ApproxDP,
        "canonne-kamath-steinke-2020, Corollary 13",
    ),
    Theorem(
        _zcdp_advantage.zcdp_to_advantage,
        notions.ZCDP,
        notions.Advantage,
        "Pinsker; bretagnolle-huber-1979",
    ),
)
"""One line a theorem; a new one joins the laws by its line."""

_BY_NAME = {theorem.name: theorem for theorem in CATALOGUE}


def theorem(name: str) -> Theorem:
    """The catalogued theorem of that name."""
    return _BY_NAME[name]
