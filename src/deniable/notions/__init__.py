"""Guarantees as small frozen values.

A value states what holds; `spec` writes it the way the command line does. Numbers are claims:
whoever makes a value rounds them to the safe side first.
"""

from typing import TYPE_CHECKING, TypeAlias

from deniable.errors.public_names import named_exports
from deniable.notions._fields import Adjacency, Setting, Side
from deniable.notions.guarantees import (
    ZCDP,
    Advantage,
    Adversary,
    ApproxDP,
    ApproxZCDP,
    AttackSuccess,
    BaselineRisk,
    BayesianDP,
    BayesianSemantic,
    FalseNegativeRate,
    GaussianDP,
    GaussianMembershipInference,
    Identifiability,
    KAnonymity,
    MaxPosterior,
    MembershipInference,
    NegativeMembership,
    NoisyGradient,
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
)
from deniable.notions.trade_off import TradeOffCurve
from deniable.notions.training import Phase, PrivacyCurve

__all__ = [
    "ZCDP",
    "Adjacency",
    "Advantage",
    "Adversary",
    "ApproxDP",
    "ApproxZCDP",
    "AttackSuccess",
    "BaselineRisk",
    "BayesianDP",
    "BayesianSemantic",
    "FalseNegativeRate",
    "GaussianDP",
    "GaussianMembershipInference",
    "Identifiability",
    "KAnonymity",
    "MaxPosterior",
    "MembershipInference",
    "NegativeMembership",
    "NoisyGradient",
    "Notion",
    "OneSidedDP",
    "Phase",
    "PopulationPosterior",
    "PopulationPrivacy",
    "PositiveMembership",
    "PosteriorGain",
    "PosteriorRatio",
    "PredictiveValue",
    "PrivacyCurve",
    "PrivacyLossTail",
    "PureDP",
    "RenyiDP",
    "SamplingDP",
    "Semantic",
    "Setting",
    "Side",
    "TradeOffCurve",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = named_exports(__name__, __all__)

Notion: TypeAlias = (
    PureDP
    | OneSidedDP
    | ApproxDP
    | ZCDP
    | ApproxZCDP
    | RenyiDP
    | GaussianDP
    | PrivacyLossTail
    | SamplingDP
    | KAnonymity
    | BayesianDP
    | PositiveMembership
    | NegativeMembership
    | MaxPosterior
    | Identifiability
    | Semantic
    | BayesianSemantic
    | PosteriorRatio
    | PosteriorGain
    | AttackSuccess
    | Advantage
    | PredictiveValue
    | FalseNegativeRate
    | BaselineRisk
    | PopulationPosterior
    | PopulationPrivacy
    | MembershipInference
    | GaussianMembershipInference
    | NoisyGradient
    | PrivacyCurve
    | TradeOffCurve
)
"""Any guarantee that theorems speak of."""
