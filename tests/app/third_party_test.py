#!/usr/bin/env python3
"""third_party_test.py BINARY...: THIRD_PARTY.md lists what the binaries are linked to and built from.

Checks that each shared library that they need, also by way of others, and each library of
scripts/packages.txt, cmake/*_requirements.txt and pyproject.toml has a row; that versions are
those of the installed packages; and that no extension module of Python (*.so) needs what is
optional, whose licence is not for all. Prints a line for each error and exits with 1.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "THIRD_PARTY.md"
KINDS = ("program", "machine", "package", "optional")
DRIVERS = ("libgl1-mesa-dri",)


def read_rows():
    """By package the version and the kind."""
    rows = {}
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 5 and cells[4] in KINDS:
            for package in re.findall(r"`([^`]+)`", cells[2]):
                rows[package] = (cells[1], cells[4])
    return rows


def words_of(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout.split("\n")


def libraries_of(binary):
    """The files of the shared libraries that it needs."""
    for line in words_of("ldd", binary):
        name, arrow, path = line.strip().partition(" => ")
        if arrow and path.startswith("/"):
            yield name, pathlib.Path(path.split(" ")[0]).resolve()


def package_of(path):
    """The package that owns a library, None for one of no package."""
    for prefix in ("mujoco", "eiquadprog"):
        if path.name.startswith(f"lib{prefix}"):
            return {"mujoco": "mujoco-core"}.get(prefix, prefix)
    for file in (path, pathlib.Path(str(path).removeprefix("/usr"))):
        for line in words_of("dpkg-query", "-S", str(file)):
            if line:
                return line.split(":")[0]
    return None


def base(package):
    """libyaml-cpp-dev and libyaml-cpp0.7 are one."""
    return re.sub(r"([0-9.]+(v[0-9])?)?$", "", package.removesuffix("-dev")).rstrip("-")


def check_linked(binary, rows):
    by_base = {}
    for package, (_, kind) in rows.items():
        by_base[base(package)] = kind
    for name, path in libraries_of(binary):
        package = package_of(path)
        if package is None:
            continue
        kind = rows[package][1] if package in rows else by_base.get(base(package))
        if kind is None:
            yield f"{binary} needs {name} of {package}, which has no row"
        elif kind == "optional" and binary.endswith(".so"):
            yield f"{binary} needs {name}, which the Python package must not contain"


def check_named(rows):
    for line in (ROOT / "scripts/packages.txt").read_text().splitlines():
        group, _, package = line.partition(" ")
        if group == "run" and re.match(r"(lib|nlohmann).*", package) and package not in (*rows, *DRIVERS):
            yield f"scripts/packages.txt: {package} has no row"
    pinned = {}
    for file in ROOT.glob("cmake/*_requirements.txt"):
        pinned |= dict(re.findall(r"^([\w-]+)==([\d.]+)", file.read_text(), re.M))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    pinned |= dict(re.findall(r"^(nanobind)==([\d.]+)", "\n".join(project["build-system"]["requires"]), re.M))
    for package, version in pinned.items():
        if package not in rows or rows[package][0] != version:
            yield f"{package} {version} is not the row's"
    for package in project["project"]["dependencies"]:
        if re.match(r"[\w-]+", package)[0] not in rows:
            yield f"pyproject.toml: {package} has no row"


def check_versions(rows):
    system = pathlib.Path("/etc/os-release")
    if not system.exists() or "VERSION_CODENAME=bookworm" not in system.read_text():
        return
    for package, (version, _) in rows.items():
        installed = words_of("dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package)[0]
        if installed.startswith("installed ") and version not in installed:
            yield f"{package} is {installed.split(' ')[1]}, not {version}"


def main(binaries):
    if shutil.which("dpkg-query") is None:
        return 77  # skipped: no Debian
    rows = read_rows()
    errors = list(check_named(rows)) + list(check_versions(rows))
    for binary in binaries:
        if pathlib.Path(binary).exists():
            errors += check_linked(binary, rows)
    print("\n".join(f"THIRD_PARTY.md: {error}" for error in errors) or "")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
