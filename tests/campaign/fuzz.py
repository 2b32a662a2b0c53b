"""libFuzzer under the sanitizers on each reader of a text or file (doors.cc). A text must be accepted, and then used,
or be refused by a message of one line."""

import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"

# Each door with the project's files that are inputs of its kind, patterns from the root.
DOORS = {
    "config": ["config/*.yaml"],
    "scene": ["config/planar_2r.yaml", "config/point_mass*.yaml", "config/ball_arm.yaml"],
    "overrides": [],
    "factorization": [],
    "injection": [],
    "three_form": [],
    "variation": [],
    "states": [],
    "poe": ["config/poe/*.yaml"],
    "poe_states": [],
    "motion": [],
    "coordinates": [],
    "formula": [],
    "estimates": [],
    "mjcf": ["scenes/planar_2r/scene.xml", "scenes/point_mass/scene.xml", "scenes/ball_arm/scene.xml", "tests/data/closed/*.xml"],
    "urdf": [],
    "collada": [],
    "model_json": [],
    "run": [],
    "events": [],
    "state": [],
    "profile": [],
    "window_settings": [],
}
# In bytes; short inputs are tried more often, and long ones are a matter of the part large.
LONGEST = 512
LONGEST_OF = {"config": 2048, "scene": 2048, "poe": 2048, "mjcf": 4096, "urdf": 2048, "collada": 4096, "model_json": 4096}
SLOWEST_S = 20


def executions(output):
    found = re.findall(r"stat::number_of_executed_units:\s*(\d+)", output)
    return int(found[-1]) if found else 0


def run(budget, door):
    seeds = budget.folder / "seeds"
    seeds.mkdir()
    sources = [path for pattern in DOORS[door] for path in sorted(ROOT.glob(pattern))]
    sources += sorted((CORPUS / door).glob("*"))
    for i, path in enumerate(sources):
        content = path.read_bytes()
        (seeds / f"{i}_{path.name}").write_bytes(content)
    grown = budget.folder / "grown"
    grown.mkdir()
    budget.bad.mkdir(parents=True, exist_ok=True)
    command = [
        str(budget.build / "fuzz" / "bin" / "civita_fuzz"),
        f"-runs={budget.cases}" if budget.cases else f"-max_total_time={max(1, int(budget.seconds))}",
        f"-timeout={SLOWEST_S}",
        "-rss_limit_mb=3000",
        f"-max_len={LONGEST_OF.get(door, LONGEST)}",
        f"-seed={budget.seed % 2**31 or 1}",
        "-print_final_stats=1",
        "-verbosity=1",
        f"-artifact_prefix={budget.bad}/",
        str(grown),
        str(seeds),
    ]
    dictionary = CORPUS / f"{door}.dict"
    if dictionary.exists():
        command.insert(1, f"-dict={dictionary}")
    # Short stacks of allocations and a small quarantine: an eighth more executions in the same time.
    environment = {**os.environ, "CIVITA_DOOR": door, "ASAN_OPTIONS": "malloc_context_size=3:quarantine_size_mb=8"}
    # Address randomization of newer kernels leaves no room for the sanitizers' shadow memory.
    if subprocess.run(["setarch", "-R", "true"], capture_output=True).returncode == 0:
        command = ["setarch", "-R", *command]
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    cases = executions(done.stderr)
    bad = []
    if done.returncode != 0:
        kept = re.findall(r"Test unit written to (\S+)", done.stderr)
        reason = [line for line in done.stderr.splitlines() if re.match(r"civita: |SUMMARY|==\d+==ERROR|.*runtime error", line)]
        bad.append(f"{'; '.join(kept) or 'no file'}: {'; '.join(reason[:3]) or done.stderr[-500:]}")
    covered = re.findall(r"cov: (\d+)", done.stderr)
    return cases, bad, f"{covered[-1]} edges" if covered else ""
