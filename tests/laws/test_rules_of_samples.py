"""Everybody of a population that is drawn from, in a published table or not, by enumeration."""

import itertools
import math
import random
from fractions import Fraction

import pytest

from deniable.errors import InconsistentTables
from deniable.rules import book, judge, repair
from tests.cases.effort import usual
from tests.cases.joint_rules import draw_mark, random_steps, toml_step
from tests.oracles import joint_rules as oracle

OUTSIDER = {
    "list": [{"name": "a", "size": 3}, {"name": "b", "size": 1}],
    "table": [{"name": "t", "lists": ["a"]}],
    "rule": {"steps": [{"hide": [1, 1]}]},
    "adversary": {"sample": {"n": 2, "N": 4}},
    "target": {"max_posterior": "3/4", "min_posterior": "1/5"},
}


def beliefs_by_drawing(cells, size, population):
    """Of each person of the population: the share of all samples, as likely as their numbers."""
    weights = {}
    for drawn in map(frozenset, itertools.combinations(range(population), size)):
        weights[drawn] = math.prod(
            (of(len(chosen & drawn)).get(mark, 0) for chosen, mark, of in cells), start=Fraction(1)
        )
    total = sum(weights.values())
    return [
        sum((w for drawn, w in weights.items() if person in drawn), Fraction(0)) / total
        for person in range(population)
    ]


def random_tables(seed):
    """Lists that overlap, of which some have no table, with what one sample makes of them."""
    draw = random.Random(seed)
    population = draw.randint(2, 8)
    size = draw.randint(0, population)
    listed = draw.randint(1, population)
    lists = {
        f"l{i}": sorted(draw.sample(range(listed), draw.randint(1, listed)))
        for i in range(draw.randint(1, 4))
    }
    drawn = set(draw.sample(range(population), size))
    steps = random_steps(draw)
    while steps[0][0] == "cell_key":
        steps = random_steps(draw)
    zero = draw.choice(["shown", "hidden", "merged"])

    def of(count):
        return oracle.law(steps, zero, count)

    tables, published, cells = [], [], []
    for number in range(draw.randint(1, 2)):
        names = draw.sample(sorted(lists), draw.randint(1, len(lists)))
        marks = {}
        for name in names:
            marks[name] = draw_mark(draw, of(len(drawn.intersection(lists[name]))))
            cells.append((frozenset(lists[name]), marks[name], of))
        tables.append({"name": f"t{number}", "lists": names})
        published.append(marks)
    rules = {
        "list": [{"name": n, "members": [f"p{i}" for i in some]} for n, some in lists.items()],
        "table": tables,
        "rule": {"steps": [toml_step(step, None) for step in steps], "zero": zero},
        "adversary": {"sample": {"n": size, "N": population}},
    }
    return rules, published, lists, beliefs_by_drawing(cells, size, population)


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_everybody_of_the_population_is_judged(first):
    for seed in range(first, first + usual(60, 100)):
        rules, published, lists, expected = random_tables(seed)
        answer = judge(rules, *published)
        used = {name for table in rules["table"] for name in table["lists"]}
        people = {}
        for person, belief in enumerate(expected):
            on = tuple(n for n in sorted(used) if person in lists[n])
            people.setdefault(on, []).append(belief)
        beliefs = {tuple(sorted(each.lists)): each for each in answer.beliefs}
        assert set(beliefs) == set(people), seed
        for on, each in beliefs.items():
            assert each.people == len(people[on]), seed
            assert each.evidence == "exact", seed
            assert {each.lowest.lower, each.highest.upper} == set(people[on]), seed
        certain = {each.list for each in answer.certain}
        assert ("no published list" in certain) == (people.get((), [Fraction(1, 2)])[0] in (0, 1))


@pytest.mark.parametrize("lists", [OUTSIDER["list"], OUTSIDER["list"][:1]])
@pytest.mark.parametrize(("mark", "is_in"), [("*", True), (2, False)])
def test_a_person_without_a_table_is_certain(lists, mark, is_in):
    answer = judge(OUTSIDER | {"list": lists}, {"a": mark})
    assert answer.is_met is False
    (certain,) = answer.certain
    assert (certain.list, certain.is_in, certain.people) == ("no published list", is_in, 1)
    worst = answer.worst if is_in else answer.lowest
    assert worst.lists == ()
    assert worst.highest.upper == int(is_in)
    assert [each.published for each in answer.because.cells] == [mark]
    assert answer.because.repair.change == "leave out"


def test_no_change_leaves_a_person_without_a_table_certain():
    alone = repair(OUTSIDER)
    assert [each.is_met for each in alone.options if each.change == "none"] == [False]
    tables = [*OUTSIDER["table"], {"name": "u", "lists": ["b"]}]
    both = [each for each in repair(OUTSIDER | {"table": tables}).options if each.change == "none"]
    assert {each.tables: each.is_met for each in both} == {
        "as they are": False,
        "first table only": False,
    }


def random_lists(seed, tmp_path):
    """Lists that share nobody, a sample of more people, a rule, a target and perhaps δ."""
    draw = random.Random(seed)
    sizes = [draw.randint(1, 3) for _ in range(draw.randint(1, 3))]
    population = sum(sizes) + draw.choice([0, 1, 1, 2, 3])
    steps = random_steps(draw)
    target = {"max_posterior": draw.choice(["2/3", "3/4", "9/10"])}
    if draw.random() < 0.5:
        target["min_posterior"] = draw.choice(["1/50", "1/5"])
    return {
        "list": [{"name": f"l{i}", "size": size} for i, size in enumerate(sizes)],
        "table": [{"name": "t", "lists": [f"l{i}" for i in range(len(sizes))]}],
        "rule": {
            "steps": [toml_step(step, tmp_path) for step in steps],
            "zero": draw.choice(["shown", "hidden"]),
        },
        "adversary": {"sample": {"n": draw.randint(1, population), "N": population}},
        "target": target,
    }


@pytest.mark.parametrize("seed", range(usual(16, 60)))
def test_verdicts_of_repair_are_those_of_judge(seed, tmp_path):
    """A change meets the target if it does so after all numbers that it may publish."""
    asked = random_lists(seed, tmp_path)
    sizes = [each["size"] for each in asked["list"]]
    options = [each for each in repair(asked).options if each.rule is not None]
    for option in options[:: max(1, len(options) // 6)]:
        groups = [sum(sizes[i : i + option.merged]) for i in range(0, len(sizes), option.merged)]
        names = [f"g{i}" for i in range(len(groups))]
        rules = {
            **asked,
            "list": [{"name": n, "size": s} for n, s in zip(names, groups, strict=True)],
            "table": [{"name": "t", "lists": names}],
            "rule": {**option.rule.as_json(), "steps": asked["rule"]["steps"]}
            if option.change == "none"
            else option.rule.as_json(),
        }
        if any("cell_key" in step for step in rules["rule"]["steps"]) and option.change != "none":
            continue
        verdicts = []
        for marks in itertools.product(*(option.rule.outputs(size) for size in groups)):
            try:
                answer = judge(rules, dict(zip(names, marks, strict=True)))
            except InconsistentTables:
                continue
            verdicts.append(answer.is_met)
        assert option.is_met is all(verdicts), (seed, option.text)


def believed_except(sizes, steps, zero, sample, delta):
    """The least and the largest belief except with δ, over lists and everybody else."""
    size, population = sample
    groups = [*sizes, population - sum(sizes)]
    chances = [{} for _ in groups]
    for counts in itertools.product(*(range(people + 1) for people in groups)):
        if sum(counts) != size:
            continue
        ways = Fraction(math.prod(map(math.comb, groups, counts)), math.comb(population, size))
        laws = [oracle.law(steps, zero, count) for count in counts[:-1]]
        for marks in itertools.product(*(law.items() for law in laws)):
            share = ways * math.prod(chance for _, chance in marks)
            output = tuple(mark for mark, _ in marks)
            for people, count, own in zip(groups, counts, chances, strict=True):
                if people:
                    within, out = own.get(output, (Fraction(0), Fraction(0)))
                    counted = share * Fraction(count, people)
                    own[output] = within + counted, out + share - counted
    prior = Fraction(size, population)

    def passed(beliefs):
        total = Fraction(0)
        for belief, chance in sorted(beliefs, reverse=True):
            total += chance
            if total > delta:
                return belief
        return Fraction(0)

    lows, highs = [], []
    for own in chances:
        if own:
            highs.append(passed([(a / (a + b), a / prior) for a, b in own.values() if a + b]))
            outs = [(b / (a + b), b / (1 - prior)) for a, b in own.values() if a + b]
            lows.append(1 - passed(outs))
    return min(lows), max(highs)


@pytest.mark.parametrize("seed", range(usual(40, 200)))
def test_verdicts_but_for_a_rare_event_cover_everybody(seed):
    draw = random.Random(seed)
    sizes = [draw.randint(1, 4) for _ in range(draw.randint(1, 2))]
    population = sum(sizes) + draw.randint(0, 3)
    if population == 1:
        population = 2
    sample = draw.randint(1, population - 1), population
    steps = [draw.choice([("hide", 1, 2), ("round", 3, "up"), ("hide", 2, 3), ("top", 2)])]
    delta = draw.choice([Fraction(1, 100), Fraction(1, 10), Fraction(3, 10)])
    most, least = Fraction(3, 4), Fraction(1, 10)
    low, high = believed_except(sizes, steps, "shown", sample, delta)
    asked = {
        "list": [{"name": f"l{i}", "size": people} for i, people in enumerate(sizes)],
        "rule": {"steps": [toml_step(step, None) for step in steps]},
        "adversary": {"sample": {"n": sample[0], "N": sample[1]}},
        "target": {"max_posterior": "3/4", "min_posterior": "1/10", "delta": str(delta)},
    }
    (option,) = [each for each in repair(asked).options if each.change == "none"]
    assert option.is_met is (high <= most and low >= least)
    assert option.lowest <= low
    assert option.highest >= high


def test_a_long_list_bounds_those_beside_it():
    """Of 400 people 399 are listed: their exact count shows whether the last one is drawn."""
    asked = {
        "list": [{"name": "a", "size": 399}],
        "rule": {"steps": [{"hide": [1, 7]}]},
        "adversary": {"sample": {"n": 200, "N": 400}},
        "target": {"max_posterior": 0.9},
    }
    (as_it_is,) = [each for each in repair(asked).options if each.change == "none"]
    assert (as_it_is.is_met, as_it_is.lowest, as_it_is.highest) == (False, 0, 1)
    target = {"max_posterior": 0.9, "delta": 0.001}
    rarely = [each for each in repair(asked | {"target": target}).options if each.change == "none"]
    assert rarely[0].is_met is not True


def test_an_edition_is_refused_for_people_on_no_list(tmp_path):
    file = str(tmp_path / "book.db")
    book.new(file)
    shared = {key: OUTSIDER[key] for key in ("rule", "adversary", "target")}
    first = {"list": [{"name": "a", "size": 2}], "table": [{"lists": ["a"]}], **shared}
    book.add(file, first, {"a": "*"}, name="first", published="2024-01-31")
    more = {"name": "b", "size": 1, "follows": False}
    second = {"list": [more], "table": [{"lists": ["b"]}], **shared}
    answer = judge(second, {"b": "*"}, book=file)
    # Of four people, one of the first two and the third are drawn: so the last one is not.
    assert answer.is_refused
    elsewhere = [each for each in answer.editions if each.role == "elsewhere"]
    assert [(each.list, each.verdict) for each in elsewhere] == [("no published list", "revealed")]


def test_an_edition_is_refused_for_people_of_an_earlier_one(tmp_path):
    """A total of the first edition and a list of the second show who else is counted."""
    file = str(tmp_path / "book.db")
    book.new(file)
    lists = [{"name": "a", "size": 6}, {"name": "b", "size": 2}]
    shared = {
        "rule": {"steps": [{"hide": [1, 3]}]},
        "adversary": {"prior": [0.5, 0.5]},
        "target": {"max_posterior": 0.95},
    }
    first = {"list": lists, "table": [{"lists": ["a", "b"], "total": "exact"}], **shared}
    book.add(file, first, {"a": "*", "b": "*", "total": 4}, name="first", published="2024-01-31")
    plain = {**shared, "rule": {"steps": [{"round": 1}]}}
    second = {"list": lists[:1], "table": [{"lists": ["a"]}], **plain}
    answer = judge(second, {"a": 2}, book=file)
    assert [(each.list, each.role) for each in answer.editions if each.adds] == [("b", "elsewhere")]
    assert answer.is_refused
