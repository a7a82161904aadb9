"""Any guarantee that theorems speak of."""

from typing import TypeAlias

from deniable.notions import guarantees
from deniable.notions.trade_off import TradeOffCurve
from deniable.notions.training import PrivacyCurve

Notion: TypeAlias = (
    guarantees.PureDP
    | guarantees.OneSidedDP
    | guarantees.ApproxDP
    | guarantees.ZCDP
    | guarantees.ApproxZCDP
    | guarantees.RenyiDP
    | guarantees.GaussianDP
    | guarantees.PrivacyLossTail
    | guarantees.SamplingDP
    | guarantees.KAnonymity
    | guarantees.BayesianDP
    | guarantees.PositiveMembership
    | guarantees.NegativeMembership
    | guarantees.MaxPosterior
    | guarantees.Identifiability
    | guarantees.Semantic
    | guarantees.BayesianSemantic
    | guarantees.PosteriorRatio
    | guarantees.PosteriorGain
    | guarantees.AttackSuccess
    | guarantees.Advantage
    | guarantees.PredictiveValue
    | guarantees.FalseNegativeRate
    | guarantees.BaselineRisk
    | guarantees.PopulationPosterior
    | guarantees.PopulationPrivacy
    | guarantees.MembershipInference
    | guarantees.GaussianMembershipInference
    | guarantees.NoisyGradient
    | PrivacyCurve
    | TradeOffCurve
)
"""Any guarantee that theorems speak of."""
