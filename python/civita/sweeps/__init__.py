"""Sweeps: many runs of a scene on a Dask cluster, into a Parquet dataset."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from civita._extras import need
from civita._progress import Progress
from civita.sweeps.engine import execute, open_client
from civita.sweeps.store import Store, take_plan
from civita.sweeps.study import Study, read_study
from civita.sweeps.study_file import StudyError

if TYPE_CHECKING:
    import distributed
    import pandas

__all__ = ["Study", "StudyError", "read_study", "sweep"]


def sweep(
    study: str | os.PathLike[str] | Mapping[str, Any],
    client: distributed.Client | None = None,
    out: str | os.PathLike[str] | None = None,
    *,
    workers: int = 0,
    progress: Progress = True,
) -> pandas.DataFrame:
    """Runs a study on a Dask cluster; docs/sweep.md has its keys and columns.

    Parameters
    ----------
    study : path or mapping
        A study file, or its content.
    client : distributed.Client, optional
        Of the cluster; by default one of processes on this machine.
    out : path, optional
        Folder of table.parquet and the runs, in which a stopped sweep goes on; by default none is kept.
    workers : int
        Processes on this machine, by default one a core.
    progress : bool or callable
        As for civita.run.

    Returns
    -------
    DataFrame
        A row for each run, also where it failed: see its status and reason.

    Raises
    ------
    StudyError
        A ValueError, in one line: what is wrong with the study, or the folder is in use or full.
    KeyboardInterrupt
        After Ctrl-C; what was done is in `out`.
    """
    need("pandas", "civita.sweep", "sweeps")
    checked = read_study(study, lambda each: out is not None and take_plan(each, out))
    with contextlib.ExitStack() as stack:
        folder = out or stack.enter_context(tempfile.TemporaryDirectory(prefix="civita-"))
        store = stack.enter_context(Store(folder, checked))
        if len(store.missing(progress)):
            execute(checked, store, client or stack.enter_context(open_client(workers=workers)), progress)
        table = store.read() if out is None else store.write_results()[0]
        return table.to_pandas()
