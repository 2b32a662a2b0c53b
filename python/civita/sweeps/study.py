"""Studies: what is run, checked before anything runs."""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import dataclasses
import functools
import hashlib
import importlib.util
import itertools
import json
import math
import os
import pathlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy
import scipy
from numpy.typing import NDArray

from civita import _civita
from civita._progress import Line, Progress
from civita.laws import law_type
from civita.runs import flat, run, settings_text
from civita.sweeps.study_file import Path, Places, StudyError, read_study_file
from civita.sweeps.variations import (
    MAX_RUNS,
    METHODS,
    Axis,
    Distributed,
    Sample,
    Variants,
    check_differ,
    check_keys,
    choice,
    number,
    read_variation,
    whole_number,
)
from civita.sweeps.work import PUSHES, TRIAL_METRICS, Job, PlannedRun, settings_trusted, versions

KEYS = ("scene", "duration_s", "survive", "set", "vary", "sample", "seeds", "keep")
_PROBE_S = 0.02  # of the run that tells a scene's metrics and signals
_BATCH = 256  # configs that are read at once


@dataclasses.dataclass
class Study:
    """A checked study."""

    job: Job
    settings: dict[str, Any]
    axes: list[Axis]
    distributed: list[Distributed]
    sample: Sample
    seeds: Sequence[int]
    places: Places
    content: dict[str, Any]
    units: dict[str, str] = dataclasses.field(default_factory=dict)  # of the metrics
    key: str = ""  # hash of the study, its files and the versions: the same key, the same runs
    _hashes: dict[tuple[str, ...], list[str]] = dataclasses.field(default_factory=dict)  # by settings

    @property
    def keys(self) -> list[str]:
        """The keys that vary."""
        return [axis.key for axis in self.axes] + [each.key for each in self.distributed]

    def path_of(self, key: str) -> Path:
        """Where a key that varies is in the study."""
        return next(("vary", name) for name in self.content["vary"] if _full_name(name) == key)

    def __len__(self) -> int:
        return self.num_runs

    @property
    def num_runs(self) -> int:
        combinations = math.prod(len(axis.values) for axis in self.axes)
        return combinations * (self.sample.count if self.distributed else 1) * len(self.seeds)

    @functools.cached_property
    def variants(self) -> Variants:
        """What differs between runs beside the seed."""
        return Variants(self.axes, self.distributed, self.sample)

    @property
    def runs(self) -> list[PlannedRun]:
        """All runs in order: seeds vary fastest, then the sample, then the axes from the last on."""
        return self.runs_at(numpy.arange(len(self)))

    def runs_at(self, indices: NDArray[numpy.int64]) -> list[PlannedRun]:
        """The runs of these numbers."""
        columns = self.columns_at(indices)
        seeds = columns.pop("seed")
        rows = zip(*columns.values(), strict=True) if columns else [()] * len(seeds)
        varied = [dict(zip(columns, row, strict=True)) for row in rows]
        names = [name.decode() for name in self.names[indices].tolist()]
        return [
            PlannedRun(int(i), name, each, self.settings_of(each), seed)
            for i, name, each, seed in zip(indices, names, varied, seeds, strict=True)
        ]

    def columns_at(self, indices: NDArray[numpy.int64]) -> dict[str, list[Any]]:
        """The seed, and the values of the keys that vary, of the runs of these numbers."""
        variants, seeds = numpy.divmod(indices, len(self.seeds))
        return {"seed": [self.seeds[k] for k in seeds.tolist()], **self.variants.columns(variants)}

    def settings_of(self, varied: dict[str, Any]) -> list[str]:
        """All settings of a variant."""
        return settings_text({**self.settings, **varied})

    @functools.cached_property
    def names(self) -> NDArray[numpy.bytes_]:
        """The hash of each run, of what determines it."""
        self.plan(False)
        return self.names

    def plan(self, shown: Progress) -> None:
        """Makes the names, if they are not made."""
        if "names" in self.__dict__:
            return
        job, line = self.job, Line(shown, is_long=True)
        names = numpy.empty((len(self.variants), len(self.seeds)), "S32")
        seeds = [str(seed).encode() for seed in self.seeds]
        resolved = resolve_all(job, map(self.settings_of, self.variants))
        for i, (settings, config, reason) in enumerate(resolved):
            identity: list[Any] = [*job.versions, *self._hashes_of_files(settings)]
            # Of a config that cannot be read the run will tell why, as a row.
            identity += [config or reason, split_pushes(settings)[0]]
            identity += [job.duration, job.survive, job.metrics, job.signals]
            start = hashlib.sha256(json.dumps(identity).encode())
            for k, seed in enumerate(seeds):
                each = start.copy()
                each.update(seed)
                names[i, k] = each.hexdigest()[:32].encode()
            line.show(i / len(names), f"{i * len(seeds)} of {len(self)} runs planned")
        line.erase()
        self.names = names.ravel()

    def make_key(self) -> str:
        """Loads what the settings can name, too."""
        by_words = []
        for axis in self.axes:
            values = {
                tuple(_words(settings_text({axis.key: value}))): value for value in reversed(axis.values)
            }
            by_words.append([(axis.key, value) for value in values.values()])
        first = next(iter(self.variants))
        hashes = [
            self._hashes_of_files(self.settings_of({**first, **dict(chosen)}))
            for chosen in itertools.product(*by_words)
        ]
        config = _civita.resolve_config(self.job.scene, [])
        versions = (numpy.__version__, scipy.__version__)  # of samples
        what = [dataclasses.asdict(self.job), versions, os.getcwd(), self.content, config, hashes]
        return hashlib.sha256(json.dumps(what).encode()).hexdigest()

    def _hashes_of_files(self, settings: list[str]) -> list[str]:
        others = split_pushes(settings)[1]
        words = tuple(_words(others))
        if words not in self._hashes:
            self._hashes[words] = _hashes_of(self.job.scene, list(words), others)
        return self._hashes[words]


def read_study(
    study: str | os.PathLike[str] | Mapping[str, Any], is_planned: Callable[[Study], bool] = lambda _: False
) -> Study:
    """A study from a YAML file or a mapping. What `is_planned` was checked before. Raises StudyError, in
    one line with the place."""
    if isinstance(study, Mapping):
        content: Any = {key: json.loads(json.dumps(value, default=_plain)) for key, value in study.items()}
        places = Places("study")
    else:
        content, places = read_study_file(os.fspath(study))
    if not isinstance(content, dict):
        places.refuse((), "a study is a map with the keys " + ", ".join(KEYS))
    check_keys(content, KEYS, (), places)
    directory = pathlib.Path() if isinstance(study, Mapping) else pathlib.Path(study).parent
    scene, of_scene = _read_scene(content, directory, places)
    survive = content.get("survive", False)
    if not isinstance(survive, bool):
        places.refuse(("survive",), f"true or false, not {survive!r}")
    duration = None
    if "duration_s" in content:
        duration = number(content["duration_s"], ("duration_s",), places)
        if duration <= 0 or survive:
            places.refuse(("duration_s",), "trials end by themselves" if survive else "not a number > 0")
    settings = {
        _full_key(key, ("set", key), survive, places): value
        for key, value in _map(content, "set", places).items()
    }
    axes, distributed = _read_vary(content, survive, settings, places)
    varied = {axis.key for axis in axes} | {each.key for each in distributed}
    for key, value in of_scene.items():
        full = _full_key(key, ("scene", key), survive, places)
        if full not in varied:
            settings.setdefault(full, value)
    sample = _read_sample(content, bool(distributed), places)
    seeds = _read_seeds(content, scene, settings, places)
    metrics, signals = _read_keep(content, places)
    is_own = isinstance(study, Mapping)
    job = Job(scene, duration, survive, metrics, signals, versions(), _civita.trusts_configs(), is_own)
    checked = Study(job, settings, axes, distributed, sample, seeds, places, content)
    if checked.num_runs > MAX_RUNS:  # which may be more than len() can tell
        places.refuse((), f"{checked.num_runs} runs; {MAX_RUNS} at most")
    with settings_trusted(is_own):
        checked.key = checked.make_key()
        if not is_planned(checked):
            _check_values(checked)
            _check_names(checked)
    return checked


def resolve_all(job: Job, settings: Iterable[list[str]]) -> Iterator[tuple[list[str], str, str]]:
    """Each of the settings with its config, or "" and what is wrong with it; read on all cores."""
    todo, waiting = iter(settings), collections.deque[Any]()
    cores = len(os.sched_getaffinity(0))
    trust = (_civita.trust_overrides, (job.trusts_settings,))
    with concurrent.futures.ThreadPoolExecutor(cores, "configs", *trust) as pool:
        while True:
            if batch := list(itertools.islice(todo, _BATCH)):
                others = [split_pushes(each)[1] for each in batch]
                waiting.append((batch, pool.submit(_civita.resolve_configs, job.scene, others)))
            elif not waiting:
                return
            if not batch or len(waiting) > 2 * cores:
                done, configs = waiting.popleft()
                yield from ((each, *config) for each, config in zip(done, configs.result(), strict=True))


def split_pushes(settings: list[str]) -> tuple[list[str], list[str]]:
    """The settings of a trial's push, which are no keys of the config, and the others."""
    pushes = [each for each in settings if each.partition("=")[0] in PUSHES]
    return pushes, [each for each in settings if each not in pushes]


def _plain(value: Any) -> Any:
    if isinstance(value, type):
        name = law_type(value)
        if ":" not in name:
            raise StudyError(
                f"study: the law {name}: workers cannot import it; put it into a file of its own"
            )
        return name
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _words(settings: list[str]) -> list[str]:
    return [each for each in settings if _has_words(each)]


def _has_words(setting: str) -> bool:
    """Whether a value can name a file, as numbers, lists of them and truth values cannot."""
    text = setting.partition("=")[2]
    try:
        return isinstance(json.loads(text), dict) or '"' in text
    except ValueError:
        return True


def _hashes_of(scene: str, words: list[str], settings: list[str]) -> list[str]:
    """Of the model, and of the files that the config names, by the words of settings: numbers, which
    vary, change neither, but may be needed to load the scene."""
    try:
        described = _civita.describe_scene(scene, words)
    except ValueError:
        try:
            described = _civita.describe_scene(scene, settings)
        except ValueError as error:  # the run will tell it, as a row
            return [str(error), ""]
    hashes = [described["model_hash"], described["files"]]
    law = re.search(r"^ +type: ['\"]?([\w.]+):\w+", described["config"], re.M)  # of a module
    with contextlib.suppress(ImportError, ValueError, OSError):
        spec = importlib.util.find_spec(law[1]) if law else None
        if spec and spec.origin:
            hashes.append(hashlib.sha256(pathlib.Path(spec.origin).read_bytes()).hexdigest())
    return hashes


def _map(content: dict[str, Any], key: str, places: Places) -> dict[str, Any]:
    value = content.get(key, {})
    if not isinstance(value, dict):
        places.refuse((key,), f"a map of keys, not {value!r}")
    return value


def _read_scene(
    content: dict[str, Any], directory: pathlib.Path, places: Places
) -> tuple[str, dict[str, Any]]:
    """A scene's name, or a file beside the study or in the working directory, and the keys that a map
    with this as its base has beside."""
    scene, others = content.get("scene"), {}
    if isinstance(scene, dict):
        others = dict(flat({key: value for key, value in scene.items() if key != "base"}))
        scene = scene.get("base")
    if not isinstance(scene, str):
        places.refuse(
            ("scene",), "a study needs it: the name of a scene, or a file, or a map with such a 'base'"
        )
    files = [file for file in (directory / scene, pathlib.Path(scene)) if os.path.isfile(file)]
    scene = str(files[0].resolve()) if files else scene
    try:
        _civita.resolve_config(scene, [])
    except ValueError as error:
        places.refuse(("scene",), str(error))
    return scene, others


def _full_key(key: str, path: Path, survive: bool, places: Places) -> str:
    if key in PUSHES:
        if not survive:
            places.refuse(path, "only trials are pushed; add survive: true")
        return key
    if key == "seed":
        places.refuse(path, "write seeds: 10, or a list")
    if key == "duration_s" and survive:
        places.refuse(path, "trials end by themselves")
    try:
        return _civita.full_key(key)
    except ValueError as error:
        places.refuse(path, str(error))


def _read_vary(
    content: dict[str, Any], survive: bool, settings: dict[str, Any], places: Places
) -> tuple[list[Axis], list[Distributed]]:
    axes: list[Axis] = []
    distributed: list[Distributed] = []
    seen: set[str] = set()
    for key, value in _map(content, "vary", places).items():
        path = ("vary", key)
        full = _full_key(key, path, survive, places)
        if full in seen or full in settings:
            places.refuse(path, "given twice" if full in seen else "is in 'set' too")
        seen.add(full)
        variation = read_variation(full, value, path, places)
        if isinstance(variation, Axis):
            axes.append(variation)
        else:
            distributed.append(variation)
    if {"push", "impulse"} <= seen | settings.keys():
        places.refuse(("vary",), "'push' or 'impulse', not both")
    return axes, distributed


def _read_sample(content: dict[str, Any], needed: bool, places: Places) -> Sample:
    value = _map(content, "sample", places)
    if not needed:
        if "sample" in content:
            places.refuse(("sample",), "nothing in 'vary' has a distribution")
        return Sample()
    if "count" not in value:
        places.refuse(("sample",), "distributions need it, as in sample: {method: sobol, count: 64}")
    check_keys(value, ("method", "count", "seed"), ("sample",), places)
    return Sample(
        choice(value.get("method", "random"), METHODS, ("sample", "method"), places),
        whole_number(value["count"], ("sample", "count"), places, 1, MAX_RUNS),
        whole_number(value.get("seed", 0), ("sample", "seed"), places, 0),
    )


def _read_seeds(
    content: dict[str, Any], scene: str, settings: dict[str, Any], places: Places
) -> Sequence[int]:
    """A list of seeds; n seeds from 0 on; by default the scene's."""
    seeds = content.get("seeds")
    if seeds is None:
        import yaml

        config = yaml.safe_load(_civita.resolve_config(scene, []))
        return [int(config.get("seed", 0))]
    if not isinstance(seeds, list):
        return range(whole_number(seeds, ("seeds",), places, 1, MAX_RUNS))
    for i, each in enumerate(seeds):
        whole_number(each, ("seeds", i), places, 0)
    check_differ(seeds, ("seeds",), places)
    if not seeds:
        places.refuse(("seeds",), "an empty list")
    return seeds


def _read_keep(content: dict[str, Any], places: Places) -> tuple[list[str] | None, list[str]]:
    keep = _map(content, "keep", places)
    check_keys(keep, ("metrics", "signals"), ("keep",), places)
    lists: list[list[str] | None] = []
    for key in ("metrics", "signals"):
        value = keep.get(key)
        if value is not None and not (isinstance(value, list) and all(isinstance(x, str) for x in value)):
            places.refuse(("keep", key), f"a list of names, not {value!r}")
        lists.append(value)
    return lists[0], lists[1] or []


def _check_values(study: Study) -> None:
    """Has the program read each value by itself, so that its errors show before anything runs."""
    base = {**study.settings}
    for axis in study.axes:
        base[axis.key] = axis.values[0]
    for each in study.distributed:
        base[each.key] = each.at(numpy.full((1, each.size or 1), 0.5))[0].tolist()
    waiting = collections.deque[tuple[Path, dict[str, Any]]]()

    def settings() -> Iterator[list[str]]:
        for path, change in _tries(study):
            waiting.append((path, change))
            yield settings_text({**base, **change})

    for read, _, reason in resolve_all(study.job, settings()):
        path, change = waiting.popleft()
        pushes, others = split_pushes(read)
        for push in pushes:
            _check_push(push, path, study.places)
        # Words, as of a factorization, are read when the scene is loaded.
        if any(isinstance(value, str) for value in change.values()):
            try:
                _civita.describe_scene(study.job.scene, others)
            except ValueError as error:
                reason = str(error)
        if reason:
            key, _, text = reason.partition(": ")
            if key in study.settings:
                path = ("set", key)
            elif key not in change:
                text = reason
            study.places.refuse(path[:2] if text.startswith("unknown key") else path, text)


def _tries(study: Study) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Where each value is, and what it changes."""
    for key in study.settings:
        yield ("set", key), {}
    for axis in study.axes:
        path = study.path_of(axis.key)
        yield from (((*path, i), {axis.key: value}) for i, value in enumerate(axis.values))
    for each in study.distributed:
        yield study.path_of(each.key), {}
    if not study.settings and not study.keys:
        yield (), {}


def _full_name(key: str) -> str:
    return key if key in PUSHES else _civita.full_key(key)


def _check_push(push: str, path: Path, places: Places) -> None:
    try:
        amount = float(push.partition("=")[2])
    except ValueError:
        amount = math.nan
    if not (math.isfinite(amount) and amount >= 0):
        places.refuse(path, f"not a number ≥ 0: {push.partition('=')[2]}")


def _check_names(study: Study) -> None:
    """Checks the metrics and signals to keep, and that the first run can begin."""
    job, places = study.job, study.places
    pushes, settings = split_pushes(study.settings_of(next(iter(study.variants))))
    try:
        if job.survive:
            known_metrics, known_signals = list(TRIAL_METRICS), []
            if _civita.walks(job.scene, settings) and not any(x.startswith("impulse=") for x in pushes):
                places.refuse(("survive",), "the robot walks; set or vary 'impulse', in N·s")
            if job.signals:
                places.refuse(("keep", "signals"), "trials have none")
        else:
            probe = run(job.scene, _PROBE_S, set=_as_map(settings), seed=study.seeds[0], progress=False)
            known_metrics, known_signals = list(probe.metrics), list(probe.signals)
            study.units.update(probe.metrics.units)
    except StudyError:
        raise
    except ValueError as error:
        places.refuse((), str(error))
    for key, names, known in (
        ("metrics", job.metrics or [], known_metrics),
        ("signals", job.signals, known_signals),
    ):
        for i, name in enumerate(names):
            if name not in known:
                places.refuse(("keep", key, i), _civita.unknown_name(key[:-1], name, known))


def _as_map(settings: list[str]) -> dict[str, str]:
    return dict(each.split("=", 1) for each in settings)
