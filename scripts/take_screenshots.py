"""Takes and compares the pictures of scripts/screenshots, which see. Needs a display, xdotool,
Pillow and NumPy.

Two pictures are compared in grey at the width of the accepted ones, by the structural similarity
(Wang et al. 2004) of blocks of 8 x 8 pixels: its mean over the picture, and its mean over the least
similar part, a sixteenth of the picture, so that a change of one panel shows.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy
from PIL import Image, ImageGrab

from window_animation import FIRST, MakeAnimation

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/release/bin/civita"
ACCEPTED = ROOT / "tests/window/accepted"
ACCEPTED_WIDTH = 320
BLOCK = 8
# Below them pictures differ. Times of control steps, which the window shows, change a few blocks.
LEAST_MEAN, LEAST_PART = 0.97, 0.80
PATIENCE = 60  # s
# Until the run-up has ended, and until the window has drawn the effect of input, s.
RUN_UP, SETTLE = 4, 2

# In place of input: until the launcher has drawn the pictures of all scenes.
DRAWN = "drawn"

ARM = ["arm7", "--at", "6"]
COMPARED = ["arm7", "--compare", "controller.factorization=plain", "--set", "throw.at_s=2"]
# Soon after the fall, since the last bits of a robot that tumbles become another pose.
FALLEN = ["quadruped", "--set",
          "pushes=[{start_s: 0.5, duration_s: 0.2, shape: half_sine, impulse_Ns: [0, 120, 0]}]",
          "--at", "1"]
SIZES = {"1024x700": (1024, 700, 1), "1920x1080": (1920, 1080, 1), "3840x2160": (3840, 2160, 1),
         "1280x800x1.5": (1280, 800, 1.5), "1280x800x2": (1280, 800, 2)}


def Shots():
    """Yields name, arguments of `civita run`, and commands of xdotool before the picture."""
    usual = ["--width", "1280", "--height", "800", "--scale", "1"]
    states = {
        "first": ([*FIRST, "--at", "0.5"], []),
        "start": (["arm7", "--at", "0"], []),
        "tune": (ARM, []),
        "matrix": (ARM + ["--tab", "matrix"], []),
        "push": (ARM + ["--tab", "push"], []),
        "log": (ARM + ["--tab", "log"], []),
        "rewound": (ARM, ["mousemove 236 747 click 1"]),
        "compare": (COMPARED + ["--at", "4"], []),
        "launcher": (ARM, ["key ctrl+n", DRAWN]),
        "keys": (ARM, ["key F1"]),
        "no_side": (ARM, ["key Tab"]),
        "no_plots": (ARM, ["key shift+Tab"]),
        "marks": (ARM, ["key ctrl+g", "key ctrl+t", "key ctrl+e"]),
        "failure": (["chain20", "--set", "gains.Lambda=90000", "--at", "5"], []),
        "legs": (["quadruped", "--at", "2"], []),
        "legs_matrix": (["quadruped", "--at", "2", "--tab", "matrix"], []),
        "drive": (["quadruped", "--at", "2", "--tab", "drive"], []),
        "fallen": (FALLEN, []),
        "task": (["arm7_circle", "--at", "3"], []),
        "closed": (["four_bar", "--at", "3"], []),
        "floating": (["space_arm", "--at", "3"], []),
        "terrain": (["quadruped_blocks", "--at", "3"], []),
    }
    for name, (arguments, inputs) in states.items():
        yield name, arguments + usual, inputs
    for name in ("tune", "compare", "legs"):
        arguments, inputs = states[name]
        yield name + "_light", arguments + usual + ["--light"], inputs
        for size, (width, height, scale) in SIZES.items():
            yield f"{name}_{size}", arguments + [
                "--width", str(width), "--height", str(height), "--scale", str(scale)], inputs


def Do(*command):
    subprocess.run(["xdotool", *command], check=True)


def TakeWithInput(command, inputs, path, folder):
    """Gives the input once the window is open, and copies the screen: dialogs keep the keys."""
    process = subprocess.Popen(command, cwd=folder, env=Environment(folder))
    try:
        Do("search", "--sync", "--onlyvisible", "--name", "civita$", "mousemove", "--window", "%1",
           "3", "3")
        time.sleep(RUN_UP)
        for given in inputs:
            if given == DRAWN:
                AwaitPictures(folder)
            else:
                Do(*given.split())
            time.sleep(SETTLE)
        time.sleep(SETTLE)
        width, height = (int(command[command.index(option) + 1])
                         for option in ("--width", "--height"))
        ImageGrab.grab((0, 0, width, height), xdisplay="").save(path)
    finally:
        process.kill()
        process.wait()


def AwaitPictures(folder):
    """Waits until no picture has been added to the cache for longer than one takes."""
    number, since, end = -1, time.time(), time.time() + 3 * PATIENCE
    while time.time() < min(since + 10, end):
        present = len(list(folder.glob("civita/thumbnails/*.png")))
        if present != number:
            number, since = present, time.time()
        time.sleep(0.5)


def Environment(folder):
    # Contacts make of the rounding of other kernels another motion.
    return {**os.environ, "XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder),
            "CIVITA_INSTRUCTION_SET": "plain"}


def Take(arguments, inputs, path):
    command = [str(PROGRAM), "run", *arguments]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if inputs:
            return TakeWithInput(command, inputs, path, folder)
        command += ["--screenshot", str(path), "--after", "0.7"]
        result = subprocess.run(command, cwd=folder, env=Environment(folder),
                                capture_output=True, text=True, timeout=PATIENCE)
        if not path.exists():
            sys.exit(f"civita: no picture {path.stem}: {result.stderr}")


def Small(path):
    image = Image.open(path).convert("RGB")
    height = round(image.height * ACCEPTED_WIDTH / image.width)
    return image.resize((ACCEPTED_WIDTH, height), Image.Resampling.LANCZOS)


def Blocks(image):
    grey = numpy.asarray(image.convert("L"), dtype=float)
    rows, columns = grey.shape[0] // BLOCK, grey.shape[1] // BLOCK
    grey = grey[:rows * BLOCK, :columns * BLOCK].reshape(rows, BLOCK, columns, BLOCK)
    return grey.transpose(0, 2, 1, 3).reshape(rows * columns, BLOCK * BLOCK)


def Similarity(a, b):
    """Structural similarity: its mean, and its mean over the least similar sixteenth."""
    x, y = Blocks(a), Blocks(b)
    if x.shape != y.shape:
        return 0.0, 0.0
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    mx, my = x.mean(1), y.mean(1)
    covariance = (x * y).mean(1) - mx * my
    of_blocks = ((2 * mx * my + c1) * (2 * covariance + c2) /
                 ((mx ** 2 + my ** 2 + c1) * (x.var(1) + y.var(1) + c2)))
    of_blocks.sort()
    return of_blocks.mean(), of_blocks[:max(1, len(of_blocks) // 16)].mean()


def Compare(names, out):
    """Prints the table. Returns whether all are similar to the accepted ones."""
    good = True
    print(f"{'picture':24} {'mean':>6} {'worst':>6}   (at least {LEAST_MEAN} and {LEAST_PART})")
    for name in names:
        accepted = ACCEPTED / (name + ".jpg")
        if not accepted.exists():
            print(f"{name:24} {'-':>6} {'-':>6}   none accepted")
            good = False
            continue
        mean, part = Similarity(Small(out / (name + ".png")), Image.open(accepted))
        is_same = mean >= LEAST_MEAN and part >= LEAST_PART
        print(f"{name:24} {mean:6.3f} {part:6.3f}" + ("" if is_same else "   differs"))
        good = good and is_same
    return good


def Accept(names, out):
    ACCEPTED.mkdir(parents=True, exist_ok=True)
    for name in names:
        Small(out / (name + ".png")).save(ACCEPTED / (name + ".jpg"), quality=88, subsampling=0)


def Main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/screenshots")
    parser.add_argument("--only", default="")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--accept", action="store_true")
    what.add_argument("--compare", action="store_true")
    what.add_argument("--animation", type=pathlib.Path)
    options = parser.parse_args()
    if options.animation:
        return MakeAnimation(Take, options.animation.resolve())
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    names = []
    for name, arguments, inputs in Shots():
        if options.only not in name:
            continue
        path = out / (name + ".png")
        path.unlink(missing_ok=True)
        Take(arguments, inputs, path)
        names.append(name)
        print(path, file=sys.stderr)
    if options.accept:
        Accept(names, out)
    if options.compare and not Compare(names, out):
        sys.exit(1)


if __name__ == "__main__":
    Main()
