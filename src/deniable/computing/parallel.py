"""Independent parts of long work, in their order whatever does them.

The only place that imports joblib and Dask. A part is a pure function of its task, so that neither
the number of workers nor an interruption changes a result.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import threading
import warnings
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from importlib import metadata
from pathlib import Path
from pickle import PicklingError
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.errors.late import late
from deniable.numerics.effort import Effort, ends_at, moment

if TYPE_CHECKING:
    import distributed
    import joblib
else:
    distributed = late("distributed", extra="cluster")
    joblib = late("joblib")


StoredArrays: TypeAlias = dict[str, NDArray[Any]]
_STAMP = "__stamp__"


def digest(text: str) -> str:
    """A short name of a long key."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def job_folder(checkpoint: Path, key: str) -> Path:
    """The folder of one job, named by its key; made where it is missing."""
    name = re.sub(r"[^A-Za-z0-9-]+", "-", key)[:40].strip("-")
    folder = checkpoint / f"{name}-{digest(key)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InvalidArgument(
            f"Expected a folder for the checkpoint, got {str(checkpoint)!r}, not a folder."
        ) from None
    return folder


@attrs.frozen
class Part:
    """One part's place on disk, and the stamp that says what it is a result of."""

    path: Path
    stamp: str

    def load(self) -> StoredArrays | None:
        """The kept arrays; None where they are missing, damaged or another task's."""
        try:
            with self.path.open("rb") as file, np.load(file, allow_pickle=False) as file_arrays:
                kept = {name: file_arrays[name] for name in file_arrays.files}
        except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile, zlib.error):
            return None
        stamp = kept.pop(_STAMP, None)
        return kept if stamp is not None and str(stamp) == self.stamp else None

    def save(self, arrays: StoredArrays) -> None:
        """Keep the arrays: the file appears whole or not at all."""
        unfinished = self.path.with_name(f"{self.path.name}.{os.getpid()}.unfinished")
        try:
            with unfinished.open("wb") as file:
                np.savez(file, **{_STAMP: np.array(self.stamp)}, **arrays)  # type: ignore[arg-type]
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(self.path)
        finally:
            unfinished.unlink(missing_ok=True)


try:
    import resource
except ImportError:  # not on this system
    resource = None  # type: ignore[assignment]


def memory() -> int:
    """Bytes that this machine, the container or the process itself (`ulimit -v`) may have."""
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not on this system
        machine = 2**33  # Bytes that are assumed where the system does not tell: 8 GiB.
    if resource is not None:
        allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
        machine = machine if allowed == resource.RLIM_INFINITY else min(machine, allowed)
    try:
        return min(machine, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    except (OSError, ValueError):  # no container, or one without a limit ("max")
        return machine


Task = TypeVar("Task")
Arrays: TypeAlias = StoredArrays
PATIENCE = "10s"
"""How long a scheduler may take to answer."""


@attrs.frozen
class _Job:
    """One task with the place of its result, if it is kept."""

    function: Callable[[Any], Arrays]
    task: Any
    part: Part | None
    until: float

    def __call__(self) -> Arrays:
        with ends_at(self.until):
            arrays = self.function(self.task)
        if self.part is not None:
            self.part.save(arrays)
        return arrays


def blocks(
    function: Callable[[Task], Arrays],
    tasks: Sequence[Task],
    effort: Effort,
    *,
    name: str,
    weights: Sequence[float] | None = None,
    keys: Sequence[str] | None = None,
) -> Iterator[Arrays]:
    """Yield function(task) for every task, in order, as soon as it is known.

    The module-level function returns arrays by name, of a picklable task and of nothing else.
    `workers` of `effort` do the work, or the Dask cluster behind its `scheduler`; finished parts
    are kept in its `checkpoint`. Time limits are the caller's: leaving the loop ends the work. A
    part that asks `effort` whether time is over sees the caller's limit. `name` is the kind of
    work; a job is told from others of its kind by its tasks, which hold everything that determines
    their results. With `weights`, the work in each task, `effort.progress` is told the share that
    is done. `keys` are what determines the result of each task, where that is not what its pickle
    says: a kept part is another task's unless the keys are the same.
    """
    # The clock of another machine shows another time.
    until = math.inf if effort.scheduler is not None else moment()
    parts: list[Part | None] = [None] * len(tasks)
    if effort.checkpoint is not None:
        place = f"{metadata.version('deniable')} {function.__module__}.{function.__qualname__}"
        try:
            hashes = [joblib.hash(task) for task in (tasks if keys is None else keys)]
        except PicklingError:  # its message shows the task, and with it the data
            raise InvalidArgument(
                "Expected a function that can be imported, where a checkpoint is kept, got one "
                "that cannot. Define it in a module, or leave the checkpoint out."
            ) from None
        folder = job_folder(effort.checkpoint, f"{name} {place} {' '.join(hashes)}")
        parts = [
            Part(folder / f"part-{i:06}.npz", digest(f"{name} {place} {i} {len(tasks)} {each}"))
            for i, each in enumerate(hashes)
        ]
    kept = {i: part for i, part in enumerate(parts) if part is not None and part.path.exists()}
    done_before = {i for i, part in kept.items() if part.load() is not None}
    jobs = [
        _Job(function, task, part, until)
        for i, (task, part) in enumerate(zip(tasks, parts, strict=True))
        if i not in done_before
    ]
    total, done = sum(weights) if weights is not None else 0.0, 0.0
    with closing(_run(jobs, effort)) as fresh:
        for i in range(len(tasks)):
            result = kept[i].load() if i in done_before else None
            if i in done_before and result is None:  # it was there a moment ago
                result = function(tasks[i])
            yield next(fresh) if result is None else result
            if weights is not None and total > 0:
                done += weights[i]
                effort.progress(min(done / total, 1.0))


def _run(jobs: list[_Job], effort: Effort) -> Generator[Arrays, None, None]:
    if effort.scheduler is not None:
        return _on_cluster(jobs, effort.scheduler)
    if effort.workers == 1 or len(jobs) < 2:
        return (job() for job in jobs)
    return _in_processes(jobs, min(effort.workers, len(jobs)))


def _in_processes(jobs: list[_Job], workers: int) -> Generator[Arrays, None, None]:
    with joblib.parallel_config("loky", inner_max_num_threads=1):
        pool = joblib.Parallel(n_jobs=workers, return_as="generator")
        results = pool(joblib.delayed(job)() for job in jobs)
    try:
        for result in results:  # noqa: UP028 - yield from would close it where it warns
            yield result
    except joblib.externals.loky.process_executor.BrokenProcessPool as error:
        raise InvalidArgument(
            f"Expected workers that finish their work, got one that ended by itself ({workers} "
            "workers). If memory ran out, ask for fewer; a function that ends its process is no "
            "target."
        ) from error
    finally:
        with warnings.catch_warnings(action="ignore"), _cancelling():
            results.close()


@contextmanager
def _cancelling() -> Iterator[None]:
    """Say nothing of work that is cancelled on purpose.

    The thread that gives work to loky's workers ends with a KeyError where a task was cancelled
    before the thread passed it on.
    """
    before = threading.excepthook

    def report(error: threading.ExceptHookArgs) -> None:
        thread = error.thread.name if error.thread is not None else ""
        if error.exc_type is not KeyError or thread != "ExecutorManagerThread":
            before(error)

    threading.excepthook = report
    try:
        yield
    finally:
        threading.excepthook = before


def _on_cluster(jobs: list[_Job], address: str) -> Generator[Arrays, None, None]:
    """Results come back in any order, are kept here, and leave in order."""
    if not jobs:
        return
    connected = distributed.Client  # before the try: a missing package is another error
    try:
        client = connected(address, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError):
        raise InvalidArgument(
            f"Expected a Dask scheduler at {address!r}, got no answer from one. "
            "Start it, or leave --scheduler out."
        ) from None
    with client:
        bare = [attrs.evolve(job, part=None) for job in jobs]
        futures = [client.submit(job, pure=False) for job in bare]
        place = {future.key: i for i, future in enumerate(futures)}
        waiting: dict[int, Arrays] = {}
        following = 0
        finished = distributed.as_completed(futures, with_results=True, loop=client.loop)  # type: ignore[no-untyped-call]
        try:
            for future, arrays in finished:
                i = place[future.key]
                if (part := jobs[i].part) is not None:
                    part.save(arrays)
                waiting[i] = arrays
                future.release()
                while following in waiting:
                    yield waiting.pop(following)
                    following += 1
        except (distributed.KilledWorker, distributed.client.FutureCancelledError):
            raise InvalidArgument(
                "Expected workers that finish their work, got several that ended by themselves, or "
                "a scheduler that did. If memory ran out, give each worker more. With --checkpoint "
                "the same command goes on where this one ended."
            ) from None
