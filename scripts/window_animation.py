"""The README's animated picture: a throw, torsion, and the two compared, frame by frame from runs
that are paused at their times, so that everyone gets the same one. scripts/screenshots makes it.
"""

import pathlib
import tempfile

from PIL import Image, ImageDraw, ImageFont

WIDTH = 900
CAPTION = 40  # height
FRAMES_PER_S = 6
HOLD = 2  # s, for the last frame
FONT = "/usr/share/fonts/opentype/inter/Inter-SemiBold.otf"
THROWN = ["--set", "throw.at_s=1"]
TORSION = "controller.factorization=t:5"

# Caption, arguments of `civita run arm7`, first and last time in the run (s), number of frames.
PARTS = [
    ("1  Thrown off at 1 s, torsion-free C: V falls, s hardly turns", THROWN, 0.8, 1.6, 15),
    ("2  The same throw, C with torsion t = 5: V falls alike, s turns by 69°",
     THROWN + ["--set", TORSION], 0.8, 1.6, 17),
    ("3  Compared: same V, another path; the sentence says why",
     THROWN + ["--compare", TORSION], 0.8, 2.0, 20),
]


def WithCaption(path, caption):
    picture = Image.open(path).convert("RGB")
    height = round(picture.height * WIDTH / picture.width)
    frame = Image.new("RGB", (WIDTH, height + CAPTION), (12, 15, 19))
    frame.paste(picture.resize((WIDTH, height), Image.Resampling.LANCZOS), (0, CAPTION))
    ImageDraw.Draw(frame).text((14, CAPTION // 2), caption, font=ImageFont.truetype(FONT, 18),
                               fill=(232, 235, 240), anchor="lm")
    return frame


def MakeAnimation(take, path):
    """Writes an animated WebP file; `take` is that of take_screenshots.py."""
    frames, durations = [], []
    usual = ["--width", "1180", "--height", "720", "--scale", "1"]
    with tempfile.TemporaryDirectory() as folder:
        picture = pathlib.Path(folder) / "frame.png"
        for caption, arguments, first, last, count in PARTS:
            for i in range(count):
                t = first + (last - first) * i / (count - 1)
                picture.unlink(missing_ok=True)
                take(["arm7", *arguments, "--at", f"{t:.3f}", *usual], [], picture)
                frames.append(WithCaption(picture, caption))
                durations.append(1000 // FRAMES_PER_S)
            durations[-1] = 1000
    durations[-1] = 1000 * HOLD
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=durations, loop=0,
                   quality=72, method=4)
