"""A plan's release as something that can be run as often as one likes, on two simulated tables."""

import hashlib
from collections.abc import Sequence

import attrs
import numpy as np

from deniable.auditing.plans.evidence import log_ratio
from deniable.auditing.plans.published import Cells, PartNumbers
from deniable.auditing.plans.steps import Noise
from deniable.auditing.plans.worst_pair import Numbers
from deniable.auditing.runs import Bits, Signals
from deniable.numerics.effort import Generator
from deniable.publish.plan.plan import PublicPlan
from deniable.publish.prepare import Prepared


@attrs.frozen
class ReleaseTarget:
    """Releases of one of two neighbouring tables: exact numbers once, everything after in each run.

    Parameters
    ----------
    queries : tuple of Cells
        What is published.
    sides : (numbers, numbers)
        Exact numbers of the table without the record, and of the one with it.
    noise : callable
        What draws.
    """

    queries: tuple[Cells, ...]
    sides: tuple[Numbers, Numbers] = attrs.field(repr=False)
    noise: Noise

    @classmethod
    def of(
        cls, prepared: Prepared[PublicPlan], sides: tuple[Numbers, Numbers], noise: Noise
    ) -> "ReleaseTarget":
        """Of a plan that is settled."""
        queries = zip(prepared.queries, *sides, strict=True)
        return cls(tuple(Cells.of(*each) for each in queries), sides, noise)

    @property
    def records(self) -> int:
        """One: the entity that is added, removed or replaced."""
        return 1

    @property
    def key(self) -> str:
        """A digest of all that a draw depends on."""
        digest = hashlib.sha256()
        for cells in self.queries:
            digest.update(repr(cells).encode())
        for numbers in (*self.sides[0], *self.sides[1]):
            for each in numbers:
                digest.update(each.tobytes())
        return digest.hexdigest()

    def draw(self, members: Bits, generator: Generator) -> Signals:
        """What each run publishes; first, how much likelier all of it is with the record.

        The noise comes from the sampler of releases, which takes no generator.
        """
        del generator
        bits = members[:, 0]
        places = [np.flatnonzero(bits == bool(bit)) for bit in range(len(self.sides))]
        parts = [  # a few runs may all see one side
            (runs, self._draw_side(side, len(runs)))
            for runs, side in zip(places, self.sides, strict=True)
            if len(runs)
        ]
        result = np.empty((len(bits), 1, parts[0][1].shape[1]))
        for runs, part in parts:
            result[runs, 0] = part
        return result

    def _draw_side(self, side: Sequence[PartNumbers], times: int) -> Signals:
        ratio = np.zeros(times)
        columns = []
        for cells, exact, out, within in zip(self.queries, side, *self.sides, strict=True):
            published = cells.signals(cells.noisy(exact, self.noise, times))
            ratio += log_ratio(cells, published, out, within)
            columns += [published[:, ::2], published[:, 1::2][:, cells.wide], cells.left(published)]
        return np.column_stack([ratio, *columns])
