"""The same output and the same files whatever locale surrounds the program, or is set within it."""

import pathlib
import random
import re
import shutil
import subprocess

import outcome
import verbs

SOURCE = pathlib.Path(__file__).resolve().parent / "locale.cc"
DEFINITION = verbs.ROOT / "tests" / "data" / "locale"
NAMES = ["C", "C.UTF-8", "POSIX", "en_US.UTF-8", "xx_YY.UTF-8", "", "de", "../../etc/passwd", "a" * 5000, "C.ISO-8859-1", "\x01"]
VARIABLES = ["LC_ALL", "LANG", "LC_NUMERIC"]
NUMBER = re.compile(rb"-?\d+(\.\d+)?(e[-+]?\d+)?")
PYTHON = (
    "import locale, civita\n"
    "try: locale.setlocale(locale.LC_ALL, '')\n"
    "except locale.Error: pass\n"
    "civita.run('planar_2r', 0.05, out='out', progress=False)\n"
    "print(civita.evaluate(civita.Model.from_file('ball_arm'), 'H')['H'].tolist())\n"
    "print(civita.Factorization.torsion(0.25) + civita.Factorization.inject('hand', beta=1.5))\n"
)


def make_german(folder):
    """A locale with a decimal comma in the folder, for LOCPATH; false without localedef."""
    if shutil.which("localedef") is None:
        return False
    made = ["-f", DEFINITION / "ascii", "-i", DEFINITION / "de", folder / "de_XX"]
    subprocess.run(["localedef", "--no-archive", "-c", *made], capture_output=True)
    return (folder / "de_XX" / "LC_NUMERIC").exists()


def commands_of(budget):
    commands = {name: [budget.program, *words] for name, words in verbs.short(verbs.prepare(budget)).items()}
    if budget.python:
        commands["Python"] = [*budget.python, "-c", PYTHON]
    return commands


def surroundings(rng, library, locales, german):
    """Variables of the environment, and their words for a report."""
    name = "de_XX" if german and rng.random() < 0.5 else rng.choice(NAMES)
    variable, sets = rng.choice(VARIABLES), rng.random() < 0.7
    extra = {variable: name, "LOCPATH": str(locales)} | ({"LD_PRELOAD": str(library)} if sets else {})
    return extra, f"{variable}={name[:30]!r}{' set before main' if sets else ''}"


def run(budget):
    rng, library = random.Random(budget.seed), budget.folder / "locale.so"
    subprocess.run(["c++", "-O1", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
    german = make_german(budget.folder)
    commands = commands_of(budget)
    plain = {key: value for key, value in outcome.without_display().items() if not key.startswith(("LC_", "LANG", "LOCPATH"))}
    references, plans, cases, bad = {}, [], 0, []
    while budget.goes_on(cases):
        if not plans:
            plans = list(commands)
            rng.shuffle(plans)
        name = plans.pop()
        if name not in references:
            references[name] = [results(budget, commands[name], plain) for _ in range(2)]
        extra, words = surroundings(rng, library, budget.folder, german)
        differing = differences_of(budget, commands[name], plain | extra, references[name])
        cases += 1
        bad += [f"{name}, {words}: {each} differs" for each in differing]
    return cases, bad, "" if german else "no locale with a comma, which needs localedef"


def differences_of(budget, command, environment, references):
    """Names of what differs each time: times that were measured may change words and curves by chance."""
    names = differences(results(budget, command, environment), *references)
    for _ in range(3):
        if names:
            names &= differences(results(budget, command, environment), *references)
    return sorted(names)


def results(budget, command, environment):
    """Exit code, standard output and error, and files, by name."""
    folder = budget.folder / "case"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    done = outcome.call(command, cwd=folder, env=environment)
    texts = {"exit code": str(done.returncode).encode(), "standard output": done.stdout.encode(), "standard error": done.stderr.encode()}
    return texts | {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def differences(found, first, second):
    """Names of what differs from two runs without a locale. Where these differ, by times that were measured or
    dates, the text around the numbers counts, and whether an interval is so narrow that it is left out does not."""
    names = set()
    for name in found.keys() | first.keys():
        texts = [each.get(name, b"(nothing)") for each in (found, first, second)]
        if texts[1] != texts[2]:
            texts = [b" ".join(NUMBER.sub(b"#", text).split()).replace(" ± #".encode(), b"") for text in texts]
        if texts[1] == texts[2] and texts[0] != texts[1]:
            names.add(name)
    return names
