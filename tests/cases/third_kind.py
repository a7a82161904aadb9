"""A third kind of release in one file: how many of a public number of people said yes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import attrs
import numpy as np
import pyarrow as pa

from deniable.certificate import Certificate, CertifiedPart
from deniable.certificate.model import NamedUnit, common, read, structure
from deniable.errors import InvalidArgument
from deniable.mechanisms import Mechanism
from deniable.notions import Adjacency
from deniable.pipeline.kind import (
    Noise,
    Origin,
    PublishedRows,
    ReleaseKind,
    certify_part,
    guarantee,
)
from deniable.pipeline.noise.shares import Share, VectorPart
from deniable.pipeline.noise.shares import calibrate_mechanism as least_noise
from deniable.pipeline.release import Draws, Exact, publish
from deniable.priors import BoundedPriors
from deniable.report.html import text
from deniable.report.page import appendices, guarantee_sections, page
from deniable.theorems.analysis import Calibration, calibrated
from deniable.theorems.analysis.target import GammaTarget

DIGESTS = {name: {"type": "string"} for name in ("report.html", "results.csv", "results.parquet")}
KEYS = (
    "format", "created", "unit", "adversary", "target", "guarantee", "derivation", "noise",
    "assumptions", "not_covered", "versions",
)  # fmt: skip
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": [*KEYS, "statement_sha256", "files"],
    "properties": {
        **{key: {} for key in KEYS},
        "format": {"const": "deniable-poll-certificate/2"},
        "created": {"onTrust": "the date is the releaser's word", "type": "string"},
        "target": {"onTrust": "asked for", "type": "object"},
        "versions": {"onTrust": "which programs ran is the releaser's word", "type": "object"},
        "source": {"onTrust": "the pollster's word", "type": "object"},
        "statement_sha256": {"type": "string"},
        "files": {"onTrustWithoutFiles": "not beside it", "properties": DIGESTS},
    },
}
UNIT = NamedUnit(
    "replace-one", "Protected is one person's answer.", "a given person said yes",
    "those who said yes", "the others",
)  # fmt: skip


@attrs.frozen(kw_only=True)
class PollCertificate(Certificate):
    SCHEMA: ClassVar[Mapping[str, Any]] = SCHEMA
    KEYS: ClassVar[tuple[str, ...]] = KEYS
    FILES: ClassVar[tuple[str, ...]] = ("report.html", "results.csv", "results.parquet")
    LIBRARIES: ClassVar[Mapping[str, str]] = {"opendp": "opendp"}

    adversary: BoundedPriors
    noise: CertifiedPart
    source: Mapping[str, str]
    unit: NamedUnit = UNIT
    format: str = "deniable-poll-certificate/2"
    title: str = "A poll"

    @property
    def limits(self) -> Mapping[str, Any]:
        return {}

    @property
    def parts(self) -> list[CertifiedPart]:
        return [self.noise]

    def own(self) -> Mapping[str, Any]:
        return {"noise": attrs.asdict(self.noise), "source": self.source}

    @classmethod
    def from_json(cls, document: Any) -> Self:
        parts = read(document, SCHEMA)
        adversary = BoundedPriors(*parts["adversary"]["prior"])
        told = {"source": parts["source"], "unit": NamedUnit(**parts["unit"])}
        return cls(
            **common(parts),
            adversary=adversary,
            noise=structure(CertifiedPart, parts["noise"]),
            **told,
        )


PART = VectorPart("yes", 1.0, coordinates=1, l1=1, l2=1.0, moved=1)


@attrs.frozen
class Poll:
    calibration: Calibration
    share: Share
    mechanism: Mechanism
    part: VectorPart = PART


def settled(gamma: float) -> Poll:
    calibration = calibrated(GammaTarget(gamma), BoundedPriors(0.0, 1.0), Adjacency.REPLACE_ONE)
    share = Share(epsilon=calibration.epsilon)
    return Poll(calibration, share, least_noise(PART, share))


class PollKind(ReleaseKind[PollCertificate, Poll, int]):
    certificate = PollCertificate

    def again(self, certificate: PollCertificate) -> Poll:
        return settled(certificate.target.value)

    def certified(self, poll: Poll, origin: Origin) -> PollCertificate:
        return PollCertificate(
            created=origin.created,
            versions=origin.versions,
            target=poll.calibration.target,
            adversary=poll.calibration.adversary,
            guarantee=guarantee(poll.calibration),
            derivation=poll.calibration.derivation,
            noise=certify_part(poll.part, poll.share, poll.mechanism, None),
            assumptions=("Answers are independent.",),
            not_covered=("Other polls.",),
            source={"poll": "of one afternoon"},
        )

    def noise(self, poll: Poll) -> Noise:
        yield poll.mechanism, poll.part

    def number(self, _poll: Poll) -> int:
        return 1

    def rebuilt(
        self, _certificate: PollCertificate, _poll: Poll, published: PublishedRows
    ) -> list[int]:
        (row,) = published
        if not isinstance(row.get("yes"), int):
            raise InvalidArgument("Expected a noisy count, got none.")
        return [row["yes"]]

    def results(self, rows: Sequence[int]) -> pa.Table:
        return pa.table({"yes": rows})

    def report(self, certificate: PollCertificate, _poll: Poll, rows: Sequence[int]) -> str:
        sections = [*guarantee_sections(certificate), *appendices(certificate)]
        answers = ("poll", "The poll", text(f"{rows[0]} said yes."))
        return page(certificate, [answers, *sections])


KIND = PollKind()


def draws(poll: Poll, answers: list[bool]) -> Draws[int]:
    noisy = yield Exact(poll.mechanism, poll.part, np.array([sum(answers)], dtype=np.int64))
    return noisy.tolist()


def release(answers: list[bool], out: Any, gamma: float) -> Any:
    def opened() -> tuple[Poll, Draws[int]]:
        poll = settled(gamma)
        return poll, draws(poll, answers)

    return publish(KIND, out, opened)


def register(folder: Path, monkeypatch) -> None:
    """Install this kind as a distribution of its own would: by an entry point on the path."""
    metadata = folder / "poll-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: poll\nVersion: 1.0\n")
    line = f"deniable-poll-certificate = {__name__}"
    (metadata / "entry_points.txt").write_text(f"[deniable.kinds]\n{line}\n")
    monkeypatch.syspath_prepend(folder)
