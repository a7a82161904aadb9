"""Guarantees as small frozen values.

A value states what holds; `spec` writes it the way the command line does. Numbers are claims:
whoever makes a value rounds them to the safe side first.
"""

from typing import TypeAlias

from deniable.notions._fields import Adjacency as Adjacency
from deniable.notions._fields import Setting as Setting
from deniable.notions._fields import Side as Side
from deniable.notions.attack import Advantage as Advantage
from deniable.notions.attack import AttackSuccess as AttackSuccess
from deniable.notions.attack import GaussianMembershipInference as GaussianMembershipInference
from deniable.notions.attack import MembershipInference as MembershipInference
from deniable.notions.attack import NoisyGradient as NoisyGradient
from deniable.notions.attack import PopulationPosterior as PopulationPosterior
from deniable.notions.attack import PopulationPrivacy as PopulationPrivacy
from deniable.notions.attack import PredictiveValue as PredictiveValue
from deniable.notions.belief import Adversary as Adversary
from deniable.notions.belief import AdversaryFamily as AdversaryFamily
from deniable.notions.belief import BayesianSemantic as BayesianSemantic
from deniable.notions.belief import Identifiability as Identifiability
from deniable.notions.belief import MaxPosterior as MaxPosterior
from deniable.notions.belief import NegativeMembership as NegativeMembership
from deniable.notions.belief import PositiveMembership as PositiveMembership
from deniable.notions.belief import PosteriorGain as PosteriorGain
from deniable.notions.belief import PosteriorRatio as PosteriorRatio
from deniable.notions.belief import Semantic as Semantic
from deniable.notions.differential import ZCDP as ZCDP
from deniable.notions.differential import ApproxDP as ApproxDP
from deniable.notions.differential import BayesianDP as BayesianDP
from deniable.notions.differential import GaussianDP as GaussianDP
from deniable.notions.differential import KAnonymity as KAnonymity
from deniable.notions.differential import OneSidedDP as OneSidedDP
from deniable.notions.differential import PrivacyLossTail as PrivacyLossTail
from deniable.notions.differential import PureDP as PureDP
from deniable.notions.differential import SamplingDP as SamplingDP

Notion: TypeAlias = (
    PureDP
    | OneSidedDP
    | ApproxDP
    | ZCDP
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
    | PopulationPosterior
    | PopulationPrivacy
    | MembershipInference
    | GaussianMembershipInference
    | NoisyGradient
)
