"""The results of a sweep: a folder of Parquet files that are whole at all times."""

from __future__ import annotations

import datetime
import fcntl
import json
import os
import pathlib
import socket
import sys
from collections.abc import Sequence
from typing import Any

import numpy
import pyarrow
import pyarrow.parquet

from civita.sweeps.study import Study
from civita.sweeps.study_file import StudyError
from civita.sweeps.summary import summarize
from civita.sweeps.work import PlannedRun, Result

_KEPT = ("done", "failed")  # errors are tried again


class Store:
    """The folder of one sweep, locked. Close it, or use it in a with statement."""

    def __init__(self, directory: str | os.PathLike[str], study: Study):
        self.directory = pathlib.Path(directory)
        self._study = study
        self._types: dict[str, Any] = {}
        try:
            (self.directory / "runs").mkdir(parents=True, exist_ok=True)
            self._lock = open(self.directory / "lock", "a+", encoding="utf-8")
        except OSError as error:
            raise StudyError(f"--out {directory}: {(error.strerror or str(error)).lower()}") from None
        try:
            self._take_lock()
        except BaseException:
            self._lock.close()
            raise
        parts = self._parts()
        self._number = max((int(part.stem.partition("-")[2]) for part in parts), default=0)
        for rest in (*self.directory.glob("runs/.*.tmp"), *self.directory.glob("signals/.*.tmp")):
            rest.unlink()
        self._write(self.directory / "study.json", lambda file: file.write(_text(study).encode()))

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the lock back."""
        self._lock.close()

    def missing(self) -> list[PlannedRun]:
        """The runs of the study that have to be made."""
        names: set[str] = set()
        for part in self._parts():
            table = _read(part, ["run", "status"])
            for name, status in zip(table["run"].to_pylist(), table["status"].to_pylist(), strict=True):
                if status in _KEPT:
                    names.add(name)
        return [run for run in self._study.runs if run.name not in names]

    def append(self, runs: Sequence[PlannedRun], results: Sequence[Result]) -> None:
        """Adds runs as one file, after their signals."""
        for run, result in zip(runs, results, strict=True):
            if result.signals:
                path = self.directory / "signals" / f"{run.name}.npz"
                path.parent.mkdir(exist_ok=True)
                self._write(path, lambda file, arrays=result.signals: numpy.savez(file, **arrays))
        self._number += 1
        table = self._table(runs, results)
        path = self.directory / "runs" / f"part-{self._number:06}.parquet"
        self._write(path, lambda file: pyarrow.parquet.write_table(table, file))

    def read(self, columns: Sequence[str] | None = None) -> pyarrow.Table:
        """The rows of this study that exist, in its order."""
        parts = [_read(part) for part in self._parts()]
        if not parts:
            return self._table([], [])
        try:
            table = pyarrow.concat_tables(parts, promote_options="permissive")
        except pyarrow.ArrowInvalid as error:
            raise StudyError(f"{self.directory}: has rows of a study with other types: {error}") from None
        rows = {name: i for i, name in enumerate(table["run"].to_pylist())}  # the last one counts
        order = [rows[run.name] for run in self._study.runs if run.name in rows]
        table = table.take(pyarrow.array(order, pyarrow.int64()))
        return table.select(columns) if columns else table

    def write_summary(self, table: pyarrow.Table) -> dict[str, Any]:
        """Writes summary.json of the rows that read() gave, and returns what is in it."""
        summary = summarize(self._study, table)
        text = json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
        self._write(self.directory / "summary.json", lambda file: file.write(text.encode()))
        return summary

    def _parts(self) -> list[pathlib.Path]:
        return sorted((self.directory / "runs").glob("part-*.parquet"))

    def _take_lock(self) -> None:
        """The system frees the lock of a process that has died."""
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.seek(0)
            holder = self._lock.read().strip() or "another process"
            raise StudyError(f"--out {self.directory}: in use by {holder}") from None
        self._lock.seek(0)
        self._lock.truncate()
        since = datetime.datetime.now().isoformat(" ", "seconds")
        self._lock.write(f"process {os.getpid()} on {socket.gethostname()} since {since}\n")
        self._lock.flush()

    @staticmethod
    def _write(path: pathlib.Path, write: Any) -> None:
        """Writes a file that is whole or not there."""
        temporary = path.with_name(f".{path.name}.tmp")  # which readers of Parquet datasets ignore
        with open(temporary, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)

    def _table(self, runs: Sequence[PlannedRun], results: Sequence[Result]) -> pyarrow.Table:
        text = pyarrow.string()
        columns: dict[str, Any] = {
            "run": pyarrow.array([run.name for run in runs], text),
            "seed": pyarrow.array([run.seed for run in runs], pyarrow.int64()),
        }
        for key in self._study.keys:
            values = [run.varied[key] for run in runs]
            kind = self._type(key)
            if kind == text:
                values = [x if isinstance(x, str) else json.dumps(x) for x in values]
            columns[key] = pyarrow.array(values, kind)
        columns["status"] = pyarrow.array([result.status for result in results], text)
        columns["reason"] = pyarrow.array([result.reason for result in results], text)
        columns["t_end_s"] = pyarrow.array([result.t_end_s for result in results], pyarrow.float64())
        names = dict.fromkeys(name for result in results for name in result.metrics)
        for name in names:
            values = [result.metrics.get(name) for result in results]
            columns[name] = pyarrow.array(values, pyarrow.float64())
        columns["wall_s"] = pyarrow.array([result.wall_s for result in results], pyarrow.float64())
        columns["config"] = pyarrow.array([result.config for result in results], text)
        for name, version in zip(("civita", "mujoco"), self._study.job.versions, strict=True):
            columns[name] = pyarrow.array([version] * len(runs), text)
        return pyarrow.table(columns)

    def _type(self, key: str) -> Any:
        """One type for all values of a key: numbers, lists of numbers, truth values, or text."""
        if key not in self._types:
            self._types[key] = pyarrow.string()
            values = next((axis.values for axis in self._study.axes if axis.key == key), None)
            if values is None:
                each = next(d for d in self._study.distributed if d.key == key)
                number = pyarrow.int64() if each.is_discrete else pyarrow.float64()
                self._types[key] = number if each.size is None else pyarrow.list_(number)
            elif all(isinstance(x, bool) for x in values):
                self._types[key] = pyarrow.bool_()
            elif all(map(_is_number, values)):
                whole = all(isinstance(x, int) for x in values)
                self._types[key] = pyarrow.int64() if whole else pyarrow.float64()
            elif all(isinstance(x, list) and all(map(_is_number, x)) for x in values):
                self._types[key] = pyarrow.list_(pyarrow.float64())
        return self._types[key]


def _is_number(x: object) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool)


def _text(study: Study) -> str:
    """The study as it was given, which is YAML, and the command that continues it."""
    return json.dumps({"study": study.content, "command": sys.argv}, indent=2) + "\n"


def _read(part: pathlib.Path, columns: list[str] | None = None) -> pyarrow.Table:
    try:
        return pyarrow.parquet.read_table(part, columns=columns, partitioning=None)
    except (pyarrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise StudyError(f"{part}: cannot be read ({reason}); without it its runs are made again") from None
