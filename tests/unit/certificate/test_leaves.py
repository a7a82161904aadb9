from deniable.certificate.leaves import ON_TRUST, WITHOUT_FILES, WITHOUT_PLAN, differences, leaves


def test_a_reason_holds_for_all_that_is_below_it():
    places = leaves("schema.json")
    assert places["/versions/deniable"] is not None
    assert places["/versions/deniable"] == places["/versions/python"]
    assert places["/unit/word"] is None
    assert leaves("schema.json", (ON_TRUST, WITHOUT_PLAN))["/unit/word"] == "asked for"


def test_a_part_that_stands_in_several_places_has_one_entry_each():
    places = leaves("study_schema.json", (ON_TRUST, WITHOUT_FILES))
    assert places["/selection/part/scale"] is None
    assert places["/statistics/sensitivity/value"] is None
    assert places["/files/report.html"] is not None


def test_differences_are_strict_about_kinds_signs_and_lengths():
    assert list(differences([1, True, 0.0], [1, True, 0.0])) == []
    assert [place for place, *_ in differences([1, True, 0.0], [True, 1, -0.0])] == [
        "/0",
        "/1",
        "/2",
    ]
    ((place, got, wanted),) = differences({"a": [1]}, {"a": [1, 2]})
    assert (place, repr(got), repr(wanted)) == ("/a", "1 entries", "2 entries")
    found = {
        place: (repr(got), repr(wanted)) for place, got, wanted in differences({"x": 1}, {"y": 2})
    }
    assert found == {"/y": ("nothing", "2"), "/x": ("1", "nothing")}
