"""Into what the work on all samples is cut."""

from typing import Self

import attrs


@attrs.frozen
class Blocks:
    """How much is looked at at once; the answer depends on it within the stated error only."""

    rows: int = 8192
    """Partial subsets of either half in one task."""
    pairs: int = 512
    """Rows of either list in one block of pairs: 2 MB a table, about what a core's own cache
    holds; blocks of 1024 took a tenth longer."""
    together: int = 2**22
    """Samples that one task looks at, where a pair of records has fewer."""

    def on(self, device: str | None) -> Self:
        """As wide as a device wants them."""
        return self if device is None else attrs.evolve(self, pairs=DEVICE_PAIRS)


DEVICE_PAIRS = 8192
"""Rows of either list in one block of pairs on a device."""
BLOCKS = Blocks()
"""What nobody has reason to change; a test makes small ones."""
