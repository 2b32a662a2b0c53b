"""Options of laws in Python, their keys as the program tells them, and closed chains."""

import pathlib
import subprocess
import sys

import numpy
import pytest

import civita

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import own_laws  # noqa: E402

LAWS = pathlib.Path(own_laws.__file__)


def keys(name, **options):
    return subprocess.run(
        [sys.executable, "-m", "civita", "keys", name], capture_output=True, text=True, **options
    )


def test_options_have_defaults_and_are_set():
    run = civita.run("arm7", 0.02, controller=own_laws.Chosen)
    assert run.status == "done", run.verdict
    assert (run["/law/seen"] == [0.05, 0, 3.5]).all()
    settings = {"layer": 0.2, "form": "hard", "late": True, "weights": [1, 2, 3], "bodies": []}
    run = civita.run("arm7", 0.02, controller=own_laws.Chosen, set={"controller": settings})
    assert (run["/law/seen"] == [0.2, 1, 6]).all()
    again = civita.run("arm7", 0.02, controller=own_laws.Chosen, set={"controller.layer": 0.2})
    assert (again["/tau"] != run["/tau"]).any(), "late"


def test_resolved_config_has_options(tmp_path):
    run = civita.run("arm7", 0.02, controller=own_laws.Chosen, set={"controller.layer": 0.2})
    config = tmp_path / "config.yaml"
    config.write_text(run.config)
    assert "layer: 0.2" in run.config and "form: soft" in run.config
    assert (civita.run(config)["/law/seen"] == run["/law/seen"]).all()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"controller.layr": 1}, "layr.*did you mean 'layer'"),
        ({"controller.layer": 0}, "controller.layer must be.*> 0|controller.layer.*positive"),
        ({"controller.layer": "wide"}, "controller.layer must be a number"),
        ({"controller.form": "sof"}, "did you mean 'soft'"),
        ({"controller.late": 3}, "controller.late must be"),
        ({"controller.weights": [1, -1]}, "controller.weights"),
        ({"controller.layer": 11}, "controller.layer: it never switches above 10 rad/s"),
    ],
)
def test_options_are_checked(settings, words):
    with pytest.raises(ValueError, match=words) as error:
        civita.run("arm7", 0.02, controller=own_laws.Chosen, set=settings)
    assert "\n" not in str(error.value)


def test_option_of_another_law():
    with pytest.raises(ValueError, match="controller.layer.*Chosen"):
        civita.run("arm7", 0.02, set={"controller.layer": 1}, controller=own_laws.PassivityBased)


def test_options_of_a_stepped_law():
    model = civita.Model.from_file("arm7")
    law = civita.Law(own_laws.Chosen, model, options={"form": "hard", "weights": numpy.ones(4)})
    law.step(
        0.0, model.default_position, numpy.zeros(7), (model.default_position, numpy.zeros(7), numpy.zeros(7))
    )
    with pytest.raises(ValueError, match="did you mean 'form'"):
        civita.Law(own_laws.Chosen, model, options={"from": "hard"})
    with pytest.raises(ValueError, match="options.layer"):
        civita.Law(own_laws.Chosen, model, options={"layer": -1})


@pytest.mark.parametrize(
    "make",
    [
        lambda: civita.Option(None),
        lambda: civita.Option(float("nan")),
        lambda: civita.Option([1, "a"]),
        lambda: civita.Option(0.0, range="positive"),
        lambda: civita.Option("text", range="positive"),
        lambda: civita.Option(1.0, range="large"),
        lambda: civita.Option("a", choices=["b", "c"]),
    ],
)
def test_descriptions_are_checked(make):
    with pytest.raises(ValueError):
        make()


def test_option_with_the_name_of_a_key_of_all_laws():
    class Taken(civita.Controller):
        factorization = civita.Option("x")

    with pytest.raises(ValueError, match="controller.factorization is a key of all laws"):
        civita.run("arm7", 0.02, controller=Taken)


def test_keys_of_a_law():
    told = keys(f"{LAWS.name}:Chosen", cwd=LAWS.parent)
    assert told.returncode == 0, told.stderr
    lines = told.stdout.splitlines()
    assert lines[0] == "Chosen: τ = g − k (v − v_d)"
    rows = {line.split()[0]: line for line in lines[2:]}
    assert list(rows) == [f"controller.{x}" for x in ("layer", "form", "late", "weights", "bodies")] + [
        "gains.k"
    ]
    assert (
        rows["controller.layer"].split()
        == "controller.layer number > 0 rad/s 0.05 width of the layer".split()
    )
    assert "soft | hard" in rows["controller.form"]
    assert rows["gains.k"].split() == "gains.k number ≥ 0 N·m·s/rad 3 damping".split()


def test_keys_of_what_is_not_there():
    told = keys(f"{LAWS.name}:Chosn", cwd=LAWS.parent)
    assert told.returncode == 2 and told.stderr.count("\n") == 1
    assert "did you mean 'Chosen'" in told.stderr
    assert "did you mean 'adaptive'" in keys("adaptiv").stderr
    assert "no such file" in keys("none.py:Chosen").stderr


@pytest.mark.parametrize("scene", ["four_bar", "geared_arm"])
@pytest.mark.parametrize(
    ("ours", "theirs", "settings"),
    [
        (own_laws.InLoops, "slotine_li", {"gains.Lambda": 6, "controller.factorization": "t:0.5"}),
        (own_laws.InLoops, "slotine_li", {"gains.Lambda": 9, "controller.gain_form": "diagonal"}),
        (own_laws.PdGravity, "pd_gravity", {"gains.K_P": 90, "controller.gain_form": "diagonal"}),
    ],
)
def test_closed_chains_are_those_of_cpp(scene, ours, theirs, settings):
    settings = {"gains.K_D": 11, **settings}
    expected = civita.run(scene, 1, set=settings, controller=theirs)
    run = civita.run(scene, 1, set=settings, controller=ours)
    assert run.status == "done", run.verdict
    for name in ("/q", "/tau", "/s", "/V"):
        if name == "/V" and ours is own_laws.PdGravity:
            continue  # without its storage
        scale = max(1.0, numpy.abs(expected[name]).max())
        assert numpy.abs(run[name] - expected[name]).max() < 1e-9 * scale, name


def test_tree_law_on_a_tree_is_the_law_of_loops():
    runs = [civita.run("arm7", 0.3, controller=law) for law in (own_laws.InLoops, own_laws.PassivityBased)]
    assert (runs[0]["/tau"] == runs[1]["/tau"]).all()
