"""Runs a study on a Dask cluster, in chunks of some seconds."""

# Dask has types in part only.
# mypy: disable-error-code="no-untyped-call, type-arg"

from __future__ import annotations

import concurrent.futures
import contextlib
import importlib
import multiprocessing.resource_tracker
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import dask
import distributed
import numpy
from distributed.comm.core import CommClosedError
from distributed.deploy.cluster import Cluster
from numpy.typing import NDArray

from civita import _civita, _progress
from civita.sweeps.progress import Progress
from civita.sweeps.store import Store
from civita.sweeps.study import Study
from civita.sweeps.study_file import StudyError, read_study_file
from civita.sweeps.variations import check_keys, whole_number
from civita.sweeps.work import PlannedRun, Result, failed_to_run, run_chunk

CHUNK_S = 2.0  # of computation, or more on many workers:
_CHUNKS = 50  # a second, which the scheduler and the process that writes take in
_WAITING = 2  # chunks for each worker: one runs, one waits
_CHECK_S = 1.0  # between looks at the workers
_TRIES = 3  # to start workers that die meanwhile
# Dask's own logs keep the last thousand messages, with the runs that are in them.
_SHORT_LOGS = {
    "distributed.admin.low-level-log-length": 10,
    "distributed.admin.system-monitor.log-length": 60,
}


@contextlib.contextmanager
def open_client(
    scheduler: str = "", workers: int = 0, cluster_file: str = ""
) -> Iterator[distributed.Client]:
    """A client of the scheduler at an address, of the cluster of a file, or of one on this machine."""
    make = _cluster_of(cluster_file, workers) if cluster_file else lambda: _local_cluster(workers)

    def open_all() -> contextlib.ExitStack:
        with contextlib.ExitStack() as stack:
            if scheduler:
                try:
                    clients.append(distributed.Client(scheduler, timeout=10))
                except (OSError, ValueError) as error:
                    raise StudyError(f"--scheduler {scheduler}: does not answer ({error})") from None
            else:
                cluster = stack.enter_context(make())
                clients.append(distributed.Client(cluster))
            stack.callback(clients[0].close)  # as a context it would be of the thread that enters it
            return stack.pop_all()

    clients: list[distributed.Client] = []
    with dask.config.set(_SHORT_LOGS), contextlib.ExitStack() as stack:
        with _interrupts_later():
            stack.callback(_close, _start(open_all))
        yield clients[0]


@contextlib.contextmanager
def _interrupts_later() -> Iterator[None]:
    """An interrupt within comes at its end: Dask would leave things half open or half closed."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    came: list[Any] = []
    signal.signal(signal.SIGINT, lambda *signalled: came.append(signalled))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            before(*came[0])


def _close(opened: contextlib.ExitStack) -> None:
    with _interrupts_later():
        opened.close()


def _start(open_all: Callable[[], contextlib.ExitStack]) -> contextlib.ExitStack:
    """Opens a cluster and its client on a thread without interrupts, as are then the processes that it and
    Dask's threads start: Ctrl-C goes to all processes of a terminal, but what ends the workers, those too
    that replace others, is the sweep's end."""
    outcome: concurrent.futures.Future[contextlib.ExitStack] = concurrent.futures.Future()

    def work() -> None:
        multiprocessing.resource_tracker.ensure_running()  # else the first process would unblock it
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            outcome.set_result(open_all())
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return outcome.result()


def _local_cluster(workers: int) -> Any:
    for left in reversed(range(_TRIES)):
        try:
            return distributed.LocalCluster(
                n_workers=workers or len(os.sched_getaffinity(0)),
                threads_per_worker=1,
                processes=True,
                memory_limit=0,  # the runs are small; pauses of the nanny would only disturb
                dashboard_address="127.0.0.1:0",
                silence_logs=50,
            )
        except (OSError, RuntimeError) as error:  # as where there is no room for temporary files
            # Nobody else replaces a worker that dies before it has told its address.
            if left and (isinstance(error, CommClosedError) or "Nanny failed" in str(error)):
                continue
            raise StudyError(f"the workers on this machine do not start: {error}") from None
    raise AssertionError


def _cluster_of(file: str, workers: int) -> Callable[[], Any]:
    """What makes a cluster by the class and the arguments of a YAML file, as of dask-jobqueue."""
    content, places = read_study_file(file)
    if not isinstance(content, dict):
        places.refuse((), "a map with the keys class, arguments, workers")
    check_keys(content, ("class", "arguments", "workers"), (), places)
    if not _civita.trusts_configs():
        places.refuse(("class",), "the class, and commands of its jobs, are code: allowed with --trust only")
    module, _, name = str(content.get("class", "")).rpartition(".")
    handler = signal.getsignal(signal.SIGINT)
    try:
        cluster_class = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        places.refuse(("class",), f"{error}; write as dask_jobqueue.SLURMCluster")
    finally:
        # dask_jobqueue takes Ctrl-C for itself, and would end the sweep without a word.
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)
    if not (isinstance(cluster_class, type) and issubclass(cluster_class, Cluster)):
        places.refuse(
            ("class",), f"{module}.{name}: no cluster of Dask's; write as dask_jobqueue.SLURMCluster"
        )
    arguments = content.get("arguments", {})
    if not isinstance(arguments, dict):
        places.refuse(("arguments",), f"a map of keys, not {arguments!r}")
    count = workers or whole_number(content.get("workers", 1), ("workers",), places, 1)

    def make() -> Any:
        try:
            cluster = cluster_class(**arguments)
        except Exception as error:
            places.refuse(("arguments",), f"{type(error).__name__}: {error}")
        cluster.scale(count)
        return cluster

    return make


def execute(study: Study, store: Store, client: distributed.Client, shown: _progress.Progress) -> None:
    """Makes the runs that the store does not have. After an interrupt all chunks done are kept."""
    runs = store.missing(shown)
    progress = Progress(len(study), len(study) - len(runs), shown)
    work = _Execution(study, runs, store, client, progress)
    try:
        work.run()
    finally:
        work.stop()
        progress.erase()


class _Execution:
    """Chunks on their way."""

    def __init__(
        self,
        study: Study,
        runs: NDArray[numpy.int64],
        store: Store,
        client: distributed.Client,
        progress: Progress,
    ):
        self._study, self._store, self._client, self._progress = study, store, client, progress
        self._suspects: list[PlannedRun] = []  # of chunks whose workers died: made again, each alone
        self._is_alone = False
        self._runs = runs  # not yet in a chunk
        self._ended: queue.SimpleQueue[distributed.Future] = queue.SimpleQueue()
        self._on_the_way: dict[distributed.Future, list[PlannedRun]] = {}
        self._measured_s, self._measured = 0.0, 0
        self._workers, self._next_look = 0, 0.0

    def run(self) -> None:
        while True:
            self._look_at_workers()
            self._submit()
            if not self._on_the_way:
                return
            self._progress.show(self._workers)
            with contextlib.suppress(queue.Empty):
                self._take(self._ended.get(timeout=0.2))

    def stop(self) -> None:
        """Keeps what has come in meanwhile and takes back the rest."""
        with contextlib.suppress(queue.Empty):
            while self._on_the_way:
                self._take(self._ended.get_nowait())
        if self._on_the_way and self._client.status == "running":
            self._client.cancel(list(self._on_the_way), force=True)
        self._on_the_way.clear()

    def _look_at_workers(self) -> None:
        if time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + _CHECK_S
        if self._client.status != "running":
            raise StudyError("the scheduler is gone; what was done is kept")
        self._workers = sum(self._client.nthreads().values())

    def _submit(self) -> None:
        while len(self._on_the_way) < max(1, _WAITING * self._workers):
            # What waits on a worker that dies would be blamed with the run that killed it.
            if self._on_the_way and (self._suspects or self._is_alone):
                return
            self._is_alone = bool(self._suspects)
            chunk = [self._suspects.pop()] if self._is_alone else self._next_chunk()
            if not chunk:
                return
            future = self._client.submit(run_chunk, self._study.job, chunk, pure=False)
            self._on_the_way[future] = chunk
            future.add_done_callback(self._ended.put)

    def _next_chunk(self) -> list[PlannedRun]:
        size = self._size()
        chunk, self._runs = self._runs[:size], self._runs[size:]
        return self._study.runs_at(chunk)

    def _size(self) -> int:
        """Runs of CHUNK_S by what was measured; fewer near the end, so that all end together."""
        if not self._measured:
            return 1
        seconds = max(CHUNK_S, self._workers / _CHUNKS)
        by_time = seconds * self._measured / max(self._measured_s, 1e-9)
        share = (len(self._runs) + len(self._suspects)) / (_WAITING * max(self._workers, 1))
        return max(1, int(min(by_time, max(share, by_time / 8))))

    def _take(self, future: distributed.Future) -> None:
        chunk = self._on_the_way.pop(future, None)
        if chunk is None:
            return
        if future.status == "finished":
            results: list[Result] = future.result()
            self._measured += len(chunk)
            self._measured_s += sum(result.wall_s for result in results)
            self._keep(chunk, results)
            return
        error = future.exception() if future.status == "error" else None
        if not isinstance(error, distributed.KilledWorker):
            raise StudyError(f"the cluster cannot make the runs: {error or future.status}")
        if self._is_alone:
            self._keep(chunk, [failed_to_run("every worker that tried it died")])
        else:
            self._suspects += chunk

    def _keep(self, chunk: list[PlannedRun], results: list[Result]) -> None:
        self._store.append(chunk, results)
        self._progress.add([result.status for result in results])
