"""A disk that becomes full under one of the folders that the program writes to, by faults.c."""

import os
import random
import re
import shutil
import signal
import subprocess
import time

import faults
import keyboards
import outcome
import verbs
import xvfb

FOLDERS = {"HOME": "home", "XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache", "TMPDIR": "temporary"}
PLACES = [*FOLDERS.values(), "work", "results"]
# Recording, a picture, the theme, which is kept, a throw, the video's end.
KEYS = ["F12", "F12", "ctrl+p", "F8", "F3", "Tab", "space", "ctrl+plus"]
SAID = re.compile(r"written|write|no space left|create", re.IGNORECASE)
FIRST_CALLS = 12  # those of a sweep are some of many processes'


class Places:
    """The folders of a case, and the environment in which one of them has no room after some calls."""

    def __init__(self, folder, library, environment):
        self.folder, self.library = folder, library
        self.environment = environment | {name: str(folder / place) for name, place in FOLDERS.items()}
        self.count = folder.parent / "count"

    def make(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        for place in PLACES:
            (self.folder / place).mkdir(parents=True)

    def full(self, place, at):
        """Before the `at`-th call that needs room there; with -1, which never comes, they are counted alone."""
        self.count.unlink(missing_ok=True)
        fault = {"CIVITA_FAULT": "disk", "CIVITA_FAULT_UNDER": str(self.folder / place), "CIVITA_FAULT_AT": str(at), "CIVITA_FAULT_ON": "1"}
        return self.environment | fault | {"LD_PRELOAD": str(self.library), "CIVITA_FAULT_COUNT": str(self.count)}

    def calls(self):
        text = self.count.read_text() if self.count.exists() else ""
        return int(text) if text else 0


def commands_of(budget):
    given = verbs.prepare(budget)
    commands = {name: [budget.program, *words] for name, words in verbs.short(given).items() if any(word.startswith("out") for word in words)}
    if budget.python:
        python = [*budget.python, "-m", "civita"]
        commands["run by Python"] = [*python, *verbs.short(given)["run"]]
        commands["sweep"] = [*python, "sweep", str(given / "short.yaml"), "--workers", "1", "--out", "out"]
    return commands


def run(budget):
    library = budget.folder / "faults.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, faults.SOURCE, "-ldl", "-lpthread"], check=True)
    rng, commands, plans, cases, bad, full, windows = random.Random(budget.seed), commands_of(budget), [], 0, [], 0, 0
    places = Places(budget.folder.resolve() / "case", library, outcome.without_display())
    has_display = xvfb.is_here() and shutil.which("xdotool") is not None
    counts = {}
    while budget.goes_on(cases):
        if not plans:
            plans = [(name, place) for name in commands for place in ("results", rng.choice(PLACES)) if name != "sweep"]
            plans += [(name, rng.choice(PLACES)) for name in ("sweep", "window") if name in commands or (name == "window" and has_display)]
            rng.shuffle(plans)
        name, place = plans.pop()
        if name == "window":
            fault = window(budget, places, place, rng)
            windows += 1
        else:
            fault, was_full = command_case(places, commands[name], place, rng, counts)
            full += was_full
        cases += 1
        bad += [f"{name}, full {place}: {fault}"] if fault else []
    return cases, bad, f"{full:,} commands without room, {windows:,} windows{'' if has_display else ', which need Xvfb and xdotool'}"


def command_case(places, command, place, rng, counts):
    """A command whose output goes to `results`, or to the working folder: its fault, and whether a disk was full."""
    where = places.folder / ("results" if place == "results" else "work")
    words = [str(where / word) if re.match(r"out(\.|$)", word) else word for word in command]
    key, is_sweep = (*words, place), "sweep" in words
    if not is_sweep and key not in counts:
        places.make()
        outcome.call(words, cwd=places.folder / "work", env=places.full(place, -1))
        counts[key] = places.calls()
    at = rng.randrange(FIRST_CALLS if is_sweep else max(counts[key], 1))
    places.make()
    done = outcome.call(words, cwd=places.folder / "work", env=places.full(place, at))
    was_full = done.returncode != 0 if is_sweep else places.calls() > at
    fault = outcome.fault_of(done) or ("a traceback" if "Traceback" in done.stderr else None) or outcome.fault_in(places.folder)
    if not fault and was_full and place in ("results", "work") and done.returncode == 0:
        fault = f"done, though its files have no room: {done.stderr[-300:]}"
    if not fault and was_full and done.returncode != 0 and not SAID.search(done.stderr + done.stdout):
        fault = f"does not say why: {done.stderr[-300:]}"
    return (f"call {at}: {fault}; {' '.join(words)}" if fault else None), was_full


def window(budget, places, place, rng):
    """A window that is recorded, pictured and tuned goes on until the key that quits; its fault, or None."""
    with xvfb.Display() as environment:
        places.make()
        display = {"DISPLAY": environment["DISPLAY"]}
        at, work = rng.choice([0, 1, 3, rng.randrange(100), rng.randrange(3000)]), places.folder / "work"
        recordings = places.folder / rng.choice(["work", "results"])
        with (places.folder / "said").open("wb") as said:
            process = subprocess.Popen(
                [budget.program, "run", "planar_2r", *keyboards.SMALL, "--recordings", str(recordings)],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                cwd=work,
                env=places.full(place, at) | display,
                start_new_session=True,
            )
        try:
            fault = use(process, environment, rng) or keyboards.end(process, environment, keyboards.LAYOUTS["us"])
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        text = (places.folder / "said").read_text(errors="replace")
        fault = fault or ("an internal error" if "internal error" in text else None) or outcome.fault_in(places.folder)
        return f"call {at}: {fault}; {text[-300:]}" if fault else None


def use(process, environment, rng):
    """Waits for the window and presses keys; why it ends early, or None."""
    end = time.monotonic() + keyboards.HANGS_AFTER_S
    while process.poll() is None and time.monotonic() < end:
        found = subprocess.run(["xdotool", "search", "--name", "civita"], env=environment, capture_output=True)
        if found.stdout.strip():
            break
        time.sleep(0.2)
    for _ in range(3):
        if process.poll() is not None:
            return f"ends with exit code {process.returncode}"
        keyboards.press(environment, rng.choices(KEYS, k=5))
        time.sleep(0.5)
    return None
