#!/usr/bin/env python3
"""how_to_add_test.py: the table "How to add …" of docs/architecture.md is true, by a patch for each of its rows.

how_to_add_test.py               checks that every patch beside this file applies to the tree, alone and after those
                                 before it, and that it changes as many files and lines as its row says
how_to_add_test.py --write       writes these numbers into the table

A patch that no longer applies is mended by `git apply --3way` in the tree and
`git diff -U1 > tests/how_to_add/NAME.patch`. Prints a line for each error and exits with 1.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs/architecture.md"


# Row of the table by patch, in the order in which they are applied.
ROWS = {
    "law": "a law",
    "law_option": "an option of a law",
    "law_signal": "a signal of a law",
    "reference": "a reference type",
    "metric": "a metric",
    "signal": "a recorded signal",
    "signal_member": "a recorded signal with a member of `StepRecord`",
    "derived_curve": "a derived curve",
    "plot": "a standard plot",
    "action": "a key or an action of the window",
    "request": "a request of the live link",
    "config_key": "a key of a config",
    "config_section": "a section of a config",
    "scene": "a scene",
    "quantity": "a quantity of the state",
    "eval_quantity": "a quantity of `civita eval`",
    "python_method": "a method of the Python package",
    "joint_property": "a property of a joint or tendon",
    "model_json_key": "a key of a model in JSON",
    "joint_type": "a joint type",
    "verb": "a verb",
    "tab": "a tab of the side card",
}


def cost(patch):
    """What a patch changes: "1 file, 2 lines; 1 new file"."""
    changed, new, lines = 0, 0, 0
    for part in re.split(r"^diff --git ", patch, flags=re.MULTILINE)[1:]:
        if re.search(r"^new file mode", part, re.MULTILINE):
            new += 1
            continue
        changed += 1
        lines += len(re.findall(r"^\+(?!\+\+ )", part, re.MULTILINE))

    def count(number, what):
        return f"{number} {what}{'' if number == 1 else 's'}"

    words = [f"{count(changed, 'file')}, {count(lines, 'line')}"] if changed else []
    return "; ".join(words + ([count(new, "new file")] if new else []))


def files_of(patch):
    return re.findall(r"^diff --git a/(\S+) ", patch, re.MULTILINE)


def apply(file, folder, *options):
    """Applies a patch in a folder. Returns what is wrong."""
    # In no repository: one around the folder would take the patch's paths for its own.
    environment = {**os.environ, "GIT_DIR": os.devnull}
    if shutil.which("git"):
        command = ["git", "apply", "-C1", *options, str(file)]
    else:
        options = [{"--check": "--dry-run"}[option] for option in options]
        command = ["patch", "-p1", "--force", "--silent", "-r", "-", *options, "-i", str(file)]
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8")
    return "" if result.returncode == 0 else (result.stdout + result.stderr).strip()


def rows_of(page):
    """The table: what is added, and the cell of files and lines."""
    table = page.partition("## How to add …")[2]
    return dict(re.findall(r"^\| (.+?) \| ([^|]*?) \| .* \|$", table, re.MULTILINE))


def check_patches(texts):
    rows = rows_of(PAGE.read_text(encoding="utf-8"))
    files = {path.stem for path in HERE.glob("*.patch")}
    for name in sorted(files ^ set(texts)):
        yield f"{name}.patch: is in the folder or in the test's table, not in both"
    for name in sorted(set(rows) - {"what", "---"} - set(ROWS.values())):
        yield f"{PAGE.name}: '{name}' has no patch"
    with tempfile.TemporaryDirectory() as folder:
        for file in {file for text in texts.values() for file in files_of(text)}:
            if (ROOT / file).exists():
                copy = Path(folder) / file
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / file, copy)
        for name, row in ROWS.items():
            file = HERE / f"{name}.patch"
            told, is_so = rows.get(row), cost(texts[name])
            if told != is_so:
                yield f"{PAGE.name}: '{row}' says {told}, {file.name} is {is_so}"
            for where, wrong in [("alone", apply(file, ROOT, "--check")), ("after the others", apply(file, folder))]:
                if wrong:
                    yield f"{file.name}: does not apply {where}: {wrong}"


def write_costs(texts):
    page = PAGE.read_text(encoding="utf-8")
    for name, row in ROWS.items():
        words = cost(texts[name])
        page = re.sub(rf"^(\| {re.escape(row)} \|) [^|]* \|", rf"\g<1> {words} |", page, flags=re.MULTILINE)
    PAGE.write_text(page, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description="See the head of this file.")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    texts = {name: (HERE / f"{name}.patch").read_text(encoding="utf-8") for name in ROWS}
    if options.write:
        write_costs(texts)
    errors = list(check_patches(texts))
    print("\n".join(errors) if errors else f"{len(ROWS)} patches are as docs/{PAGE.name} says")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
