"""The results of a sweep: a folder of Parquet files that are whole at all times."""

from __future__ import annotations

import contextlib
import datetime
import errno
import fcntl
import json
import os
import pathlib
import re
import socket
import stat
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pyarrow
import pyarrow.compute
import pyarrow.parquet

from civita.sweeps.study import Study
from civita.sweeps.study_file import StudyError
from civita.sweeps.summary import results_table, summarize
from civita.sweeps.work import PlannedRun, Result

_KEPT = ("done", "failed")  # errors are tried again
_KEYS = b"civita.keys"  # of the metadata of a part: what varied
_TEXT, _NUMBER = pyarrow.string(), pyarrow.float64()


class Store:
    """The folder of one sweep, locked. Close it, or use it in a with statement."""

    def __init__(self, directory: str | os.PathLike[str], study: Study):
        self.directory = pathlib.Path(directory)
        self._study = study
        self._types = {key: _type(key, study) for key in study.keys}
        try:
            (self.directory / "runs").mkdir(parents=True, exist_ok=True)
            for name in ("runs", "signals"):
                self._check_folder(name)
            # Not through a link, which may lead to anybody's file.
            lock = os.open(self.directory / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        except OSError as error:
            why = "its file lock is a link" if error.errno == errno.ELOOP else _reason(error)
            raise StudyError(f"--out {directory}: {why}") from None
        self._lock = open(lock, "r+", encoding="utf-8", errors="replace")
        try:
            info = os.fstat(lock)
            if not stat.S_ISREG(info.st_mode) or info.st_nlink > 1:
                raise StudyError(f"--out {directory}: its file lock is no file of its own")
            self._take_lock()
            parts = self._parts()
            self._check_types(parts)
            self._number = max((int(part.stem.partition("-")[2]) for part in parts), default=0)
            for folder in (self.directory, self.directory / "runs", self.directory / "signals"):
                for rest in folder.glob(".*.tmp"):
                    if rest.is_symlink() or rest.is_file():
                        rest.unlink()
            self._write(self.directory / "study.json", lambda file: file.write(_text(study).encode()))
        except BaseException:
            self._lock.close()
            raise

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
                self._check_folder("signals")
                self._write(path, lambda file, arrays=result.signals: numpy.savez(file, **arrays))
        self._number += 1
        table = self._table(runs, results)
        path = self.directory / "runs" / f"part-{self._number:06}.parquet"
        self._write(path, lambda file: pyarrow.parquet.write_table(table, file))

    def read(self) -> pyarrow.Table:
        """The rows of this study that exist, in its order, with its columns."""
        wanted = pyarrow.array([run.name for run in self._study.runs], _TEXT)
        found = []
        for part in self._parts():
            table = _read(part)
            table = table.filter(pyarrow.compute.is_in(table["run"], wanted))
            if not table.num_rows:
                continue
            keys = json.loads((table.schema.metadata or {}).get(_KEYS, b"[]"))
            varied = {"seed", *keys, *self._study.keys}  # perhaps those of another study
            found.append(table.drop_columns([name for name in table.column_names if name in varied]))
        if not found:
            return self._table([], [])
        try:
            table = pyarrow.concat_tables(found, promote_options="permissive")
        except pyarrow.ArrowException as error:  # rows of an earlier version of civita
            reason = str(error).splitlines()[0]
            raise StudyError(
                f"{self.directory}: its rows have other types ({reason}); take another folder"
            ) from None
        rows = {name: i for i, name in enumerate(table["run"].to_pylist())}  # the last one counts
        runs = [run for run in self._study.runs if run.name in rows]
        table = table.take(pyarrow.array([rows[run.name] for run in runs], pyarrow.int64()))
        columns = {**self._varied(runs), **{name: table[name] for name in table.column_names}}
        last = ("wall_s", "config", "civita", "mujoco")
        names = [*(name for name in columns if name not in last), *last]
        return pyarrow.table({name: columns[name] for name in names})

    def write_results(self) -> tuple[pyarrow.Table, dict[str, Any]]:
        """Writes table.parquet, summary.json and table.json of the rows that there are, and returns both."""
        table = self.read()
        self._write(self.directory / "table.parquet", lambda file: pyarrow.parquet.write_table(table, file))
        summary = summarize(self._study, table)
        text = json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
        self._write(self.directory / "summary.json", lambda file: file.write(text.encode()))
        shown = results_table(summary)
        self._write(self.directory / "table.json", lambda file: file.write(shown.encode()))
        return table, summary

    def _check_folder(self, name: str) -> None:
        if (self.directory / name).is_symlink():
            raise StudyError(f"--out {self.directory}: its folder {name} is a link, which is not followed")

    def _parts(self) -> list[pathlib.Path]:
        parts = sorted((self.directory / "runs").glob("part-*.parquet"))
        for part in parts:
            if not re.fullmatch(r"part-[0-9]{6,12}\.parquet", part.name, re.ASCII):
                raise StudyError(f"{part}: is no part of a sweep; take another folder, or take it away")
        return parts

    def _take_lock(self) -> None:
        """The system frees the lock of a process that has died."""
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.seek(0)
            holder = self._lock.read().strip() or "another process"
            raise StudyError(f"--out {self.directory}: in use by {holder}") from None
        since = datetime.datetime.now().isoformat(" ", "seconds")
        holder = f"process {os.getpid()} on {socket.gethostname()} since {since}\n"
        try:  # without a buffer, which a full disk would keep from being closed
            os.ftruncate(self._lock.fileno(), 0)
            os.write(self._lock.fileno(), holder.encode())
        except OSError as error:
            raise StudyError(f"--out {self.directory}: {_reason(error)}") from None

    @staticmethod
    def _write(path: pathlib.Path, write: Any) -> None:
        """Writes a file that is whole or not there, and its folder."""
        temporary = path.with_name(f".{path.name}.tmp")  # which readers of Parquet datasets ignore
        try:
            path.parent.mkdir(exist_ok=True)
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()  # of a sweep that was killed, or a link
            with open(temporary, "xb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise StudyError(
                f"{path}: cannot be written ({_reason(error)}); what was done before is kept, and the same "
                "command goes on"
            ) from None

    def _table(self, runs: Sequence[PlannedRun], results: Sequence[Result]) -> pyarrow.Table:
        columns = self._varied(runs)
        columns["status"] = pyarrow.array([result.status for result in results], _TEXT)
        columns["reason"] = pyarrow.array([result.reason for result in results], _TEXT)
        columns["t_end_s"] = pyarrow.array([result.t_end_s for result in results], _NUMBER)
        names = dict.fromkeys(name for result in results for name in result.metrics)
        for name in names:
            values = [result.metrics.get(name) for result in results]
            columns[name] = pyarrow.array(values, _NUMBER)
        columns["wall_s"] = pyarrow.array([result.wall_s for result in results], _NUMBER)
        columns["config"] = pyarrow.array([result.config for result in results], _TEXT)
        for name, version in zip(("civita", "mujoco"), self._study.job.versions, strict=True):
            columns[name] = pyarrow.array([version] * len(runs), _TEXT)
        return pyarrow.table(columns, metadata={_KEYS: json.dumps(self._study.keys)})

    def _varied(self, runs: Sequence[PlannedRun]) -> dict[str, Any]:
        """The columns that the study tells."""
        columns: dict[str, Any] = {
            "run": pyarrow.array([run.name for run in runs], _TEXT),
            "seed": pyarrow.array([run.seed for run in runs], pyarrow.int64()),
        }
        for key, kind in self._types.items():
            values = [run.varied[key] for run in runs]
            if kind == _TEXT:
                values = [x if isinstance(x, str) else json.dumps(x) for x in values]
            columns[key] = pyarrow.array(values, kind)
        return columns

    def _check_types(self, parts: Sequence[pathlib.Path]) -> None:
        """Refuses a key whose values are of another kind than in the rows that are there."""
        for part in parts:
            schema = _read_schema(part)
            for key, kind in self._types.items():
                if key in schema.names and _kind(schema.field(key).type) != _kind(kind):
                    was, now = _kind(schema.field(key).type), _kind(kind)
                    self._study.places.refuse(
                        self._study.path_of(key),
                        f"{now} here, and {was} in the rows of {part}; take another folder",
                    )


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _type(key: str, study: Study) -> Any:
    """One type for all values of a key: numbers, lists of numbers, truth values, or text. A number is
    of one type whether it is whole or not, as a longer study may have others."""
    values = next((axis.values for axis in study.axes if axis.key == key), None)
    if values is None:
        each = next(d for d in study.distributed if d.key == key)
        return _NUMBER if each.size is None else pyarrow.list_(_NUMBER)
    if all(isinstance(x, bool) for x in values):
        return pyarrow.bool_()
    if all(map(_is_number, values)):
        return _NUMBER
    if all(isinstance(x, list) and all(map(_is_number, x)) for x in values):
        return pyarrow.list_(_NUMBER)
    return _TEXT


def _kind(kind: Any) -> str:
    """Of a column's type, in words."""
    if pyarrow.types.is_boolean(kind):
        return "truth values"
    if pyarrow.types.is_list(kind):
        return "lists of numbers"
    return "texts" if pyarrow.types.is_string(kind) else "numbers"


def _is_number(x: object) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool)


def _text(study: Study) -> str:
    """The study as it was given, which is YAML, and the command that continues it."""
    return json.dumps({"study": study.content, "command": sys.argv}, indent=2) + "\n"


def _read(part: pathlib.Path, columns: list[str] | None = None) -> pyarrow.Table:
    return _readable(part, lambda: pyarrow.parquet.read_table(part, columns=columns, partitioning=None))


def _read_schema(part: pathlib.Path) -> pyarrow.Schema:
    return _readable(part, lambda: pyarrow.parquet.read_schema(part))


def _readable(part: pathlib.Path, read: Callable[[], Any]) -> Any:
    try:
        return read()
    except (pyarrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise StudyError(f"{part}: cannot be read ({reason}); without it its runs are made again") from None
