"""python -m civita sweep."""

from __future__ import annotations

import argparse
import logging
import pathlib
import sys

from civita import _civita
from civita.sweeps.engine import execute, open_client
from civita.sweeps.store import Store, take_plan
from civita.sweeps.study import read_study
from civita.sweeps.study_file import StudyError

DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise StudyError(f"sweep: {message}; see civita sweep --help")


def main(words: list[str]) -> int:
    """Runs the verb with the words behind it; returns the exit code."""
    try:
        return _run(_options(words))
    except StudyError as error:
        _civita.print_error(str(error))
        return BAD_INPUT
    except OSError as error:  # what the system refuses wherever it is asked
        where = f"{error.filename}: " if error.filename else ""
        _civita.print_error(f"{where}{(error.strerror or str(error)).lower()}; the same command goes on")
        return BAD_INPUT


def _options(words: list[str]) -> argparse.Namespace:
    parser = _Parser(
        prog="civita sweep",
        description="Makes the runs of a study on a Dask cluster, by default on the cores of this machine, "
        "into a Parquet dataset. A sweep that was stopped goes on where it was. docs/sweep.md has "
        "the keys of a study.",
    )
    parser.add_argument("study", metavar="STUDY", help="a study file (.yaml)")
    parser.add_argument("--out", metavar="DIR", default="", help="output folder (default: the study's name)")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--scheduler", metavar="ADDRESS", default="", help="a Dask scheduler: tcp://HOST:8786")
    where.add_argument(
        "--cluster", metavar="FILE", default="", help="a cluster's class and arguments (.yaml)"
    )
    parser.add_argument("--workers", metavar="N", type=int, default=0, help="processes (default: one a core)")
    parser.add_argument(
        "--trust",
        action="store_true",
        help="the study and its configs may name plug-ins and laws in Python, and a file of --cluster a "
        "class and commands of its jobs, which run with your rights",
    )
    options = parser.parse_args(words)
    if options.workers < 0 or (options.workers and options.scheduler):
        raise StudyError("--workers: a whole number ≥ 1, without --scheduler, which has workers of its own")
    return options


def _run(options: argparse.Namespace) -> int:
    for name in ("distributed", "asyncio", "tornado"):  # of what the sweep itself tells in a line
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if options.trust:
        _civita.trust_configs()
    out = options.out or pathlib.Path(options.study).stem
    study = read_study(options.study, lambda each: take_plan(each, out))
    with Store(out, study) as store:
        is_left = len(store.missing(True)) > 0
        try:
            if is_left:
                with open_client(options.scheduler, options.workers, options.cluster) as client:
                    if sys.stderr.isatty():
                        print(f"civita: dashboard: {client.dashboard_link}", file=sys.stderr)
                    execute(study, store, client, True)
        except KeyboardInterrupt:
            done = len(study) - len(store.missing())
            store.write_results()
            print(
                f"civita: interrupted after {done} of {len(study)} runs, which are in {out}; "
                "the same command goes on",
                file=sys.stderr,
            )
            return INTERRUPTED
        _, counts = store.write_results()
    words = {"done": "done", "failed": "failed", "error": "with errors"}
    parts = [f"{counts[status]} {word}" for status, word in words.items() if status in counts]
    print(f"{len(study)} runs: {', '.join(parts)}; {out}/table.parquet")
    return FAILED if "error" in counts else DONE
