"""Pages about rules: what they rest on, what they do not cover, and charts for notebooks."""

from deniable.rules import Hide, RandomRound, compare, design

HALF = (0.5, 0.5)


def test_a_page_says_what_it_rests_on_and_what_is_not_covered():
    answers = [
        design("opensafely", members=12, prior=(0.05, 0.5), limit=0.75, delta=0.01),
        design([RandomRound(3)], members="5..9", prior=HALF, limit=0.75, floor=0.1),
        design([Hide(1, 4)], members=8, sample=(10, 20)),
    ]
    for answer in answers:
        page = answer.page()
        assert "Exact tables have no finite ε." in page
        assert "Households" in page
        assert "<script" not in page
    assert "81 in 100" in answers[0].page()  # the chance of "*"
    assert "of whom 10 were drawn" in answers[2].page()


def test_answers_draw_themselves():
    one = design("cms", members=12, prior=HALF)
    several = compare(["cms", "opensafely"], members=[10, 20], prior=HALF)
    for answer in (one, several):
        assert answer.plot().to_dict()["$schema"]
