"""Robots that nobody prepared: those on legs stand by their file alone, others are told why not."""

import pathlib

import pytest

import civita

cmeel = pytest.importorskip("cmeel")

ROBOTS = pathlib.Path(cmeel.__file__).parents[1] / "cmeel.prefix/share/example-robot-data/robots"
STANDING = {
    *("a1", "alexander_v1.lowerBodyOnly", "anymal", "anymal-kinova", "b1", "b1-z1", "g1_29dof_rev_1_0"),
    *("g1_29dof_with_hand_rev_1_0", "go1", "go2", "hyq_no_sensors", "icub", "icub_reduced", "laikago"),
    *("romeo", "romeo_laas_small", "romeo_small", "solo12", "talos_full_v2", "talos_full_v2_box"),
    *("talos_reduced", "talos_reduced_box", "talos_reduced_corrected"),
}
# Why some others do not: what is said has to be what is so.
CAUSES = {
    "alex_nub_hands": "hang from above its base, as arms do",
    "bolt": "the feet are in one line",
    "centauro": "wheel_1 is a wheel",
    "human": "not two or four",
    "simple_humanoid": "no end of a chain of joints has a shape",
    "solo": "on 2 joints of their own",
    "tiago": "on 1 joint of their own",
    "panda": "among its lowest shapes",
}
FILES = sorted(ROBOTS.rglob("*.urdf"))


def test_the_package_has_its_robots():
    assert len(FILES) > 60
    assert STANDING | CAUSES.keys() <= {file.stem for file in FILES}


@pytest.mark.parametrize("file", FILES, ids=[f"{file.parents[1].name}-{file.stem}" for file in FILES])
def test_robots_on_legs_stand_and_no_others(file):
    law = {"controller.type": "whole_body"}
    if file.stem in STANDING:
        run = civita.run(str(file), set=law, duration=0.5)
        assert run.status == "done"
        assert run["/q"][-1, 2] > 0.95 * run["/q"][0, 2]
        return
    with pytest.raises(ValueError) as refused:
        civita.run(str(file), set=law, duration=0.01)
    assert CAUSES.get(file.stem, "") in str(refused.value)
    try:
        plain = civita.run(str(file), duration=0.01)
    except ValueError:
        return  # a file that nothing runs
    assert not any("has legs" in line for line in plain.notices)
