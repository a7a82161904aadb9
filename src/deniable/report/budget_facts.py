"""The privacy budget in words: ε where there is one, else the noise and a tail."""

import math

from deniable.certificate.model import Certificate, Guarantee
from deniable.certificate.tables import TableCertificate
from deniable.report.numbers import significant
from deniable.report.sentences import at_most, chance, exactly, rounded_up
from deniable.theorems.analysis.target import EpsilonTarget

_GAUSSIAN = "discrete-gaussian"


def budget(certificate: Certificate) -> list[tuple[str, str]]:
    """What was spent. With δ no ε is offered, for no mechanism may be built from it.

    With δ the calibrated noise meets the target, and a mechanism that is merely (ε, δ)-DP for the
    numbers of the tail need not.
    """
    guarantee = certificate.guarantee
    neighbours = f"{certificate.unit.adjacency} neighbours"
    if guarantee.rho is None:
        rare = f" with δ = {exactly(guarantee.delta)}" if guarantee.delta else ""
        spent = f"ε = {rounded_up(guarantee.epsilon, 4)}{rare}, {neighbours}"
        return [("Privacy budget", spent)]
    spent = f"ρ = {at_most(guarantee.rho)} (zero-concentrated), {neighbours}"
    facts = [("Privacy budget", spent)]
    if (noise := noise_multiplier(certificate)) is not None:
        equivalent = (
            f"as much as one Gaussian release with a noise multiplier of {significant(noise, 4)}"
        )
        facts.append(("Noise of everything", equivalent))
    return [*facts, ("Privacy loss", _tail(certificate, guarantee))]


def noise_multiplier(certificate: Certificate) -> float | None:
    """Standard deviation per unit of L2 sensitivity, rounded down; None with other noise.

    ρ = μ²/2 for Gaussian noise, and the noise multiplier is 1/μ.
    """
    rho = certificate.guarantee.rho
    if rho is None or not isinstance(certificate, TableCertificate):
        return None
    parts = (part for query in certificate.queries for part in query.parts)
    if any(part.mechanism not in (None, _GAUSSIAN) for part in parts):
        return None
    return 1 / math.sqrt(2 * rho) * (1 - 1e-9)


def _tail(certificate: Certificate, guarantee: Guarantee) -> str:
    if isinstance(certificate.target, EpsilonTarget):
        return (
            f"(ε, δ)-differential privacy with ε = {rounded_up(guarantee.epsilon, 4)} and "
            f"δ = {exactly(guarantee.delta)}"
        )
    return (
        f"passes {at_most(guarantee.loss, 5)} with a probability of at most "
        f"{chance(guarantee.exceedance)}; this is no ε to build other noise from"
    )
