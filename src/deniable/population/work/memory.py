"""How much memory the machine has: what does not fit into it is refused, and nothing else."""

import os
from pathlib import Path

_UNKNOWN = 2**33
"""Bytes that are assumed where the system does not tell: 8 GiB."""
_CONTAINER = Path("/sys/fs/cgroup/memory.max")


def memory() -> int:
    """Bytes that this machine, or the container that the process runs in, has.

    Examples
    --------
    >>> memory() > 2**20
    True
    """
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not on this system
        machine = _UNKNOWN
    try:
        return min(machine, int(_CONTAINER.read_text(encoding="ascii")))
    except (OSError, ValueError):  # no container, or one without a limit ("max")
        return machine
