from deniable.theorems.catalogue import CATALOGUE, catalogue
from docs.theorems import diagram


def test_a_row_a_theorem():
    found = catalogue()
    assert [row.name for row in found] == [each.name for each in CATALOGUE]
    first = next(row for row in found if row.name == "pure_dp_to_zcdp")
    assert (first.premise, first.conclusion, first.evidence) == ("pure-dp", "zcdp", "proof")
    assert first.line == "ε-DP gives ρ = ε²/2, rounded up. [bun-steinke-2016, Proposition 1.4]"
    assert set(first.as_json()) == {"name", "from", "to", "map", "source", "evidence", "checked"}


def test_every_row_says_its_map_in_one_line():
    for row in catalogue():
        assert row.states.endswith((".", "!"))
        assert ":math:" not in row.states


def test_estimates_are_marked():
    (row,) = [row for row in catalogue() if row.evidence == "estimate"]
    assert row.line.endswith("[estimate]")
    assert "noisy-gradient -.-> gaussian-membership-inference" in diagram()


def test_the_diagram_has_every_pair_once():
    lines = diagram().splitlines()
    assert lines[0] == "graph LR"
    assert len(set(lines)) == len(lines)
    drawn = set()
    for line in lines[1:]:
        source, arrow, target = line.split()
        drawn.add((source, target))
        if arrow == "<-->":
            drawn.add((target, source))
    assert drawn == {
        (row.premise, row.conclusion) for row in catalogue() if row.premise != row.conclusion
    }
