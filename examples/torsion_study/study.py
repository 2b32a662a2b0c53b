"""python study.py [--out DIR] [--size smoke|pilot|full] [--only A,B] [--workers N]

Runs the experiments of this folder with `civita.sweep`, an experiment a study file, for each
mechanism that the size takes, and stores beside each table what `civita.advise` predicts of its runs.
It goes on where it was stopped; a larger size adds runs to the same folder. report.py makes the
numbers, the figures and the page of what is there.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import itertools
import json
import pathlib
import sys
from collections.abc import Iterator
from typing import Any

import feet
import gains
import limits
import mechanisms
import predictions
import yaml

import civita
from civita.sweeps.engine import open_client

HERE = pathlib.Path(__file__).resolve().parent
SCENES = (
    "planar_2r",
    "arm7_twist",
    "arm7",
    "ball_arm",
    "space_arm",
    "chain20",
    "tree20",
    "quadruped_float",
    "biped_float",
)
# Formulas and thresholds were fixed on the scenes, the speed of the references on the seeds 0 and 1; no
# number had been seen of these mechanisms.
RANDOM = tuple(f"random_{seed}" for seed in range(100, 120))
DRY = tuple(f"dry_{seed}" for seed in range(100, 120))
FRICTION = 0.3  # N·m, of the joints of dry_SEED, which are those of random_SEED otherwise
LIMITED = tuple(f"limited_{seed}" for seed in range(100, 120))
LIMIT = 1.2  # times the largest torque of the reference, which the hinges of limited_SEED bear

# What a size takes: mechanisms, speeds of the reference, further settings by the name of a condition, and
# values in place of the study file's.
SIZES: dict[str, dict[str, dict[str, Any]]] = json.loads((HERE / "sizes.json").read_text(encoding="utf-8"))

# Experiments that are no sweep.
MEASURED = {"D": limits.store, "F": gains.store, "S": feet.store_survival, "Z": feet.store_tilts}


@functools.cache
def experiment_file(letter: str) -> pathlib.Path:
    (file,) = HERE.glob(f"{letter}_*.yaml")
    return file


@functools.cache
def frequencies(scene: str) -> Any:
    """Of the sines of the scene's reference, Hz."""
    config = yaml.safe_load(civita.run(scene, 0.001, signals=[], progress=False).config)
    return config["reference"].get("frequency_hz")


@functools.cache
def first_positions(scene: str, settings: str) -> tuple[civita.Model, Any, Any]:
    """The model, its own position and the reference's."""
    run = civita.run(scene, 0.001, set=json.loads(settings), signals=["/q", "/q_d"], progress=False)
    return civita.Model.from_file(yaml.safe_load(run.config)["model"]), run["/q"][0], run["/q_d"][0]


def nearer(scene: str, share: float, settings: dict[str, Any]) -> dict[str, Any]:
    """A start whose error of position is that share of that of the scene's own start."""
    model, q, q_d = first_positions(scene, json.dumps(settings))
    return {"initial.q": model.integrate_position(q_d, share * model.difference_position(q, q_d)).tolist()}


def mechanism_names(plan: dict[str, Any]) -> list[str]:
    named = {"scenes": SCENES, "random": RANDOM, "dry": DRY, "limited": LIMITED}
    return [name for each in plan["mechanisms"] for name in named.get(each, (each,))]


def find_scene(name: str, out: pathlib.Path) -> str:
    """A scene's name, a config of this folder, or that of a random mechanism, which is written."""
    if (HERE / name).is_file():
        return str(HERE / name)
    kind, _, seed = name.partition("_")
    if kind == "limited":
        return str(mechanisms.write_limited(out / "mechanisms", int(seed), LIMIT))
    if kind not in ("random", "dry"):
        return name
    return str(mechanisms.write(out / "mechanisms", int(seed), FRICTION if kind == "dry" else 0))


def studies(
    letter: str, plan: dict[str, Any], out: pathlib.Path
) -> Iterator[tuple[pathlib.Path, dict[str, Any]]]:
    """The studies of an experiment with the folders of their runs."""
    study = yaml.safe_load(experiment_file(letter).read_text(encoding="utf-8"))
    for name in mechanism_names(plan):
        scene = find_scene(name, out)
        vary = {**study["vary"], **plan.get("vary", {})}
        if name == "planar_2r":  # a three-form needs three velocities
            forms = vary["controller.factorization"]
            vary["controller.factorization"] = [each for each in forms if not each.startswith("form:")]
        conditions = plan.get("conditions", {"": {}})
        for share in plan.get("shares", []):
            conditions = {**conditions, f"{share:g}": nearer(scene, share, study["set"])}
        for speed, (condition, more) in itertools.product(plan.get("speeds", [1]), conditions.items()):
            settings = {**study.get("set", {}), **more}
            if speed != 1:
                hz = frequencies(scene)
                settings["reference.frequency_hz"] = (
                    [speed * each for each in hz] if isinstance(hz, list) else speed * hz
                )
            folder = f"{pathlib.Path(name).stem}@{speed:g}" + f"_{condition}" * bool(condition)
            changed = {"scene": scene, "set": settings, "vary": vary}
            seeds = settings.pop("seeds", plan.get("seeds"))
            if seeds is not None:
                changed["seeds"] = seeds
            yield out / letter / folder, {**study, **changed}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("torsion_study"))
    parser.add_argument("--size", choices=SIZES, default="pilot")
    parser.add_argument("--only", default="", help="experiments, as in A,C")
    parser.add_argument("--workers", type=int, default=0, help="processes; default: one a core")
    arguments = parser.parse_args()
    sizes = SIZES[arguments.size]
    chosen = [each for each in arguments.only.split(",") if each] or list(sizes)
    for letter in chosen:
        if letter not in sizes:
            parser.error(f"--only {letter}: not an experiment of this size; valid: {', '.join(sizes)}")
    with contextlib.ExitStack() as stack:
        client = stack.enter_context(open_client(workers=arguments.workers))
        for letter in chosen:
            for folder, study in studies(letter, sizes[letter], arguments.out):
                if letter in MEASURED:
                    table = MEASURED[letter](study, folder, client)
                else:
                    table = civita.sweep(study, client, folder, progress=sys.stderr.isatty())
                    predictions.store(letter, folder, client)
                done = (table["status"] == "done").sum()
                print(f"{letter} {folder.name}: {done} of {len(table)} done", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
