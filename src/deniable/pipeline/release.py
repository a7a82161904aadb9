"""Release: the one place where exact numbers and release noise meet, and the one that writes.

settled ─▶ certificate ─▶ exact numbers ─▶ charge ─▶ noise ─▶ rows ─▶ results, report ─▶ folder
"""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.files import check_size, release_files, with_digests
from deniable.certificate.model import Certificate, Charged
from deniable.errors import CostNote
from deniable.errors.late import late
from deniable.mechanisms import Mechanism
from deniable.pipeline.folder import check_free, create_folder_atomically
from deniable.pipeline.kind import AnyKind, C, Noise, Origin, P, R, ReleaseKind
from deniable.pipeline.noise import NoisyPart, sampler

if TYPE_CHECKING:
    from deniable.pipeline import charging
    from deniable.pipeline.charging import Account, Bill
else:  # for releases that are charged to a ledger
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
    """Independent draws of the noise that a release would draw once, for whoever attacks it.

    There is no seed: no draw of a release, before or after, is among these or follows from them.

    Parameters
    ----------
    simulated : SimulatedNumbers
        The numbers, with a part and the mechanism that was calibrated for it.
    times : int
        How many draws, >= 0.

    Returns
    -------
    ndarray of int64, shape (times, coordinates) or (times, cells, number)
        Noisy numbers, or the chosen positions.
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


def no_account(prepared: Any) -> None:
    """For releases that no ledger counts."""
    del prepared


def publish(
    kind: ReleaseKind[C, P, R],
    out: str | os.PathLike[str],
    prepare: Callable[[], tuple[P, Draws[R]]],
    account: Callable[[P], Account | None] = no_account,
) -> Published[C, P, R]:
    """Draw the noise of a release and write its folder, whole or not at all.

    With a ledger it is charged once exact numbers are there, before noise; it is entered as
    released before the folder appears, so that what is not entered so was not released.

    Parameters
    ----------
    kind : ReleaseKind
        What is released.
    out : path
        A new or empty folder.
    prepare : callable
        Called once nobody else can write the folder: the release, settled, and its exact numbers.
    account : callable
        Of the settled release: what it is charged to; None for no ledger.

    Raises
    ------
    InvalidArgument
        If `out` is not free, another release into it is running, the certificate would be too
        long to be checked, or the ledger's dataset is about others.
    BudgetExceeded
        If it does not fit what is left of the ledger's dataset; nothing is spent.
    """
    destination = Path(out)
    check_free(destination)
    payment = _Payment(None)
    with _saying_what_it_cost(lambda: payment), create_folder_atomically(destination) as folder:
        prepared, draws = prepare()
        for mechanism, part in kind.noise(prepared):
            sampler.confirm(mechanism, part)
        certificate = kind.certified(prepared, _here(kind.certificate.LIBRARIES))
        payment = _Payment.of(account(prepared), kind, certificate)
        check_size(payment.stated(certificate))
        rows = _draw_rows(draws, kind.noise(prepared), payment)
        certificate = payment.stated(certificate)
        page = kind.report(certificate, prepared, rows)
        texts = kind.texts(certificate)
        tables = kind.tables(prepared, rows)
        files = release_files(certificate, kind.results(rows), page, texts, tables)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        payment.entered_as_released(certificate.statement_sha256)
    return Published(with_digests(certificate, files), prepared, rows, destination)


def publish_without_noise(
    kind: ReleaseKind[C, P, R],
    out: str | os.PathLike[str],
    prepare: Callable[[], P],
    account: Callable[[P], Account | None] = no_account,
) -> Published[C, P, R]:
    """The same for a kind that certifies what others drew; its certificate states no part."""
    return publish(kind, out, lambda: (prepare(), _draw_nothing()), account)


def _draw_nothing() -> Draws[R]:
    return ()
    yield


def _draw_rows(draws: Draws[R], stated: Noise, payment: _Payment) -> Sequence[R]:
    """The published rows; every part that the certificate states draws once, and no other."""
    left, noisy = iter(stated), None
    try:
        while True:
            exact = draws.send(noisy)
            payment.make()
            if (exact.mechanism, exact.part) != next(left, None):
                raise AssertionError("noise was asked for that the certificate does not state")
            noisy = sampler.release(exact.mechanism, exact.part, exact.numbers, exact.removed)
    except StopIteration as done:
        rows: Sequence[R] = done.value
    finally:
        draws.close()
    if next(left, None) is not None:
        raise AssertionError("the certificate states noise that was not drawn")
    payment.make()  # where others drew the noise
    return rows


@contextmanager
def _saying_what_it_cost(payment: Callable[[], _Payment]) -> Iterator[None]:
    """Add to whatever goes wrong that a charge was made by then: nobody is to charge it twice."""
    try:
        yield
    except BaseException as error:
        if (sentence := payment().unreleased()) is not None:
            error.add_note(CostNote(sentence))
        raise


@attrs.define
class _Payment:
    """What a release is charged, once; nothing where there is no ledger."""

    bill: Bill | None
    made: tuple[str, Charged] | None = None
    entered: bool = False

    @classmethod
    def of(cls, account: Account | None, kind: AnyKind, certificate: Certificate) -> _Payment:
        """Refused if it does not fit, before exact numbers are asked for."""
        if account is None:
            return cls(None)
        spends = kind.spent(certificate)
        return cls(charging.bill(account, certificate, kind.people(certificate), spends))

    def make(self) -> None:
        """Charge it unless that was done."""
        if self.bill is not None and self.made is None:
            self.made = self.bill.pay()

    def stated(self, certificate: C) -> C:
        """The certificate with what it was charged; without the entry as long as there is none."""
        if self.bill is None:
            return certificate
        block = self.bill.block if self.made is None else self.made[1]
        return attrs.evolve(certificate, ledger=block)

    def entered_as_released(self, statement_sha256: str) -> None:
        """Tell the ledger, which refuses if the charge was voided meanwhile."""
        if self.bill is not None and self.made is not None:
            self.bill.account.ledger.released(self.made[0], statement_sha256)
            self.entered = True

    def unreleased(self) -> str | None:
        """What to do about a charge whose release failed."""
        if self.bill is None or self.made is None:
            return None
        return self.bill.unreleased(self.made[0], entered=self.entered)


def _here(libraries: Mapping[str, str]) -> Origin:
    """Today and these programs."""
    versions = {name: importlib.metadata.version(each) for name, each in libraries.items()}
    today = datetime.datetime.now(datetime.UTC).date()
    ours = {"deniable": importlib.metadata.version("deniable")}
    return Origin(today.isoformat(), ours | versions | {"python": platform.python_version()})
