"""What dossiers say of figures that mean something else than most: ranks, keys, member lists."""

import functools
import os
import shutil
from pathlib import Path

import pytest

import deniable
from deniable.errors import InvalidArgument
from deniable.pipeline.certified import of_certificate
from tests.cases import certified_case
from tests.cases.refusals import refuses

GOLDEN = Path(__file__).parents[1] / "data" / "golden"
SELECTIONS = ("noisy-top-k-exponential", "noisy-top-k-gumbel")


@functools.cache
def dossier_of(name):
    """The certificate of a plan, and the parts of its dossier."""
    made = certified_case.certificate(certified_case.PLANS[name])
    return made, of_certificate(made)


@pytest.mark.parametrize("name", sorted(certified_case.PLANS))
def test_half_widths_are_of_numbers_and_not_of_choices(name):
    """A quantile's error is in ranks, and a list of the most frequent has no number at all."""
    made, table = dossier_of(name)
    chosen = {x.name for x in made.queries if any(y.mechanism in SELECTIONS for y in x.parts)}
    accuracy = table.get("accuracy")
    figures = () if accuracy is None else accuracy.figures
    assert not [each.of for each in figures if each.of.rpartition(", ")[0] in chosen]
    if accuracy is not None:
        assert ("in ranks" in " ".join(accuracy.says)) == bool(chosen)


@pytest.mark.parametrize("name", sorted(certified_case.PLANS))
def test_an_exposure_is_of_each_unit_and_its_keys_are_the_datas(name):
    made, table = dossier_of(name)
    has_keys = bool(made.guarantee.exposure)
    assert ("unknown keys" in table) == has_keys
    assert ("Keys not known beforehand" in table["post-processing"].says[0]) == has_keys
    if has_keys:
        (figure,) = table["unknown keys"].figures
        assert figure.of.startswith("for each unit, ")
        assert "before anyone sees which keys" in " ".join(table["accuracy"].says)


@pytest.mark.parametrize("name", sorted(certified_case.PLANS))
def test_a_limit_against_who_knows_nobody_is_none_against_who_knows_somebody(name):
    made, table = dossier_of(name)
    said = " ".join(table["knowledge"].says)
    assert ("knows nobody who was drawn" in said) == (made.population is not None)


@pytest.mark.parametrize("name", ["plan", "frequencies"])
def test_a_page_does_not_replace_a_file_of_the_release(tmp_path, monkeypatch, name):
    folder = shutil.copytree(GOLDEN / name, tmp_path / "out")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.chdir(folder)
    places = [folder / "report.html", tmp_path / "link" / "report.html", "report.html"]
    for place, source in zip(places, (".", folder / "certificate.json", folder), strict=True):
        with refuses(InvalidArgument, "no-file-of-release"):
            deniable.dossier(source, "nist", out=place)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    deniable.dossier(folder, "nist", out=tmp_path / "report.html")


@pytest.mark.parametrize("ask", [lambda place: deniable.dossier(place, "nist"), deniable.risk])
def test_nobody_reads_a_pipe(tmp_path, ask):
    """Whoever does waits for somebody to write; here somebody has."""
    place, written = tmp_path / "pipe", b"neither a ledger nor a certificate"
    os.mkfifo(place)
    pipe = os.open(place, os.O_RDWR | os.O_NONBLOCK)
    try:
        os.write(pipe, written)
        with pytest.raises(InvalidArgument):
            ask(place)
        assert os.read(pipe, len(written)) == written
    finally:
        os.close(pipe)
