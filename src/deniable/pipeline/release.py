"""Release: the one place where exact numbers and release noise meet, and the one that writes.

settled ─▶ certificate ─▶ exact numbers ─▶ noise ─▶ rows ─▶ results, report ─▶ folder
"""

import datetime
import importlib.metadata
import os
import platform
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.files import check_size, release_files, with_digests
from deniable.mechanisms import Mechanism
from deniable.pipeline.folder import check_free, whole
from deniable.pipeline.kind import C, Noise, Origin, P, R, ReleaseKind
from deniable.pipeline.noise import sampler
from deniable.pipeline.noise.shares import NoisyPart


@attrs.frozen
class Exact:
    """Exact whole numbers on their way to the noise that was calibrated for them; not public."""

    mechanism: Mechanism
    part: NoisyPart
    numbers: NDArray[np.int64] = attrs.field(repr=False)


Draws: TypeAlias = Generator[Exact, Any, Sequence[R]]
"""Yields exact numbers, is sent them with noise, and returns the published rows.

What is exact may depend on noisy numbers from before: counts of the variants that were chosen.
"""


@attrs.frozen
class Published(Generic[C, P, R]):
    """What was written: the certificate with all digests, and the rows."""

    certificate: C
    prepared: P
    rows: tuple[R, ...]
    out: Path


def publish(
    kind: ReleaseKind[C, P, R],
    out: str | os.PathLike[str],
    opened: Callable[[], tuple[P, Draws[R]]],
) -> Published[C, P, R]:
    """Draw the noise of a release and write its folder, whole or not at all.

    Parameters
    ----------
    kind : ReleaseKind
        What is released.
    out : path
        A new or empty folder.
    opened : callable
        Called once nobody else can write the folder: the release, settled, and its exact numbers.

    Raises
    ------
    InvalidArgument
        If `out` is not free, another release into it is running, or the certificate would be too
        long to be checked.
    """
    destination = Path(out)
    check_free(destination)
    with whole(destination) as folder:
        prepared, draws = opened()
        for mechanism, part in kind.noise(prepared):
            sampler.confirm(mechanism, part)
        certificate = kind.certified(prepared, _here(kind.certificate.LIBRARIES))
        check_size(certificate)
        rows = _drawn(draws, kind.noise(prepared))
        page = kind.report(certificate, prepared, rows)
        texts = kind.texts(certificate)
        files = release_files(certificate, kind.results(rows), page, texts)
        for name, content in files.items():
            (folder / name).write_bytes(content)
    return Published(with_digests(certificate, files), prepared, tuple(rows), destination)


def publish_without_noise(
    kind: ReleaseKind[C, P, R], out: str | os.PathLike[str], settled: Callable[[], P]
) -> Published[C, P, R]:
    """The same for a kind that certifies what others drew; its certificate states no part."""
    return publish(kind, out, lambda: (settled(), _nothing_drawn()))


def _nothing_drawn() -> Draws[R]:
    return ()
    yield


def _drawn(draws: Draws[R], stated: Noise) -> Sequence[R]:
    """The published rows; every part that the certificate states draws once, and no other."""
    left, noisy = iter(stated), None
    try:
        while True:
            exact = draws.send(noisy)
            if (exact.mechanism, exact.part) != next(left, None):
                raise AssertionError("noise was asked for that the certificate does not state")
            noisy = sampler.release(exact.mechanism, exact.part, exact.numbers)
    except StopIteration as done:
        rows: Sequence[R] = done.value
    finally:
        draws.close()
    if next(left, None) is not None:
        raise AssertionError("the certificate states noise that was not drawn")
    return rows


def _here(libraries: Mapping[str, str]) -> Origin:
    """Today and these programs."""
    versions = {name: importlib.metadata.version(each) for name, each in libraries.items()}
    today = datetime.datetime.now(datetime.UTC).date()
    ours = {"deniable": importlib.metadata.version("deniable")}
    return Origin(today.isoformat(), ours | versions | {"python": platform.python_version()})
