"""The likelihood ratio, where the law of the output is known: no attack is better."""

from collections.abc import Callable
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from deniable.auditing.exact import Exact
from deniable.auditing.runs import Runs, Scorer, Scores, Signals
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from deniable.mechanisms.exponential import ExponentialMechanism
from deniable.mechanisms.randomised_response import RandomisedResponse

Floats: TypeAlias = NDArray[np.float64]
LogRatio: TypeAlias = Callable[[Floats], Floats]
"""Outputs (n, n_signals) to ln Pr[output | in] − ln Pr[output | out], (n,)."""

_DECIMALS = 9
"""Decimals of a score: further ones are rounding errors, which tell of the output's last bits and
not of its law; those are another attack's."""

_MOST = 2**22
"""Numbers at once, outputs times centres times coordinates: 32 MB."""


@attrs.frozen
class LikelihoodRatio:
    """Scores a run by the exact likelihood ratio of its output.

    Parameters
    ----------
    log_ratio : callable
        Outputs, (n, n_signals), to ln Pr[output | in] − ln Pr[output | out], (n,): a function
        made by `additive`, `choices` or `answers`, or one's own. It may be infinite.
    """

    log_ratio: LogRatio
    name: str = "likelihood-ratio"

    def fit(self, pilot: Runs) -> Scorer:  # noqa: ARG002 - the law is known
        """Nothing is learnt from runs."""

        def score(signals: Signals, exact: Exact | None = None, /) -> Scores:  # noqa: ARG001
            flat = self.log_ratio(signals.reshape(-1, signals.shape[2]))
            # An output that neither law can have tells nothing.
            scores = np.where(np.isnan(flat), 0.0, np.round(flat, _DECIMALS))
            return scores.reshape(signals.shape[:2])

        return score


def additive(
    noise: Laplace | Gaussian | DiscreteLaplace | DiscreteGaussian,
    without: ArrayLike,
    including: ArrayLike,
) -> LogRatio:
    r"""The ratio for noise on every coordinate of an answer, or of one of several answers.

    .. math:: \ln \frac{1}{K} \sum_k \prod_j p(y_j - a_{kj})
        - \ln \frac{1}{L} \sum_l \prod_j p(y_j - b_{lj})

    Parameters
    ----------
    noise : mechanism
        Independent noise of density or mass p on each coordinate.
    without, including : array_like, shape (n_signals,) or (n_answers, n_signals)
        Exact answers b and a: of the two neighbours, or of equally likely samples of a parent set
        without the record and with it. For all samples the ratio is exact; for some that were
        drawn it is that of a crowd, a valid attack all the same.

    Examples
    --------
    >>> additive(Laplace(1.0), [0.0], [1.0])(np.array([[-3.0], [0.5], [2.0]])).tolist()
    [-1.0, 0.0, 1.0]
    """
    out, inside = (np.atleast_2d(np.asarray(x, dtype=np.float64)) for x in (without, including))
    if out.shape[1] != inside.shape[1]:
        raise InvalidArgument(
            f"Expected answers of one length, got {out.shape[1]} and {inside.shape[1]} numbers."
        )
    log_law = _log_law(noise)

    def log_ratio(outputs: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return _log_mixture(log_law, outputs, inside) - _log_mixture(log_law, outputs, out)

    return log_ratio


def choices(mechanism: ExponentialMechanism, without: ArrayLike, including: ArrayLike) -> LogRatio:
    """The ratio for a chosen candidate, whose number is the output; scores of both neighbours.

    Examples
    --------
    >>> ratio = choices(ExponentialMechanism(1.0), [0.0, 0.0], [1.0, 0.0])
    >>> ratio(np.array([[0.0], [1.0]])).round(3).tolist()
    [0.38, -0.62]
    """
    return answers(
        np.exp(mechanism.log_law(np.asarray(without, dtype=np.float64))),
        np.exp(mechanism.log_law(np.asarray(including, dtype=np.float64))),
    )


def responses(mechanism: RandomisedResponse, without: int, including: int) -> LogRatio:
    """The ratio for randomised response where the true answers are these."""
    return answers(mechanism.law(without), mechanism.law(including))


def answers(without: ArrayLike, including: ArrayLike) -> LogRatio:
    """The ratio for outputs 0, 1, …, k − 1 with the laws of both neighbours, (k,) each."""
    laws = [np.asarray(law, dtype=np.float64) for law in (without, including)]
    if laws[0].ndim != 1 or laws[0].shape != laws[1].shape:
        raise InvalidArgument(
            f"Expected two laws of as many outputs, got {laws[0].shape} and {laws[1].shape}."
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.log(laws[1]) - np.log(laws[0])

    def log_ratio(outputs: Floats) -> Floats:
        output = outputs[:, 0]
        possible = (output >= 0) & (output < len(ratios)) & (output == np.rint(output))
        return np.where(possible, ratios[np.where(possible, output, 0).astype(np.int64)], np.nan)

    return log_ratio


def _log_law(
    noise: Laplace | Gaussian | DiscreteLaplace | DiscreteGaussian,
) -> Callable[..., Floats]:
    if isinstance(noise, Laplace | Gaussian):
        return noise.log_pdf

    def discrete(distance: Floats) -> Floats:
        on_grid = distance == np.rint(distance)
        mass = noise.log_pmf(np.rint(distance).astype(np.int64))
        return np.where(on_grid, mass, -np.inf)

    return discrete


def _log_mixture(log_law: Callable[..., Floats], outputs: Floats, centres: Floats) -> Floats:
    """ln of the mean over centres of the law at the distance; (n, d), (k, d) -> (n,)."""
    result = np.empty(len(outputs))
    at_once = max(_MOST // centres.size, 1)
    for start in range(0, len(outputs), at_once):
        part = outputs[start : start + at_once, None, :] - centres
        result[start : start + at_once] = special.logsumexp(log_law(part).sum(axis=2), axis=1)
    return np.asarray(result - np.log(len(centres)))
