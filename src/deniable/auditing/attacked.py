"""An audit of a target: pilot runs choose the attack, other runs measure it."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.auditing.attacks import low_bits_finding
from deniable.auditing.audit import (
    EXACT,
    NOT_RANDOM,
    PARENT_SET,
    Audit,
    Claim,
    Finding,
    RecordFound,
    Subject,
    limit_found,
)
from deniable.auditing.bets import LARGEST, Bets, Fitted, fit_all
from deniable.auditing.exact import Codes, Exact
from deniable.auditing.runs import Attack, Bits, Runs, Scorer, Scores, Target, made, spans
from deniable.auditing.statistics import (
    ACCUSED,
    Cut,
    RunShares,
    accusing,
    anytime_limit,
    counted,
    decides,
    decides_exactly,
    deciding,
    lower_limit,
    rate_region,
    thresholds,
    verdict,
    visible,
    worst_records,
)
from deniable.computing.parallel import memory
from deniable.errors import InvalidArgument, validate
from deniable.numerics.effort import Effort, late, left, limited

_SAME = 50
"""Runs of each kind: fewer may all be the same by chance, where there is noise."""


@attrs.frozen(eq=False)
class SameAnswers:
    """The only answer that runs of each kind gave, of one record."""

    without: Codes
    including: Codes

    @classmethod
    def of(cls, pilot: Runs) -> "SameAnswers | None":
        """Return the answers that all pilot runs share; None for others, few runs, many records."""
        if pilot.members.shape[1] > 1:
            return None
        codes, bits = pilot.outputs.codes[:, 0], pilot.members[:, 0]
        if min(bits.sum(), (~bits).sum()) < _SAME:
            return None
        same = cls(codes[~bits][0], codes[bits][0])
        return same if same.has(pilot) else None

    def has(self, runs: Runs) -> bool:
        """Whether all of these runs gave the same, too."""
        expected = np.where(runs.members, self.including, self.without)
        return bool((runs.outputs.codes[:, 0] == expected).all())

    def finding(self, *, refuted: bool) -> Finding:
        """What to say of it; `refuted` where the runs refute a claim."""
        if (self.without == self.including).all():
            return Finding(
                NOT_RANDOM,
                "Every run gave the same answer, on both data sets. Nothing can be said of noise "
                "that is always the same: take a fixed seed out of the target, or look whether it "
                "has noise.",
                breaks=False,
            )
        return Finding(
            EXACT,
            "No noise was seen: every run on the same data gave the same answer, and the answers "
            "on both data sets differ, so that one look tells which was used. Add noise, or take a "
            "fixed seed out of the target.",
            breaks=refuted,
        )


Watch: TypeAlias = Callable[[float, float | None], None]
"""Told the share of runs made, and a lower limit of ε that holds at all times; None in a pilot."""

_NUMBER = 8
"""Bytes of a float64."""


@attrs.frozen
class AuditRequest:
    """What an audit is to find out.

    Of the attacks, at least one, the best on pilot runs is measured on the others; of `runs`, at
    least 20, about half are pilot runs. `delta`, in [0, 1), is that of the limit.
    """

    target: Target
    attacks: Sequence[Attack]
    adjacency: str
    claim: Claim | None
    delta: float
    runs: int
    effort: Effort

    @property
    def claimed(self) -> float | None:
        """ε of the claim."""
        return None if self.claim is None else self.claim.epsilon


@attrs.frozen(eq=False)
class _SelectedAttack:
    """An attack that has learnt, its cuts, and what it scored in the pilot runs that chose it."""

    name: str
    score: Scorer
    cut: Cut
    pooled: Cut
    scores: Scores
    members: Bits
    record: int
    cuts: NDArray[np.float64]


@attrs.frozen
class _TestRuns:
    """What the test runs say; `proven` is the limit at the confidence of an accusation."""

    epsilon: float
    right: int
    guesses: int
    worst: tuple[RecordFound, ...] = ()
    proven: float = 0.0


def attacked(request: AuditRequest, watch: Watch | None = None) -> Audit:
    """Attack a target and say what the attack reached."""
    # The first half of the runs is the pilot: on half of it each attack learns, on the other half
    # the best attack and its cut are chosen. Nothing of the second half is looked at before, so
    # that its counts are those of one rule that was fixed beforehand.
    #
    # `watch` is told how far it is, and the limit so far; `effort.progress` the first alone.
    target, effort = request.target, request.effort
    # Of fewer runs than 20 no half has both kinds, and none shows an ε worth a word.
    runs = validate.integer(request.runs, "runs", least=20)
    accusing(effort.confidence)  # refused before runs are made, not after
    _check_memory(request, 1)
    said, bets = request.claim, None
    if said is not None and target.records == 1 and said.delta == request.delta:
        points = [(said.epsilon, said.delta), *said.curve]
        level = (1 - effort.confidence) / (2 * ACCUSED)
        if said.epsilon < LARGEST:
            bets = Bets(points, request.attacks, runs, level)
    with limited(effort.time_limit), closing(made(target, runs, effort)) as blocks:
        pilot, refuted = _pilot(blocks, request, watch, bets)
        if bets is not None and refuted:
            return _refuted(request, bets, pilot, len(pilot.members), SameAnswers.of(pilot))
        fitted = fit_all(pilot, request.attacks)
        if not fitted:
            return _audit(request, len(pilot.members), 0, None, _TestRuns(0.0, 0, 0), ())
        selected = _select_attack(fitted, request)
        if bets is not None:
            bets.learn(fitted, pilot)
        scores, members, same, refuted = _test(blocks, selected, pilot, request, watch, bets)
    if bets is not None and refuted:
        return _refuted(request, bets, pilot, len(pilot.members) + len(members), same)
    result = _limited(request, selected, scores, members, bets)
    one = selected.record  # the pilot's worst
    curve = rate_region(
        selected.cuts, scores[:, one], members[:, one], confidence=effort.confidence
    )
    findings = tuple(_findings(pilot, same, selected.name, result, request.claimed))
    audit = _audit(request, len(pilot.members), len(members), selected.name, result, findings)
    return attrs.evolve(audit, curve=curve)


def _limited(
    request: AuditRequest,
    selected: _SelectedAttack,
    scores: Scores,
    members: Bits,
    bets: Bets | None,
) -> _TestRuns:
    """The limit of all test runs, and the one that accuses, where bets did not end the audit."""
    # If the claim is true at its δ, bets end an audit with a limit above the truth with probability
    # α/1000 at most, which is taken off α (`Bets.limits`). If it is false there, a limit up to the
    # claim is right in any case, and each of both ways to a larger one errs with probability α/2 at
    # most. So all limits hold with the stated confidence.
    level, claimed = request.effort.confidence, request.claimed or 0.0
    # 1 − α + α/1000, rounded up
    first = level if bets is None else math.nextafter(level + (1 - accusing(level)), 1.0)
    result = _measure(selected, scores, members, request.delta, first)
    if result.epsilon <= claimed:
        return result
    sure = accusing(level) if bets is None else deciding(level)
    proven = _measure(selected, scores, members, request.delta, sure).epsilon
    if bets is not None:
        half = _measure(selected, scores, members, request.delta, (1 + level) / 2).epsilon
        limit = max(half, math.nextafter(claimed, math.inf))
        result = attrs.evolve(result, epsilon=min(result.epsilon, limit))
    return attrs.evolve(result, proven=proven)


def _refuted(
    request: AuditRequest, bets: Bets, pilot: Runs, runs: int, same: SameAnswers | None
) -> Audit:
    """The answer of an audit that ended when bets refuted the claim."""
    limit, proven = bets.limits(1 - request.effort.confidence)
    attack, counts = bets.best()
    right, wrong, none = map(int, counts.sum(axis=0))
    tested = right + wrong + none
    result = _TestRuns(limit, right, right + wrong, proven=proven)
    findings = list(_findings(pilot, same, attack, result, request.claimed))
    if proven <= (request.claimed or 0.0):
        findings.append(bets.finding())
    return _audit(request, runs - tested, tested, attack, result, tuple(findings))


def _pilot(
    blocks: Iterator[Runs], request: AuditRequest, watch: Watch | None, bets: Bets | None
) -> tuple[Runs, bool]:
    """The first half of the blocks; fewer where half of the time is over, or bets have won."""
    places = spans(request.runs, request.target.records)
    wanted = min(start for start, _ in places if 2 * start >= request.runs)
    parts: list[Runs] = []
    done, refuted = 0, False
    for part in blocks:
        parts.append(part)
        done += len(part.members)
        if len(parts) == 1:
            _check_memory(request, part.width)
        request.effort.progress(done / request.runs)
        if watch is not None:
            watch(done / request.runs, None)
        refuted = bets is not None and bets.place(part)
        if refuted or done >= wanted or left() < request.effort.time_limit / 2:
            break
        if bets is not None and done >= bets.next_learning:
            so_far = _joined(parts)
            bets.learn(fit_all(so_far, request.attacks), so_far)
    return _joined(parts), refuted


def _joined(parts: Sequence[Runs]) -> Runs:
    exact = [part.exact for part in parts if part.exact is not None]
    return Runs(
        np.concatenate([part.members for part in parts]),
        np.concatenate([part.signals for part in parts]),
        Exact.joined(exact) if exact else None,
    )


def _check_memory(request: AuditRequest, width: int) -> None:
    """Refuse what cannot be held: pilot signals, and all scores and coins."""
    cells = request.runs * request.target.records
    # Three copies of the pilot runs are held at once, while they are put together and learnt from.
    needed = cells * (3 * width * _NUMBER / 2 + _NUMBER + 1)
    if needed > memory():
        raise InvalidArgument(
            f"Expected runs that fit into memory, got runs={request.runs} of {width} numbers for "
            f"each of {request.target.records:,} records, which take about {needed / 2**30:,.0f} "
            "GiB. Ask for fewer runs or records."
        )


def _select_attack(fitted: Sequence[Fitted], request: AuditRequest) -> _SelectedAttack:
    """The attack whose guesses about the second half of the pilot prove most."""
    best, most = fitted[0], -np.inf
    truth, delta = best.members, request.delta
    for each in fitted:
        scores = each.scores.ravel()
        cut = Cut.select(scores, truth.ravel(), delta=delta)
        guesses, right = counted(cut, scores, truth.ravel(), delta=delta)
        level = {"delta": delta, "confidence": request.effort.confidence}
        limit = lower_limit(len(scores), guesses, right, **level)
        if limit > most:
            best, most = each, limit
    cut = Cut.select(best.scores.ravel(), truth.ravel(), delta=delta)
    pooled = Cut.select(best.scores.ravel(), truth.ravel(), abstain=False) if delta else cut
    record = 0
    if truth.shape[1] > 1:
        pair = best.scores, truth
        record = worst_records(pair, pair, delta=delta, listed=1)[0].record
    cuts = thresholds(best.scores[:, record])
    return _SelectedAttack(best.name, best.score, cut, pooled, best.scores, truth, record, cuts)


def _test(
    blocks: Iterator[Runs],
    selected: _SelectedAttack,
    pilot: Runs,
    request: AuditRequest,
    watch: Watch | None,
    bets: Bets | None,
) -> tuple[Scores, Bits, SameAnswers | None, bool]:
    """Scores and members of the other runs, until they are made, the time is over or bets won."""
    # And the only answer of each kind of run, if in pilot and test there was no other, and whether
    # bets won.
    scores: list[Scores] = []
    members: list[Bits] = []
    seen = RunShares([], [])
    same = SameAnswers.of(pilot)
    done, refuted = len(pilot.members), False
    for part in blocks:
        scores.append(part.scores(selected.score))
        members.append(part.members)
        same = same if same is not None and same.has(part) else None
        done += len(part.members)
        guesses = selected.pooled.guesses(scores[-1])
        seen += RunShares.of(part.members, guesses, delta=request.delta)
        request.effort.progress(done / request.runs)
        if watch is not None:  # a limit takes longer than some runs
            so_far = anytime_limit(seen, delta=request.delta, confidence=request.effort.confidence)
            watch(done / request.runs, so_far)
        refuted = bets is not None and bets.place(part)
        if refuted or late():
            break
    return np.concatenate(scores), np.concatenate(members), same, refuted


def _measure(
    selected: _SelectedAttack, scores: Scores, members: Bits, delta: float, confidence: float
) -> _TestRuns:
    """The lower limit: by the exact test for one record, for many by the better of two tests."""
    # For many, the worst records are tested one by one and all together by bets, each of both at
    # half of the error, so that both hold at once.
    if members.shape[1] == 1:
        made_guesses, right = counted(selected.cut, scores[:, 0], members[:, 0], delta=delta)
        limit = lower_limit(len(members), made_guesses, right, delta=delta, confidence=confidence)
        return _TestRuns(limit, right, made_guesses)
    half = 1 - (1 - confidence) / 2
    worst = worst_records(
        (selected.scores, selected.members), (scores, members), delta=delta, confidence=half
    )
    shares = RunShares.of(members, selected.pooled.guesses(scores), delta=delta)
    pooled = anytime_limit(shares, delta=delta, confidence=half)
    if pooled > worst[0].found:
        made_guesses, right = counted(selected.pooled, scores, members)
        return _TestRuns(pooled, right, made_guesses, worst)
    return _TestRuns(worst[0].found, worst[0].right, worst[0].guesses, worst)


def _findings(
    pilot: Runs, same: SameAnswers | None, attack: str, result: _TestRuns, claimed: float | None
) -> Iterator[Finding]:
    if same is not None:
        yield same.finding(refuted=claimed is not None and result.proven > claimed)
    runs, records = pilot.members.shape
    if records > 1 and runs >= _SAME and (pilot.signals == pilot.signals[:1]).all():
        yield Finding(
            "same-losses",
            "Every run gave the same numbers, with and without each record. Nothing leaks through "
            "them; look whether they depend on the model at all.",
            breaks=False,
        )
    if bits := low_bits_finding(attack, result.proven, claimed):
        yield bits


def _audit(
    request: AuditRequest,
    pilot: int,
    tested: int,
    attack: str | None,
    result: _TestRuns,
    findings: tuple[Finding, ...],
) -> Audit:
    delta, effort = request.delta, request.effort
    level = {"delta": delta, "confidence": effort.confidence}
    said = verdict(result.epsilon, result.proven, request.claimed, tested, **level)
    names = [each.name for each in findings]
    if NOT_RANDOM in names:
        said = "inconclusive"
    elif request.claim is not None and any(each.breaks for each in findings):
        said = "violated"
    subject: Subject = "differential privacy"
    if request.adjacency == PARENT_SET:
        subject = "population privacy"
    needed = None
    most = request.claimed
    if said == "inconclusive" and most is not None and NOT_RANDOM not in names:
        if EXACT in names:
            needed = decides_exactly(most, **level)
        elif result.epsilon <= most:
            needed = decides(most, **level)
    return Audit(
        verdict=said,
        subject=subject,
        claimed=None if request.claim is None else request.claim.text,
        claimed_epsilon=request.claimed,
        delta=delta,
        adjacency=request.adjacency,
        visible=visible(tested, request.claimed, **level),
        found=limit_found(result.epsilon, tested, effort),
        runs=pilot + tested,
        pilot=pilot,
        right=result.right,
        guesses=result.guesses,
        confidence=effort.confidence,
        attack=attack or "none",
        decides=None if needed is None else 2 * needed,
        worst=result.worst,
        findings=findings,
    )
