"""The judge: how private an explicit mechanism on a small universe is, exactly, by every notion."""

from typing import TYPE_CHECKING

from deniable.errors.public_names import named_exports
from deniable.judge.membership import (
    negative_gamma,
    negative_gamma_here,
    positive_gamma,
    positive_gamma_here,
)
from deniable.judge.verify import Verdict
from deniable.judge.worst_cases import Gamma, Witness

__all__ = [
    "Gamma",
    "Verdict",
    "Witness",
    "negative_gamma",
    "negative_gamma_here",
    "positive_gamma",
    "positive_gamma_here",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = named_exports(__name__, __all__)
