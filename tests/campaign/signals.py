"""Signals within the first moments of each verb: it ends by itself, as documented, and leaves whole files."""

import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import time

import outcome
import runs
import verbs
import xvfb

FIRST_S = 0.2  # of a processor
CLOSED_S = 0.04  # while the short commands run
LAST_S = 30  # of a processor, after the signal
HANGS_AFTER_S = 1200
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
WAYS = [*(each.name for each in SIGNALS), "SIGINT to all"]
CLOSED = "standard output closed"


def run(budget):
    given = verbs.prepare(budget)
    commands = {name: [budget.program, *words] for name, words in verbs.endless(given).items()}
    printing = {name: [budget.program, *words] for name, words in verbs.short(given).items()}
    if budget.python:
        python = [*budget.python, "-m", "civita"]
        commands["run by Python"] = [*python, *verbs.endless(given)["run"]]
        commands["sweep"] = [*python, "sweep", str(given / "long.yaml"), "--workers", "1", "--out", "out"]
        printing["run by Python"] = [*python, *verbs.short(given)["run"]]
    if not xvfb.is_here():
        return try_all(budget, commands, printing, outcome.without_display())
    commands["window"] = [budget.program, "run", "arm7", "--out", "out"]
    commands["replay"] = [budget.program, "replay", str(given / "run")]
    with xvfb.Display() as environment:
        return try_all(budget, commands, printing, environment)


def try_all(budget, commands, printing, environment):
    """Each verb in each way in turn; a closed pipe stops none that prints nothing, and is for those that end."""
    rng, cases, bad, ends = random.Random(budget.seed), 0, [], {}
    plans = []
    while budget.goes_on(cases):
        if not plans:
            plans = [(name, command, way) for name, command in commands.items() for way in WAYS]
            plans += [(name, command, CLOSED) for name, command in printing.items()]
            rng.shuffle(plans)
        name, command, way = plans.pop()
        folder = budget.folder / "case"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        after_s = rng.uniform(0, CLOSED_S if way == CLOSED else FIRST_S)
        done, caught = signalled(command, folder, environment, way, after_s)
        cases += 1
        ends[done.returncode] = ends.get(done.returncode, 0) + 1
        fault = judge(done, caught, way) or fault_of_files(budget, name, folder, done.returncode)
        if fault:
            bad.append(f"{name}, {way} after {after_s:.3f} s: {fault}; {' '.join(command)}")
    died = sum(count for code, count in ends.items() if code and code < 0)
    return cases, bad, f"{ends.get(130, 0):,} interrupted, {ends.get(0, 0):,} done, {died:,} before they catch signals or by the pipe"


def as_in_a_terminal():
    """The campaign's own parent may ignore them, and that is handed on."""
    for each in (*SIGNALS, signal.SIGPIPE):
        signal.signal(each, signal.SIG_DFL)


def processor_s(pid):
    """The time that all threads of a process had, by its clock (man clock_getcpuclockid)."""
    return time.clock_gettime(~pid << 3 | 2)


def signalled(command, folder, environment, way, after_s):
    """The end of a command that gets a signal, or whose standard output is closed, after this time of a
    processor; and whether it handled the signal at that moment."""
    with (folder / ".stdout").open("wb") as out, (folder / ".stderr").open("wb") as error:
        pipe = subprocess.PIPE if way == CLOSED else out
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=error,
            cwd=folder,
            env=environment,
            start_new_session=True,
            preexec_fn=as_in_a_terminal,
        )
    began = time.monotonic()
    while is_running(process) and processor_s(process.pid) < after_s and time.monotonic() < began + HANGS_AFTER_S:
        time.sleep(0.0005)
    caught, used_s = False, 0
    if way == CLOSED:
        process.stdout.close()
        used_s = hurry(process)
    elif is_running(process):
        caught = send(process, way)
        used_s = hurry(process)
    hangs = is_running(process)
    end_all(process)
    texts = [(folder / name).read_text(errors="replace") for name in (".stdout", ".stderr")]
    for name in (".stdout", ".stderr"):
        (folder / name).unlink()
    if hangs:
        texts[1] += f" (does not end within {used_s:.0f} s of a processor)"
    return subprocess.CompletedProcess(command, None if hangs else process.returncode, *texts), caught


def is_running(process):
    """Without reaping it."""
    if process.returncode is not None:
        return False
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


def send(process, way):
    """Sends the signal while the process stands still, so that whether it was caught is certain."""
    number = signal.Signals[way.removesuffix(" to all")]
    os.kill(process.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WSTOPPED | os.WNOWAIT)
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    masks = [line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:")]
    if way.endswith("to all"):
        os.killpg(process.pid, number)
    else:
        os.kill(process.pid, number)
    os.kill(process.pid, signal.SIGCONT)
    return bool(masks) and bool(int(masks[0], 16) >> (number - 1) & 1)


def hurry(process):
    """Waits for the end, or until the process has used too much time; how much it used."""
    before = used_s = processor_s(process.pid) if is_running(process) else 0
    end = time.monotonic() + HANGS_AFTER_S
    while is_running(process) and used_s < before + LAST_S and time.monotonic() < end:
        time.sleep(0.002)
        used_s = processor_s(process.pid) if is_running(process) else used_s
    return used_s - before


def end_all(process):
    """What is left of the command's processes, such as workers."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def judge(done, caught, way):
    """Why this is no proper end, or None."""
    if way == CLOSED and done.returncode == -signal.SIGPIPE:
        return None
    if "Traceback" in done.stderr:  # of Python itself, while it imports what main needs
        is_ours = re.search(r'civita/__main__\.py", line \d+, in main', done.stderr) or not caught
        return f"a traceback: {done.stderr[-300:]}" if is_ours else None
    if way != CLOSED and done.returncode == -signal.Signals[way.removesuffix(" to all")]:
        return "ends by the signal that it catches" if caught else None
    return outcome.fault_of(done)


def fault_of_files(budget, name, folder, code):
    """Why the files are not whole, or None."""
    if code is None or code < 0:
        runs.fault_after_kill(folder / "out")  # cuts off last rows
    fault = outcome.fault_in(folder)
    if fault:
        return fault
    hidden = [str(path.relative_to(folder)) for path in folder.rglob(".*")]
    if hidden and code is not None and code >= 0:
        return f"leaves {', '.join(hidden)}"
    record = folder / "out" / "run.json"
    if not name.startswith("run") or not record.exists() or json.loads(record.read_text())["status"] == "running":
        return None
    verified = outcome.call([budget.program, "verify", str(folder / "out")])
    return None if verified.returncode == 0 else f"verify: {verified.stdout[-200:]}{verified.stderr[-200:]}"
