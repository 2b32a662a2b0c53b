#!/usr/bin/env python3
"""documents_test.py PROGRAM INCLUDE_DIR: README and the documents name what exists.

Checks the length of README, CHANGELOG and all pages, relative links and their anchors, paths of the tree,
the verbs, flags and scenes of quoted commands against PROGRAM's own help, flags of quoted scripts, and
headers civita/... below INCLUDE_DIR. Prints a line for each error and exits with 1.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README_MAX_LINES = 120
CHANGELOG_MAX_KB = 3  # what a user gets, not what was done
# kB of README and docs that people write: without pages and parts that the program or a script writes, and without
# its output and rows of tables that tests hold to the program's own.
MAX_KB = 200
WRITTEN_PAGES = {"configuration.md", "benchmarks.md"}
WRITTEN = re.compile(r"<!-- (\w+): (?!civita).*?-->.*?<!-- end of \1 -->|<!-- campaign -->.*?<!-- end -->"
                     r"|```json (?:\w+ )?output\n.*?```\n", re.DOTALL)
HELD = {"compare.md": "| `", "eval.md": "| `", "poe.md": "| `", "robots.md": "|", "signals.md": "| `"}
# Pages where a flag that is quoted alone belongs to one verb; elsewhere any verb may have it.
VERB_OF_PAGE = {"advise.md": "advise", "compare.md": "compare", "eval.md": "eval", "formulas.md": "formulas",
                "survival.md": "survive"}
FLAGS_OF_CMAKE = {"--build", "--component", "--install", "--prefix", "--preset", "--target"}
FOLDERS = sorted(p.name for p in ROOT.iterdir()
                 if p.is_dir() and p.name[0] != "." and p.name not in ("build", "dist", "runs"))
CALL = re.compile(r"(?:^|[ /])(?:civita|scripts/run)(?= )(.*?)(?=$| \| civita)")
FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")


class Program:
    """Verbs, flags and scenes that the built program knows."""

    def __init__(self, path):
        self._path = path
        about = self._run("--help")
        rows = about.partition("Subcommands:\n")[2].partition("\n\n")[0]
        verbs = [row.split()[0] for row in rows.splitlines()]
        common = self._flags(about)
        self.flags = {verb: common | self._flags(self._run(verb, "--help")) for verb in verbs}
        words = (ROOT / "python/civita/sweeps/command.py").read_text(encoding="utf-8")
        self.flags["sweep"] = set(re.findall(r'"(--[a-z]+)"', words))  # the Python package's verb
        self.all_flags = common.union(*self.flags.values())
        self.scenes = {line.split()[0] for line in self._run("scenes").splitlines() if line.strip()}

    def _run(self, *arguments):
        return subprocess.run([self._path, *arguments], check=True, capture_output=True,
                              encoding="utf-8").stdout

    @staticmethod
    def _flags(text):
        return set(re.findall(r"^ +(?:-\w,)?(--[a-z][\w-]*)", text, re.MULTILINE))


def code_of(text):
    """Quoted code: the lines of code blocks, continued ones joined, and inline spans."""
    prose, code, fenced = [], [], False
    for line in text.replace("\\\n", " ").splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            code.append(line.strip())
        else:
            prose.append(line)
    return code + [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", "\n".join(prose))]


def written_by_people(page):
    """Bytes of a page, see MAX_KB."""
    if page.name in WRITTEN_PAGES:
        return 0
    lines = WRITTEN.sub("", page.read_text(encoding="utf-8")).splitlines(keepends=True)
    held = HELD.get(page.name)
    return sum(len(line.encode()) for line in lines if not (held and line.startswith(held)))


def anchors_of(text):
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def check_links(page, text):
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path) if path else page
        if not file.exists():
            yield f"link to {target}: no such file"
        elif anchor and anchor not in anchors_of(file.read_text(encoding="utf-8")):
            yield f"link to {target}: no such heading"


def check_paths(page, text):
    pattern = r"(?<![\w/.~-])(?:" + "|".join(FOLDERS) + r")/[\w./*-]*"
    for path in re.findall(pattern, text):
        path = path.rstrip(".-")
        if not any(ROOT.glob(path)) and not (page.parent / path).exists():
            yield f"{path}: no such path of the tree"


def check_headers(text, include_dir):
    for header in re.findall(r"(?<![\w/])civita/[\w/]+\.h\b", text):
        if not (include_dir / header).exists():
            yield f"{header}: not published"


def check_arguments(command, arguments, program):
    """The arguments of one call of the program, up to a comment or the next command."""
    words = re.split(r"\s#|&&", arguments)[0].split()
    if not words or words[0].startswith("-") or not re.fullmatch(r"[a-z]+", words[0]):
        return
    verb = words[0]
    if verb not in program.flags:
        yield f"`{command}`: no verb '{verb}'"
        return
    for flag in FLAG.findall(" ".join(words[1:])):
        if flag not in program.flags[verb]:
            yield f"`{command}`: {verb} has no flag {flag}"
    if verb in ("run", "compare", "survive", "eval", "geodesic", "transport") and len(words) > 1 \
            and re.fullmatch(r"[a-z][a-z0-9_]*", words[1]) and words[1] not in program.scenes:
        yield f"`{command}`: no scene '{words[1]}'"


def check_commands(page, text, program):
    for code in code_of(text):
        for arguments in CALL.findall(code):
            yield from check_arguments(code, arguments, program)
        script = re.match(r"scripts/(\w+)\b(.*)", code)
        if script and script[1] != "run" and (ROOT / "scripts" / script[1]).is_file():
            source = (ROOT / "scripts" / script[1]).read_text(encoding="utf-8")
            for flag in FLAG.findall(script[2].split("#")[0]):
                if flag not in source:
                    yield f"`{code}`: the script has no flag {flag}"
        if code.startswith("--"):
            verb = VERB_OF_PAGE.get(page.name)
            known = program.flags[verb] if verb else program.all_flags | FLAGS_OF_CMAKE
            for flag in FLAG.findall(code):
                if flag not in known:
                    yield f"`{code}`: {verb or 'no verb'} has {'no' if verb else 'the'} flag {flag}"


def main():
    program, include_dir = Program(sys.argv[1]), Path(sys.argv[2])
    pages = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(ROOT.glob("docs/**/*.md")),
             *sorted(ROOT.glob("examples/**/*.md"))]
    errors = []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        found = [*check_links(page, text), *check_paths(page, text),
                 *check_headers(text, include_dir), *check_commands(page, text, program)]
        errors += [f"{page.relative_to(ROOT)}: {error}" for error in found]
    length = len((ROOT / "README.md").read_text(encoding="utf-8").splitlines())
    if length > README_MAX_LINES:
        errors.append(f"README.md: {length} lines, at most {README_MAX_LINES}")
    size = len((ROOT / "CHANGELOG.md").read_bytes()) / 1000
    if size > CHANGELOG_MAX_KB:
        errors.append(f"CHANGELOG.md: {size:.1f} kB, at most {CHANGELOG_MAX_KB}")
    size = sum(written_by_people(page) for page in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]) / 1000
    if size > MAX_KB:
        errors.append(f"README and docs: {size:.1f} kB, at most {MAX_KB}")
    print("\n".join(errors) if errors else f"{len(pages)} documents name what exists")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
