"""Features and labels that belong together, from arrays and files."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from deniable.auditing.models import records_of
from deniable.errors import InvalidArgument
from tests.cases.refusals import refuses


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ((np.zeros((3, 1)), np.zeros(2)), "label-for-each-of-records: 3"),
        ((np.zeros((3, 1)), 0), "features-and-labels"),
        ((np.zeros((1, 1)), [0]), "at-least-2-records"),
        (([[1], [1, 2]], [0, 1]), "rows-of-one-length"),
        (5, "pair-of-features-and-labels"),
        ((1, 2, 3), "pair-of-features-and-labels"),
        (pd.DataFrame({"a": [1, 2], "y": [0, 1]}), "pair-of-features-and-labels: DataFrame"),
        ((np.zeros((3, 1)), "y"), "features-and-labels"),
    ],
)
def test_what_is_no_pair_of_features_and_labels_is_refused(data, message):
    with refuses(InvalidArgument, message):
        records_of(data)


@pytest.mark.parametrize(
    "features",
    [
        np.eye(4),
        np.eye(4).tolist(),
        pd.DataFrame(np.eye(4), index=[3, 2, 1, 0]),
        pl.DataFrame(np.eye(4)),
        sparse.csr_array(np.eye(4)),
    ],
    ids=["array", "lists", "pandas", "polars", "sparse"],
)
def test_rows_are_taken_in_the_type_in_which_they_came(features):
    records = records_of((features, np.array([0, 1, 2, 3])))
    some, labels = records.take(np.array([1, 3]))
    assert type(some) is type(records.features)
    shown = some.toarray() if sparse.issparse(some) else np.asarray(some)
    assert shown.tolist() == np.eye(4)[[1, 3]].tolist()
    assert labels.tolist() == [1, 3]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_has_columns_of_numbers_and_a_label(tmp_path, ending):
    frame = pd.DataFrame({"a": [1, 2, 3], "who": ["x", "y", "x"], "b": [0.5, None, 1.5]})
    path = tmp_path / f"people.{ending}"
    getattr(frame, f"to_{ending}")(path, index=False)
    records = records_of(path, "who")
    assert records.labels.tolist() == ["x", "y", "x"]
    assert np.array_equal(records.features, [[1, 0.5], [2, np.nan], [3, 1.5]], equal_nan=True)


def test_a_name_of_the_values_changes_with_each():
    features, labels = np.zeros((3, 2)), np.arange(3)
    changed = features.copy()
    changed[2, 1] = 1e-300
    names = {records_of(pair).digest() for pair in [(features, labels), (changed, labels)]}
    assert len(names) == 2


@pytest.mark.parametrize(
    ("label", "message"),
    [("nobody", "label-column"), ("a", "columns-of-numbers"), (None, "label-column")],
)
def test_a_column_that_is_no_label_or_no_number_is_refused(tmp_path, label, message):
    path = tmp_path / "people.csv"
    path.write_text("a,who\n1,Anna\n2,Berta\n")
    with refuses(InvalidArgument, message) as caught:
        records_of(path, label)
    assert "Anna" not in str(caught.value)


@pytest.mark.parametrize("name", ["none.csv", "people.txt", "bad.parquet", "bad.csv"])
def test_a_file_that_cannot_be_read_is_refused_without_its_values(tmp_path, name):
    (tmp_path / "people.txt").write_text("a,y\n1,2\n")
    (tmp_path / "bad.parquet").write_text("secret")
    (tmp_path / "bad.csv").write_text("a,y\n1,2\nsecret\n")
    with pytest.raises(InvalidArgument) as caught:
        records_of(tmp_path / name, "y")
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_two_columns_of_one_name_are_refused(tmp_path):
    (tmp_path / "people.csv").write_text("a,a,y\n1,2,3\n4,5,6\n")
    with refuses(InvalidArgument, "differ-one-twice"):
        records_of(tmp_path / "people.csv", "y")


def test_rows_without_a_label_are_refused(tmp_path):
    (tmp_path / "people.csv").write_text("a,y\n1,2\n3,\n")
    with refuses(InvalidArgument, "label-in-every-row"):
        records_of(tmp_path / "people.csv", "y")
