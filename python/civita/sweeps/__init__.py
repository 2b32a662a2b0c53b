"""Sweeps: many runs of a scene on a Dask cluster, into a Parquet dataset."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from civita.sweeps.engine import execute, open_client
from civita.sweeps.store import Store
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
    progress: bool = True,
) -> pandas.DataFrame:
    """Runs a study on a Dask cluster; see civita.sweep."""
    checked = read_study(study)
    with contextlib.ExitStack() as stack:
        folder = out or stack.enter_context(tempfile.TemporaryDirectory(prefix="civita-"))
        store = stack.enter_context(Store(folder, checked))
        if store.missing():
            execute(checked, store, client or stack.enter_context(open_client(workers=workers)), progress)
        table = store.read()
        return table.drop_columns("config").to_pandas()
