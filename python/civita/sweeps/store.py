"""The results of a sweep: a folder of Parquet files that are whole at all times."""

from __future__ import annotations

import contextlib
import datetime
import errno
import fcntl
import functools
import itertools
import json
import os
import pathlib
import re
import socket
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy
import pyarrow
import pyarrow.compute
import pyarrow.parquet
from numpy.typing import NDArray

from civita._progress import Progress
from civita.sweeps.study import Study
from civita.sweeps.study_file import StudyError
from civita.sweeps.summary import results_table, summarize
from civita.sweeps.work import PlannedRun, Result

_KEPT = ("done", "failed")  # errors are tried again
# Of the metadata of files:
_KEYS = b"civita.keys"  # what varied
_KIND = b"civita.kind"  # of parts that can be one: what determines their columns
_JOINED = b"civita.joined"  # the number of chunks in a part, and the parts that it replaces
_STUDY = b"civita.study"  # its key, and of a table with all its runs what this was made of
_UNITS = b"civita.units"  # of metrics
_FAN = 32  # parts of a size become one
_GROUP = 4096  # rows that are read and written at once
_PLANNED = 1000  # runs of which the plan is kept
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
            schemas = {part: _read_schema(part) for part in self._parts()}
            self._check_types(schemas)
            self._number = max(map(_number, schemas), default=0)
            self._last = self._take_parts(schemas)  # numbers and chunks of parts that can be joined
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

    def missing(self, shown: Progress = False) -> NDArray[numpy.int64]:
        """The numbers of the runs of the study that have to be made."""
        if self._finished():
            return numpy.arange(0)
        self._study.plan(shown)
        names = self._study.names
        if len(names) >= _PLANNED and not take_plan(self._study, self.directory):
            metadata = {_STUDY: self._study.key, _UNITS: json.dumps(self._study.units)}
            plan = pyarrow.table({"run": pyarrow.array(names).cast(_TEXT)}, metadata=metadata)
            self._write(self.directory / "plan.parquet", lambda file: _write_rows(file, plan.schema, [plan]))
        kept = [names[:0]]
        for part in self._parts():
            table = _read(part, ["run", "status"])
            kept.append(_names(table.filter(pyarrow.compute.is_in(table["status"], pyarrow.array(_KEPT)))))
        return numpy.flatnonzero(~numpy.isin(names, numpy.concatenate(kept)))

    def append(self, runs: Sequence[PlannedRun], results: Sequence[Result]) -> None:
        """Adds runs as one part, after their signals as one."""
        self._number += 1
        if any(result.signals for result in results):
            self._check_folder("signals")
            self._write_part(self._path("signals", self._number), _signals(runs, results))
        self._write_part(self._path("runs", self._number), self._table(runs, results))
        self._last.append((self._number, 1))
        while len(self._last) >= _FAN and len({chunks for _, chunks in self._last[-_FAN:]}) == 1:
            self._join(self._last[-_FAN:])

    def _join(self, parts: list[tuple[int, int]]) -> None:
        """Makes one part of several, which takes the number of the last."""
        numbers, chunks = [number for number, _ in parts], sum(chunks for _, chunks in parts)
        for folder in ("signals", "runs"):
            paths = [path for number in numbers if (path := self._path(folder, number)).exists()]
            if paths:
                last, schema = self._path(folder, numbers[-1]), _schema_of(paths)
                self._write_part(last, schema.empty_table(), _rows(paths, schema), (chunks, numbers[:-1]))
            for path in paths:
                if _number(path) != numbers[-1]:
                    path.unlink()
        self._last[-len(parts) :] = [(numbers[-1], chunks)]

    def _take_parts(self, schemas: dict[pathlib.Path, pyarrow.Schema]) -> list[tuple[int, int]]:
        """The last parts, as far as they are of the kind of this study, and how many chunks each holds.
        What a sweep that was killed left half joined, or without its rows, is taken away."""
        whole = set(map(_number, schemas))
        for folder in ("signals", "runs"):
            paths = {_number(path): path for path in _files(self.directory / folder)}
            replaced = {n for path in paths.values() for n in _joined(path)[1]}
            for number, path in paths.items():
                if number in replaced or number not in whole:
                    path.unlink()
                    schemas.pop(path, None)
        last: list[tuple[int, int]] = []
        for path in reversed(schemas):
            if (schemas[path].metadata or {}).get(_KIND) != self._metadata()[_KIND]:
                break
            last.insert(0, (_number(path), _joined(path)[0]))
        return last

    def read(self) -> pyarrow.Table:
        """The rows of this study that exist, in its order, with its columns but the config."""
        if self._finished():
            table = self.directory / "table.parquet"
            return _read(table, [name for name in _read_schema(table).names if name != "config"])
        return self._find()[0]

    def write_results(self) -> tuple[pyarrow.Table, dict[str, Any]]:
        """Writes table.parquet, summary.json and table.json of the rows that there are, if they are not
        there, and returns the rows without configs, and the summary."""
        if summary := self._finished():
            return self.read(), summary
        table, indices, configs = self._find()
        summary = summarize(self._study, table, indices)
        text = json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
        self._write(self.directory / "summary.json", lambda file: file.write(text.encode()))
        shown = results_table(summary)
        self._write(self.directory / "table.json", lambda file: file.write(shown.encode()))
        is_whole = len(indices) == len(self._study) and "error" not in summary
        place = table.schema.get_field_index("civita")
        schema = table.schema.insert(place, pyarrow.field("config", _TEXT))
        schema = schema.with_metadata({_STUDY: self._record()} if is_whole else None)
        rows = (
            table.slice(i * _GROUP, _GROUP).add_column(place, schema.field(place), texts)
            for i, texts in enumerate(configs)
        )
        self._write(self.directory / "table.parquet", lambda file: _write_rows(file, schema, rows))
        return table, summary

    def _finished(self) -> dict[str, Any] | None:
        """The summary, if there is a table with all runs of this study, of the parts that there are."""
        with contextlib.suppress(StudyError, OSError, ValueError):
            metadata = _read_schema(self.directory / "table.parquet").metadata or {}
            if metadata.get(_STUDY) == self._record() and (self.directory / "table.json").is_file():
                summary: dict[str, Any] = json.loads((self.directory / "summary.json").read_bytes())
                return summary
        return None

    def _record(self) -> bytes:
        """What a table with all runs of this study is made of."""
        parts = [[part.name, part.stat().st_size] for part in self._parts()]
        return json.dumps([self._study.key, parts]).encode()

    def _find(self) -> tuple[pyarrow.Table, NDArray[numpy.int64], Iterator[pyarrow.Array]]:
        """The rows of this study that exist, in its order, without configs; the numbers of their runs;
        and their configs, _GROUP at once."""
        names, parts = self._study.names, self._parts()
        runs = [_names(_read(part, ["run"])) for part in parts]
        is_ours = numpy.isin(numpy.concatenate([*runs, names[:0]]), names)
        ours = numpy.split(is_ours, numpy.cumsum([len(run) for run in runs]))
        found = [(part, run) for part, run, each in zip(parts, runs, ours, strict=False) if each.any()]
        if not found:
            return self._table([], []).drop_columns("config"), numpy.arange(0), iter(())
        parts, rows = [part for part, _ in found], numpy.concatenate([run for _, run in found])
        order = numpy.argsort(rows, kind="stable")
        at = numpy.searchsorted(rows[order], names, side="right") - 1  # the last of a name counts
        indices = numpy.flatnonzero(rows[order[at]] == names)
        taken = order[at[indices]]
        try:
            tables = [self._read_columns(part) for part in parts]
            table = pyarrow.concat_tables(tables, promote_options="permissive").take(pyarrow.array(taken))
        except pyarrow.ArrowException as error:  # rows of an earlier version of civita
            reason = str(error).splitlines()[0]
            raise StudyError(
                f"{self.directory}: its rows have other types ({reason}); take another folder"
            ) from None
        columns = {**self._varied(indices), **{name: table[name] for name in table.column_names}}
        last = ("wall_s", "civita", "mujoco")
        ordered = [*(name for name in columns if name not in last), *last]
        return pyarrow.table({name: columns[name] for name in ordered}), indices, _configs(parts, taken)

    def _read_columns(self, part: pathlib.Path) -> pyarrow.Table:
        """The columns of a part that its study does not tell, but the config."""
        schema = _read_schema(part)
        keys = json.loads((schema.metadata or {}).get(_KEYS, b"[]"))  # perhaps those of another study
        told = {"seed", "config", *keys, *self._study.keys}
        return _read(part, [name for name in schema.names if name not in told])

    def _check_folder(self, name: str) -> None:
        if (self.directory / name).is_symlink():
            raise StudyError(f"--out {self.directory}: its folder {name} is a link, which is not followed")

    def _path(self, folder: str, number: int) -> pathlib.Path:
        return self.directory / folder / f"part-{number:06}.parquet"

    def _parts(self) -> list[pathlib.Path]:
        parts = _files(self.directory / "runs")
        for other in set((self.directory / "runs").glob("part-*.parquet")).difference(parts):
            raise StudyError(f"{other}: is no part of a sweep; take another folder, or take it away")
        return parts

    def _metadata(self) -> dict[bytes, bytes]:
        job, keys = self._study.job, self._study.keys
        kind = [keys, job.scene, job.survive, job.metrics, job.signals, job.versions]
        return {_KEYS: json.dumps(keys).encode(), _KIND: json.dumps(kind).encode()}

    def _write_part(
        self, path: pathlib.Path, first: pyarrow.Table, more: Any = (), joined: Any = (1, ())
    ) -> None:
        """Of a table, or many with its columns."""
        schema = first.schema.with_metadata({**self._metadata(), _JOINED: json.dumps(joined)})
        self._write(path, lambda file: _write_rows(file, schema, itertools.chain([first], more)))

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
        columns = self._varied(numpy.array([run.index for run in runs], numpy.int64))
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
        return pyarrow.table(columns)

    def _varied(self, indices: NDArray[numpy.int64]) -> dict[str, Any]:
        """The columns that the study tells of the runs of these numbers."""
        told = self._study.columns_at(indices)
        columns: dict[str, Any] = {
            "run": pyarrow.array(self._study.names[indices]).cast(_TEXT),
            "seed": pyarrow.array(told["seed"], pyarrow.int64()),
        }
        for key, kind in self._types.items():
            values = told[key]
            if kind == _TEXT:
                values = [x if isinstance(x, str) else json.dumps(x) for x in values]
            columns[key] = pyarrow.array(values, kind)
        return columns

    def _check_types(self, schemas: dict[pathlib.Path, pyarrow.Schema]) -> None:
        """Refuses a key whose values are of another kind than in the rows that are there."""
        for part, schema in schemas.items():
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


def take_plan(study: Study, folder: str | os.PathLike[str]) -> bool:
    """Whether the folder keeps the plan of this study, which then has its names and units."""
    with contextlib.suppress(StudyError, ValueError):
        plan = pathlib.Path(folder) / "plan.parquet"
        metadata = _read_schema(plan).metadata or {}
        if metadata.get(_STUDY) == study.key.encode():
            study.names, study.units = _names(_read(plan, ["run"])), json.loads(metadata.get(_UNITS, b""))
            return len(study.names) == len(study)
    return False


def _signals(runs: Sequence[PlannedRun], results: Sequence[Result]) -> pyarrow.Table:
    """A row for each time of each run; vectors and matrices are lists."""
    kept = [(run.name, result.signals) for run, result in zip(runs, results, strict=True) if result.signals]
    columns = {"run": pyarrow.array([name for name, signals in kept for _ in signals["t"]], _TEXT)}
    for name in sorted(kept[0][1], key=lambda name: name != "t"):
        kind = functools.reduce(lambda x, _: pyarrow.list_(x), kept[0][1][name].shape[1:], _NUMBER)
        columns[name] = pyarrow.array([x for _, signals in kept for x in signals[name].tolist()], kind)
    return pyarrow.table(columns)


def _files(folder: pathlib.Path) -> list[pathlib.Path]:
    """The parts in a folder by their numbers."""
    name = re.compile(r"part-[0-9]{6,12}\.parquet", re.ASCII)
    return sorted((file for file in folder.glob("part-*.parquet") if name.fullmatch(file.name)), key=_number)


def _number(part: pathlib.Path) -> int:
    return int(part.stem.partition("-")[2])


def _joined(part: pathlib.Path) -> tuple[int, list[int]]:
    """How many chunks a part holds, and the numbers of the parts that it was made of."""
    with contextlib.suppress(StudyError, ValueError, TypeError):
        chunks, numbers = json.loads((_read_schema(part).metadata or {}).get(_JOINED, b"[1, []]"))
        return int(chunks), [int(number) for number in numbers]
    return 1, []


def _names(table: pyarrow.Table) -> NDArray[numpy.bytes_]:
    return numpy.array(table["run"].to_pylist(), "S32")


def _schema_of(parts: list[pathlib.Path]) -> pyarrow.Schema:
    return pyarrow.unify_schemas([_read_schema(part).remove_metadata() for part in parts])


def _rows(parts: list[pathlib.Path], schema: pyarrow.Schema) -> Iterator[pyarrow.Table]:
    """The rows of parts, in few groups."""
    tables = [schema.empty_table()]
    groups = _groups(parts)
    for part, group, _ in groups:
        tables.append(_read_group(part, group))
        if sum(map(len, tables)) >= _GROUP or (part, group) == groups[-1][:2]:
            yield pyarrow.concat_tables(tables, promote_options="default").combine_chunks()
            del tables[1:]


def _groups(parts: list[pathlib.Path]) -> list[tuple[pathlib.Path, int, int]]:
    """The groups of rows of parts, and their lengths."""
    read = pyarrow.parquet.read_metadata
    files = [_readable(part, functools.partial(read, part)) for part in parts]
    return [
        (part, i, file.row_group(i).num_rows)
        for part, file in zip(parts, files, strict=True)
        for i in range(file.num_row_groups)
    ]


def _read_group(part: pathlib.Path, group: int, columns: list[str] | None = None) -> pyarrow.Table:
    return _readable(part, lambda: pyarrow.parquet.ParquetFile(part).read_row_group(group, columns))


def _configs(parts: list[pathlib.Path], rows: NDArray[numpy.int64]) -> Iterator[pyarrow.Array]:
    """The configs of some rows of parts, _GROUP at once: of many runs they do not fit into memory."""
    groups = _groups(parts)
    starts = numpy.cumsum([0, *(length for _, _, length in groups)])

    @functools.lru_cache(maxsize=4)
    def read(i: int) -> pyarrow.Array:
        return _read_group(*groups[i][:2], ["config"])["config"].combine_chunks()

    for first in range(0, len(rows), _GROUP):
        wanted = rows[first : first + _GROUP]
        used, at = numpy.unique(numpy.searchsorted(starts, wanted, side="right") - 1, return_inverse=True)
        texts = [read(int(i)) for i in used]
        before = numpy.cumsum([0, *map(len, texts)])[at] - starts[used[at]]
        yield pyarrow.concat_arrays(texts).take(pyarrow.array(before + wanted))


def _write_rows(file: Any, schema: pyarrow.Schema, tables: Iterable[pyarrow.Table]) -> None:
    words = [name for name in schema.names if name not in ("run", "config")]  # which are all different
    with pyarrow.parquet.ParquetWriter(file, schema, compression="zstd", use_dictionary=words) as writer:
        for table in filter(len, tables):
            writer.write_table(table)


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
