"""Answers that are the same in every run: no noise is seen, or nothing moves them."""

import attrs
import numpy as np

from deniable.auditing.audit import Finding
from deniable.auditing.exact import Codes
from deniable.auditing.runs import Runs

NOT_RANDOM = "not-random"
"""The finding about answers that are the same in every run, whatever the data."""
EXACT = "exact"
"""The finding about answers that are the same in every run on the same data, and differ."""
UNMOVED = "same-losses"
"""The finding about losses that are the same whoever was trained on."""
_SAME = 50
"""Runs of each kind, of which all are the same where noise is: of fewer they may be by chance."""


@attrs.frozen(eq=False)
class SameAnswers:
    """The only answer that runs of each kind gave, of one record.

    Parameters
    ----------
    without, including : ndarray of int64, shape (n_codes,)
        Codes of the answer without the record, and with it.
    """

    without: Codes
    including: Codes

    @classmethod
    def of(cls, pilot: Runs) -> "SameAnswers | None":
        """Of pilot runs; None where there are others, few runs or many records."""
        if pilot.members.shape[1] > 1:
            return None
        codes, bits = pilot.outputs.codes[:, 0], pilot.members[:, 0]
        if min(bits.sum(), (~bits).sum()) < _SAME:
            return None
        same = cls(codes[~bits][0], codes[bits][0])
        return same if same.has(pilot) else None

    def has(self, runs: Runs) -> bool:
        """Whether all of these runs gave the same, too."""
        expected = np.where(runs.members, self.including, self.without)
        return bool((runs.outputs.codes[:, 0] == expected).all())

    def finding(self, *, refuted: bool) -> Finding:
        """What to say of it; `refuted` where the runs refute a claim."""
        if (self.without == self.including).all():
            return Finding(
                NOT_RANDOM,
                "Every run gave the same answer, on both data sets. Nothing can be said of noise "
                "that is always the same: take a fixed seed out of the target, or look whether it "
                "has noise.",
                breaks=False,
            )
        return Finding(
            EXACT,
            "No noise: the output is a function of the data. Every run on the same data gave the "
            "same answer, and the answers on both data sets differ, so that one look tells which "
            "was used. Add noise, or take a fixed seed out of the target.",
            breaks=refuted,
        )


def same_losses(pilot: Runs) -> Finding | None:
    """What to say where no coin of many records ever moved an answer."""
    if len(pilot.members) < _SAME or (pilot.signals != pilot.signals[:1]).any():
        return None
    return Finding(
        UNMOVED,
        "Every run gave the same numbers, whoever was trained on. Nothing leaks through them; look "
        "whether they depend on the model at all.",
        breaks=False,
    )
