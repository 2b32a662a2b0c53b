"""The README's animated picture: what `civita` alone opens, frame by frame from runs that are paused
at their times, so that everyone gets the same one. scripts/screenshots makes it.
"""

import pathlib
import tempfile

from PIL import Image

WIDTH = 900
FRAMES_PER_S = 6
SLOWED = 0.2  # times real time
LAST = 1.0  # s, of the run
HOLD = 2  # s, for the last frame
FIRST = ["arm7_twist", "--set", "duration_s=1.5", "--compare", "controller.factorization=t:5",
         "--repeat"]


def Shrunk(path):
    picture = Image.open(path).convert("RGB")
    height = round(picture.height * WIDTH / picture.width)
    return picture.resize((WIDTH, height), Image.Resampling.LANCZOS)


def MakeAnimation(take, path):
    """Writes an animated WebP file; `take` is that of take_screenshots.py."""
    count = round(LAST / SLOWED * FRAMES_PER_S)
    frames = []
    usual = ["--width", "1180", "--height", "720", "--scale", "1"]
    with tempfile.TemporaryDirectory() as folder:
        picture = pathlib.Path(folder) / "frame.png"
        for i in range(count + 1):
            picture.unlink(missing_ok=True)
            take([*FIRST, "--at", f"{LAST * i / count:.3f}", *usual], [], picture)
            frames.append(Shrunk(picture))
    durations = [1000 // FRAMES_PER_S] * count + [1000 * HOLD]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=durations, loop=0,
                   quality=72, method=4)
