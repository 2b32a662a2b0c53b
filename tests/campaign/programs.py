"""Whole programs: hostile arguments and files, mechanisms, models, and calls of the control step."""

import pathlib
import random
import re
import subprocess
import threading

import fork_server
import outcome

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = ["planar_2r", "point_mass", "ball_arm", "four_bar", "arm7", "quadruped"]
VALUES = [
    "0", "-1", "1e308", "-1e308", "1e-320", "nan", "inf", "2147483647", "2147483648", "9" * 5000, "-9223372036854775809", "[]", "[1, 2]", "{}",
    "{a: 1}", "~", "''", "true", "t:1", "christoffel", "\x1b[31m", "é", "a" * 300, "[" * 50, "&a [*a]", "1e3", "0.5",
]  # fmt: skip


def keys(program):
    """Each key of a config with what it takes, from the program's table."""
    header, *lines = subprocess.run([program, "keys"], capture_output=True, text=True, check=True).stdout.splitlines()
    takes, rows = header.index("takes"), [line for line in lines if re.match(r"[a-z_]+[.a-zA-Z_*0-9]* ", line)]
    # A long list of choices goes on beyond its column.
    return {line[:takes].strip(): re.split(r" {2,}", line[takes:])[0].strip() for line in rows}


def plausible(takes, rng):
    """A value of the kind that a key takes, not always within its bounds."""
    if " | " in takes:
        return rng.choice(takes.split(" | "))
    if takes.startswith("true"):
        return rng.choice(["true", "false"])
    if takes.startswith("whole number"):
        return str(rng.randint(0, 9))
    number = f"{10 ** rng.uniform(-2, 4):.3g}"
    return f"[{number}, {number}, 0]" if takes.startswith("numbers") else number


def any_value(takes, rng):
    return plausible(takes, rng) if rng.random() < 0.6 else rng.choice(VALUES)


def renumber(content, rng):
    """Some numbers of a text changed, most of it still valid."""
    data = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        numbers = list(re.finditer(rb"-?\d+\.?\d*", bytes(data)))
        if numbers:
            found = rng.choice(numbers)
            data[found.start() : found.end()] = plausible("number", rng).encode()
    return bytes(data)


def mutate(content, rng):
    if rng.random() < 0.5:
        return renumber(content, rng)
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


def files_of(run):
    """The files of a run's folder that are read back."""
    return {name: (run / name).read_bytes() for name in ("config.yaml", "run.json", "signals.csv", "timing.csv")}


def damage(files, folder, rng):
    """Writes a run's files, one of them damaged, whose text it returns."""
    changed = rng.choice(list(files))
    text = mutate(files[changed], rng)
    folder.mkdir(exist_ok=True)
    for name, content in {**files, changed: text}.items():
        (folder / name).write_bytes(content)
    return text


def short_run(program, folder):
    out = folder / "whole"
    subprocess.run([program, "run", "planar_2r", "--headless", "--duration", "0.02", "--out", out], capture_output=True, check=True)
    return files_of(out)


def hostile_arguments(rng, folder, all_keys, files):
    """The arguments of a call of the program with one hostile thing in it; `files` are those of a run."""
    scene = rng.choice(SCENES)
    short = ["--headless", "--duration", "0.02"]
    kind = rng.randrange(7)
    if kind == 0:
        key, takes = rng.choice(list(all_keys.items()))
        key = key.replace("*", str(rng.randrange(3)))
        return ["run", scene, *short, "--set", f"{key}={any_value(takes, rng)}"]
    if kind == 1:
        source = rng.choice(sorted((ROOT / "config").glob("*.yaml")))
        path = folder / "config.yaml"
        text = source.read_bytes().replace(b"../scenes", str(ROOT / "scenes").encode())
        text = text.replace(b"base: ", b"base: " + str(ROOT / "config").encode() + b"/")
        path.write_bytes(mutate(text, rng))
        return ["run", str(path), *short]
    if kind == 2:
        source = rng.choice(sorted((ROOT / "scenes").glob("*/scene.xml")))
        path = folder / "scene.xml"
        path.write_bytes(mutate(source.read_bytes().replace(b"../common", str(ROOT / "scenes/common").encode()), rng))
        return ["eval", str(path), "--quantities", "H,C,g"]
    if kind == 3:
        key, takes = rng.choice(list(all_keys.items()))
        values = ",".join(any_value(takes, rng) for _ in range(rng.randint(1, 3)))
        return ["compare", scene, "--vary", f"{key}={values}", "--duration", "0.02"]
    if kind == 4:
        words = [rng.choice(["run", "advise", "eval", "bench", "keys", "poe", "transport", "geodesic", "formulas", "scenes", "identify", "replay", "survive", "verify", "schema", "reproduce"])]
        words += rng.choices([scene, "--out", "--set", "--jobs", "--duration", "--headless", "-h", "--", "/dev/full", *VALUES], k=rng.randint(0, 4))
        short = {"run": ["--headless"], "bench": ["--models", "planar_2r", "--seconds", "0.001"], "survive": ["--trials", "1", "--duration", "0.1"]}.get(words[0], [])
        return [*(word.replace("\0", "") for word in words), *short]
    if kind == 5:
        damage(files, folder / "run", rng)
        return ["verify", str(folder / "run")]
    path = folder / "states.json"
    text = b'{"states":[{"q":[1,0,0,0,1,0,0,0,1,0,0,0],"v":[0,0,0,0,0,0,0,0,0]}]}'
    path.write_bytes(mutate(text, rng))
    return ["eval", "ball_arm", "--quantities", "all", "--states", str(path)]


def hostile(budget):
    """Whole programs with damaged files and hostile arguments."""
    all_keys, files = keys(budget.program), short_run(budget.program, budget.folder)
    lock, bad, counts, started = threading.Lock(), [], [0, 0], [0]
    environment = outcome.without_display()
    library = fork_server.build(budget.folder)

    def work(worker):
        folder = budget.folder / str(worker)
        folder.mkdir()
        with fork_server.ForkServer(library, budget.program, budget.folder / f"of_{worker}", environment) as server:
            while True:
                with lock:
                    case = started[0]
                    if not budget.goes_on(case):
                        return
                    started[0] += 1
                # By the case, whatever the number of workers.
                rng = random.Random(f"{budget.seed} {case}")
                arguments = hostile_arguments(rng, folder, all_keys, files)
                done = server.call(arguments, 600, folder)
                fault = outcome.fault_of(done)
                with lock:
                    counts[done.returncode == 0] += 1
                    if fault:
                        keep(budget.bad, f"case_{len(bad)}", folder)
                        bad.append(f"case_{len(bad)}: {arguments!r}: {fault}"[:600])

    outcome.on_all_cores(work)
    return sum(counts), bad, f"{counts[True]:,} end well"


def keep(bad_folder, name, folder):
    bad_folder.mkdir(parents=True, exist_ok=True)
    for path in (*folder.glob("*.*"), *folder.glob("run/*")):
        if path.is_file():
            kept = "_".join([name, *path.relative_to(folder).parts])
            (bad_folder / kept).write_bytes(path.read_bytes())


def counted(budget, name, pattern, share=1):
    """A program of the build tree that takes a limit and a seed, and prints how many cases it had."""
    program = (budget.build / "release" / "bin" / name).resolve()
    budget.bad.mkdir(parents=True, exist_ok=True)
    command = [program, budget.limit(share), str(budget.seed)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=budget.bad)
    found = re.search(pattern, done.stdout)
    bad = [] if done.returncode == 0 else [(done.stdout + done.stderr).strip()[-1500:]]
    return int(found.group(1)) if found else 0, bad, done.stdout


def mechanisms(budget):
    """Random trees of up to 300 bodies, masses changed by factors from 1e-9 to 1e9: Ḣ = C + Cᵀ, C v + g = bias,
    H v̇ + C v + g = RNEA, C = Γ·v, the kernels of this machine and of AVX-512, by its emulation, against the plain
    algorithms."""
    cases, bad, differences = 0, [], []
    for name in ("civita_mechanisms", "civita_wide_mechanisms"):
        some, wrong, output = counted(budget, name, r"(\d+) mechanisms", 0.5)
        cases += some
        bad += wrong
        differences += [float(x) for x in re.findall(r" (\d\.\de[-+]\d+)$", output, re.M)]
    return cases, bad, f"largest difference {max(differences):.1e}" if differences else ""


def objects(budget):
    """Objects of the library in two threads, over their arguments, of another model, and by their text."""
    cases, bad, _ = counted(budget, "civita_objects", r"(\d+) mechanisms")
    return cases, bad, ""


def models(budget):
    """Random MJCF over the attributes of joints, tendons, actuators, equalities, flexes and flags: H, C v + g and passive
    forces of the plant against those of the law's model, to 1e-12, or a notice."""
    cases, bad, output = counted(budget, "civita_models", r"(\d+) models")
    differences = [float(x) for x in re.findall(r" (\d\.\de[-+]\d+)$", output, re.M)]
    named = re.search(r"(\d+) of them with forces that a notice names", output)
    note = f"largest difference {max(differences):.1e}; {named.group(1)} with forces that a notice names" if named else ""
    return cases, bad, note


def large(budget):
    """The readers that are fuzzed, with inputs of up to 4 MiB."""
    cases, bad, output = counted(budget, "civita_large_inputs", r"(\d+) inputs")
    slowest = re.search(r"slowest .*", output)
    return cases, bad, slowest.group() if slowest else ""


def python_inputs(budget):
    """Study files and folders of runs, read by the Python package."""
    return of_python(budget, "study_door.py", "inputs")


def python_calls(budget):
    """The package's classes with arguments that are nearly right."""
    return of_python(budget, "python_calls.py", "calls")


def python_objects(budget):
    """Objects of two threads, on one another's memory, of another model, and written and read."""
    return of_python(budget, "python_objects.py", "objects")


def python_studies(budget):
    """Sweeps that go on with a larger study, whose table all readers read alike."""
    return of_python(budget, "python_studies.py", "studies")


def python_peers(budget):
    """What answers at a window's socket, and is none."""
    return of_python(budget, "peers.py", "answers")


def of_python(budget, script, unit):
    """A script that takes a limit and a seed, and prints bad cases and how many cases it had."""
    if not budget.python:
        return 0, [], "the package is not built here"
    path = pathlib.Path(__file__).resolve().parent / script
    command = [*budget.python, path, budget.limit(), str(budget.seed)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=budget.folder)
    bad = [line.removeprefix("bad: ") for line in done.stdout.splitlines() if line.startswith("bad: ")]
    cases = re.search(rf"^(\d+) {unit}(?:, (.+))?$", done.stdout, re.M)
    if done.returncode != 0 or not cases:
        last = budget.folder / "last_call"
        bad.append(f"exit code {done.returncode}: {done.stderr[-500:]}{last.read_text() if last.exists() else ''}")
    return (int(cases.group(1)), bad, cases.group(2) or "") if cases else (0, bad, "")


def control_steps(budget):
    """Each law on each scene: every step watched for allocations, locks, exceptions and system calls."""
    cases, bad, output = counted(budget, "civita_control_steps", r"(\d+) control steps")
    least = re.search(r"of each law at least (\d+)", output)
    latency = re.search(r"longest .*", output)
    notes = [f"of each law at least {int(least.group(1)):,}" if least else "", latency.group() if latency else ""]
    return cases, bad, ", ".join(note for note in notes if note)
