"""`deniable check`: recompute what either kind of release claims, without the data.

What only studies need, and what only the files of a folder need, is loaded for them alone.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from deniable._late import late
from deniable.certificate.files import CERTIFICATE
from deniable.certificate.reading import read_document
from deniable.certificate.study import FORMAT, FORMAT_1
from deniable.pipeline.checked import Check, Checked
from deniable.publish.check import check_certificate

if TYPE_CHECKING:
    from deniable.gwas.publication import check_study
    from deniable.pipeline import check_files
    from deniable.publish import check_results
else:
    check_study = late("deniable.gwas.publication.check_study")
    check_files = late("deniable.pipeline.check_files")
    check_results = late("deniable.publish.check_results")


def check(path: str | os.PathLike[str]) -> Checked:
    """Recompute what a release claims, and compare its files with one another.

    Parameters
    ----------
    path : path
        The certificate.json of a table's release or of a study's, or the release's folder.

    Returns
    -------
    Checked
        One check for the schema, each part of the certificate and each query; given the folder,
        one a file too. What was verified and what is taken on trust, by name.

    Raises
    ------
    InvalidArgument
        If there is no such file, or it cannot be a certificate.
    """
    place = Path(path)
    folder = place if place.is_dir() else None
    document = read_document(place if folder is None else folder / CERTIFICATE)
    beside = folder is not None
    study = isinstance(document, dict) and document.get("format") in (FORMAT, FORMAT_1)
    if study:
        answer, expected = check_study.check_study(document, files_beside=beside)
        if folder is None:
            return answer
    else:
        answer, recomputed = check_certificate(document, files_beside=beside)
        if folder is None:
            return answer
        expected = None if recomputed is None else check_results.expected_files(recomputed)
    if expected is None or not answer.holds:
        untold = Check("files", False, "Expected a certificate that holds, got one that does not.")
        return attrs.evolve(answer, checks=(*answer.checks, untold))
    found = check_files.check_files(folder, expected)
    return Checked(
        (*answer.checks, *found.checks),
        (*answer.verified, *found.verified),
        (*answer.on_trust, *found.on_trust),
    )
