"""Pictures of runs and simulations."""

import gc
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import threading

import numpy
import pytest

import civita


@pytest.fixture(scope="module")
def run():
    return civita.run("arm7", 0.5)


def size_of(video):
    """Width and height of a video's pictures, and their number, where ffmpeg is missing."""
    pictures = sorted(video.glob("*.png"))
    head = pictures[0].read_bytes()[16:24]
    return int.from_bytes(head[:4], "big"), int.from_bytes(head[4:], "big"), len(pictures)


def test_a_frame_shows_the_robot_at_a_time(run):
    start, end = run.frame(0), run.frame()
    assert start.shape == end.shape == (480, 640, 3) and start.dtype == numpy.uint8
    assert (run.frame(0.5) == end).all() and (run.frame(0) == start).all()
    changed = (start.astype(int) - end).any(axis=2).mean()
    assert 0.01 < changed < 0.5  # the arm, not its surroundings
    small = run.frame(0.2, 200, 100, light=True)
    assert small.shape == (100, 200, 3) and small.mean() > run.frame(0.2, 200, 100).mean() + 30
    small[:] = 0  # it is the caller's


def test_a_loaded_run_has_the_same_frames(run, tmp_path):
    run.save(tmp_path / "run")
    assert (civita.load_run(tmp_path / "run").frame(0.3, 160, 120) == run.frame(0.3, 160, 120)).all()
    assert run.status == "done"


def test_a_video_has_thirty_pictures_a_second(run, tmp_path):
    told = []
    video = run.video(tmp_path / "arm.mp4", 160, 120, progress=lambda share, text: told.append(share))
    if shutil.which("ffmpeg"):
        assert video == tmp_path / "arm.mp4" and video.stat().st_size > 1000
    else:
        assert video == tmp_path / "arm" and size_of(video) == (160, 120, 16)
    assert told and max(told) <= 1


def test_a_video_that_is_ended_is_complete_until_then(run, tmp_path):
    def stop(share, text):
        raise StopIteration

    with pytest.raises(StopIteration):
        run.video(tmp_path / "arm.mp4", 160, 120, progress=stop)


def test_rendering_changes_no_bit():
    sim, other = civita.Simulation("arm7"), civita.Simulation("arm7")
    first = sim.render(160, 120)
    for _ in range(5):
        sim.step(n=20)
        other.step(n=20)
        assert sim.render(160, 120).shape == (120, 160, 3)
    assert (sim.q == other.q).all() and (sim["/tau"] == other["/tau"]).all()
    assert (sim.render(160, 120) != first).any()
    assert sim.render(320, 200, light=True).shape == (200, 320, 3)


def test_many_render_from_many_threads_and_outlive_one_another():
    sims = [civita.Simulation(scene) for scene in ("arm7", "planar_2r", "quadruped")]
    alone = [sim.render(120, 80) for sim in sims]
    pictures = [None] * 3

    def draw(i):
        pictures[i] = [sims[i].render(120, 80) for _ in range(3)]

    threads = [threading.Thread(target=draw, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for picture, each in zip(alone, pictures, strict=True):
        assert picture.any() and each[0].shape == picture.shape
    del sims[0]
    gc.collect()
    assert sims[0].render(120, 80).any()


def test_beside_the_renderer_of_mujoco():
    pytest.importorskip("mujoco")
    pytest.importorskip("OpenGL")
    code = """
import civita, mujoco
sim = civita.Simulation("arm7")
model, data = sim.mj_model, sim.mj_data
mujoco.mj_forward(model, data)
renderer = mujoco.Renderer(model, 120, 160)
def theirs():
    renderer.update_scene(data)
    return renderer.render()
first, ours = theirs(), sim.render(160, 120)
again = theirs()
assert (first == again).all() and first.any()
sim.step(n=50)
assert (sim.render(160, 120) != ours).any()
assert (theirs() != first).any()
print("same")
"""
    environment = {**os.environ, "MUJOCO_GL": "egl"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert (done.stdout, done.returncode) == ("same\n", 0), done.stderr


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda run: run.frame(0.1, 0, 100), "width: not a number of pixels"),
        (lambda run: run.frame(0.1, 100, 10**6), "height: not a number of pixels"),
        (lambda run: run.frame(-0.1), "t: not a time of this run"),
        (lambda run: run.video("arm.avi"), "file: not a name that ends in .mp4"),
        (lambda run: pickle.loads(pickle.dumps(run)).frame(), "frame: a run from a pickle"),
        (lambda run: civita.run("arm7", 0.1, signals="/e").frame(), "kept /q"),
    ],
)
def test_what_has_no_picture_is_one_line(run, call, words):
    with pytest.raises(ValueError, match=words):
        call(run)
    assert not pathlib.Path("arm.avi").exists()
