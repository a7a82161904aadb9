from deniable.report.bars import Bar, records, row_height

LONG = "an official description of an occupation in a classification of the labour force"


def test_long_labels_stand_in_a_few_lines_and_make_room():
    (record,) = records([Bar(LONG, 1.0)])
    lines = record["label"].split("\n")
    assert len(lines) == 3
    assert all(len(line) <= 24 for line in lines)
    assert lines[-1].endswith("…")
    assert row_height([Bar(LONG, 1.0)]) > row_height([Bar("short", 1.0)])


def test_equal_labels_stay_two_rows():
    labels = [each["label"] for each in records([Bar("a", 1.0), Bar("a", 2.0), Bar("", 0.0)])]
    assert len(set(labels)) == 3


def test_what_noise_explains_is_handed_on():
    assert [each["faint"] for each in records([Bar("a", 1.0), Bar("b", 1.0, faint=True)])] == [
        False, True,
    ]  # fmt: skip
