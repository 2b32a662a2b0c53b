#!/usr/bin/env python3
"""robots_page_test.py PROGRAM: each row of docs/robots.md that names a file of tests/data/robots is what
PROGRAM does with that file.

The cells `eval` and `run` of such a row begin with a word:

  modelled, left out   exit code 0, and no note but those of every file of its kind
  note                 exit code 0, and a note with each text that the cell quotes
  refused              exit code 2 and one line, which names the file and has each text quoted

A file says in comments of its own what else is to come out: `eval: H = 0.6; nv = 1` numbers of `civita
eval`, row by row, `eval --reduced: nw = 1` those of that call, and `run: error_peak < 1e-4` figures of a
run of 0.2 s. Every file but those of folders is in a row. Prints a line for each error and exits with 1.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/robots.md"
FILES = ROOT / "tests/data/robots"
LINK = re.compile(r"\]\(\.\./tests/data/robots/([\w.]+)\)")
CHECK = re.compile(r"<!-- (eval|run)((?: --[\w-]+)*): (.*?) -->")
# What a run of every file of a kind says.
COMMON = ["the links of a URDF do not touch one another", "bodies without shapes are drawn as bones"]
DURATION = "0.2"  # s


def rows():
    """(file, cell of eval, cell of run), in order."""
    found = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        link = LINK.search(cells[-1]) if len(cells) == 4 else None
        if link:
            found.append((link[1], cells[1], cells[2]))
    return found


def call(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, encoding="utf-8", cwd=FILES)


def flat(x):
    return [y for each in x for y in flat(each)] if isinstance(x, list) else [x]


def check_ending(verb, cell, done, name):
    """Errors of how a verb ended, against its cell."""
    word = cell.split(":")[0].split(",")[0].strip()
    quoted = re.findall(r"`([^`]+)`", cell)
    lines = done.stderr.splitlines()
    told = [line for line in lines if not any(common in line for common in COMMON)]
    expected = 2 if word == "refused" else 0
    if word not in ("modelled", "left out", "note", "refused"):
        return [f"{verb}: '{word}' is none of the words"]
    if done.returncode != expected:
        return [f"{verb}: exit code {done.returncode} rather than {expected}: {' '.join(lines)}"]
    if word in ("modelled", "left out"):
        return [f"{verb}: says more: {line}" for line in told]
    errors = [] if quoted else [f"{verb}: the cell quotes nothing"]
    if word == "refused":
        told = [line for line in lines if not line.startswith("civita: note: ")]
        if len(told) != 1 or name not in told[0]:
            errors.append(f"{verb}: not one line that names the file: {' '.join(told)}")
    return errors + [f"{verb}: says nowhere '{text}': {' '.join(told)}"
                     for text in quoted if not any(text in line for line in told)]


def check_numbers(program, file, flags, expected):
    names = [each.split(" = ")[0].strip() for each in expected.split(";")]
    header = {"nq", "nv", "nw", "q", "v"}
    quantities = ",".join([name for name in names if name not in header] or ["H"])
    done = call(program, "eval", file, "--quantities", quantities, *flags)
    if done.returncode != 0:
        return [f"eval {' '.join(flags)}: exit code {done.returncode}"]
    out = json.loads(done.stdout)
    known = {**out, **out["states"][0]}
    errors = []
    for name, right in zip(names, (each.split(" = ")[1] for each in expected.split(";"))):
        numbers = flat([known.get(name, "none")])
        wanted = [float(x) for x in right.split()]
        same = len(numbers) == len(wanted) and all(
            isinstance(x, (int, float)) and abs(x - y) <= 1e-9 * max(1, abs(y))
            for x, y in zip(numbers, wanted))
        if not same:
            errors.append(f"eval: {name} is {numbers}, not {wanted}")
    return errors


def check_figures(folder, expected):
    summary = json.loads((Path(folder) / "run.json").read_text(encoding="utf-8"))["summary"]
    errors = []
    for each in expected.split(";"):
        name, most = each.split(" < ")
        value = summary[name.strip()]
        if not (value is not None and value < float(most)):
            errors.append(f"run: {name.strip()} is {value}, not below {most}")
    return errors


def check(program, file, cell_eval, cell_run):
    text = (FILES / file).read_text(encoding="utf-8")
    errors = check_ending("eval", cell_eval, call(program, "eval", file, "--quantities", "H,g"), file)
    with tempfile.TemporaryDirectory() as folder:
        done = call(program, "run", file, "--headless", "--duration", DURATION, "--out",
                    os.path.join(folder, "run"))
        errors += check_ending("run", cell_run, done, file)
        for verb, flags, expected in CHECK.findall(text):
            if verb == "eval":
                errors += check_numbers(program, file, flags.split(), expected)
            elif done.returncode == 0:
                errors += check_figures(os.path.join(folder, "run"), expected)
    return errors


def main():
    program = os.path.abspath(sys.argv[1])
    found = rows()
    named = {file for file, _, _ in found}
    lost = sorted({path.name for path in FILES.iterdir() if path.is_file()} - named)
    bad = [f"{name}: in no row of docs/robots.md" for name in lost]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for (file, *_), errors in zip(found, pool.map(lambda row: check(program, *row), found)):
            bad += [f"{file}: {error}" for error in errors]
    print("\n".join(bad) if bad else f"{len(found)} rows are as the program does")
    return bool(bad) or not found


if __name__ == "__main__":
    sys.exit(main())
