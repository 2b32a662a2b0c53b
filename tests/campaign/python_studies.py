"""python_studies.py LIMIT SEED: sweeps that are stopped or done, and go on with a larger study in the same folder,
up to the limit. Its table must be that of the larger study in a new folder, and every reader of Parquet that is
installed must read the same rows, columns, kinds and values. Prints the number of studies and the readers, and the
bad ones, each after `bad: `."""

import importlib.util
import json
import math
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
import warnings

import limit

MISSING = [name for name in ("distributed", "pandas", "pyarrow", "scipy") if importlib.util.find_spec(name) is None]
READERS = ("pandas", "polars", "duckdb")
OUT = pathlib.Path("out")
MOST_S = 20  # until a sweep is killed
KEYS = {
    "gains.K_D": lambda rng: rng.choice([rng.randint(1, 40), rng.randint(1, 40) + 0.5, [rng.randint(1, 9) for _ in range(2)]]),
    "gains.Lambda": lambda rng: rng.choice([rng.randint(1, 9), round(rng.uniform(1, 9), 3)]),
    "controller.factorization": lambda rng: rng.choice(["christoffel", f"t:{rng.randint(-9, 9)}", f"t:{rng.random()!r}"]),
    "controller.gain_form": lambda rng: rng.choice(["diagonal", "mass"]),
    "initial.v_error": lambda rng: [round(rng.uniform(-1, 1), 2) for _ in range(2)],
}


def kind_of_value(value):
    return "list" if isinstance(value, list) else "text" if isinstance(value, str) else "number"


def distinct(rng, key, count, kind=None):
    """Values of a key of one kind, each other than the rest."""
    values = []
    for _ in range(50):
        value = KEYS[key](rng)
        if len(values) < count and kind_of_value(value) == (kind or kind_of_value(value)) and value not in values:
            values.append(value)
            kind = kind_of_value(value)
    return values


def studies(rng):
    """A study, and one that contains it: more values, keys or seeds."""
    keys = rng.sample(list(KEYS), rng.randint(1, 2))
    vary = {key: distinct(rng, key, rng.randint(1, 3)) for key in keys}
    small = {"scene": "planar_2r", "duration_s": 0.02, "vary": vary, "seeds": rng.randint(1, 2)}
    small["keep"] = {"metrics": rng.choice([["error_rms"], ["error_rms", "torque_rms"]]), "signals": []}
    large = json.loads(json.dumps(small))
    key = rng.choice(keys)
    more = distinct(rng, key, 3, kind_of_value(vary[key][0]))
    large["vary"][key] = rng.sample([*vary[key], *(value for value in more if value not in vary[key])], k=len({*map(str, [*vary[key], *more])}))
    large["seeds"] = small["seeds"] + rng.randint(0, 2)
    if rng.random() < 0.3:
        other = rng.choice([name for name in KEYS if name not in keys])
        large["vary"][other] = distinct(rng, other, 2)
    return small, large


def read_with(reader, file):
    """Kinds and values of the columns, by name."""
    if reader == "pandas":
        import pandas

        frame = pandas.read_parquet(file)
        return {name: (plain_kind(str(frame[name].dtype), frame[name]), [plain(x) for x in frame[name]]) for name in frame.columns}
    if reader == "polars":
        import polars

        frame = polars.read_parquet(file)
        return {name: (plain_kind(str(frame[name].dtype), frame[name]), [plain(x) for x in frame[name].to_list()]) for name in frame.columns}
    import duckdb

    result = duckdb.sql(f"SELECT * FROM '{file}'")
    columns = list(zip(*result.fetchall(), strict=True))
    types = map(str, result.types)
    return {name: (plain_kind(kind, values), [plain(x) for x in values]) for name, kind, values in zip(result.columns, types, columns, strict=True)}


def plain_kind(name, values):
    """The same word for a type of every reader."""
    words = {
        "double": "number", "float64": "number", "bigint": "whole", "int64": "whole", "varchar": "text", "string": "text",
        "str": "text", "boolean": "truth", "bool": "truth", "double[]": "numbers", "list(float64)": "numbers",
    }  # fmt: skip
    if name == "object":  # of pandas
        first = next((x for x in values if x is not None), "")
        return "text" if isinstance(first, str) else "numbers"
    return words.get(name.lower(), name)


def plain(x):
    if hasattr(x, "tolist"):
        x = x.tolist()
    if x is None or (isinstance(x, float) and math.isnan(x)):
        return None
    return [plain(each) for each in x] if isinstance(x, list | tuple) else x


def kill_one(study, rng):
    """A sweep of the command line, killed at some time with all its workers."""
    pathlib.Path("study.yaml").write_text(json.dumps(study))
    command = [sys.executable, "-m", "civita", "sweep", "study.yaml", "--workers", "1", "--out", str(OUT)]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, start_new_session=True, **quiet)
    end = time.monotonic() + rng.uniform(0, MOST_S)
    while process.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def case(rng, client, readers, kills):
    """What is wrong with a study that goes on, or None."""
    import pandas

    import civita

    shutil.rmtree(OUT, ignore_errors=True)
    small, large = studies(rng)
    if kills:
        kill_one(large if rng.random() < 0.5 else small, rng)
    else:
        civita.sweep(small, client, OUT, progress=False)
    table = civita.sweep(large, client, OUT, progress=False).drop(columns="wall_s")
    fresh = civita.sweep(large, client, progress=False).drop(columns="wall_s")
    try:
        pandas.testing.assert_frame_equal(table, fresh, check_exact=True)
    except AssertionError as error:
        return f"another table than that of a new folder: {error}; {small} {large}"
    tables = {reader: read_with(reader, OUT / "table.parquet") for reader in readers}
    first = tables[readers[0]]
    if len(first["run"][1]) != len(fresh) or first["run"][1] != list(fresh["run"]):
        return f"rows that are not those of the study: {small} {large}"
    for reader in readers[1:]:
        differing = [name for name in {**first, **tables[reader]} if first.get(name) != tables[reader].get(name)]
        if list(first) != list(tables[reader]) or differing:
            name = differing[0] if differing else ""
            return f"{reader} reads {name} as {tables[reader].get(name)}, {readers[0]} as {first.get(name)}; {small} {large}"
    return None


def main():
    if MISSING:
        print(f"0 studies, without {', '.join(MISSING)}")
        return
    import distributed

    allowed, seed, cases = limit.Limit(sys.argv[1]), int(sys.argv[2]), 0
    warnings.simplefilter("ignore")
    readers = [name for name in READERS if importlib.util.find_spec(name)]
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        while allowed.allows(cases):
            rng = random.Random(f"{seed} {cases}")
            pathlib.Path("last_call").write_text(f"case {cases} of seed {seed}")
            try:
                fault = case(rng, client, readers, kills=cases % 5 == 1)
            except Exception as error:
                fault = f"{type(error).__name__}: {error}"
            if fault:
                print(f"bad: case {cases} of seed {seed}: {fault}"[:900].replace("\n", " "), flush=True)
            cases += 1
    absent = [name for name in READERS if name not in readers]
    print(f"{cases} studies, read by {', '.join(readers)}{f'; without {chr(44).join(absent)}' if absent else ''}")


if __name__ == "__main__":
    main()
