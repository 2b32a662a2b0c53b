#!/usr/bin/env python3
"""The reliability campaign: what hostile and unlucky use does to the program. See scripts/campaign."""

import argparse
import inspect
import json
import os
import pathlib
import platform
import shutil
import sys
import tempfile
import time

import digits
import faults
import full_disk
import fuzz
import inert
import json_models
import keyboards
import laws
import links
import locales
import programs
import runs
import sentences
import signals
import windows

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- campaign -->\n", "<!-- end -->\n"


class Budget:
    """What a part tries, for a time of `seconds`, or a number of `cases`, which is the same on every machine; and
    where it works. What is kept of bad cases is in `bad`."""

    def __init__(self, build, seconds, cases, seed, folder, bad):
        self.build, self.seconds, self.cases, self.seed = build, seconds, cases, seed
        self.folder, self.bad = folder, bad
        self.start = time.monotonic()
        self.folder.mkdir(parents=True, exist_ok=True)

    @property
    def program(self):
        return str(self.build / "release" / "bin" / "civita")

    @property
    def python(self):
        """The words that start Python with the package of the build; none where there is none."""
        package = self.build / "release" / "python"
        interpreter = ROOT / ".cache" / "python" / "bin" / "python"
        if not (interpreter.exists() and any(package.glob("civita/_civita*.so"))):
            return []
        return ["env", f"PYTHONPATH={package.resolve()}", str(interpreter)]

    def goes_on(self, cases):
        """Whether another case is tried after these."""
        return cases < self.cases if self.cases else time.monotonic() - self.start < self.seconds

    def limit(self, share=1):
        """As an argument of a program that tries cases itself: 20.0s, or a number of cases."""
        return str(round(share * self.cases)) if self.cases else f"{share * self.seconds}s"


def parts():
    """Name, share of the time, function, what one case is, and their number with --fixed-cases."""
    doors = [
        (f"fuzz:{name}", 0.5 / len(fuzz.DOORS), lambda budget, name=name: fuzz.run(budget, name), "executions", 20_000)
        for name in fuzz.DOORS
    ]
    return [
        *doors,
        ("mechanisms", 0.06, programs.mechanisms, "mechanisms", 4_000),
        ("objects", 0.02, programs.objects, "mechanisms", 300),
        ("models", 0.03, programs.models, "models", 3_000),
        ("laws", 0.03, laws.run, "runs", 300),
        ("large", 0.04, programs.large, "inputs", 360),
        ("programs", 0.10, programs.hostile, "programs", 4_000),
        ("programs:json", 0.03, json_models.run, "models", 400),
        ("python:inputs", 0.03, programs.python_inputs, "inputs", 4_000),
        ("python:calls", 0.02, programs.python_calls, "calls", 12_000),
        ("python:objects", 0.03, programs.python_objects, "objects", 1_000),
        ("python:studies", 0.03, programs.python_studies, "studies", 2),
        ("python:peers", 0.02, programs.python_peers, "answers", 2_000),
        ("sentences", 0.03, sentences.run, "comparisons", 200),
        ("inert", 0.04, inert.run, "programs", 120),
        ("links", 0.03, links.run, "programs", 60),
        ("faults", 0.08, faults.run, "faults", 1_600),
        ("disk", 0.03, full_disk.run, "programs", 18),
        ("kills", 0.06, runs.kills, "kills", 40),
        ("signals", 0.04, signals.run, "signals", 40),
        ("windows", 0.04, windows.run, "windows", 4),
        ("recordings", 0.04, windows.recordings, "windows", 4),
        ("keyboards", 0.03, keyboards.run, "keys", 30),
        ("together", 0.04, runs.together, "programs", 88),
        ("same", 0.04, runs.same, "runs", 84),
        ("locales", 0.03, locales.run, "programs", 40),
        ("steps", 0.02, programs.control_steps, "control steps", 100_000),
        ("soak", 0.02, runs.soak, "control steps", 400_000),
        ("soak:window", 0.02, runs.soak_window, "control steps", 6_000),
        ("digits", 0.02, digits.run, "tables and paragraphs", 9),
    ]


def row(each):
    """A line of the table."""
    cases, minutes = f"{each['cases']:,}", f"{each['seconds'] / 60:.1f}"
    return f"| {each['part']} | {each['unit']} | {cases} | {len(each['bad'])} | {minutes} | {each['note']} |"


def write_page(results, names):
    """Of the parts that did not run the page keeps its lines."""
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    rows = {line.split("|")[1].strip(): line for line in old.splitlines() if line.startswith("| ")}
    rows |= {each["part"]: row(each) for each in results}
    lines = ["| part | one case | cases | bad | minutes | |", "|---|---|---:|---:|---:|---|"]
    lines += [rows[name] for name in names if name in rows]
    machine = f"{platform.machine()}, {os.cpu_count()} cores"
    PAGE.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n\n({machine})\n\n{END}{after}")


def told(all_parts):
    """What each part tries, by the docstrings of its function or module."""
    texts = {}
    for name, _, function, *_ in all_parts:
        function = fuzz.run if name.startswith("fuzz:") else function
        words = inspect.getdoc(function) or inspect.getdoc(inspect.getmodule(function))
        texts["fuzz:NAME" if function is fuzz.run else name] = " ".join(words.split())
    return "parts:\n" + "\n".join(f"  {name}: {text}" for name, text in texts.items())


def arguments(all_parts):
    known = [name for name, *_ in all_parts]
    parser = argparse.ArgumentParser(
        prog="scripts/campaign", description=__doc__, epilog=told(all_parts),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=5, help="for all parts together (default 5)")
    parser.add_argument(
        "--fixed-cases", type=float, nargs="?", const=1.0, metavar="SHARE",
        help="of each part a number of cases that is the same on every machine, in place of a time; SHARE: this share of it",
    )
    parser.add_argument("--door", action="append", metavar="NAME", help="this part only; repeatable: " + ", ".join(known))
    parser.add_argument("--no-fuzz", action="store_true", help="without the parts that need the fuzzer")
    parser.add_argument("--seed", type=int, help="of everything random; default: the time")
    parser.add_argument("--bad", type=pathlib.Path, default=ROOT / "build" / "campaign", help="where bad cases are kept")
    parser.add_argument("--json", type=pathlib.Path, help="write the results to this file, too")
    parser.add_argument("--write", action="store_true", help="write the results into the table of docs/reliability.md")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help=argparse.SUPPRESS)
    options = parser.parse_args()
    for name in options.door or []:
        if name not in known and not any(part.startswith(name + ":") for part in known):
            parser.error(f"--door: there is no {name}; valid: {', '.join(known)}")
    if options.minutes <= 0:
        parser.error("--minutes must be positive")
    if options.fixed_cases is not None and not 0 < options.fixed_cases <= 1:
        parser.error("--fixed-cases: the share must be in (0, 1]")
    return options


def main():
    all_parts = parts()
    options = arguments(all_parts)
    chosen = [
        part
        for part in all_parts
        if not (options.no_fuzz and part[0].startswith("fuzz:"))
        if not options.door or any(part[0] == name or part[0].startswith(name + ":") for name in options.door)
    ]
    seed = options.seed if options.seed is not None else time.time_ns() % 2**31
    print(f"seed {seed}", flush=True)
    total = sum(share for _, share, *_ in chosen)
    results = []
    temporary = pathlib.Path(tempfile.mkdtemp(prefix="civita_campaign_"))
    # The user's own settings and caches are neither read nor written.
    os.environ.update(XDG_CONFIG_HOME=str(temporary / "config"), XDG_CACHE_HOME=str(temporary / "cache"))
    try:
        for name, share, function, unit, number in chosen:
            seconds, cases = 60 * options.minutes * share / total, None
            if options.fixed_cases:
                seconds, cases = 0, max(1, round(options.fixed_cases * number))
            folder = temporary / name.replace(":", "_")
            bad_folder = options.bad / name.replace(":", "_")
            budget = Budget(options.build, seconds, cases, seed, folder, bad_folder)
            tried, bad, note = function(budget)
            result = {"part": name, "unit": unit, "cases": tried, "bad": bad, "note": note}
            results.append(result | {"seconds": time.monotonic() - budget.start})
            print(f"{name:20} {tried:>12,} {unit:14} {len(bad):>3} bad  {note}", flush=True)
            for each in bad[:5]:
                print("    " + each.replace("\n", "\n    "), flush=True)
            shutil.rmtree(folder, ignore_errors=True)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    if options.json:
        options.json.write_text(json.dumps({"seed": seed, "parts": results}, indent=2) + "\n")
    if options.write:
        write_page(results, [name for name, *_ in all_parts])
    failed = [each["part"] for each in results if each["bad"]]
    if failed:
        print(f"bad cases in {', '.join(failed)}; kept in {options.bad}", file=sys.stderr)
        return 1
    return 0 if len(results) == len(chosen) else 130


if __name__ == "__main__":
    sys.exit(main())
