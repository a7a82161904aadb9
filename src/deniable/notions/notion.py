"""Any guarantee that theorems speak of."""

from typing import TypeAlias

from deniable.notions.guarantees import (
    ZCDP,
    Advantage,
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
from deniable.notions.training import PrivacyCurve

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
