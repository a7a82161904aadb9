"""Answers that left the service: kept on disk before they leave, and given again at no cost."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import attrs

from deniable.certificate.json_documents import sha256
from deniable.errors import InvalidArgument
from deniable.ledger.charge import State
from deniable.ledger.ledger import Ledger
from deniable.numerics import operating_system


def digest_of(value: Any) -> str:
    """SHA-256 of JSON, keys sorted, without spaces."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return sha256(text.encode("utf-8"))


@attrs.define
class Answers:
    """Answers by the digest of their question: a file of lines that are only added, or memory.

    A line is on the disk before `add` returns. The last one may be cut off where a process was
    killed; it had not left then, and is dropped.
    """

    _known: dict[str, dict[str, Any]] = attrs.field(factory=dict, init=False)
    _data: dict[str, str] = attrs.field(factory=dict, init=False)
    _descriptor: int | None = attrs.field(default=None, init=False)
    _end: int = attrs.field(default=0, init=False)
    """Bytes of whole lines: what is behind them was never known."""

    @classmethod
    def open(cls, path: Path | None, closing: ExitStack) -> Answers:
        """Open a file for this process alone, made where there is none; memory without a path."""
        answers = cls()
        if path is None:
            return answers
        descriptor = operating_system.open_lock(path)
        closing.callback(os.close, descriptor)
        try:
            operating_system.lock(descriptor)
        except BlockingIOError:
            raise InvalidArgument(
                f"Expected answers that no other service keeps, got {path}, which one does. Stop "
                "it, or name another file."
            ) from None
        with path.open("rb") as file:
            content = file.read()
        lines = content[: content.rfind(b"\n") + 1]
        answers._end = len(lines)
        try:
            for line in lines.splitlines():
                answers._enter(json.loads(line))
        except (ValueError, KeyError, TypeError):
            raise InvalidArgument(
                f"Expected answers that this service wrote, got another file: {path}."
            ) from None
        operating_system.write_names_to_disk(path.absolute().parent)
        answers._descriptor = descriptor
        return answers

    def get(self, question: str) -> dict[str, Any] | None:
        """The answer to a question that was answered; None where it was not."""
        return self._known.get(question, {}).get("answer")

    def add(self, question: str, charge: str, answer: dict[str, Any], ledger: Ledger) -> None:
        """Keep an answer on the disk, have the ledger enter its digest, and only then know it."""
        line = {"question": question, "charge": charge, "answer": answer}
        self._write(line)
        ledger.released(charge, digest_of(answer))
        self._enter(line)

    def check_data(self, edition: str, digest: str) -> None:
        """Refuse other data under an edition that was served before; for the owner."""
        before = self._data.get(edition)
        if before is None:
            line = {"data": digest, "edition": edition}
            self._write(line)
            self._enter(line)
        elif before != digest:
            raise InvalidArgument(
                f"Expected the data that edition {edition!r} had, got others. Name a new edition "
                "in [serve]."
            )

    def reconcile(self, ledger: Ledger, dataset: str, ours: str) -> None:
        """End charges that a killed service left open, and forget answers that never left.

        An answer leaves once its charge is entered as released. One that was kept is entered now;
        where there is none, nothing of the charge left. `ours` begins the names of who charged.
        """
        last = {entry.id: entry for entry in ledger.entries(dataset)}
        kept = {line["charge"]: line["answer"] for line in self._known.values()}
        for charge, entry in last.items():
            is_ours = entry.by.startswith(ours) and entry.what.startswith("question ")
            if entry.state is State.CHARGED and is_ours:
                if charge in kept:
                    ledger.released(charge, digest_of(kept[charge]))
                else:
                    ledger.void(charge, "the service ended before an answer left")
        gone = {charge for charge in kept if charge not in last or last[charge].state is State.VOID}
        for question in [each for each, line in self._known.items() if line["charge"] in gone]:
            del self._known[question]

    def _enter(self, line: dict[str, Any]) -> None:
        if "data" in line:  # their digest, which never leaves this file
            self._data[line["edition"]] = line["data"]
        else:
            self._known[line["question"]] = {"charge": line["charge"], "answer": line["answer"]}

    def _write(self, line: dict[str, Any]) -> None:
        if self._descriptor is None:
            return
        # A line that was not written to its end, on a full disk, is overwritten by the next one.
        os.lseek(self._descriptor, self._end, os.SEEK_SET)
        os.ftruncate(self._descriptor, self._end)
        text = memoryview(json.dumps(line).encode("utf-8") + b"\n")
        while text:
            text = text[os.write(self._descriptor, text) :]
        os.fsync(self._descriptor)
        self._end = os.lseek(self._descriptor, 0, os.SEEK_CUR)
