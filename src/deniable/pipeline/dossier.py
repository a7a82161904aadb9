"""`deniable dossier`: a release or a budget in the words of those who have to allow it."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deniable.certificate.files import CERTIFICATE
from deniable.certificate.json_documents import read_document
from deniable.errors import InvalidArgument
from deniable.ledger.dataset import Dataset
from deniable.ledger.summary import ledger_of, one_dataset
from deniable.notions.notation import parse
from deniable.pipeline.check import check_certificate
from deniable.pipeline.dossier_page import dossier_page
from deniable.pipeline.dossiers import Dossier, checked_numbers, dossier_of, regime_called
from deniable.pipeline.kind import kind_of
from deniable.pipeline.risk import check_no_dataset, is_ledger
from deniable.report.html import check_page, write_page

if TYPE_CHECKING:
    from deniable.certificate.model import Certificate
    from deniable.ledger.ledger import Ledger


def dossier(
    source: "str | os.PathLike[str] | Ledger",
    regime: str,
    *,
    baselines: Sequence[float] | None = None,
    candidates: int | None = None,
    dataset: str | None = None,
    out: str | os.PathLike[str] | None = None,
) -> Dossier:
    """Answer each question of a regime in its own words, with what is computed and what is not.

    No threshold is set and no verdict given. The same certificate gives the same dossier, so
    that ``check(folder, dossier=page)`` makes a written one again and compares all of it.

    Parameters
    ----------
    source : str, path or Ledger
        The folder of a release or a training, or its certificate.json; or a ledger, its file or
        its URL: everything that a dataset's budget pays for, and nothing of what was spent.
    regime : {"nist", "ema", "gdpr", "hipaa", "dp-registry"}
        Whose questions: NIST SP 800-226; EMA Policy 0070 and Health Canada; the GDPR's criteria;
        HIPAA's expert determination; the registry of deployments.
    baselines : sequence of float, optional
        Successes of an attack without the release, as of `risk`; 0.01, 0.1 and 0.5 if left out.
    candidates : int, optional
        Of how many equally likely values an attribute is one; only with it is that stated, too.
    dataset : str, optional
        Whose budget of a ledger; may be left out where there is one.
    out : path, optional
        Write a page here.

    Returns
    -------
    Dossier
        The questions with their statements.

    Raises
    ------
    InvalidArgument
        If there is no such regime, or no certificate that holds; what is computed in a dossier
        was recomputed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deniable.ledger import new
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "hospital.ledger"
    ...     _ = new(file, "visits", entity="patient", epsilon=1.0)
    ...     answer = dossier(file, "gdpr")
    >>> sorted({str(each.status) for each in answer.answers})
    ['computed', 'not covered', 'on trust']
    """
    wanted = regime_called(regime)
    numbers = checked_numbers(baselines, candidates)
    place = None if out is None else check_page(Path(out))
    about = _about(source, dataset)
    if place is not None and not isinstance(about, Dataset):
        # Who checks the release would find another file in its place.
        given = Path(source)  # type: ignore[arg-type]
        folder = given if given.is_dir() else given.parent
        if any(place.resolve() == (folder / each).resolve() for each in about.file_names):
            raise InvalidArgument(
                f"Expected a page that is no file of the release, got {place}. Choose another name."
            )
    answer = dossier_of(about, wanted, *numbers)
    if place is not None:
        write_page(dossier_page(answer), place)
    return answer


def _about(source: Any, dataset: str | None) -> "Certificate | Dataset":
    """A certificate that holds, or what was fixed for a ledger's dataset."""
    if not isinstance(source, str | os.PathLike) or is_ledger(os.fspath(source)):
        return one_dataset(ledger_of(source), dataset)
    check_no_dataset(dataset)
    path = Path(source)
    guarantee = None
    if not path.exists():
        with suppress(InvalidArgument):
            guarantee = parse(str(path)).spec
    if guarantee is not None:
        raise InvalidArgument(
            f"Expected what was published, got the guarantee {guarantee} alone. It answers fewer "
            f'questions. Try "deniable risk {guarantee}".'
        )
    document = read_document(path / CERTIFICATE if path.is_dir() else path)
    answer, recomputed = check_certificate(kind_of(document), document)
    if recomputed is None or not answer.holds:
        raise answer.refusal("a certificate")
    certificate: Certificate = recomputed.certificate
    return certificate
