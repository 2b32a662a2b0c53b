"""Input stays data: watched by strace, no program is started, no connection opened, nothing written
outside of the folder; what hostile names leave in pages and pictures is text."""

import os
import pathlib
import random
import re
import shutil
import subprocess

import outcome
import programs

CALLS = (
    "execve,execveat,socket,connect,open,openat,openat2,creat,rename,renameat,renameat2,unlink,unlinkat,"
    "rmdir,mkdir,mkdirat,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat,chown,fchownat"
)
LINE = re.compile(r"^(?:\d+ +)?(?P<call>\w+)\((?P<arguments>.*)\) += (?P<result>-?\d+|\?)")
QUOTED = re.compile(r'(?:AT_FDCWD<(?P<at>[^>]*)>, )?"(?P<path>(?:[^"\\]|\\.)*)"')
MARK = "<script>alert(7)</script>"


def allowed(path, folder):
    """Where a program may write: its folder, and what is no file."""
    path = os.path.normpath(os.path.join(folder, path))
    return path == str(folder) or path.startswith(f"{folder}/") or path in ("/dev/null", "/dev/tty", "/dev/full")


def faults_of(trace, folder, program):
    faults = []
    started = 0
    for line in trace.splitlines():
        found = LINE.match(line)
        if not found or found["result"].startswith("-"):
            continue
        call, arguments = found["call"], found["arguments"]
        if call in ("execve", "execveat"):
            started += 1
            if started > 1 and str(pathlib.Path(program).parent) not in arguments:
                faults.append(f"starts a program: {arguments[:100]}")
        elif call in ("socket", "connect"):
            if "AF_UNIX" not in arguments:
                faults.append(f"opens a connection: {arguments[:100]}")
        elif "open" not in call or re.search("O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", arguments):
            for each in QUOTED.finditer(arguments):
                path = os.path.join(each["at"] or "", each["path"])
                if not allowed(path, folder):
                    faults.append(f"{call} outside: {path[:100]}")
    return faults


def hostile_names(program, folder, own_plugin):
    """Commands whose inputs try to get out."""
    short = ["--headless", "--duration", "0.02", "--out", "out"]
    scenes = f"{programs.ROOT}/scenes"
    texts = {
        "plugin.yaml": f"model: {scenes}/planar_2r/scene.xml\nplugins: [{own_plugin}]\n",
        "law.yaml": f"model: {scenes}/planar_2r/scene.xml\ncontroller: {{type: 'os:system'}}\n",
        "based.yaml": "base: plugin.yaml\nduration_s: 1\n",
        "title.yaml": f"model: {scenes}/planar_2r/scene.xml\ntitle: '../../../{MARK}'\n",
        "names.xml": "<mujoco><worldbody><body name='../../../../tmp/civita_evil'><joint name='&lt;script&gt;alert(7)&lt;/script&gt;'/>"
        "<geom size='.1'/></body></worldbody></mujoco>",
        "engine.xml": "<mujoco><extension><plugin plugin='mujoco.elasticity.cable'/></extension><worldbody/></mujoco>",
        "include.xml": "<mujoco><include file='/etc/passwd'/></mujoco>",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    runs = [["run", name, *short] for name in texts]
    return [
        *([program, *words] for words in runs),
        [program, "verify", "out"],
        [program, "compare", "planar_2r", "--duration", "0.02", "--vary", f"title=../../evil,/tmp/evil,{MARK},$(touch x),`touch x`", "--out", "out"],
        [program, "compare", "names.xml", "--duration", "0.02", "--vary", "seed=1,2", "--out", "out"],
        [program, "eval", "names.xml", "--quantities", "H,C", "--out", "out.json"],
        [program, "formulas", "planar_2r", "--out", "out.txt"],
        [program, "run", "planar_2r", *short, "--set", f"title={MARK}"],
    ]


def run(budget):
    if shutil.which("strace") is None or subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode != 0:
        return 0, [], "strace is not here, or not allowed"
    rng = random.Random(budget.seed)
    folder = budget.folder.resolve()
    own_plugin = budget.build / "release" / "tests" / "plugins" / "own_law.so"
    all_keys, files = programs.keys(budget.program), programs.short_run(budget.program, budget.folder)
    environment = outcome.without_display()
    environment.update(HOME=str(folder), TMPDIR=str(folder))
    commands = iter(hostile_names(budget.program, folder, own_plugin))
    cases, bad = 0, []
    while True:
        command = next(commands, None)
        if command is None:
            if not budget.goes_on(cases):
                break
            command = [budget.program, *programs.hostile_arguments(rng, folder, all_keys, files)]
        trace = folder.parent / "trace"
        done = outcome.call(["strace", "-f", "-y", "-qq", "-e", f"trace={CALLS}", "-o", str(trace), *command], 600, cwd=folder, env=environment)
        cases += 1
        faults = faults_of(trace.read_text(errors="replace"), folder, command[0])
        for path in (*folder.rglob("*.html"), *folder.rglob("*.svg")):
            if MARK in path.read_text(errors="replace"):
                faults.append(f"{path.name} contains a script of a name")
        fault = outcome.fault_of(done)
        faults += [fault] if fault else []
        bad += [f"{command[1:]!r}: {each}"[:600] for each in faults]
    return cases, bad, "watched by strace"
