"""The private folder: who may enter it, and that it goes on every exit."""

import os
import shutil
import signal
import stat
import tempfile
import threading
import time

import pytest

from deniable.publish.sources import PREFIX, spill_folder
from tests.cases.processes import Forked


def hold():
    """Hold a folder until a signal ends the process, and print the folder's place."""
    tempfile.tempdir = None
    with spill_folder() as folder:
        (folder / "rows").write_text("private")
        print(folder, flush=True)
        while True:
            time.sleep(0.05)  # a signal just before a longer one would wait for it


@pytest.fixture(autouse=True)
def _own_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.fixture
def holder(tmp_path, tmp_path_factory):
    """A process that holds a folder until a signal ends it, and the folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", None)  # or what starts processes leaves its own there
        made = Forked(tmp_path_factory.mktemp("said"), hold, env={"TMPDIR": str(tmp_path)})
    with made as process:
        while not (printed := process.streams[0].read_text()).endswith("\n"):
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        yield process, printed.strip()


def test_only_this_user_may_enter(tmp_path):
    with spill_folder() as folder:
        assert folder.parent == tmp_path
        assert folder.name.startswith(PREFIX)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "deep").mkdir()
        (folder / "deep" / "rows").write_text("private")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_removed_after_an_exception(tmp_path, error):
    with pytest.raises(error), spill_folder():
        raise error
    assert list(tmp_path.iterdir()) == []


SEEN = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGXCPU]
SEEN += [signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2]


@pytest.mark.parametrize("number", SEEN)
def test_removed_when_a_signal_ends_the_process(tmp_path, holder, number):
    process, folder = holder
    assert os.path.isdir(folder)
    process.send_signal(number)
    process.communicate()
    assert process.returncode != 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "program", [(tempfile, "mkdtemp"), (shutil, "rmtree")], ids=["made", "removed"]
)
def test_a_signal_while_the_folder_is_made_or_removed_waits(tmp_path, monkeypatch, program):
    module, name = program
    does = getattr(module, name)

    def interrupted(*words, **options):
        os.kill(os.getpid(), signal.SIGTERM)
        return does(*words, **options)

    monkeypatch.setattr(module, name, interrupted)
    with pytest.raises(SystemExit) as caught, spill_folder():
        pass
    assert caught.value.code == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == []
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_what_a_killed_process_left_goes_with_the_next_start(tmp_path, holder):
    process, folder = holder
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert os.path.isdir(folder)
    with spill_folder() as mine:
        assert list(tmp_path.iterdir()) == [mine]


def test_the_folder_of_a_living_process_stays(holder):
    _, folder = holder
    with spill_folder():
        assert os.path.isdir(folder)
    assert os.path.isdir(folder)


def test_a_link_is_not_followed(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / f"{PREFIX}link").symlink_to(elsewhere)
    with spill_folder():
        pass
    assert elsewhere.is_dir()


def test_signals_are_as_before_and_others_keep_their_handlers():
    def own(number, frame):
        del number, frame

    before = signal.signal(signal.SIGHUP, own)
    try:
        with spill_folder():
            assert signal.getsignal(signal.SIGHUP) is own
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


def test_works_outside_the_main_thread():
    seen = []

    def work():
        with spill_folder() as folder:
            seen.append(folder.is_dir())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [True]
