import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import traceback

import numpy as np
import pytest

from deniable.computing import parallel
from deniable.computing.parallel import blocks
from deniable.errors import InvalidArgument
from deniable.errors.late import late
from deniable.numerics.effort import Effort
from tests.cases.processes import started
from tests.cases.refusals import refuses

TASKS = [(seed, 5 * seed + 1) for seed in range(7)]


def draws(task):
    seed, number = task
    return {"draws": Effort(seed=3).generator(seed).normal(size=number), "seed": np.array(seed)}


def run(effort, tasks=TASKS, function=draws, name="draws", **more):
    return list(blocks(function, tasks, effort, name=name, **more))


def same(one, other):
    return all(
        a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)
        for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_results_do_not_depend_on_the_number_of_workers(workers):
    found = run(Effort(workers=workers))
    assert [int(each["seed"]) for each in found] == list(range(7))
    assert same(found, [draws(task) for task in TASKS])


def test_progress_is_the_share_of_the_weights():
    told = []
    run(Effort(progress=told.append), weights=[seed + 1 for seed, _ in TASKS])
    assert told == pytest.approx(np.cumsum(np.arange(1, 8)) / 28)
    assert run(Effort(progress=told.append), tasks=[], weights=[]) == []
    run(Effort(progress=told.append))
    assert len(told) == 7


@pytest.mark.parametrize("workers", [1, 2])
def test_leaving_the_loop_ends_the_work(workers):
    results = blocks(draws, TASKS, Effort(workers=workers), name="draws")
    first = next(results)
    results.close()
    assert same([first], [draws(TASKS[0])])


def test_only_cancelled_work_goes_unreported(monkeypatch):
    reported = []
    monkeypatch.setattr(threading, "excepthook", lambda error: reported.append(error.exc_type))

    def fail(error, name):
        def target():
            raise error

        thread = threading.Thread(target=target, name=name)
        thread.start()
        thread.join()

    with parallel._cancelling():
        fail(KeyError(3), "ExecutorManagerThread")
        fail(OSError(), "ExecutorManagerThread")
        fail(KeyError(3), "another")
    fail(KeyError(3), "ExecutorManagerThread")
    assert reported == [OSError, KeyError, KeyError]


def refusing(task):
    raise AssertionError(f"task {task[0]} was done already")


@pytest.mark.parametrize("workers", [1, 2])
def test_finished_parts_are_not_done_again(tmp_path, workers, monkeypatch):
    effort = Effort(workers=workers, checkpoint=tmp_path)
    found = run(effort)
    monkeypatch.setattr(refusing, "__qualname__", draws.__qualname__)
    assert same(run(effort, function=refusing), found)
    with pytest.raises(AssertionError):
        run(effort, function=refusing, name="another job")


@pytest.mark.parametrize("workers", [1, 2])
def test_damaged_and_foreign_parts_are_done_again(tmp_path, workers):
    effort = Effort(workers=workers, checkpoint=tmp_path)
    found = run(effort)
    (folder,) = tmp_path.iterdir()
    parts = sorted(folder.iterdir())
    assert len(parts) == 7
    parts[1].write_bytes(parts[1].read_bytes()[:-40])
    parts[3].write_bytes(parts[2].read_bytes())
    parts[5].unlink()
    assert same(run(effort), found)
    other = [(seed, number + 1) for seed, number in TASKS]
    assert same(run(effort, tasks=other), [draws(task) for task in other])


def called(task):
    function, number = task
    return {"value": np.array(function(number))}


def double(number):
    return 2 * number


def test_functions_that_a_checkpoint_cannot_name_are_refused_without_the_data(tmp_path):
    effort, secret = Effort(checkpoint=tmp_path), 8675309.25
    assert run(effort, [(double, 2)], called) == run(effort, [(double, 2)], called)
    assert run(Effort(), [(lambda x: x, secret)], called)
    with refuses(InvalidArgument, "can-imported") as caught:
        run(effort, [(lambda x: x, secret)], called)
    shown = "".join(traceback.format_exception(caught.value))
    assert str(secret) not in shown


def stopping(task):
    if task[0] == 4:
        raise KeyboardInterrupt
    return draws(task)


def test_an_interrupted_run_goes_on(tmp_path, monkeypatch):
    effort = Effort(checkpoint=tmp_path)
    monkeypatch.setattr(stopping, "__qualname__", draws.__qualname__)
    with pytest.raises(KeyboardInterrupt):
        run(effort, function=stopping)
    (folder,) = tmp_path.iterdir()
    kept = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert sorted(kept) == [f"part-{i:06}.npz" for i in range(4)]
    assert same(run(effort), run(Effort()))
    assert {name: (folder / name).stat().st_mtime_ns for name in kept} == kept


SCRIPT = """
import os, pathlib, sys, time
import numpy as np
from deniable.numerics.effort import Effort
from deniable.computing.parallel import blocks

top = int(os.environ.setdefault("TOP", str(os.getpid())))

def slow(task):
    if task >= 2:
        while len(list(pathlib.Path(sys.argv[1], "kept").glob("*/*.npz"))) < 2:
            time.sleep(0.01)
        pathlib.Path(sys.argv[1], "waiting").touch()
        while os.getppid() == top:  # not longer than the program
            time.sleep(0.01)
    return {"task": np.array(task)}

if __name__ == "__main__":
    effort = Effort(workers=2, checkpoint=pathlib.Path(sys.argv[1], "kept"))
    try:
        list(blocks(slow, range(6), effort, name="slow"))
    except KeyboardInterrupt:
        sys.exit(130)
"""


def test_control_c_ends_the_workers_and_keeps_what_is_done(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    with started(
        [sys.executable, str(script), str(tmp_path)],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        while not (tmp_path / "waiting").exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
    (folder,) = (tmp_path / "kept").iterdir()
    assert sorted(path.name for path in folder.glob("*.npz")) == [
        "part-000000.npz",
        "part-000001.npz",
    ]


@pytest.mark.filterwarnings("default")
def test_a_cluster_gives_the_same(tmp_path):
    distributed = pytest.importorskip("distributed")
    effort = Effort(checkpoint=tmp_path)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        there = Effort(scheduler=cluster.scheduler_address, checkpoint=tmp_path)
        assert same(run(there), run(Effort()))
        assert same(run(there), run(Effort()))
        assert run(there, tasks=[]) == []
    assert same(run(effort), run(Effort()))


def test_no_scheduler_answers(monkeypatch):
    monkeypatch.setattr(parallel, "PATIENCE", "100ms")
    with refuses(InvalidArgument, "dask-scheduler-tcp-127"):
        run(Effort(scheduler="tcp://127.0.0.1:1"))
    with refuses(InvalidArgument, "start-it-or-leave-scheduler"):
        run(Effort(scheduler="nonsense://x"))


def test_without_the_package_a_scheduler_is_refused(monkeypatch):
    monkeypatch.setattr(parallel, "distributed", late("nowhere", extra="cluster"))
    with refuses(InvalidArgument, "deniable-nowhere-for-this-none: nowhere | cluster"):
        run(Effort(scheduler="tcp://127.0.0.1:1"))


def ending(task):
    os._exit(9 if task else 8)


def test_a_worker_that_ends_by_itself_is_an_error_in_a_sentence():
    with refuses(InvalidArgument, "ended-by-itself"):
        run(Effort(workers=2), function=ending)
