"""Whether the digits of the documents' figures hold: the program with each directed rounding of the
processor in place of rounding to nearest."""

import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent / "rounding.c"
MODES = ("upward", "downward", "towardzero")

sys.path.insert(0, str(SOURCE.parents[1] / "app"))
import document_figures_test as figures  # noqa: E402


class Number(figures.Number):
    """Agrees within one of its last digit, since the C library prints with that rounding, too."""

    def agrees(self, other, percent):
        slack = self.digit + other.digit
        return abs(self.value - other.value) <= max(1.0001 * slack, percent / 100 * abs(other.value))


def program_with(folder, library, program, mode):
    """A program named civita that rounds so, in a folder of its own."""
    path = folder / mode / "civita"
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nCIVITA_INSTRUCTION_SET=plain LD_PRELOAD="{library}" CIVITA_ROUNDING={mode} exec "{program}" "$@"\n')
    path.chmod(0o755)
    return path


def run(budget):
    library = budget.folder / "rounding.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl", "-lm"], check=True)
    figures.Number = Number
    cases, bad = 0, []
    for mode in MODES:
        commands = figures.Commands(program_with(budget.folder, library, budget.program, mode), budget.folder / mode)
        for page in figures.PAGES:
            errors, checks = figures.check_page(figures.read_page(page), commands.output, slow=False)
            cases += checks
            bad += [f"{page}, rounding {mode}: {error}" for error in errors]
            if not budget.goes_on(cases):
                return cases, bad, f"some pages, rounding {mode}"
    return cases, bad, "all pages, three roundings"
