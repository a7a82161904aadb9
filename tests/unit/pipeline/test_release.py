import json

import pytest

from deniable.errors import InvalidArgument
from deniable.pipeline.check import check
from deniable.pipeline.release import publish
from tests.cases import third_kind
from tests.cases.refusals import refuses
from tests.cases.third_kind import KIND, draws, settled

ANSWERS = [True, False, True]


def twice(poll):
    yield from draws(poll, ANSWERS)
    return (yield from draws(poll, ANSWERS))


def never(_poll):
    return [2]
    yield


def with_other_noise(_poll):
    return (yield from draws(settled(3.0), ANSWERS))


@pytest.mark.parametrize("front_end", [twice, never, with_other_noise])
def test_noise_that_the_certificate_does_not_state_is_never_published(tmp_path, front_end):
    poll = settled(2.0)
    with pytest.raises(AssertionError, match="certificate"):
        publish(KIND, tmp_path / "out", lambda: (poll, front_end(poll)))
    assert list(tmp_path.iterdir()) == []


def test_the_data_are_not_opened_for_a_folder_that_is_not_free(tmp_path):
    (tmp_path / "notes.txt").touch()
    opened = []
    with refuses(InvalidArgument, "new-or-empty-folder"):
        publish(KIND, tmp_path, lambda: opened.append(True))
    assert opened == []


def test_what_is_published_is_what_was_written(tmp_path, monkeypatch):
    third_kind.register(tmp_path, monkeypatch)
    done = third_kind.release(ANSWERS, tmp_path / "out", gamma=2.0)
    text = (done.out / "certificate.json").read_text(encoding="utf-8")
    assert json.loads(text) == done.certificate.as_json()
    assert set(done.certificate.versions) == {"deniable", "opendp", "python"}
    assert check(done.out).holds
