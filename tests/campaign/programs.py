"""Whole programs: hostile arguments and files, mechanisms, and calls of the control step."""

import os
import pathlib
import random
import re
import subprocess
import threading

import outcome

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = ["planar_2r", "point_mass", "ball_arm", "four_bar", "arm7", "quadruped"]
VALUES = [
    "0", "-1", "1e308", "-1e308", "1e-320", "nan", "inf", "2147483648", "-9223372036854775809", "[]", "[1, 2]", "{}",
    "{a: 1}", "~", "''", "true", "t:1", "christoffel", "\x1b[31m", "é", "a" * 300, "[" * 50, "&a [*a]", "1e3", "0.5",
]  # fmt: skip


def keys(program):
    listed = subprocess.run([program, "keys"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in listed.splitlines()[1:] if re.match(r"[a-z_]+[.a-zA-Z_*0-9]* ", line)]


def mutate(content, rng):
    data = bytearray(content)
    for _ in range(rng.randint(1, 6)):
        kind, at = rng.randrange(5), rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.randint(1, 40))
        if kind == 0 and data:
            data[at % len(data)] = rng.randrange(256)
        elif kind == 1:
            del data[at:end]
        elif kind == 2:
            data[at:at] = data[at:end] * rng.randint(1, 30)
        elif kind == 3:
            data[at:at] = rng.choice(VALUES).encode()
        else:
            numbers = list(re.finditer(rb"-?\d+\.?\d*", bytes(data)))
            if numbers:
                found = rng.choice(numbers)
                data[found.start() : found.end()] = rng.choice(VALUES).encode()
    return bytes(data)


def hostile_command(program, rng, folder, all_keys):
    """A command line with one hostile thing in it."""
    scene = rng.choice(SCENES)
    short = ["--headless", "--duration", "0.02"]
    kind = rng.randrange(6)
    if kind == 0:
        key = rng.choice(all_keys).replace("*", str(rng.randrange(3)))
        return [program, "run", scene, *short, "--set", f"{key}={rng.choice(VALUES)}"]
    if kind == 1:
        source = rng.choice(sorted((ROOT / "config").glob("*.yaml")))
        path = folder / "config.yaml"
        text = source.read_bytes().replace(b"../scenes", str(ROOT / "scenes").encode())
        text = text.replace(b"base: ", b"base: " + str(ROOT / "config").encode() + b"/")
        path.write_bytes(mutate(text, rng))
        return [program, "run", str(path), *short]
    if kind == 2:
        source = rng.choice(sorted((ROOT / "scenes").glob("*/scene.xml")))
        path = folder / "scene.xml"
        path.write_bytes(mutate(source.read_bytes().replace(b"../common", str(ROOT / "scenes/common").encode()), rng))
        return [program, "eval", str(path), "--quantities", "H,C,g"]
    if kind == 3:
        values = ",".join(rng.choice(VALUES) for _ in range(rng.randint(1, 4)))
        return [program, "compare", scene, "--vary", f"{rng.choice(all_keys)}={values}", "--duration", "0.02"]
    if kind == 4:
        words = [rng.choice(["run", "eval", "bench", "keys", "poe", "transport", "geodesic", "formulas", "scenes", "replay", "survive"])]
        words += rng.choices([scene, "--out", "--set", "--jobs", "--duration", "--headless", "-h", "--", "/dev/full", *VALUES], k=rng.randint(0, 4))
        return [program, *(word.replace("\0", "") for word in words), *(["--headless"] if words[0] == "run" else [])]
    path = folder / "states.json"
    text = b'{"states":[{"q":[1,0,0,0,1,0,0,0,1,0,0,0],"v":[0,0,0,0,0,0,0,0,0]}]}'
    path.write_bytes(mutate(text, rng))
    return [program, "eval", "ball_arm", "--quantities", "all", "--states", str(path)]


def hostile(budget):
    all_keys = keys(budget.program)
    lock, bad, counts = threading.Lock(), [], [0]
    environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}

    def work(worker):
        rng = random.Random(budget.seed + worker)
        folder = budget.folder / str(worker)
        folder.mkdir()
        while budget.left() > 0:
            command = hostile_command(budget.program, rng, folder, all_keys)
            done = outcome.call(command, 60, cwd=folder, env=environment)
            fault = outcome.fault_of(done)
            with lock:
                counts[0] += 1
                if fault:
                    budget.bad.mkdir(parents=True, exist_ok=True)
                    name = f"case_{len(bad)}"
                    for path in folder.glob("*.*"):
                        (budget.bad / f"{name}_{path.name}").write_bytes(path.read_bytes()) if path.is_file() else None
                    bad.append(f"{name}: {command[1:]!r}: {fault}"[:600])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(os.cpu_count() or 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counts[0], bad, ""


def counted(budget, name, pattern, share=1):
    """A program of the build tree that takes seconds and a seed, and prints how many cases it had."""
    command = [str(budget.build / "release" / "bin" / name), str(share * budget.seconds), str(budget.seed)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    found = re.search(pattern, done.stdout)
    bad = [] if done.returncode == 0 else [(done.stdout + done.stderr).strip()[-1500:]]
    return int(found.group(1)) if found else 0, bad, done.stdout


def mechanisms(budget):
    """With the kernels of this machine, and with those of AVX-512 by its emulation."""
    cases, bad, differences = 0, [], []
    for name in ("civita_mechanisms", "civita_wide_mechanisms"):
        some, wrong, output = counted(budget, name, r"(\d+) mechanisms", 0.5)
        cases += some
        bad += wrong
        differences += [float(x) for x in re.findall(r" (\d\.\de[-+]\d+)$", output, re.M)]
    return cases, bad, f"largest difference {max(differences):.1e}" if differences else ""


def python_doors(budget):
    """Study files and folders of runs, read by the Python package."""
    if not budget.python:
        return 0, [], "the package is not built here"
    script = pathlib.Path(__file__).resolve().parent / "study_door.py"
    done = subprocess.run([*budget.python, script, str(budget.seconds), str(budget.seed)], capture_output=True, text=True, errors="replace")
    bad = [line.removeprefix("bad: ") for line in done.stdout.splitlines() if line.startswith("bad: ")]
    cases = re.search(r"^(\d+) inputs", done.stdout, re.M)
    if done.returncode != 0 or not cases:
        bad.append(f"exit code {done.returncode}: {done.stderr[-500:]}")
    return int(cases.group(1)) if cases else 0, bad, ""


def control_steps(budget):
    cases, bad, output = counted(budget, "civita_control_steps", r"(\d+) control steps")
    latency = re.search(r"longest .*", output)
    return cases, bad, latency.group() if latency else ""
