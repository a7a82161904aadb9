"""Sentences of certificates that stand in a table beside the module that says when each holds."""

import tomllib
from pathlib import Path
from typing import Any

from deniable.certificate.model import Topic


def read_sentences(module: str) -> Any:
    """Return the table `sentences.toml` beside a module's file: lists as tuples, lines joined.

    A table with `says` is a sentence, under the topic that it is `about` if it names one.
    """

    def read(entry: Any) -> Any:
        if isinstance(entry, str):
            return " ".join(entry.split()) if "\n" in entry else entry
        if isinstance(entry, list):
            return tuple(map(read, entry))
        if "says" in entry:
            words = read(entry["says"])
            return Topic(entry["about"]).says(words) if "about" in entry else words
        return {name: read(each) for name, each in entry.items()}

    return read(tomllib.loads(Path(module).with_name("sentences.toml").read_text("utf-8")))
