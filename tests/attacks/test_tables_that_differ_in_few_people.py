"""Two tables that each pass a rule checker by themselves, and whose difference is a few people."""

from deniable.rules import judge
from tests.cases.differenced import pair, passes

PAIRS = 200


def test_every_difference_is_reported_with_the_number_of_people():
    """`python -m tests.cases.differenced PYTHON` checks that ACRO 1.0.2 passes all 400 tables."""
    certain = 0
    for seed in range(PAIRS):
        lists, tables, people, counted = pair(seed)
        assert all(map(passes, tables))
        rules = {
            "list": [{"name": name, "members": some} for name, some in lists.items()],
            "table": [{"lists": list(table)} for table in tables],
            "rule": {"preset": "acro"},
            "adversary": {"prior": [0.5, 0.5]},
        }
        answer = judge(rules, *tables)
        (revealed,) = answer.differences
        assert revealed.difference.people == people
        assert (revealed.interval.lower, revealed.interval.upper) == (counted, counted)
        assert revealed.is_in is (True if counted == people else None if counted else False)
        certain += revealed.is_in is not None
    assert certain == 92


def test_no_difference_without_shared_people():
    lists, (first, second), _, _ = pair(0)
    others = {name: [f"other {p}" for p in some] for name, some in lists.items() if name in second}
    rules = {
        "list": [{"name": name, "members": some} for name, some in (lists | others).items()],
        "table": [{"lists": list(first)}, {"lists": list(second)}],
        "rule": {"preset": "acro"},
    }
    assert judge(rules, first, second).differences == ()
