"""Every theorem, once: what it leads from, what it leads to, where it is from."""

import inspect
from collections.abc import Callable
from typing import Any

import attrs

from deniable.bounds import Evidence
from deniable.notions import GaussianDP
from deniable.theorems.adjacency import (
    add_remove_approx_dp_to_replace_one_approx_dp,
    add_remove_dp_to_replace_one_dp,
    add_remove_gaussian_dp_to_replace_one_gaussian_dp,
    add_remove_zcdp_to_replace_one_zcdp,
    one_sided_dp_to_pure_dp,
    pure_dp_to_one_sided_dp,
)
from deniable.theorems.attacks import (
    advantage_to_attack_success,
    approx_dp_to_advantage,
    approx_dp_to_advantage_by_erlingsson,
    approx_dp_to_attack_success,
    approx_dp_to_predictive_value,
    attack_success_to_advantage,
    gaussian_dp_to_advantage,
    gaussian_dp_to_predictive_value,
    pure_dp_to_advantage_by_yeom,
    zcdp_to_advantage,
)
from deniable.theorems.beliefs import (
    one_sided_dp_to_max_posterior,
    positive_membership_to_max_posterior,
    privacy_loss_tail_to_max_posterior,
    pure_dp_to_max_posterior,
)
from deniable.theorems.concentrated import (
    pure_dp_to_zcdp,
    zcdp_to_approx_dp,
    zcdp_to_privacy_loss_tail,
)
from deniable.theorems.gaussian import (
    discrete_gaussian_to_gaussian_dp,
    gaussian_dp_to_approx_dp,
    gaussian_dp_to_privacy_loss_tail,
    gaussian_dp_to_zcdp,
    pure_dp_to_gaussian_dp,
)
from deniable.theorems.identifiability import (
    identifiability_to_positive_membership,
    positive_membership_to_identifiability,
    privacy_loss_tail_to_identifiability,
    replace_one_dp_to_identifiability,
)
from deniable.theorems.membership import (
    negative_membership_around_half_to_replace_one_dp,
    negative_membership_to_replace_one_dp,
    positive_membership_around_half_to_replace_one_dp,
    positive_membership_to_replace_one_dp,
    pure_dp_to_negative_membership,
    pure_dp_to_positive_membership,
)
from deniable.theorems.one_sided import (
    negative_membership_to_one_sided_dp,
    one_sided_dp_to_negative_membership,
    one_sided_dp_to_positive_membership,
    positive_membership_to_one_sided_dp,
)
from deniable.theorems.other_families import (
    bayesian_dp_to_positive_membership,
    negative_membership_to_narrower_prior,
    positive_membership_to_bayesian_dp,
    positive_membership_to_narrower_prior,
    positive_membership_to_sampling_dp,
    privacy_loss_tail_to_positive_membership,
    sampling_dp_to_negative_membership,
    sampling_dp_to_positive_membership,
)
from deniable.theorems.population import (
    advantage_to_membership_inference,
    approx_dp_to_population,
    gaussian_membership_inference_to_membership_inference,
    membership_inference_to_advantage,
    noisy_gradient_to_gaussian_membership_inference,
    population_posterior_to_population,
    population_posterior_to_population_as_published,
    population_to_approx_dp,
    population_to_attack_success,
    population_to_membership_inference,
    population_to_membership_inference_as_published,
    population_to_one_parent_set,
    population_to_population_posterior,
)
from deniable.theorems.pure_and_approximate import (
    approx_dp_to_privacy_loss_tail,
    approx_dp_to_pure_dp,
    privacy_loss_tail_to_approx_dp,
    pure_dp_to_approx_dp,
    pure_dp_to_privacy_loss_tail,
)
from deniable.theorems.random_data import (
    approx_dp_to_sampling_dp,
    bayesian_dp_to_pure_dp,
    k_anonymity_to_sampling_dp,
    pure_dp_to_bayesian_dp,
    sampling_dp_to_approx_dp,
    sampling_dp_to_lower_rate,
)
from deniable.theorems.semantic import (
    bayesian_dp_to_bayesian_semantic,
    bayesian_dp_to_bayesian_semantic_as_published,
    bayesian_semantic_to_bayesian_dp,
    bayesian_semantic_to_bayesian_dp_as_published,
    bayesian_semantic_to_semantic,
    posterior_gain_to_pure_dp,
    posterior_ratio_to_pure_dp,
    pure_dp_to_posterior_gain,
    pure_dp_to_posterior_ratio,
    pure_dp_to_semantic,
    pure_dp_to_semantic_as_published,
    pure_dp_to_semantic_of_one_record,
    semantic_to_pure_dp,
    semantic_to_pure_dp_as_published,
)


@attrs.frozen
class Theorem:
    """One implication: `implication` maps a guarantee of `source` to one of `target`.

    `evidence` is ESTIMATE where the implication only holds approximately; a derivation never
    passes through such a theorem.
    """

    implication: Callable[..., Any]
    source: type
    target: type
    citation: str
    evidence: Evidence = Evidence.ENCLOSURE

    @property
    def name(self) -> str:
        """The function's name, `a_to_b`."""
        return self.implication.__name__

    @property
    def title(self) -> str:
        """Name and citation, as a derivation prints it."""
        return f"{self.name} ({self.citation})"

    @property
    def statement(self) -> str:
        """The parameter map in one line: how the function's docstring begins."""
        return (inspect.getdoc(self.implication) or "").split("\n", 1)[0]


def _stated(
    implication: Callable[..., Any], citation: str, evidence: Evidence = Evidence.ENCLOSURE
) -> Theorem:
    """A theorem whose signature says what it leads from and to."""
    signature = inspect.signature(implication)
    source = next(iter(signature.parameters.values())).annotation
    return Theorem(implication, source, signature.return_annotation, citation, evidence)


CATALOGUE: tuple[Theorem, ...] = (
    # What likelihood guarantees say of each other
    _stated(pure_dp_to_approx_dp, "definition"),
    _stated(approx_dp_to_pure_dp, "definition"),
    _stated(pure_dp_to_privacy_loss_tail, "likelihood ratios survive averaging"),
    _stated(approx_dp_to_privacy_loss_tail, "hockey-stick tail"),
    _stated(privacy_loss_tail_to_approx_dp, "dwork-roth-2014"),
    _stated(pure_dp_to_zcdp, "bun-steinke-2016, Proposition 1.4"),
    _stated(zcdp_to_approx_dp, "canonne-kamath-steinke-2020, Corollary 13"),
    _stated(zcdp_to_privacy_loss_tail, "bun-steinke-2016, Lemma 3.5"),
    _stated(pure_dp_to_gaussian_dp, "dong-roth-su-2022, and convexity"),
    _stated(gaussian_dp_to_approx_dp, "balle-wang-2018, Theorem 8"),
    _stated(
        gaussian_dp_to_privacy_loss_tail, "balle-wang-2018, Theorem 8, and the hockey-stick tail"
    ),
    _stated(gaussian_dp_to_zcdp, "bun-steinke-2016, Proposition 1.6"),
    Theorem(
        discrete_gaussian_to_gaussian_dp,
        GaussianDP,
        GaussianDP,
        "one grid step between discrete and continuous",
    ),
    _stated(add_remove_dp_to_replace_one_dp, "triangle inequality"),
    _stated(add_remove_approx_dp_to_replace_one_approx_dp, "dwork-roth-2014, groups of two"),
    _stated(add_remove_zcdp_to_replace_one_zcdp, "bun-steinke-2016, Proposition 1.9"),
    _stated(add_remove_gaussian_dp_to_replace_one_gaussian_dp, "dong-roth-su-2022, Theorem 2.14"),
    _stated(pure_dp_to_one_sided_dp, "li-2013, Theorem 4.5"),
    _stated(one_sided_dp_to_pure_dp, "li-2013, Theorem 4.5"),
    _stated(approx_dp_to_sampling_dp, "li-2012, amplification"),
    _stated(sampling_dp_to_lower_rate, "li-2012, amplification"),
    _stated(sampling_dp_to_approx_dp, "li-2012, definition"),
    _stated(k_anonymity_to_sampling_dp, "li-2012, strongly safe k-anonymisation"),
    _stated(pure_dp_to_bayesian_dp, "yang-2015"),
    _stated(bayesian_dp_to_pure_dp, "yang-2015"),
    # Membership
    _stated(
        pure_dp_to_positive_membership, "tramer-2015, Theorem 2; add-remove: li-2013, Theorem 4.5"
    ),
    _stated(
        pure_dp_to_negative_membership,
        "tramer-2015, Theorem 2, reflected; add-remove: li-2013, Theorem 4.5",
    ),
    _stated(positive_membership_to_replace_one_dp, "li-2013, Theorem 4.8"),
    _stated(negative_membership_to_replace_one_dp, "li-2013, Theorem 4.8, by symmetry"),
    _stated(positive_membership_around_half_to_replace_one_dp, "ours, from zhao-2019, Lemma 1"),
    _stated(negative_membership_around_half_to_replace_one_dp, "ours, from zhao-2019, Lemma 1"),
    _stated(one_sided_dp_to_positive_membership, "li-2013, Theorem 4.5; tramer-2015, Theorem 2"),
    _stated(one_sided_dp_to_negative_membership, "li-2013, Theorem 4.5; tramer-2015, Theorem 2"),
    _stated(positive_membership_to_one_sided_dp, "li-2013, Theorem 4.5; zhao-2019, Lemma 1"),
    _stated(negative_membership_to_one_sided_dp, "li-2013, Theorem 4.5; zhao-2019, Lemma 1"),
    _stated(positive_membership_to_narrower_prior, "definition: li-2013, Definition 3.1"),
    _stated(negative_membership_to_narrower_prior, "definition"),
    _stated(
        privacy_loss_tail_to_positive_membership, "tramer-2015, Theorem 2, but for rare outputs"
    ),
    _stated(bayesian_dp_to_positive_membership, "zhao-2019, Theorem 3"),
    _stated(positive_membership_to_bayesian_dp, "zhao-2019, Theorem 4"),
    _stated(sampling_dp_to_positive_membership, "li-2012; li-2013, Theorem 5.10"),
    _stated(sampling_dp_to_negative_membership, "li-2012; li-2013, Theorem 5.10"),
    _stated(positive_membership_to_sampling_dp, "li-2012; li-2013, Theorem 5.10"),
    # Beliefs
    _stated(pure_dp_to_max_posterior, "tramer-2015, Equation 9"),
    _stated(one_sided_dp_to_max_posterior, "tramer-2015, Equation 9"),
    _stated(positive_membership_to_max_posterior, "li-2013, Equation 3"),
    _stated(privacy_loss_tail_to_max_posterior, "tramer-2015, Equation 9, but for rare outputs"),
    _stated(replace_one_dp_to_identifiability, "lee-clifton-2012, Theorem 1"),
    _stated(
        privacy_loss_tail_to_identifiability, "lee-clifton-2012, Theorem 1, but for rare outputs"
    ),
    _stated(identifiability_to_positive_membership, "lee-clifton-2012; li-2013, Section 5.2"),
    _stated(positive_membership_to_identifiability, "lee-clifton-2012; li-2013, Section 5.2"),
    _stated(pure_dp_to_semantic, "kasiviswanathan-smith-2014, sharpened"),
    _stated(pure_dp_to_semantic_of_one_record, "kasiviswanathan-smith-2014, sharpened"),
    _stated(pure_dp_to_semantic_as_published, "zhao-2019, Theorem 2"),
    _stated(semantic_to_pure_dp, "zhao-2019, Theorem 2, sharpened"),
    _stated(semantic_to_pure_dp_as_published, "zhao-2019, Theorem 2"),
    _stated(bayesian_dp_to_bayesian_semantic, "zhao-2019, Theorem 1, sharpened"),
    _stated(bayesian_dp_to_bayesian_semantic_as_published, "zhao-2019, Theorem 1"),
    _stated(bayesian_semantic_to_bayesian_dp, "zhao-2019, Theorem 1, sharpened"),
    _stated(bayesian_semantic_to_bayesian_dp_as_published, "zhao-2019, Theorem 1"),
    _stated(bayesian_semantic_to_semantic, "zhao-2019, after Definition 2"),
    _stated(pure_dp_to_posterior_ratio, "kazan-reiter-2024"),
    _stated(posterior_ratio_to_pure_dp, "kazan-reiter-2024"),
    _stated(pure_dp_to_posterior_gain, "kazan-reiter-2024"),
    _stated(posterior_gain_to_pure_dp, "kazan-reiter-2024"),
    # Attacks
    _stated(approx_dp_to_attack_success, "kairouz-oh-viswanath-2015, Theorem 2.1"),
    _stated(approx_dp_to_advantage, "humphries-2020, Theorem 3"),
    _stated(approx_dp_to_advantage_by_erlingsson, "erlingsson-2019"),
    _stated(pure_dp_to_advantage_by_yeom, "yeom-2018, Theorem 1"),
    _stated(zcdp_to_advantage, "Pinsker; bretagnolle-huber-1979"),
    _stated(gaussian_dp_to_advantage, "dong-roth-su-2022, Corollary 1"),
    _stated(advantage_to_attack_success, "yeom-2018, Definition 4"),
    _stated(attack_success_to_advantage, "yeom-2018, Definition 4"),
    _stated(approx_dp_to_predictive_value, "dong-roth-su-2022"),
    _stated(gaussian_dp_to_predictive_value, "dong-roth-su-2022"),
    _stated(approx_dp_to_population, "lowy-2024, Proposition 5; δ and other sizes: convexity"),
    _stated(population_to_one_parent_set, "lowy-2024, Definition 2"),
    _stated(population_to_approx_dp, "lowy-2024, Corollary 4, mended"),
    _stated(
        population_to_attack_success,
        "lowy-2024, Lemma 6; δ: kairouz-oh-viswanath-2015, Theorem 2.1",
    ),
    _stated(population_posterior_to_population, "lowy-2024, Lemma 3, sharpened; every prior"),
    _stated(population_posterior_to_population_as_published, "lowy-2024, Lemma 3"),
    _stated(population_to_population_posterior, "lowy-2024, Lemma 3"),
    _stated(population_to_membership_inference, "lowy-2024, Lemma 13, sharpened"),
    _stated(population_to_membership_inference_as_published, "lowy-2024, Lemma 13"),
    _stated(membership_inference_to_advantage, "izzo-2022"),
    _stated(advantage_to_membership_inference, "izzo-2022"),
    _stated(
        noisy_gradient_to_gaussian_membership_inference,
        "leemann-2023",
        Evidence.ESTIMATE,
    ),
    _stated(gaussian_membership_inference_to_membership_inference, "leemann-2023"),
)
"""One line a theorem; a new one joins the laws by its line."""

_BY_NAME = {theorem.name: theorem for theorem in CATALOGUE}


def theorem(name: str) -> Theorem:
    """The catalogued theorem of that name."""
    return _BY_NAME[name]
