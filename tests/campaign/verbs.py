"""A command of each verb of the program: one that ends soon, and one that lasts until it is stopped."""

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHAIN = str(ROOT / "config" / "poe" / "ur5_three_links.yaml")
SHORT_STUDY = "scene: planar_2r\nduration_s: 0.05\nvary: {gains.K_D: [5, 10.5]}\nkeep: {metrics: [error_rms], signals: [/e]}\n"
LONG_STUDY = "scene: arm7\nduration_s: 30\nvary: {gains.K_D: {from: 5, to: 20, count: 400}}\nkeep: {metrics: [error_rms]}\n"


def prepare(budget):
    """Writes what the commands read: states, studies and a recorded run."""
    given = budget.folder / "given"
    given.mkdir()
    (given / "states.json").write_text(json.dumps({"states": [{}] * 50_000}))
    angles = {"theta": [0.1, 0.2, 0.3], "tau": [0.5, 0, 0]}
    (given / "motion.json").write_text(json.dumps({"states": [angles] * 20}))
    (given / "short.yaml").write_text(SHORT_STUDY)
    (given / "long.yaml").write_text(LONG_STUDY)
    words = ["run", "arm7", "--headless", "--duration", "0.5", "--out", str(given / "run")]
    subprocess.run([budget.program, *words], capture_output=True, check=True)
    return given


def short(given):
    """By name, the words after the program of commands that end by themselves; they write to `out` in their folder."""
    run, headless = str(given / "run"), ["--headless", "--duration", "0.05", "--out", "out"]
    return {
        "run": ["run", "arm7", *headless, "--set", "gains.K_D=12.5"],
        "run legs": ["run", "quadruped_push", *headless],
        "run refused": ["run", "arm7", *headless, "--set", "gains.K_D=-1.5"],
        "verify": ["verify", run],
        "identify": ["identify", run, "--window", "0.01", "--out", "out"],
        "compare": ["compare", "planar_2r", "--vary", "K_D=5.5,10", "--duration", "0.1", "--initial-states", "2", "--out", "out"],
        "survive": ["survive", "quadruped", "--push", "0.5", "--trials", "1", "--out", "out"],
        "scenes": ["scenes"],
        "keys": ["keys"],
        "schema": ["schema"],
        "eval": ["eval", "arm7", "--quantities", "all"],
        "eval to a file": ["eval", "ball_arm", "--quantities", "H,C,torsion", "--factorization", "t:0.25", "--out", "out.json"],
        "geodesic": ["geodesic", "planar_2r", "--v", "1,0.5", "--duration", "0.2", "--out", "out"],
        "transport": ["transport", "planar_2r", "--waypoint", "0,0.5", "--waypoint", "1,1.5", "--loop", "--out", "out"],
        "formulas": ["formulas", "planar_2r", "--quantities", "all"],
        "formulas as Python": ["formulas", "arm7", "--language", "python", "--out", "out.py"],
        "poe": ["poe", "inverse_dynamics_rnea", CHAIN, "--theta", "0.1,0.2,0.3", "--ddtheta", "1.5,2,3"],
        "reproduce": ["reproduce", "connections", "--out", "out"],
    }


def endless(given):
    """As short(), of commands that do not end within seconds, but for those that only print."""
    states, motion = str(given / "states.json"), str(given / "motion.json")
    zeros, ones = ",".join("0" * 7), ",".join("1" * 7)
    survive = ["survive", "quadruped", "--push", "0.5", "--trials", "100000"]
    return {
        "run": ["run", "arm7", "--headless", "--duration", "1e6", "--out", "out"],
        "run of a model": ["run", str(ROOT / "scenes" / "quadruped" / "scene.xml"), "--headless", "--duration", "1e6", "--out", "out"],
        "verify": ["verify", str(given / "run")],
        "compare": ["compare", "planar_2r", "--vary", "factorization=christoffel,t:1", "--duration", "1e5", "--out", "out"],
        "survive": [*survive, "--out", "out"],
        "survive on one thread": [*survive, "--jobs", "1"],
        "eval": ["eval", "arm7", "--quantities", "all", "--states", states],
        "eval to a file": ["eval", "arm7", "--quantities", "all", "--states", states, "--format", "npz", "--out", "out.npz"],
        "geodesic": ["geodesic", "arm7", "--v", ones, "--duration", "100", "--step", "1e-5", "--out", "out"],
        "transport": ["transport", "arm7", "--waypoint", zeros, "--waypoint", ones, "--step", "1e-7", "--out", "out"],
        "formulas": ["formulas", "arm7", "--expand", "--out", "out.c"],
        "poe": ["poe", "forward_dynamics_trajectory", CHAIN, "--states", motion, "--dt", "1", "--resolution", "1000000", "--out", "out.json"],
        "reproduce": ["reproduce", "all", "--out", "out"],
        "bench": ["bench", "--seconds", "100", "--out", "out"],
        "scenes": ["scenes"],
        "keys": ["keys"],
        "schema": ["schema"],
    }
