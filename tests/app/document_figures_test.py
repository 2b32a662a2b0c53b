#!/usr/bin/env python3
"""document_figures_test.py PROGRAM [--slow]: the figures of the documents are what PROGRAM prints.

A comment before a table or a paragraph of a page says where its figures come from:

    <!-- check -->                  the commands of the last code block above
    <!-- check: civita … -->        this command; `cat docs/…` for figures of another page
    <!-- check slow, 2 %: … -->     with --slow only; agreement within 2 % in place of rounding

A row of a table agrees with a line of the output that has the row's texts and its numbers in their
order, below a line that has the heads of their columns in order; or each of its cells agrees with
a line that has the row's text and the cell's head. In a paragraph each number with a decimal point
or an exponent, outside of code, is somewhere in the output. Rounding is to the digits printed in
the page. Tables of decimal numbers without a check are errors. Prints a line for each error and
exits with 1.
"""

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md"] + [f"docs/{name}.md" for name in (
    "advise", "compare", "geometry", "guide", "identify", "laws", "legs", "library", "study", "survival",
    "window")]
# What a script writes into a page is held to it by a test of its own.
WRITTEN = re.compile(r"<!-- (\w+): (?!civita).*?-->.*?<!-- end of \1 -->", re.DOTALL)
COMMENT = re.compile(r"<!-- check( slow)?(?:,? ([\d.]+) %)?(?:: (.*))? -->")
NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:\.\d+)?(?:·10(?P<power>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)|e[-+]?\d+)?(?![\w])"
                    r"|(?<![\w.])10(?P<alone>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
NUMERIC_CELL = re.compile(r"[-−]?\d[\d\s.,…%=\[\]·⁻⁰¹²³⁴⁵⁶⁷⁸⁹e+−-]*(?:to [\d.]+)?")


@dataclass
class Number:
    text: str
    value: float
    digit: float  # unit of the last digit printed

    def agrees(self, other, percent):
        slack = 0.5 * self.digit + 0.5 * other.digit if other.digit < self.digit else self.digit / 1e6
        return abs(self.value - other.value) <= max(slack, percent / 100 * abs(other.value))


def numbers_of(text):
    found = []
    for match in NUMBER.finditer(text):
        plain = match[0].replace("−", "-")
        if match["alone"]:
            plain = "1e" + match["alone"].translate(SUPERSCRIPTS)
        elif match["power"]:
            plain = plain.partition("·")[0] + "e" + match["power"].translate(SUPERSCRIPTS)
        mantissa, _, exponent = plain.partition("e")
        decimals = len(mantissa.partition(".")[2])
        found.append(Number(match[0], float(plain), 10.0 ** (int(exponent or 0) - decimals)))
    return found


def is_subsequence(wanted, given, agrees):
    rest = iter(given)
    return all(any(agrees(want, have) for have in rest) for want in wanted)


def cells_of(row):
    return [cell.strip().replace("`", "") for cell in row.strip().strip("|").split("|")]


def check_row(heads, row, lines, percent):
    """Errors of one row of a table."""
    cells = cells_of(row)
    figures = [NUMERIC_CELL.fullmatch(cell) is not None for cell in cells]
    texts = [cell for cell, figure in zip(cells, figures) if cell and not figure]
    wanted = [n for cell, figure in zip(cells, figures) if figure for n in numbers_of(cell)]
    names = [head for head, figure in zip(heads, figures) if figure]
    agrees = lambda want, have: want.agrees(have, percent)
    head_seen = False
    for line in lines:
        head_seen = head_seen or is_subsequence(names, re.split(r" {2,}|\|", line.strip()),
                                                lambda a, b: a == b.strip())
        if head_seen and all(text in line for text in texts) and is_subsequence(
                wanted, numbers_of(line), agrees):
            return
    for head, cell, figure in zip(heads, cells, figures):
        if not figure:
            continue
        of_cell = [line for line in lines if head in line and all(text in line for text in texts)]
        if not any(is_subsequence(numbers_of(cell), numbers_of(line), agrees) for line in of_cell):
            yield f"{' | '.join(texts)}: {head} {cell}: not in the output"


def check_paragraph(text, lines, percent):
    prose = re.sub(r"`[^`]*`", "", text)
    given = [n for line in lines for n in numbers_of(line)]
    for number in numbers_of(prose):
        if "." not in number.text and "10" not in number.text:
            continue
        if not any(number.agrees(other, percent) for other in given):
            yield f"{number.text}: not in the output"


def check_block(block, output, percent):
    """Errors of a table or a paragraph, given as lines, beside an output."""
    lines = output.splitlines()
    if not block[0].startswith("|"):
        yield from check_paragraph(" ".join(block), lines, percent)
        return
    heads = cells_of(block[0])
    for row in block[2:]:
        yield from check_row(heads, row, lines, percent)


def is_table_of_figures(block):
    cells = [cell for row in block[2:] for cell in cells_of(row)] if block[0].startswith("|") else []
    return any(re.fullmatch(r"[-−]?\d+\.\d+", cell) for cell in cells)


class Commands:
    """Outputs of commands, each run once, in a folder of their own."""

    def __init__(self, program, folder):
        for name in ("docs", "scripts"):
            (folder / name).symlink_to(ROOT / name)
        self._folder = folder
        self._environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}"}
        self._outputs = {}

    def output(self, command):
        if command not in self._outputs:
            result = subprocess.run(["bash", "-ec", command], cwd=self._folder, text=True,
                                    env=self._environment, capture_output=True, check=False)
            if result.returncode != 0:
                raise RuntimeError(f"`{command}` exits with {result.returncode}: {result.stderr}")
            self._outputs[command] = result.stdout
        return self._outputs[command]


def blocks_of(text):
    """Blocks of lines between empty lines, code blocks and comments included."""
    return [block.split("\n") for block in re.split(r"\n\s*\n", text.strip("\n"))]


def check_page(text, output_of, slow):
    """@returns the errors of a page and the number of its checks."""
    code, errors, count = "", [], 0
    for block in blocks_of(text):
        comment = COMMENT.fullmatch(block[0])
        if block[0].startswith("    "):
            code = "\n".join(line.strip() for line in block)
        elif block[0].startswith("<!-- check") and (not comment or len(block) == 1):
            errors.append(f"{block[0]}: not understood, or nothing follows")
        elif not comment and is_table_of_figures(block):
            errors.append(f"{block[0]}: figures without a check")
        elif comment and (slow or not comment[1]):
            count += 1
            try:
                output = output_of(comment[3] or code)
                errors += check_block(block[1:], output, float(comment[2] or 0))
            except RuntimeError as error:
                errors.append(str(error))
    return errors, count


def read_page(page):
    """A page without what a script writes from files that tests hold it to."""
    return WRITTEN.sub("", (ROOT / page).read_text(encoding="utf-8"))


def check_checks():
    """What the checks find in a sample, since one that finds nothing proves nothing."""
    sample = ("    civita a\n\n<!-- check -->\n| | `x` | `y` |\n|---|---|---|\n| e, m | {} | 2.0·10⁻³ |\n\n"
              "<!-- check: civita b -->\nIt is {} m with `9.9`.\n")
    outputs = {"civita a": "         x    y\n  e, m   0.123  0.002\n", "civita b": "C = 1: z, m  7.25\n"}

    def errors_of(text):
        return check_page(text, outputs.__getitem__, slow=False)[0]

    assert not errors_of(sample.format("0.12", "7.2")), errors_of(sample.format("0.12", "7.2"))
    assert not errors_of(sample.format("0.123", "7.25"))
    for wrong in (("0.13", "7.25"), ("0.123", "7.26"), ("0.1231", "7.25"), ("0.002", "7.25")):
        assert errors_of(sample.format(*wrong)), wrong
    assert errors_of(sample.format("0.123", "7.25").replace("`x` | `y`", "`y` | `x`"))
    assert errors_of(sample.format("0.123", "7.25").replace("<!-- check -->\n", ""))
    by_cell = "<!-- check: civita b -->\n| C | z, m |\n|---|---|\n| C = 1 | {} |\n"
    assert not errors_of(by_cell.format("7.25"))
    assert errors_of(by_cell.format("7.15"))


def main():
    program, slow = Path(sys.argv[1]).resolve(), "--slow" in sys.argv[2:]
    check_checks()
    errors, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        commands = Commands(program, Path(folder))
        for page in PAGES:
            found, checks = check_page(read_page(page), commands.output, slow)
            errors += [f"{page}: {error}" for error in found]
            count += checks
    print("\n".join(errors) if errors else f"{count} tables and paragraphs agree with the program")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
