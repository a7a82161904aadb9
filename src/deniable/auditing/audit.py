"""What an audit found, as one frozen value."""

from typing import Any, Literal, TypeAlias

import attrs

from deniable.errors import NotApplicable, validate
from deniable.errors.late import late
from deniable.numerics.answer import Answer
from deniable.numerics.bound import Bound
from deniable.numerics.rounding import directed, lower, upper

_charts: Any = late("deniable.auditing.page")

Verdict: TypeAlias = Literal["consistent", "violated", "inconclusive"]
Subject: TypeAlias = Literal["differential privacy", "population privacy", "one training run"]


NOT_RANDOM = "not-random"
"""The finding about answers that are the same in every run, whatever the data."""
EXACT = "exact"
"""The finding about answers that are the same in every run on the same data, and differ."""


@attrs.frozen
class Finding:
    """Something that a number of privacy does not say, such as noise whose low bits tell.

    Parameters
    ----------
    name : str
        A short name with hyphens, the same in every audit.
    sentence : str
        What was found and what to do, in plain words.
    breaks : bool
        Whether it alone refutes the claim.
    """

    name: str
    sentence: str
    breaks: bool


@attrs.frozen
class RatePoint:
    """One cut of the attack's score on the runs kept for the test.

    Parameters
    ----------
    fpr, tpr : float
        Shares of runs without and with the record in which the attack says "in".
    fpr_lower, fpr_upper, tpr_lower, tpr_upper : float
        Ends of a region that holds for all points of a curve at once with the audit's confidence.
    """

    fpr: float
    tpr: float
    fpr_lower: float
    fpr_upper: float
    tpr_lower: float
    tpr_upper: float


@attrs.frozen
class RecordFound:
    """What the attack reached against one record of many.

    Parameters
    ----------
    record : int
        Its row, from 0.
    right, guesses : int
        Right guesses of all guesses in the runs kept for the test.
    found : float
        Lower limit of ε that holds for all listed records at once, natural logarithm.
    """

    record: int
    right: int
    guesses: int
    found: float


@attrs.frozen(repr=False)
class Audit(Answer):
    """How far the best attack got, beside what was claimed and what could have been seen.

    Parameters
    ----------
    verdict : {"consistent", "violated", "inconclusive"}
        Violated: except with probability (1 - confidence)/1000 the claim is false. Consistent: no
        contradiction, and the runs were enough to see the claimed ε. Inconclusive: neither.
    subject : str
        What ε is about.
    claimed : str or None
        The claim as written on the command line; None where nothing was claimed.
    claimed_epsilon : float or None
        ε of the claim at `delta`, natural logarithm.
    delta : float
        δ of claim and bound, in [0, 1).
    adjacency : str
        Which two data sets the bit told apart: "add-remove", "replace-one" or "parent-set".
    visible : float
        The lower limit that a perfect attack would show with this many runs: half the time on the
        leakiest target that keeps the claim, so that `found` may be above it by chance, or where
        the claim is false; or, without a claim, on one that hides nothing.
    found : Bound
        ε is at least `found.lower` with the stated confidence; nothing is known from above.
    runs : int
        Runs that were made, pilot runs included.
    pilot : int
        Of them, runs on which the attack was trained and its cut chosen.
    right, guesses : int
        Right guesses of all guesses behind `found`.
    confidence : float
        Probability with which `found` is true, in (0, 1).
    attack : str
        The attack behind `found`.
    decides : int or None
        About how many runs would decide, where the verdict is inconclusive and some number does.
    curve : tuple of RatePoint
        True against false positives, by rising false positives; its cuts come from pilot runs.
    worst : tuple of RecordFound
        The records found worst, worst first; empty for one record.
    findings : tuple of Finding
        What else was found.
    """

    verdict: Verdict
    subject: Subject
    claimed: str | None
    claimed_epsilon: float | None
    delta: float
    adjacency: str
    visible: float
    found: Bound
    runs: int
    pilot: int
    right: int
    guesses: int
    confidence: float
    attack: str
    decides: int | None = None
    curve: tuple[RatePoint, ...] = ()
    worst: tuple[RecordFound, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def belief_claimed(self) -> float | None:
        """The largest share of bets at even odds that the claim allows to be right."""
        return None if self.claimed_epsilon is None else self._share(self.claimed_epsilon)[1]

    @property
    def belief_visible(self) -> float:
        """The share that a perfect attack could have shown."""
        return self._share(self.visible)[1]

    @property
    def belief_found(self) -> float:
        """The share of right bets that the attack proved: at least so large."""
        return self.share(self.found.lower)

    def believed(self, prior: float) -> float:
        """What somebody who believed `prior` may believe at least after the worst outcome.

        Of membership or of its contrary, whichever the target gives away more.
        """
        with directed() as r:
            p, e = r(validate.probability(prior, "prior")), r.exp(-r(self.found.lower))
            return max(lower(p / (p + (1 - p) * e)), 0.0) if prior else 0.0

    def share(self, epsilon: float) -> float:
        """The share of bets at even odds that are right at least where ε is at least this."""
        return self._share(epsilon)[0]

    def _share(self, epsilon: float) -> tuple[float, float]:
        """(e^ε + δ)/(1 + e^ε), rounded down and up."""
        with directed() as r:
            e = r.exp(-r(epsilon))
            share = (1 + r(self.delta) * e) / (1 + e)
            return max(lower(share), 0.0), min(upper(share), 1.0)

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        return {
            "verdict": self.verdict,
            "claimed": self.claimed,
            "claimed_epsilon": self.claimed_epsilon,
            "delta": self.delta,
            "adjacency": self.adjacency,
            "subject": self.subject,
            "visible": self.visible,
            "found": self.found.as_json(),
            "beliefs": {
                "claimed": self.belief_claimed,
                "visible": self.belief_visible,
                "found": self.belief_found,
            },
            "runs": self.runs,
            "pilot": self.pilot,
            "right": self.right,
            "guesses": self.guesses,
            "attack": self.attack,
            "decides": self.decides,
            "findings": [attrs.asdict(each) for each in self.findings],
            "worst": [attrs.asdict(each) for each in self.worst],
            "curve": [attrs.asdict(each) for each in self.curve],
        }

    def plot(self) -> Any:
        """Runs with the record that the attack flags, by the share of those without it.

        Returns
        -------
        altair.Chart
            The attack on the runs kept for the test, a region that holds its whole true curve, and
            dashed what no attack passes if the claim is true; needs the extra publish.

        Raises
        ------
        NotApplicable
            If there were too few runs for an attack.
        """
        if not self.curve:
            raise NotApplicable("Expected an attack's rates to draw, got none. Ask for more runs.")
        return _charts.rates_plot(self.curve, self.claimed_epsilon, self.delta)
