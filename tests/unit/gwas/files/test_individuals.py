import gzip

import pytest

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files import from_fam, from_names
from tests.cases.genotype_files import GROUPS, fam_line, phenotype_file
from tests.cases.refusals import refuses

FAM = "".join(fam_line(*each) for each in enumerate(GROUPS))


@pytest.fixture
def fam(tmp_path):
    path = tmp_path / "study.fam"
    path.write_text(FAM)
    return path


def groups(individuals):
    pairs = zip(individuals.cases, individuals.controls, strict=True)
    return tuple("case" if case else "control" if well else "unknown" for case, well in pairs)


def test_the_last_column_says_who_is_a_case(fam):
    assert groups(from_fam(fam)) == GROUPS
    assert len(from_fam(fam)) == 5


def test_a_packed_fam_file(tmp_path):
    path = tmp_path / "study.fam.gz"
    path.write_bytes(gzip.compress(FAM.encode()))
    assert groups(from_fam(path)) == GROUPS


@pytest.mark.parametrize("word", ["0", "-9", "-9.0", "NA", "nan", ".", "ill", "NONE"])
def test_unknown_phenotypes(fam, word):
    fam.write_text(FAM.replace(" -9\n", f" {word}\n"))
    assert groups(from_fam(fam)) == GROUPS


@pytest.mark.parametrize("header", [True, False])
def test_a_phenotype_file_replaces_the_column(fam, tmp_path, header):
    turned = ("control", "case", "unknown", "case", "control")
    path = phenotype_file(tmp_path, turned, header)
    assert groups(from_fam(fam, path)) == turned


def test_who_is_not_in_the_phenotype_file_is_unknown_and_strangers_are_nobody(fam, tmp_path):
    path = tmp_path / "phenotype.txt"
    path.write_text("#FID IID P\nf3 i3 1\nf1 i1 2\nother i0 1\nf0 other 1\n")
    assert groups(from_fam(fam, path)) == ("unknown", "case", "unknown", "control", "unknown")


def test_names_are_found_by_the_second_column(tmp_path):
    path = phenotype_file(tmp_path)
    individuals = from_names(["i1", "i0", "stranger"], path)
    assert groups(individuals) == ("control", "case", "unknown")


def test_a_name_in_two_families(tmp_path):
    path = tmp_path / "phenotype.txt"
    path.write_text("f0 i0 1\nf1 i0 2\n")
    with refuses(DataError, "somebody-twice-phenotype-txt"):
        from_names(["i0"], path)


@pytest.mark.parametrize("word", ["3", "1.5", "-1", "170.3", "inf"])
def test_another_phenotype_is_refused_and_not_told(fam, word):
    fam.write_text(FAM + f"f9 i9 0 0 0 {word}\n")
    with refuses(DataError, "another-value-phenotype-divide") as refused:
        from_fam(fam)
    assert word not in str(refused.value).replace(str(fam), "").split()
    assert "i9" not in str(refused.value).replace(str(fam), "")


def test_somebody_twice(fam):
    fam.write_text(FAM + fam_line(0, "case"))
    with refuses(DataError, "every-individual-once-somebody-twice: study.fam"):
        from_fam(fam)


def test_somebody_twice_among_the_phenotypes(fam, tmp_path):
    path = phenotype_file(tmp_path)
    path.write_text(path.read_text() + "f0 i0 1\n")
    with refuses(DataError, "somebody-twice-phenotype-txt"):
        from_fam(fam, path)


def test_a_name_may_stand_in_two_families(fam):
    fam.write_text(FAM + "other i0 0 0 0 1\n")
    assert len(from_fam(fam)) == 6


@pytest.mark.parametrize("text", ["", "f0 i0 0 0 2\n", FAM + "f i 0 0 0 1 1\n"])
def test_a_fam_file_with_other_columns(fam, text):
    fam.write_text(text)
    with refuses(DataError, "others-columns-family: 6 | study.fam"):
        from_fam(fam)


@pytest.mark.parametrize("text", ["", "FID IID PHENO\n", "f0 i0\n", "f0 i0 1 2\n"])
def test_a_phenotype_file_with_other_columns(fam, tmp_path, text):
    path = tmp_path / "phenotype.txt"
    path.write_text(text)
    with refuses(DataError, "3-columns-phenotype-txt"):
        from_fam(fam, path)


@pytest.mark.parametrize(
    ("old", "new", "lacks"), [(" 2\n", " 1\n", "case"), (" 1\n", " 2\n", "control")]
)
def test_a_study_without_cases_or_without_controls(fam, old, new, lacks):
    fam.write_text(FAM.replace(old, new))
    with refuses(DataError, f"more-pheno: {lacks}"):
        from_fam(fam)


def test_a_phenotype_file_that_is_not_there(fam, tmp_path):
    for ask in (from_fam, lambda _, path: from_names(["i0"], path)):
        with refuses(InvalidArgument, "phenotype-file-none-txt"):
            ask(fam, tmp_path / "none.txt")


def fam_of(folder, lines):
    path = folder / "people.fam"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_founders_have_neither_father_nor_mother(tmp_path):
    lines = [f"f i{i} 0 0 1 {1 + i % 2}" for i in range(4)]
    lines += ["f c1 i0 i1 1 1", "f c2 i0 0 1 1", "f c3 0 i1 1 1", "f c4 nobody 0 1 2"]
    individuals = from_fam(fam_of(tmp_path, lines))
    assert individuals.founders.tolist() == [True] * 4 + [False] * 4


@pytest.mark.parametrize("unknown", [[], ["NA"], ["-9"]])
def test_phenotypes_of_0_and_1_are_told_as_what_they_are(tmp_path, unknown):
    words = ["0", "1", "1", "0", *unknown]
    lines = [f"f i{i} 0 0 0 {word}" for i, word in enumerate(words)]
    if unknown == ["-9"]:  # PLINK's code of unknown beside 0: then 0 means unknown, too
        with refuses(DataError, "more-case-phenotype: case"):
            from_fam(fam_of(tmp_path, lines))
        return
    with refuses(DataError, "0-and-1-only"):
        from_fam(fam_of(tmp_path, lines))


STATUS = [f"i{i} {1 + i % 2}" for i in range(4)]
TURNED = ("control", "case", "control", "case")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("FID IID P\n" + "".join(f"i{i} {line}\n" for i, line in enumerate(STATUS)), None),
        ("#IID P\n" + "\n".join(STATUS), None),
        ("\ufeffIID\tSEX\tP\r\n" + "".join(f"i{i} 2 {1 + i % 2}\r\n" for i in range(4)), None),
        ("#FID IID Q P\n" + "".join(f"i{i} i{i} 7.5 {1 + i % 2}\n" for i in range(4)), "P"),
        ("#IID PAT MAT SEX P\n" + "".join(f"i{i} 0 0 1 {1 + i % 2}\n" for i in range(4)), None),
    ],
)
def test_headers_of_plink(tmp_path, text, name):
    path = tmp_path / "status.txt"
    path.write_text(text)
    people = fam_of(tmp_path, [f"i{i} i{i} 0 0 0 -9" for i in range(4)])
    assert groups(from_fam(people, path, name)) == TURNED


@pytest.mark.parametrize(
    ("header", "name", "message"),
    [
        ("family individual status", None, "begins-with-fid-iid"),
        ("FID IID AGE PHENO1", None, "2-age-pheno1-choose-one"),
        ("FID IID AGE PHENO1", "WEIGHT", "phenotype-weight-age-give: WEIGHT | AGE, PHENO1"),
        ("FID IID PHENO1 PHENO1", None, "every-column-once"),
        ("FID IID SEX", None, "file-without-one"),
        ("FID IID", None, "file-without-one"),
    ],
)
def test_headers_that_are_refused(tmp_path, header, name, message):
    width = len(header.split()) - 1
    rows = [" ".join([f"i{i}"] * width + [str(1 + i % 2)]) for i in range(4)]
    path = tmp_path / "status.txt"
    path.write_text("\n".join([header, *rows]) + "\n")
    people = fam_of(tmp_path, [f"i{i} i{i} 0 0 0 -9" for i in range(4)])
    with refuses(DataError, message) as error:
        from_fam(people, path, name)
    assert "i1" not in str(error.value).replace(str(path), "")


def test_people_without_families_are_found_by_their_own_name_if_it_is_one(tmp_path):
    path = tmp_path / "status.txt"
    path.write_text("#IID P\ni0 1\ni1 2\n")
    twice = fam_of(tmp_path, ["a i0 0 0 0 -9", "b i0 0 0 0 -9", "b i1 0 0 0 -9"])
    with refuses(DataError, "every-individual-once-somebody-twice"):
        from_fam(twice, path)


def test_a_name_needs_a_file_with_names(fam):
    with refuses(InvalidArgument, "phenotype-file-for-name: P"):
        from_fam(fam, None, "P")


@pytest.mark.parametrize("word", ["0", "-9", "-9.0", "NA", "NaN", "."])
@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("", "f{0} i{0}"),
        ("FID IID P", "f{0} i{0}"),
        ("#FID IID P", "f{0} i{0}"),
        ("#IID P", "i{0}"),
    ],
)
@pytest.mark.parametrize("between", [" ", "\t", "  \t"])
def test_unknown_phenotypes_of_a_file(fam, tmp_path, word, header, name, between):
    words = [{"case": "2", "control": "1"}.get(group, word) for group in GROUPS]
    lines = [f"{name.format(i)} {status}" for i, status in enumerate(words)]
    path = tmp_path / "status.txt"
    text = "\n".join([header, *lines] if header else lines) + "\n"
    path.write_text(text.replace(" ", between))
    assert groups(from_fam(fam, path)) == GROUPS


@pytest.mark.parametrize(
    "text",
    ["#IID\tP\ns 0\t1\ns 1\t2\n", "f\ts 0\t1\nf\ts 1\t2\n",
     "FID\tIID\tP\nf f\ts 0\t1\nf f\ts 1\t2\n"],
)  # fmt: skip
def test_tabs_part_columns_where_names_have_spaces(tmp_path, text):
    path = tmp_path / "status.txt"
    path.write_text(text)
    assert groups(from_names(["s 0", "s 1"], path)) == ("control", "case")


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("g0 i0 1\ng1 i1 2\n", "Individuals match and families do not"),
        ("f0 x0 1\nf1 x1 2\n", "Write family and individual as the study has them"),
        ("#IID P\nf0_i0 1\nf1_i1 2\n", "Write family and individual as"),
    ],
)
def test_nobody_of_the_study_in_the_phenotype_file(fam, tmp_path, text, advice):
    path = tmp_path / "status.txt"
    path.write_text(text)
    with refuses(DataError, f"2-people-none-of-whom: {advice}") as no:
        from_fam(fam, path)
    assert not {"i0", "f0", "g0", "x0"} & set(str(no.value).replace(str(path), "").split())
    joined = [f"f{i}_i{i}" for i in range(5)]
    path.write_text("f0 i0 1\nf1 i1 2\n")
    with refuses(DataError, "among-5-of-study-joins"):
        from_names(joined, path)
