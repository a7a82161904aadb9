import pytest

from deniable.errors import InvalidArgument
from deniable.gwas.allele_frequencies import KIND
from deniable.gwas.certificates import frequencies_table
from tests.cases.sample_frequencies import prepared_sample, sample_rows

MADE = prepared_sample(of="both", delta=None)
FOUND = frequencies_table(sample_rows(MADE)).to_pylist()


def test_rows_that_were_found_are_computed_again():
    assert frequencies_table(KIND.rebuilt(None, MADE, FOUND)).to_pylist() == FOUND


@pytest.mark.parametrize(
    ("row", "column", "value"),
    [
        (1, "variant", "rs9"), (1, "position", 11), (3, "allele", "T"), (0, "variant", None),
        (0, "position", "10"), (0, "noisy_count", None), (0, "noisy_count", 2**63),
        (0, "noisy_count", 1.5),
    ],
)  # fmt: skip
def test_rows_that_no_release_publishes_are_refused(row, column, value):
    forged = [each | ({column: value} if index == row else {}) for index, each in enumerate(FOUND)]
    with pytest.raises(InvalidArgument):
        KIND.rebuilt(None, MADE, forged)
