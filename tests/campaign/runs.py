"""Runs: killed, side by side, repeated, and long."""

import filecmp
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import time

import outcome
import xvfb

STUDY = "scene: planar_2r\nduration_s: 0.2\nvary: {gains.K_D: [5, 10, 20, 40]}\nseeds: 10\nkeep: {signals: [/e]}\n"
STEP_S = 0.001  # of planar_2r
HANGS_AFTER_S = 1200


def start(command, **options):
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, **quiet, **options)


def kills(budget):
    """SIGKILL at a random time: what has a final name is whole, and the folder can be used again."""
    rng = random.Random(budget.seed)
    out = budget.folder / "out"
    verbs = [
        ["run", "arm7", "--headless", "--duration", "1", "--out", str(out)],
        ["run", "chain20", "--headless", "--duration", "0.3", "--out", str(out)],
        ["compare", "planar_2r", "--vary", "factorization=christoffel,t:1", "--duration", "0.5", "--out", str(out)],
        ["eval", "arm7", "--quantities", "all", "--out", str(out / "x.json")],
        ["survive", "quadruped", "--push", "1", "--trials", "1", "--out", str(out)],
    ]
    if budget.python:
        study = budget.folder / "study.yaml"
        study.write_text(STUDY)
        verbs.append(["sweep", str(study), "--workers", "1", "--out", str(out)])
    longest = {}
    cases, bad = 0, []
    while budget.goes_on(cases):
        verb = rng.choice(verbs)
        shutil.rmtree(out, ignore_errors=True)
        if verb[0] == "eval":
            out.mkdir()
        began = time.monotonic()
        command = [*(budget.python + ["-m", "civita"] if verb[0] == "sweep" else [budget.program]), *verb]
        process = start(command, start_new_session=True)
        key = " ".join(verb[:2])
        if key not in longest:
            process.wait()
            longest[key] = time.monotonic() - began
            if process.returncode != 0:
                bad.append(f"{key}: exit code {process.returncode}")
            continue
        try:
            process.wait(rng.uniform(0, 1.05 * longest[key]))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        cases += 1
        if out.exists():
            fault = fault_after_kill(out)
            if fault:
                bad.append(f"{key}, killed: {fault}")
        if cases % 10 == 0:
            again = outcome.call(command)
            if again.returncode != 0:
                bad.append(f"{key}, after a kill: exit code {again.returncode}: {again.stderr.strip()}")
    return cases, bad, ""


def fault_after_kill(out):
    """The tables grow with the run: their last row may be cut off, no other."""
    for path in out.glob("*.csv"):
        text = path.read_text()
        if text and not text.endswith("\n"):
            path.write_text(text[: text.rfind("\n") + 1])
        if not path.read_text():
            path.unlink()
    return outcome.fault_in(out)


def together(budget):
    """Two programs on one folder: one has it. Many in folders of their own: the same bits."""
    cases, bad = 0, []
    shared = budget.folder / "shared"
    command = [budget.program, "run", "planar_2r", "--headless", "--duration", "3", "--out"]
    while budget.goes_on(cases):
        shutil.rmtree(shared, ignore_errors=True)
        both = [start([*command, str(shared)]) for _ in range(2)]
        codes = sorted(process.wait() for process in both)
        cases += 2
        fault = outcome.fault_in(shared)
        if codes not in ([0, 2], [0, 0]) or fault:
            bad.append(f"two runs in one folder: exit codes {codes}, {fault}")
        if codes == [0, 0]:
            continue  # one after the other
        many = [budget.folder / f"many_{i}" for i in range(20)]
        processes = [start([budget.program, "run", "planar_2r", "--headless", "--duration", "0.2", "--out", str(x)]) for x in many]
        codes = {process.wait() for process in processes}
        cases += len(many)
        if codes != {0}:
            bad.append(f"{len(many)} runs at once: exit codes {codes}")
        differing = [x.name for x in many if not filecmp.cmp(x / "signals.csv", many[0] / "signals.csv", shallow=False)]
        if differing:
            bad.append(f"{differing} differ from {many[0].name}")
    return cases, bad, ""


def same(budget):
    """The same bits whatever surrounds a run: cores, load, locale, folder, the written config."""
    scenes = ["arm7", "ball_arm", "four_bar", "quadruped_push", "arm7_payload_adaptive", "space_arm", "biped_walk"]
    cases, bad = 0, []
    first, again = budget.folder / "first", budget.folder / "again"
    circumstances = {
        "again": ([], {}),
        "on one core": (["taskset", "-c", "0"], {}),
        "in another locale": ([], {"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo"}),
        "at low priority": (["nice", "-n", "19"], {}),
    }
    while budget.goes_on(cases):
        scene = scenes[cases // (len(circumstances) + 2) % len(scenes)]
        arguments = ["--headless", "--duration", "0.5", "--out"]
        for folder in (first, again):
            shutil.rmtree(folder, ignore_errors=True)
        reference = outcome.call([budget.program, "run", scene, *arguments, str(first)])
        cases += 1
        if reference.returncode != 0:
            bad.append(f"{scene}: exit code {reference.returncode}")
            continue
        runs = {name: ([*prefix, budget.program, "run", scene], extra) for name, (prefix, extra) in circumstances.items()}
        runs["from its own config"] = ([budget.program, "run", str(first / "config.yaml")], {})
        for name, (command, extra) in runs.items():
            shutil.rmtree(again, ignore_errors=True)
            outcome.call([*command, *arguments, str(again)], env={**os.environ, **extra})
            cases += 1
            for file in ("signals.csv", "signals.npz"):
                if not (again / file).exists() or not filecmp.cmp(first / file, again / file, shallow=False):
                    bad.append(f"{scene} {name}: {file} differs")
    return cases, bad, ""


def soak(budget):
    """A long run with a recording: memory and open files stay."""
    rows, bad, grown_mb, _ = last(budget, ["--headless", "--duration", "1e6"], os.environ)
    if grown_mb > 5:
        bad.append(f"memory grew by {grown_mb:.1f} MB in {rows} rows")
    return rows, bad, f"memory {grown_mb:+.1f} MB"


def soak_window(budget):
    """The same of a window, whose clock must keep the pace of the wall's, too."""
    if not xvfb.is_here():
        return 0, [], "needs Xvfb"
    with xvfb.Display() as environment:
        rows, bad, grown_mb, late_s = last(budget, ["--width", "1024", "--height", "700"], environment)
    if grown_mb > 60:  # until the plots' memory is full
        bad.append(f"memory grew by {grown_mb:.1f} MB in {rows} rows")
    if budget.seconds > 60 and abs(late_s) > 2:  # rows are written by the second
        bad.append(f"its clock is late by {late_s:.1f} s")
    return rows, bad, f"memory {grown_mb:+.1f} MB, clock {late_s:+.1f} s"


def last(budget, arguments, environment):
    """Records a run for the time or the number of steps: rows, faults, growth in MB, and what its clock lost in seconds."""
    out = budget.folder / "out"
    process = start([budget.program, "run", "planar_2r", *arguments, "--out", str(out)], env=environment)
    fault = wait(process, out, 0, 0) or wait(process, out, min(20, 0.3 * budget.seconds), 0.3 * (budget.cases or 0))
    if not fault:
        before, began, start_s = resources(process.pid), time.monotonic(), last_time(out)
        fault = wait(process, out, max(1, budget.start + budget.seconds - began), budget.cases or 0)
    if fault:
        process.kill()
        return 0, [fault], 0, 0
    after, late_s = resources(process.pid), time.monotonic() - began - (last_time(out) - start_s)
    process.send_signal(signal.SIGINT)
    try:
        code = process.wait(600 + 0.1 * budget.seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        return 0, ["does not end after an interrupt"], 0, late_s
    bad = [] if code == 130 else [f"exit code {code}"]
    fault = outcome.fault_in(out)
    if fault:
        bad.append(fault)
    with (out / "signals.csv").open() as table:
        rows = sum(1 for _ in table) - 1
    if after[1] != before[1]:
        bad.append(f"{before[1]} open files, then {after[1]}")
    return rows, bad, (after[0] - before[0]) / 1e6, late_s


def wait(process, out, seconds, steps):
    """Until a run that records has gone on for this time, and has these steps; why it does not, or None."""
    end = time.monotonic() + seconds
    while process.poll() is None:
        reached = last_time(out)
        if reached is not None and reached >= STEP_S * steps and time.monotonic() >= end:
            return None
        if time.monotonic() > end + HANGS_AFTER_S:
            return f"hangs at {reached} s"
        time.sleep(0.05)
    return f"ends with exit code {process.returncode}"


def last_time(out):
    """Of the last whole row of signals.csv, or None."""
    try:
        with (out / "signals.csv").open("rb") as table:
            table.seek(max(0, table.seek(0, os.SEEK_END) - 10000))
            return float(table.read().split(b"\n")[-2].split(b",")[0])
    except (FileNotFoundError, IndexError, ValueError):  # nothing yet, or the head alone
        return None


def resources(pid):
    """Bytes of memory of its own, since pages of files the system takes back; and the number of open files."""
    process = pathlib.Path(f"/proc/{pid}")
    kilobytes = re.search(r"RssAnon:\s*(\d+)", (process / "status").read_text()).group(1)
    return 1024 * int(kilobytes), len(list((process / "fd").iterdir()))
