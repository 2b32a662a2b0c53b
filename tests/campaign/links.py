"""Links under the names of files that a program writes: nothing is written through one out of the folder that was named."""

import os
import random
import shutil
import signal
import subprocess
import time

import outcome
import verbs

MARK = "precious\n"
KINDS = ("link", "link", "hard link", "dangling link", "link to a folder")
HIDDEN = [".lock", ".civita-1-0.tmp", "state.bin", "events.jsonl", "B", "video.mp4", "video"]
OF_A_SWEEP = ["lock", "runs", "signals", "study.json", ".study.json.tmp", "table.parquet", "summary.json", "table.json"]
OF_A_SWEEP += ["runs/part-000001.parquet", "runs/.part-000001.parquet.tmp"]


def run(budget):
    given = verbs.prepare(budget)
    commands = {
        name: [budget.program, *words] for name, words in verbs.short(given).items() if words[-2:] == ["--out", "out"] or "out" in words
    }
    commands["run resumed"] = [budget.program, "run", "--resume", "out"]
    if budget.python:
        commands["sweep"] = [*budget.python, "-m", "civita", "sweep", str(given / "short.yaml"), "--workers", "1", "--out", "out"]
    earlier = {name: earlier_results(budget, name, command) for name, command in commands.items()}
    rng, cases, bad = random.Random(budget.seed), 0, []
    while budget.goes_on(cases):
        name = rng.choice(list(commands))
        fault = case_of(budget, rng, commands[name], earlier[name], OF_A_SWEEP if name == "sweep" else HIDDEN)
        cases += 1
        if fault:
            bad.append(f"{name}: {fault}")
    return cases, bad, ""


def earlier_results(budget, name, command):
    """A folder that the command has written, or in which it goes on."""
    folder = budget.folder / f"earlier_{name.replace(' ', '_')}"
    folder.mkdir()
    if name != "run resumed":
        outcome.call(command, cwd=folder)
        return folder
    words = [budget.program, "run", "planar_2r", "--headless", "--duration", "30", "--out", "out"]
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (folder / "out" / "signals.csv").exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.wait()
    return folder


def plant(rng, path, outside):
    """Puts a link to what is outside in the place of a file; its kind."""
    kind = rng.choice(KINDS)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    if kind == "hard link":
        path.hardlink_to(outside / "victim")
    else:
        target = {"link": "victim", "dangling link": "none", "link to a folder": "theirs"}[kind]
        path.symlink_to(outside / target)
    return kind


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def case_of(budget, rng, command, earlier, more):
    work, outside = budget.folder / "work", budget.folder / "outside"
    for folder in (work, outside):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(earlier, work)
    (outside / "theirs").mkdir(parents=True)
    (outside / "victim").write_text(MARK)
    (outside / "theirs" / "000000.png").write_text(MARK)
    out = work / "out"
    names = [str(path.relative_to(out)) for path in out.rglob("*")] if out.is_dir() else []
    names = sorted({*names, *more})
    planted = []
    for each in rng.sample(names, min(len(names), rng.choice([1, 1, 2, 4, len(names)]))):
        path = out / each
        if path.parent.is_dir() and not path.parent.is_symlink():
            planted.append(f"{plant(rng, path, outside)} {each}")
    before = content(outside)
    done = outcome.call(command, cwd=work, env=outcome.without_display())
    fault = outcome.fault_of(done)
    if content(outside) != before:
        fault = "writes outside of the folder"
    elif not fault and done.returncode == 1 and "Traceback" in done.stderr:
        fault = done.stderr[-300:]
    return f"{fault} ({', '.join(planted)})" if fault else None
