"""Real attacks: say "in" when a score of the release alone is large, and count how often it errs.

A score is a_x·t, the likelihood ratio of two normal laws; the cut-off is chosen on draws that are
thrown away. If the attack fires with probability p in the record's own world and q in the other,
any ε with p > e^ε q + δ is refuted. Exact binomial limits (Clopper–Pearson) bound p and q.

One uniform sample serves all records: it is a draw of the "in" world of its members, and of the
"out" world of the rest; exchanging a member for a uniform non-member gives the other world.
"""

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from deniable.population.vector_sums.guided_subsets import uniform_subsets
from deniable.population.vector_sums.release import Release
from deniable.priors.protocol import Generator

_BATCH = 4096
_CUTS = 400
_ROUNDING = 1e-12


@attrs.frozen(eq=False)
class Attacks:
    """One threshold a record: fires where sign·score > cut.

    Parameters
    ----------
    signs : array, shape (n_records,)
        +1 where the attack says "in" (world 0 fires more), −1 where it says "out".
    cuts : array, shape (n_records,)
        In units of the score.
    """

    signs: NDArray[np.float64]
    cuts: NDArray[np.float64]

    def fired(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """How often each attack fires; (worlds, n_draws, n_records) -> (worlds, n_records)."""
        fired: NDArray[np.int64] = np.count_nonzero(scores * self.signs > self.cuts, axis=1)
        return fired


def clopper_pearson_lower(
    hits: NDArray[np.int64], n_draws: int, alpha: float
) -> NDArray[np.float64]:
    """The exact lower limit of a probability at level α.

    Examples
    --------
    >>> clopper_pearson_lower(np.array([0, 10]), 10, 0.5).round(3).tolist()
    [0.0, 0.933]
    """
    count = np.maximum(hits, 1)
    limit = betaincinv(count, n_draws - count + 1, alpha) * (1 - _ROUNDING)
    return np.where(hits > 0, limit, 0.0)


def clopper_pearson_upper(
    hits: NDArray[np.int64], n_draws: int, alpha: float
) -> NDArray[np.float64]:
    """The exact upper limit of a probability at level α.

    Examples
    --------
    >>> clopper_pearson_upper(np.array([0, 10]), 10, 0.5).round(3).tolist()
    [0.067, 1.0]
    """
    count = np.minimum(hits, n_draws - 1)
    limit = betaincinv(count + 1, n_draws - count, 1 - alpha) * (1 + _ROUNDING)
    return np.where(hits < n_draws, np.minimum(limit, 1.0), 1.0)


def refuted_epsilon(
    hits: NDArray[np.int64], n_draws: int, delta: float, alpha: float
) -> NDArray[np.float64]:
    """The largest ε that counts in (own world, other world) refute at level α, at least 0."""
    own = clopper_pearson_lower(hits[0], n_draws, alpha / 2)
    other = clopper_pearson_upper(hits[1], n_draws, alpha / 2)
    return np.maximum(np.log(np.maximum(own - delta, 1e-300) / other), 0.0)


def attack_scores(
    rng: Generator, release: Release, records: NDArray[np.int64], n_draws: int
) -> NDArray[np.float64]:
    """Scores of releases with each record in, and out; (2, n_draws, n_records)."""
    slopes = release.directions()[0][records]
    members = uniform_subsets(rng, release.population, release.size, n_draws)
    keys = rng.random(members.shape)
    some_in = np.where(members, keys, -1.0).argmax(axis=0)
    some_out = np.where(members, -1.0, keys).argmax(axis=0)
    releases = release.points.T @ members + rng.standard_normal((release.dimension, n_draws))
    scores = slopes @ releases
    own = (slopes * release.points[records]).sum(axis=1)[:, None]
    holds = members[records]
    result = np.stack(
        [
            np.where(holds, scores, scores - slopes @ release.points[some_in].T + own),
            np.where(holds, scores - own + slopes @ release.points[some_out].T, scores),
        ]
    )
    return np.ascontiguousarray(result.transpose(0, 2, 1))


def chosen_attacks(scores: NDArray[np.float64], delta: float, n_draws: int) -> Attacks:
    """The cut-offs that promise most when tried on `n_draws` fresh draws, from pilot scores."""
    best: list[tuple[float, float]] = []
    for record in range(scores.shape[2]):
        options = [
            (*_best_cut(sign * scores[:, :, record][::step], delta, n_draws), sign)
            for sign, step in ((1.0, 1), (-1.0, -1))
        ]
        _, cut, sign = max(options)
        best.append((sign, cut))
    signs, cuts = np.array(best).T
    return Attacks(signs, cuts)


def _best_cut(scores: NDArray[np.float64], delta: float, n_draws: int) -> tuple[float, float]:
    """The promise and the cut of an attack on (own world, other world) scores."""
    own, other = np.sort(scores, axis=1)
    cuts = np.quantile(own, np.linspace(0.2, 1, _CUTS, endpoint=False))
    p = 1 - np.searchsorted(own, cuts, side="right") / len(own)
    q = 1 - np.searchsorted(other, cuts, side="right") / len(other)
    q = np.maximum(q, 0.5 / len(other))
    low = p - 2.5 * np.sqrt(p * (1 - p) / n_draws)
    high = q + 2.5 * np.sqrt(q * (1 - q) / n_draws) + 3 / n_draws
    promise = np.log(np.maximum(low - delta, 1e-300) / high)
    at = int(np.argmax(promise))
    return float(promise[at]), float(cuts[at])
