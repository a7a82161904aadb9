import attrs
import pyarrow as pa

from deniable.certificate.study_results import study_table
from tests.cases.sample_study import released

NAMES = ["rank", "variant", "chromosome", "position", "allele_1", "allele_2"]


def test_a_row_a_variant_by_rank():
    table = study_table(released())
    assert table.column_names == NAMES
    assert table["rank"].to_pylist() == [1, 2, 3]
    assert table["chromosome"].to_pylist() == ["9", "X", "9"]


def test_statistics_have_columns_of_their_own():
    published = released(noisy=True)
    table = study_table(published)
    assert table.column_names[: len(NAMES)] == NAMES
    assert table["cases_allele_1"].to_pylist() == [699, 698, -7]
    assert table["chi_squared"].to_pylist()[2] is None
    assert table.schema.field("half_width_95").type == pa.float64()
    for index, each in enumerate(published):
        row = {name: table[name][index].as_py() for name in table.column_names[len(NAMES) :]}
        assert row == attrs.asdict(each.noisy)


def test_the_columns_do_not_depend_on_values():
    assert study_table(released(1)).schema == study_table(released(5)).schema
