import functools

import attrs
import numpy as np
import pytest

from deniable.auditing.attacked import AuditRequest, attacked
from deniable.auditing.attacks import BLACK_BOX
from deniable.auditing.audit import claim
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteLaplace
from deniable.numerics.effort import Effort
from tests.cases.audited import ByValue, Laplace, Responses, Told
from tests.cases.effort import some_pairs, usual
from tests.cases.refusals import refuses

ATTACKS = (ByValue(), ByValue("backwards", -1.0))


@functools.cache
def known(claimed, delta):
    return claim(claimed, "add-remove", delta)


def asked(target, claimed="pure-dp:1@add-remove", runs=2_000, delta=None, **effort):
    said = None if claimed is None else known(claimed, delta)
    return AuditRequest(
        target=target,
        attacks=ATTACKS,
        adjacency="add-remove",
        claim=said,
        delta=(delta or 0.0) if said is None else said.delta,
        runs=runs,
        effort=Effort(**{"seed": 1, **effort}),
    )


def test_what_keeps_its_claim_is_consistent_and_the_best_attack_comes_near():
    audit = attacked(asked(Responses(1.0), runs=20_000))
    assert audit.verdict == "consistent"
    assert 0.9 < audit.found.lower < 1.0
    assert 0.9 < audit.visible < 1.0
    assert (audit.runs, audit.pilot, audit.attack) == (20_000, 10_000, "by-value")
    assert audit.right < audit.guesses <= 10_000
    assert audit.found.upper == np.inf
    assert audit.found.confidence == 0.95
    assert audit.decides is None


def test_noise_of_floating_point_is_found_out_by_its_last_bits():
    job = attrs.evolve(asked(Laplace(1.0), runs=20_000), attacks=BLACK_BOX)
    audit = attacked(job)
    assert (audit.verdict, audit.attack) == ("violated", "low-bits")
    assert [(each.name, each.breaks) for each in audit.findings] == [("low-bits", True)]
    assert audit.runs < 3_000
    assert attacked(attrs.evolve(job, claim=None)).found.lower > 4


def test_whole_numbers_have_no_last_bits_to_tell():
    noise = DiscreteLaplace(1.0)
    target = Told(lambda m, rng: (m + noise.draws(rng, m.size).reshape(m.shape))[..., None])
    audit = attacked(attrs.evolve(asked(target, runs=20_000), attacks=BLACK_BOX))
    assert (audit.verdict, audit.findings) == ("consistent", ())
    assert audit.found.lower > 0.9


def test_half_the_noise_is_a_violation():
    audit = attacked(asked(Laplace(0.5), runs=20_000))
    assert audit.verdict == "violated"
    assert 1 < audit.found.lower < 2


def test_too_few_runs_say_how_many_would_decide():
    audit = attacked(asked(Responses(4.0), claimed="pure-dp:4@add-remove", runs=40))
    assert audit.verdict == "inconclusive"
    assert audit.decides > 40
    enough = attacked(asked(Responses(4.0), claimed="pure-dp:4@add-remove", runs=audit.decides + 9))
    assert enough.verdict == "consistent"


def test_a_limit_above_the_claim_that_may_be_chance_accuses_nobody():
    seeds = range(usual(10, 20))
    answers = [attacked(asked(Responses(1.1), runs=400, seed=seed)) for seed in seeds]
    above = [each for each in answers if each.found.lower > 1.0]
    assert above
    assert {each.verdict for each in above} == {"inconclusive"}
    assert {each.decides for each in above} == {None}


def test_without_a_claim_there_is_a_limit_and_no_verdict():
    audit = attacked(asked(Responses(1.0), claimed=None))
    assert (audit.verdict, audit.claimed, audit.claimed_epsilon) == ("inconclusive", None, None)
    assert audit.decides is None
    assert audit.found.lower > 0.5


@pytest.mark.parametrize(("records", "delta"), some_pairs([1, 3], [None, 0.1]))
def test_an_audit_depends_on_target_and_seed_only(records, delta, tmp_path):
    question = asked(Responses(1.0, records), runs=600, delta=delta)
    one = attacked(question)
    effort = attrs.evolve(question.effort, workers=2, checkpoint=tmp_path)
    assert attacked(attrs.evolve(question, effort=effort)) == one
    assert attacked(attrs.evolve(question, effort=effort)) == one  # all of it kept
    other = attrs.evolve(question, effort=attrs.evolve(question.effort, seed=2))
    assert attacked(other) != one


def test_the_worst_of_many_records_is_found():
    def answer(members, generator):
        noise = generator.laplace(scale=1.0, size=members.shape)
        noise[:, 7] /= 4
        return (members + noise)[..., None]

    audit = attacked(asked(Told(answer, records=20), runs=4_000))
    assert audit.verdict == "violated"
    assert audit.worst[0].record == 7
    assert audit.worst[0].found == audit.found.lower > 2


def test_many_records_together_are_not_taken_for_independent_ones():
    """One fair coin says whether all guesses of a run are right: no leak, at 0.6 in the mean."""

    def answer(members, generator):
        right = generator.random((len(members), 1)) < 0.5
        return np.where(members == right, 1.0, 0.0)[..., None]

    seeds = range(usual(8, 20))
    audits = [attacked(asked(Told(answer, records=50), runs=200, seed=seed)) for seed in seeds]
    assert [audit.verdict for audit in audits].count("violated") == 0


@pytest.mark.parametrize(
    ("step", "name", "verdict"), [(0.0, "not-random", "inconclusive"), (1.0, "exact", "violated")]
)
def test_answers_that_are_the_same_in_every_run(step, name, verdict):
    def answer(members, generator):  # noqa: ARG001 - that is the point
        return step * members[..., None] + np.random.default_rng(3).laplace()

    audit = attacked(asked(Told(answer)))
    assert audit.verdict == verdict
    assert [finding.name for finding in audit.findings] == [name]


def test_an_answer_that_is_another_once_is_not_called_exact():
    def answer(members, generator):
        return members[..., None] + (generator.random((*members.shape, 1)) < 0.001)

    names = {each.name for each in attacked(asked(Told(answer), None, runs=20_000)).findings}
    assert "exact" not in names


def test_the_curve_lies_in_its_region_and_rises():
    audit = attacked(asked(Laplace(1.0), runs=20_000))
    assert len(audit.curve) > 10
    for point in audit.curve:
        assert 0 <= point.fpr_lower <= point.fpr <= point.fpr_upper <= 1
        assert 0 <= point.tpr_lower <= point.tpr <= point.tpr_upper <= 1
        # no more than e^ε: the claim is true, so the region must hold some point below it
        assert point.tpr_lower <= np.e * point.fpr_upper
    rates = [(point.fpr, point.tpr) for point in audit.curve]
    assert rates == sorted(rates)


def test_the_limit_so_far_is_told_and_never_above_the_truth():
    told = []
    attacked(asked(Responses(1.0), runs=4_000), lambda *moment: told.append(moment))
    shares, limits = zip(*told, strict=True)
    assert list(shares) == sorted(shares)
    assert shares[-1] == 1.0
    pilot = [limit for share, limit in told if share <= 0.5]
    assert set(pilot) == {None}
    assert 0.5 < max(limit for limit in limits if limit is not None) < 1.0


def test_time_that_is_over_ends_the_pilot_and_then_the_test():
    audit = attacked(asked(Laplace(1.0, seconds=0.01), runs=4_000, time_limit=0.1))
    assert audit.runs < 4_000
    assert 0 < audit.pilot < audit.runs


@pytest.mark.parametrize("runs", [0, 1, 19, -5, 2.5, "many", None])
def test_a_number_of_runs_that_is_none_is_refused(runs):
    with pytest.raises(InvalidArgument):
        attacked(asked(Responses(1.0), runs=runs))


def test_runs_that_fit_into_no_memory_are_refused_before_they_are_made():
    with refuses(InvalidArgument, "fit-into-memory-runs"):
        attacked(asked(Responses(1.0), runs=10**15))


def test_one_kind_of_run_only_is_no_ground_for_a_guess():
    audits = [attacked(asked(Responses(1.0), runs=20, seed=seed)) for seed in range(usual(12, 30))]
    assert {audit.verdict for audit in audits} == {"inconclusive"}
