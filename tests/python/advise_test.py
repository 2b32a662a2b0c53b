"""civita.advise."""

import json
import subprocess
import sys

import numpy
import pytest

import civita


def test_numbers_are_the_programs(tmp_path):
    advice = civita.advise("ball_arm", factorization="t:-0.5", set={"gains.K_D": 8})
    words = ["advise", "ball_arm", "--factorization", "t:-0.5", "--set", "gains.K_D=8", "--out", tmp_path]
    subprocess.run([sys.executable, "-m", "civita", *map(str, words)], check=True, capture_output=True)
    theirs = json.loads((tmp_path / "advice.json").read_text())
    assert advice.verdict == theirs["verdict"] and advice.matters == theirs["matters"]
    assert advice.factorization == "t:-0.5" and advice.gain_form == "mass"
    assert advice.rates.omega_F == theirs["rates"]["omega_F"]
    assert advice.own.parts[0].ratio == theirs["own"]["parts"]["all"]["ratio"]
    assert advice.mean_decay[0].impulse.error == theirs["mean_decay"]["all"]["impulse"]["error"]
    assert [s.largest_delay_s for s in advice.settings] == [s["largest_delay_s"] for s in theirs["settings"]]
    assert [{"text": text, "formula": formula} for text, formula in advice.errors] == theirs["text"]["errors"]


def test_attributes_outlive_the_advice():
    parts = civita.advise("arm7_twist", factorization=civita.Factorization.torsion(2)).starts[0].parts
    assert parts[0].least < 1 < parts[0].largest
    with pytest.raises(AttributeError):
        parts[0].least = 3


def test_diagonal_gains_have_no_closed_forms():
    advice = civita.advise("arm7_twist", set={"controller.gain_form": "diagonal"})
    assert advice.closed_forms is None and "not k H" in advice.why_no_closed_forms
    assert any("t:1 is judged" in notice for notice in advice.notices)
    skew = [setting.G for setting in advice.settings if setting.G is not None]
    for G in skew:
        assert G.shape == (7, 7) and (G == -G.T).all() and numpy.abs(G).max() > 0


def test_the_limit_is_measured_where_it_is_asked_for():
    settings = {"reference.fade_s": 0, "duration_s": 0.3}
    limit = civita.advise("ball_arm", set=settings, remedies=False, measure_limit=True).measured_limit
    assert limit.stable < limit.grows <= 1.0201 * limit.stable
    assert limit.stable == pytest.approx(limit.predicted, rel=0.15)
    plain = civita.advise("ball_arm", remedies=False)
    assert plain.measured_limit is None and plain.settings == []
    with pytest.raises(ValueError, match="at every instant"):
        civita.advise("ball_arm", set={"control.mode": "every_stage"}, measure_limit=True)


@pytest.mark.parametrize(
    ("scene", "options", "why"),
    [
        ("quadruped_trot", {}, "stands on feet"),
        ("chain20", {"factorization": "alpha:0.1"}, "not admissible"),
        ("chain20", {"set": {"gains.K_D": 0}}, "gains.K_D is 0"),
        ("no_such_scene", {}, "no_such_scene"),
    ],
)
def test_refusals(scene, options, why):
    with pytest.raises(ValueError, match=why):
        civita.advise(scene, **options)
