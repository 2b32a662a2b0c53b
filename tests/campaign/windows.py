"""The window on a display of its own: recorded, wound back, killed at random times."""

import os
import random
import shutil
import signal
import subprocess
import time

import outcome
import runs
import xvfb

SCENES = ["planar_2r", "arm7", "quadruped_push", "four_bar"]
# Of the window's table of keys: play, back and forward, the other branch, throw, push, record.
KEYS = ["space", "space", "Left", "Right", "ctrl+b", "BackSpace", "F3", "F10", "F12", "F12", "plus", "ctrl+p"]
LONGEST_S = 5
LEAST_S = 3  # until a window of a recording is killed


def run(budget):
    """SIGKILL during a recording: what has a final name is whole, and what was recorded can be replayed."""
    if not (xvfb.is_here() and shutil.which("xdotool")):
        return 0, [], "needs Xvfb and xdotool"
    with xvfb.Display() as environment:
        return use(budget, environment)


def recordings(budget):
    """SIGKILL during a recording: its rows are repeated bit for bit by its events, up to the last one."""
    if not (xvfb.is_here() and shutil.which("xdotool")):
        return 0, [], "needs Xvfb and xdotool"
    rng, cases, bad, notes = random.Random(budget.seed), 0, [], {"verified": 0, "without rows": 0}
    folder = budget.folder / "files"
    with xvfb.Display() as environment:
        env = {**environment, "XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
        while budget.goes_on(cases):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            scene = rng.choice(SCENES)
            words = ["run", scene, "--out", str(folder / "run")]
            if rng.random() < 0.5:
                words += ["--compare", "controller.factorization=t:3"]
            process = runs.start([budget.program, *words], env=env, cwd=folder, start_new_session=True)
            runs.wait(process, folder / "run", 0, 200)
            keys = type_keys(process, rng, env, LEAST_S)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            cases += 1
            done = outcome.call([budget.program, "verify", str(folder / "run")], env=env)
            notes["verified"] += done.returncode == 0
            notes["without rows"] += done.returncode == 2
            fault = outcome.fault_of(done)
            if done.returncode == 1 or fault:
                bad.append(f"{' '.join(words)}, keys {' '.join(keys)}: {fault or done.stderr.strip()[-300:]}")
    return cases, bad, ", ".join(f"{count} {what}" for what, count in notes.items())


def use(budget, environment):
    rng = random.Random(budget.seed)
    cases, bad, recordings = 0, [], 0
    folder = budget.folder / "files"
    env = {**environment, "XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    while budget.goes_on(cases):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        scene = rng.choice(SCENES)
        words = ["--out", str(folder / "run")] if rng.random() < 0.5 else ["--recordings", str(folder)]
        command = [budget.program, "run", scene, *words]
        process = runs.start(command, env=env, cwd=folder, start_new_session=True)
        keys = type_keys(process, rng, env)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        cases += 1
        for recording in folder.glob("*run*"):
            recordings += 1
            fault = runs.fault_after_kill(recording) or fault_of_replay(budget, recording, env)
            if fault:
                bad.append(f"{scene} {' '.join(words)}, keys {' '.join(keys)}: {fault}")
        fault = outcome.fault_in(folder)
        if fault:
            bad.append(f"{scene}, keys {' '.join(keys)}: {fault}")
    return cases, bad, f"{recordings} recordings"


def type_keys(process, rng, env, least_s=0):
    """Keys for the window, until a random time; those that it got."""
    end, keys = time.monotonic() + least_s + rng.uniform(0, LONGEST_S), []
    while time.monotonic() < end and process.poll() is None:
        time.sleep(rng.uniform(0.05, 0.4))
        key = rng.choice(KEYS)
        found = subprocess.run(["xdotool", "mousemove", "640", "400", "key", key], env=env, capture_output=True)
        if found.returncode == 0:
            keys.append(key)
    return keys


def fault_of_replay(budget, recording, env):
    """A folder of which nothing was written yet is told as such."""
    picture = recording / "replayed.png"
    done = outcome.call([budget.program, "replay", str(recording), "--screenshot", str(picture), "--after", "0.1"], env=env)
    fault = outcome.fault_of(done)
    if fault or done.returncode == 2:
        return fault
    return None if picture.exists() else "a replay without a picture"
