"""Release: the one place where exact numbers and release noise meet, and the one that writes.

settled ─▶ certificate ─▶ exact numbers ─▶ charge ─▶ noise ─▶ rows ─▶ results, report ─▶ folder
"""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.files import check_size, release_files, with_digests
from deniable.errors import CostNote
from deniable.errors.late import late
from deniable.pipeline.folder import check_free, create_folder_atomically
from deniable.pipeline.kind import C, Noise, Origin, P, R, ReleaseKind
from deniable.pipeline.noise import NoisyPart, sampler

if TYPE_CHECKING:
    from deniable.pipeline import charging
    from deniable.pipeline.charging import Account, Bill
    from deniable.pipeline.noise import Mechanism
else:  # a release that is charged to no ledger loads none
    charging = late("deniable.pipeline.charging")


@attrs.frozen
class Exact:
    """Exact whole numbers on their way to the noise that was calibrated for them; not public.

    `removed` says of a chosen candidate, by public rules alone, which others go with it.
    """

    mechanism: Mechanism
    part: NoisyPart
    numbers: NDArray[np.int64] = attrs.field(repr=False)
    removed: Callable[[int], NDArray[np.integer]] | None = attrs.field(default=None, repr=False)


@attrs.frozen
class SimulatedNumbers:
    """Whole numbers of a table that is released to nobody, and the noise that is to be looked at.

    What is released is `Exact`, which no function here draws for more than once.
    """

    mechanism: Mechanism
    part: NoisyPart
    numbers: NDArray[np.int64] = attrs.field(repr=False)


def rehearse_noise(simulated: SimulatedNumbers, times: int) -> NDArray[np.int64]:
    """Independent draws of the noise that a release would draw once, for an attack on it.

    There is no seed: no draw of a release, before or after, is among these or follows from them.
    Their shape is (times, coordinates), or of chosen positions (times, cells, number).
    """
    return sampler.repeat_draws(simulated.mechanism, simulated.part, simulated.numbers, times)


Draws: TypeAlias = Generator[Exact, Any, Sequence[R]]
"""Yields exact numbers, is sent them with noise, and returns the published rows.

What is exact may depend on noisy numbers from before: counts of the variants that were chosen.
"""


@attrs.frozen
class Published(Generic[C, P, R]):
    """What was written: the certificate with all digests, and the rows."""

    certificate: C
    prepared: P
    rows: Sequence[R]
    out: Path


def publish(
    kind: ReleaseKind[C, P, R],
    out: str | os.PathLike[str],
    prepare: Callable[[], tuple[P, Draws[R]]],
    account: Callable[[P], Account | None] = lambda _prepared: None,
) -> Published[C, P, R]:
    """Draw the noise of a release and write its folder, whole or not at all.

    With a ledger it is charged once exact numbers are there, before noise; it is entered as
    released before the folder appears, so that what is not entered so was not released.

    `prepare` is called once nobody else can write the folder, and gives the release, settled, and
    its exact numbers; `account` says what a settled release is charged to. Nothing is spent where
    `out` is not free, another release into it is running, the certificate would be too long to be
    checked, the ledger's dataset is about others, or less of it is left.
    """
    destination = Path(out)
    check_free(destination)
    bill: Bill | None = None
    try:
        with create_folder_atomically(destination) as folder:
            prepared, draws = prepare()
            for mechanism, part in kind.noise(prepared):
                sampler.confirm(mechanism, part)
            versions = {
                name: importlib.metadata.version(each)
                for name, each in kind.certificate.LIBRARIES.items()
            }
            today = datetime.datetime.now(datetime.UTC).date()
            ours = {"deniable": importlib.metadata.version("deniable")}
            certificate = kind.certified(
                prepared,
                Origin(today.isoformat(), ours | versions | {"python": platform.python_version()}),
            )
            if (charged := account(prepared)) is not None:
                people, spends = kind.people(certificate), kind.spent(certificate)
                bill = charging.bill(charged, certificate, people, spends)
            check_size(certificate if bill is None else bill.stated(certificate))
            pay = bill.pay if bill is not None else lambda: None
            rows = draw_rows(draws, kind.noise(prepared), pay)
            if bill is not None:
                certificate = bill.stated(certificate)
            page = kind.report(certificate, prepared, rows)
            texts = kind.texts(certificate)
            tables = kind.tables(prepared, rows)
            files = release_files(certificate, kind.results(rows), page, texts, tables)
            for name, content in files.items():
                (folder / name).write_bytes(content)
            if bill is not None:
                bill.enter_as_released(certificate.statement_sha256)
    except BaseException as error:  # a charge was made by then: nobody is to make it twice
        if bill is not None and bill.unreleased is not None:
            error.add_note(CostNote(bill.unreleased))
        raise
    return Published(with_digests(certificate, files), prepared, rows, destination)


def draw_nothing() -> Draws[Any]:
    """Draw nothing, for a kind that certifies what others drew; it states no part."""
    return ()
    yield


def draw_rows(draws: Draws[R], stated: Noise, pay: Callable[[], None]) -> Sequence[R]:
    """The published rows; every part that the certificate states draws once, and no other."""
    left, noisy = iter(stated), None
    try:
        while True:
            exact = draws.send(noisy)
            pay()  # which does nothing the second time
            if (exact.mechanism, exact.part) != next(left, None):
                raise AssertionError("noise was asked for that the certificate does not state")
            noisy = sampler.release(exact.mechanism, exact.part, exact.numbers, exact.removed)
    except StopIteration as done:
        rows: Sequence[R] = done.value
    finally:
        draws.close()
    if next(left, None) is not None:
        raise AssertionError("the certificate states noise that was not drawn")
    pay()  # where others drew the noise
    return rows
