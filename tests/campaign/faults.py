"""Faults between the program and the system: the k-th call fails, by faults.c."""

import itertools
import os
import pathlib
import shutil
import subprocess
import threading

import outcome

SOURCE = pathlib.Path(__file__).resolve().parent / "faults.c"
KINDS = ("open", "write", "rename", "fsync", "mmap", "thread", "malloc")
# A fault in these is the end of that process at once, by the C++ runtime or MuJoCo, before main or
# after it; what it left must be whole all the same.
MAY_ABORT = ("malloc", "thread", "mmap")


def commands(program):
    return {
        "run": [program, "run", "planar_2r", "--headless", "--duration", "0.05", "--out"],
        "compare": [program, "compare", "planar_2r", "--vary", "factorization=christoffel,t:1", "--duration", "0.05", "--jobs", "2", "--out"],
        "eval": [program, "eval", "planar_2r", "--quantities", "H,C", "--out"],
    }


def target(folder, verb):
    return folder / ("out.json" if verb == "eval" else "out")


def attempt(library, command, folder, verb, kind, at, on, count=None):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    environment = {**os.environ, "LD_PRELOAD": str(library), "CIVITA_FAULT": kind, "CIVITA_FAULT_AT": str(at)}
    if on:
        environment["CIVITA_FAULT_ON"] = "1"
    if count:
        environment["CIVITA_FAULT_COUNT"] = str(count)
    return outcome.call([*command, str(target(folder, verb))], env=environment)


def plans(budget, library, folder):
    """(verb, command, kind, call) of all calls in turn, in an order that covers them evenly if the time is over
    before; and their number."""
    count = folder / "count"
    lists = []
    for verb, command in commands(budget.program).items():
        for kind in KINDS:
            attempt(library, command, folder / "case", verb, kind, -1, False, count)
            calls = sorted(range(int(count.read_text())), key=lambda k: int(format(k, "020b")[::-1], 2))
            lists.append([(verb, command, kind, at) for at in calls])
    in_turn = itertools.chain.from_iterable(itertools.zip_longest(*lists))
    return (plan for plan in in_turn if plan), sum(map(len, lists))


def run(budget):
    library = budget.folder / "faults.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl", "-lpthread"], check=True)
    calls, counted = plans(budget, library, budget.folder)
    lock, bad, tried = threading.Lock(), [], [0]

    def work(worker):
        folder = budget.folder / f"case_{worker}"
        while True:
            with lock:
                plan = next(calls, None) if budget.goes_on(2 * tried[0]) else None
                if plan is None:
                    return
                tried[0] += 1
            verb, command, kind, at = plan
            for on in (False, True):
                done = attempt(library, command, folder, verb, kind, at, on)
                fault = judge(done, folder, verb, kind)
                if fault:
                    with lock:
                        bad.append(f"{verb}, {kind} {at}{' and on' if on else ''}: {fault}")

    outcome.on_all_cores(work)
    return 2 * tried[0], bad, f"{'all' if tried[0] == counted else f'{tried[0]:,}'} of {counted:,} calls"


def judge(done, folder, verb, kind):
    aborts = done.returncode is not None and done.returncode < 0 and kind in MAY_ABORT
    fault = None if aborts else outcome.fault_of(done)
    fault = fault or outcome.fault_in(folder)
    if done.returncode == 0 and not fault and not target(folder, verb).exists():
        fault = "done, but nothing is there"
    return fault
