"""Models in JSON, damaged and large, by the whole program: a number, or a refusal in one line, soon."""

import json
import random
import resource
import subprocess

import outcome
import programs

SCENES = ["planar_2r", "ball_arm", "arm7", "four_bar", "quadruped"]
PIECES = [b"\0", b"\\u0000", b"\\ud800", b"\xff", b'"inf"', b"1e999", b"[[", b"{}", b",", b'"body": 0,', b'"name": "a",']
SLOWEST_S = 30  # of a processor
LARGEST = 8 << 20


def run(budget):
    folder = budget.folder
    models = []
    for scene in SCENES:
        file = folder / f"{scene}.json"
        subprocess.run([budget.program, "eval", scene, "--save-model", str(file)], capture_output=True, check=True)
        models.append(file.read_bytes())
    rng, cases, bad, good = random.Random(budget.seed), 0, [], 0
    file = folder / "model.json"
    while budget.goes_on(cases):
        file.write_bytes(hostile_model(rng, models))
        done = outcome.call([budget.program, "eval", str(file), "--quantities", "g"], preexec_fn=limit_time)
        fault = outcome.fault_of(done)
        if not fault and done.returncode == 2 and done.stderr.count("\n") != 1 + done.stderr.count("civita: note: "):
            fault = f"not one line: {done.stderr[:300]!r}"
        good += done.returncode == 0
        cases += 1
        if fault:
            budget.bad.mkdir(parents=True, exist_ok=True)
            (budget.bad / f"model_{len(bad)}.json").write_bytes(file.read_bytes())
            bad.append(f"model_{len(bad)}.json: {fault}")
    return cases, bad, f"{good:,} end well"


def limit_time():
    resource.setrlimit(resource.RLIMIT_CPU, (SLOWEST_S, SLOWEST_S + 1))


def hostile_model(rng, models):
    kind = rng.randrange(4)
    if kind == 0:
        return programs.mutate(rng.choice(models), rng)
    text = bytearray(rng.choice(models))
    if kind == 1:
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(text))
            text[at:at] = rng.choice(PIECES)
        return bytes(text)
    model = json.loads(text)
    if kind == 2:  # a value of another kind, or one that is another's
        owner = rng.choice([model, *(each for items in model.values() if isinstance(items, list) for each in items)])
        owner[rng.choice(list(owner))] = rng.choice([None, -1, 1e9, "x", "link0", [], {}, [1, 2, 3], True, "inf"])
        return json.dumps(model).encode()
    # One item of a list very often, under names of its own or under one.
    key = rng.choice([key for key, items in model.items() if isinstance(items, list)])
    item, own = dict(rng.choice(model[key])), rng.random() < 0.5
    count = min(int(10 ** rng.uniform(1, 5.5)), LARGEST // len(json.dumps(item)))
    for i in range(count):
        model[key].append({**item, "name": f"own {i}"} if own else item)
    return json.dumps(model).encode()
