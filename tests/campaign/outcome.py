"""What a run of the program may end as: the rule of all parts of the campaign."""

import concurrent.futures
import csv
import json
import os
import re
import signal
import subprocess
import time
import zipfile

EXIT_CODES = {0: "done", 1: "failed", 2: "bad input", 3: "not here", 130: "interrupted"}
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
LONGEST_LINE = 1500
SLOWEST_CALL_S = 60  # of a processor


def call(command, seconds=600, **options):
    """Runs a command; its returncode is None where it hangs, which no slow machine makes it."""
    try:
        return subprocess.run(
            command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=seconds, **options
        )
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(command, None, late.stdout or "", late.stderr or "")


def on_all_cores(work):
    """Calls work(0), work(1), … at once on a thread for each core; raises what one of them raises."""
    cores = os.cpu_count() or 1
    with concurrent.futures.ThreadPoolExecutor(cores) as threads:
        for each in [threads.submit(work, i) for i in range(cores)]:
            each.result()


def without_display():
    """The environment of programs that open no window."""
    return {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}


def answer_of(do, refusals, one_line=False):
    """What a call of Python gives, and why this is neither an answer nor a proper refusal, or None."""
    began = time.process_time()
    try:
        value = do()
    except refusals as refused:
        text = str(refused).strip()
        return None, None if text and not (one_line and "\n" in text) else f"refused by {refused!r}"
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"
    seconds = time.process_time() - began
    return value, f"takes {seconds:.0f} s" if seconds > SLOWEST_CALL_S else None


def fault_of(done):
    """Why this is no proper end of the program, or None."""
    if done.returncode is None:
        return "hangs"
    if done.returncode < 0:
        return f"ends by {signal.Signals(-done.returncode).name}"
    if done.returncode not in EXIT_CODES:
        return f"exit code {done.returncode}"
    if "internal error" in done.stderr:
        return done.stderr.strip()
    if done.returncode == 2:
        lines = done.stderr.rstrip("\n").split("\n")
        if not any(line.startswith("civita: ") for line in lines):
            return f"bad input without a message: {done.stderr[:200]!r}"
        if len(lines[-1]) > LONGEST_LINE:
            return f"a message of {len(lines[-1])} characters"
    if done.returncode == 1 and not done.stderr.strip() and not done.stdout.strip():
        return "fails without a word"
    for text in (done.stdout, done.stderr):
        if CONTROL.search(text):
            return f"a control character is printed: {CONTROL.search(text).group()!r}"
    return None


def fault_in(folder):
    """Why a file with a final name in the folder is not whole, or None."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.name.startswith("."):
            continue
        try:
            fault = CHECKS.get(path.suffix, lambda path: None)(path)
        except (ValueError, KeyError, zipfile.BadZipFile) as error:
            fault = str(error)
        if fault:
            return f"{path.relative_to(folder)}: {fault}"
    return None


def check_json(path):
    json.loads(path.read_text())


def check_npz(path):
    with zipfile.ZipFile(path) as archive:
        return archive.testzip()


def check_csv(path):
    """A table that grows while a run lasts may end within a row only if the run was killed."""
    size = path.stat().st_size
    if size == 0:  # nothing could be written
        return None
    with path.open("rb") as file:
        file.seek(size - 1)
        if file.read() != b"\n":
            return "ends within a row"
    with path.open(newline="") as file:  # which may be larger than the memory
        rows = csv.reader(file)
        width, time = len(next(rows)), None
        for row in rows:
            if len(row) != width:
                return f"rows of {width} and {len(row)} columns"
            if path.name != "signals.csv":
                continue
            before, time = time, float(row[0])
            if before is not None and before >= time:
                return "its time goes back"
    return None


def check_png(path):
    return None if path.read_bytes().endswith(b"IEND\xaeB`\x82") else "is cut off"


def check_svg(path):
    return None if path.read_text().rstrip().endswith("</svg>") else "is cut off"


def check_html(path):
    return None if path.read_text().rstrip().endswith("</html>") else "is cut off"


CHECKS = {
    ".json": check_json,
    ".npz": check_npz,
    ".csv": check_csv,
    ".png": check_png,
    ".svg": check_svg,
    ".html": check_html,
}
