"""Random keys with random modifiers under the layouts of several countries: the window stays until the key that quits."""

import os
import random
import shutil
import signal
import subprocess
import time

import outcome
import runs
import xvfb

# The code of the key that writes q.
LAYOUTS = {"fr": 38, "de": 24, "us": 24}
SCENES = ["planar_2r", "planar_2r", "arm7", "quadruped_push"]
SMALL = ["--width", "1024", "--height", "700"]
MODIFIERS = ["ctrl", "ctrl", "shift", "alt", "super", "ISO_Level3_Shift"]
KEYS = [*range(9, 119), *range(126, 136)]  # those of a keyboard of 105 keys
BATCHES, KEYS_OF_A_BATCH = 3, 10
HANGS_AFTER_S = 600


def run(budget):
    missing = [name for name in ("Xvfb", "xdotool", "setxkbmap") if shutil.which(name) is None]
    if missing:
        return 0, [], f"needs {', '.join(missing)}"
    rng, cases, bad, notes = random.Random(budget.seed), 0, [], set()
    with xvfb.Display() as environment:
        while budget.goes_on(cases):
            layout = list(LAYOUTS)[cases // (BATCHES * KEYS_OF_A_BATCH) % len(LAYOUTS)]
            if subprocess.run(["setxkbmap", layout], env=environment, capture_output=True).returncode != 0:
                return cases, bad, f"setxkbmap has no layout {layout} here"
            scene = rng.choice(SCENES)
            keys, fault = use(budget, environment, rng, scene, LAYOUTS[layout])
            cases += BATCHES * KEYS_OF_A_BATCH
            notes.add(layout)
            if fault:
                bad.append(f"{scene}, layout {layout}, keys {' '.join(keys)}: {fault}")
    return cases, bad, f"layouts {', '.join(sorted(notes))}"


def random_key(rng, quits):
    """As xdotool takes it, and not the one that quits."""
    modifiers = sorted({rng.choice(MODIFIERS) for _ in range(rng.choice([0, 1, 1, 2, 3]))})
    code = rng.choice([code for code in KEYS if code != quits or "ctrl" not in modifiers])
    return "+".join([*modifiers, str(code)])


def press(environment, keys):
    command = ["xdotool", "mousemove", "640", "400", "key", "--delay", "40", *keys]
    subprocess.run(command, env=environment, capture_output=True, timeout=HANGS_AFTER_S)


def use(budget, environment, rng, scene, quits):
    """The keys that a window got, and what was wrong with it, or None."""
    folder = budget.folder / "files"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    environment = {**environment, **{name: str(folder) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}}
    words = ["run", scene, *SMALL, "--out", str(folder / "run"), "--recordings", str(folder)]
    with (folder / ".stderr").open("wb") as error:
        process = subprocess.Popen(
            [budget.program, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=error,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
    keys, fault = [], runs.wait(process, folder / "run", 0, 200)
    try:
        for _ in range(BATCHES):
            if fault:
                break
            batch = [random_key(rng, quits) for _ in range(KEYS_OF_A_BATCH)]
            press(environment, batch)
            keys += batch
            if process.poll() is not None:
                fault = f"ends with exit code {process.returncode}"
        fault = fault or end(process, environment, quits)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    lines = (folder / ".stderr").read_text(errors="replace").splitlines()
    errors = [line for line in lines if not line.startswith("civita: note: ")]
    return keys, fault or (f"prints {errors[0]}" if errors else None) or outcome.fault_in(folder)


def end(process, environment, quits):
    """Presses the key that quits, after one that closes lists, until the window has taken all keys before, one in each
    frame; why it does not end well, or None."""
    late = time.monotonic() + HANGS_AFTER_S
    while process.poll() is None:
        if time.monotonic() > late:
            return "does not quit"
        press(environment, ["Escape", f"ctrl+{quits}"])
        time.sleep(1)
    return None if process.returncode == 0 else f"quits with exit code {process.returncode}"
