"""How much memory the machine has: what does not fit into it is refused, and nothing else."""

import os
from pathlib import Path

try:
    import resource
except ImportError:  # not on this system
    resource = None  # type: ignore[assignment]

_UNKNOWN = 2**33
"""Bytes that are assumed where the system does not tell: 8 GiB."""
_CONTAINER = Path("/sys/fs/cgroup/memory.max")


def memory() -> int:
    """Bytes that this machine, the container or the process itself (`ulimit -v`) may have.

    Examples
    --------
    >>> memory() > 2**20
    True
    """
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not on this system
        machine = _UNKNOWN
    if resource is not None:
        allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
        machine = machine if allowed == resource.RLIM_INFINITY else min(machine, allowed)
    try:
        return min(machine, int(_CONTAINER.read_text(encoding="ascii")))
    except (OSError, ValueError):  # no container, or one without a limit ("max")
        return machine
