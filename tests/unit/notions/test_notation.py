import math

import attrs
import pytest

from deniable import notions
from deniable.errors import InvalidArgument
from deniable.notions import (
    Adjacency,
    MaxPosterior,
    PositiveMembership,
    PureDP,
    SamplingDP,
    Setting,
)
from deniable.notions.notation import FORMS, exactly, form_of, parse, wish
from deniable.priors import BoundedPriors, CorrelatedPriors, OneOutOfPriors, SampledPriors
from tests.cases.refusals import refuses

TEXTS = [
    "pure-dp:1.0",
    "pure-dp:inf",
    "pure-dp:1.0@add-remove",
    "one-sided-dp:1.0@negative",
    "approx-dp:1.0,1e-06",
    "zcdp:0.5",
    "approx-zcdp:0.5,1e-06",
    "rdp:2.0,0.3",
    "rdp:2.0,0.3@add-remove@also-4.0,0.7/8.0,1.5",
    "trade-off:0.0,1.0/0.25,0.25/1.0,0.0",
    "trade-off:0.0,0.9/0.2,0.3/0.8,0.0@add-remove",
    "gaussian-dp:1.0",
    "gaussian-dp:1.0,0.25@add-remove",
    "privacy-loss-tail:1.0,1e-06",
    "sampling-dp:0.1,1.0",
    "sampling-dp:0.1,1.0,1e-06",
    "k-anonymity:5",
    "bayesian-dp:1.0@add-remove@independent",
    "pure-dp:1.0@add-remove@records-2",
    "approx-dp:1.0,1e-06@records-1",
    "positive-membership:2.0",
    "positive-membership:2.0@0.3-0.7",
    "positive-membership:2.0,1e-06@add-remove@1e-05-0.5",
    "negative-membership:2.0@0-0",
    "positive-membership:2.0,1e-06@one-of-8",
    "positive-membership:2.0@sampled-1e-05",
    "negative-membership:2.0@add-remove",
    "negative-membership:2.0@add-remove@correlated-scalable",
    "positive-membership:2.0@correlated",
    "max-posterior:0.6",
    "max-posterior:0.6,1e-06@add-remove@0-0.1",
    "identifiability:0.1,100",
    "identifiability:0.1,100,1e-06",
    "semantic:0.2",
    "semantic:0.2,1",
    "bayesian-semantic:0.2",
    "bayesian-semantic:0.2@independent",
    "posterior-ratio:2.0",
    "posterior-gain:0.1",
    "attack-success:0.6",
    "attack-success:0.6@population",
    "advantage:0.1",
    "predictive-value:0.5,0.01,10.0",
    "population:0.5,0.0",
    "predictive-value:0.5,0.01,10.0@add-remove",
    "population:0.5,1e-06,1",
    "population:0.5,1e-06,1@every-parent-set",
    "population-posterior:0.5,0.1,0.5",
    "population-posterior:0.5,0.1,0.3@every-parent-set",
    "population-posterior:0.5,0.1,0.5,3@every-parent-set",
    "membership-inference:0.1",
    "gaussian-membership-inference:1.0",
    "noisy-gradient:100,50,1.0,0.0,3.0",
    "false-negative-rate:0.95,0.01",
    "false-negative-rate:0.95,0.01@add-remove",
    "baseline-risk:0.6,0.25",
    "baseline-risk:0.6,0.25@add-remove@candidates-4",
    "privacy-curve:0.01,1.0,100@add-remove",
    "privacy-curve:0.01,1.0,100@add-remove@then-0.02,1e-05,3/1.0,2.0,7",
]


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_read_is_written_the_same(text):
    assert parse(text).spec == text


def test_every_notion_has_its_form():
    public = [getattr(notions, name) for name in notions.__all__]
    kinds = {kind for kind in public if isinstance(kind, type) and issubclass(kind, notions.Notion)}
    assert {form.notion for form in FORMS} == kinds
    assert {text.split(":")[0] for text in TEXTS} == {form.word for form in FORMS}
    for form in FORMS:
        assert form_of(form.notion) is form
        assert set(form.numbers) | set(form.claims) <= set(form.fields)


def test_numbers_may_be_whole_and_the_default_word_written():
    assert parse("pure-dp:1@replace-one") == PureDP(1.0)
    assert parse(" population:1 ").spec == "population:1.0,0.0"


def test_the_family_comes_from_beside():
    adversary = BoundedPriors(0.1, 0.3)
    assert parse("positive-membership:2", adversary).adversary is adversary
    assert parse("positive-membership:2").adversary == BoundedPriors()
    assert parse("max-posterior:0.6", adversary) == MaxPosterior(0.6, 0.3)
    assert parse("max-posterior:0.6") == MaxPosterior(0.6, 1.0)
    assert parse("max-posterior:0.6@0-0.2", adversary) == MaxPosterior(0.6, 0.2)
    assert parse("positive-membership:2@0.2-0.25", adversary).adversary == BoundedPriors(0.2, 0.25)
    assert parse("positive-membership:2@0-1", adversary).adversary == BoundedPriors()
    own = parse("positive-membership:2@one-of-8", adversary)
    assert own.adversary == OneOutOfPriors(8)
    sampled = parse("positive-membership:2@sampled-0.1", adversary)
    assert (sampled.adversary, sampled.adjacency) == (SampledPriors(0.1), Adjacency.ADD_REMOVE)
    correlated = parse("positive-membership:2@correlated-scalable")
    assert correlated.adversary == CorrelatedPriors(downward_scalable=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "nonsense",
            "notion-such-as-pure-dp-1",
        ),
        ("", "notion-such-as-pure-dp-see"),
        ("pure-dp", "give-pure-dp-epsilon: pure-dp:epsilon | 'pure-dp' | epsilon."),
        ("pure-dp:?", "give-pure-dp-epsilon: _ | _ | epsilon"),
        ("sampling-dp:0.1,1,?", "give-every-number"),
        ("approx-dp:1", "give-approx-dp-epsilon-delta: delta"),
        ("pure-dp:1,2", "at-most-numbers: 1"),
        ("pure-dp:one", "number-one-in-pure-dp-one: 'one'"),
        ("pure-dp:", "number-in-pure-dp-write"),
        ("pure-dp:-1", "epsilon-at-least-0-epsilon"),
        ("pure-dp:nan", "not-a-number"),
        ("pure-dp:1@population", "words-that-fit: pure-dp | population"),
        ("pure-dp:1@add-remove@add-remove", "words-that-fit"),
        ("advantage:0.1@independent", "words-that-fit"),
        ("identifiability:0.1,100@add-remove", "words-that-fit"),
        ("identifiability:0.1,1", "below-least: worlds | 2"),
        ("rdp:1,0.1", "order-from-1-to-infinity"),
        ("rdp:2,0.1@also-1,0.1", "order-from-1-to-infinity"),
        ("rdp:2,0.1@also-4", "order-epsilon-of-each-further"),
        ("zcdp:0.1@also-4,0.1", "words-that-fit: zcdp"),
        ("positive-membership:2@sampled-x", "number-one-in-pure-dp-one: 'x'"),
        ("positive-membership:2@sampled-1.5", "not-between-0-and-1: rate"),
        ("max-posterior:0.5@0.1-0.3", "interval-of-beliefs-that-begins"),
        ("positive-membership:2@0.7-0.3", "ends-swapped"),
        ("positive-membership:2@0.3-1.7", "not-from-0-to-1: prior high"),
        ("positive-membership:2@0.3-0.7@one-of-3", "words-that-fit"),
        ("advantage:0.1@0.3-0.7", "words-that-fit"),
        ("pure-dp:1@records-0", "below-least: records | 1"),
        ("zcdp:1@records-1", "words-that-fit"),
        ("semantic:0.2,1@records-1", "once-it-among: records"),
        ("semantic:?,1@records-2", "once-it-among: records"),
        ("positive-membership:2@one-of-many", "words-that-fit"),
        (
            "positive-membership:2@add-remove@one-of-3",
            "with-replace-one-add-remove: replace-one | 1-out-of-",
        ),
    ],
)
def test_wrong_texts(text, message):
    with refuses(InvalidArgument, message):
        parse(text)


def test_a_wish_fixes_what_is_written():
    found = wish("approx-dp:?,1e-6")
    assert found.fixed == {
        "delta": 1e-6,
        "adjacency": Adjacency.REPLACE_ONE,
        "records": None,
    }
    assert wish("sampling-dp:0.1").fixed == {"beta": 0.1}
    assert wish("advantage").fixed == {}
    assert wish("advantage@population").fixed == {"setting": Setting.POPULATION}
    assert wish("identifiability:?,100").fixed == {"worlds": 100}


def test_a_wish_for_membership_takes_the_family_from_beside():
    assert wish("positive-membership").fixed == {}
    assert wish("positive-membership").preferred == {
        "adversary": BoundedPriors(),
        "exceedance": 0.0,
        "households": None,
    }
    family = BoundedPriors(0.1, 0.3)
    assert wish("positive-membership", family).fixed == {"adversary": family}
    assert wish("max-posterior", family).fixed == {"prior": 0.3}
    assert wish("max-posterior").fixed == {}
    assert wish("positive-membership:?,1e-6").preferred == {
        "adversary": BoundedPriors(),
        "households": None,
    }
    assert wish("semantic").preferred == {"records": None}


def test_exactly_one_notion():
    notion = SamplingDP(0.1, 1.0)
    assert exactly(notion).fixed == {"beta": 0.1, "epsilon": 1.0, "delta": 0.0}
    assert exactly(PositiveMembership(2.0)).fixed["adversary"] == BoundedPriors()


def test_forms_are_frozen_and_show_an_example():
    assert form_of(SamplingDP).example == "sampling-dp:beta,epsilon"
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        FORMS[0].word = ""


def test_infinity_is_a_number():
    assert parse("pure-dp:inf").epsilon == math.inf
