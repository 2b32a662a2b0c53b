"""civita.formulas: the text of the program, and numbers of evaluate."""

import subprocess
import sys

import numpy
import pytest
from conftest import random_state

import civita

QUANTITIES = ["H", "C", "Gamma", "Hdot", "g", "bias", "tau", "kinetic", "potential"]


@pytest.mark.parametrize("name", ["planar_2r", "ball_arm"])
def test_formulas_have_the_numbers_of_evaluate(name):
    model = civita.Model.from_file(name)
    made = {}
    exec(civita.formulas(model, "all", factorization="t:0.5"), made)
    q, v = random_state(model)
    a = numpy.linspace(-1, 1, model.nv)
    numbers = civita.evaluate(model, QUANTITIES, q, v, a, factorization="t:0.5")
    takes = {"H": 1, "Gamma": 1, "g": 1, "potential": 1, "tau": 3}
    for quantity in QUANTITIES:
        ours = made[f"civita_{quantity}"](*(q, v, a)[: takes.get(quantity, 2)])
        numpy.testing.assert_allclose(ours, numbers[quantity], rtol=1e-10, atol=1e-10, err_msg=quantity)


@pytest.mark.parametrize("language", ["python", "c", "latex"])
def test_formulas_are_the_programs(language):
    done = subprocess.run(
        [sys.executable, "-m", "civita", "formulas", "planar_2r", "--language", language],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert civita.formulas(civita.Model.from_file("planar_2r"), language=language) == done.stdout


def test_a_factorization_is_a_text_or_an_object():
    model = civita.Model.from_file("planar_2r")
    text = civita.formulas(model, "C", factorization=civita.Factorization.torsion(0.25))
    assert text == civita.formulas(model, "C", factorization="t:0.25") != civita.formulas(model, "C")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"quantities": "Gama"}, "^quantities: unknown quantity 'Gama' .did you mean 'Gamma'"),
        ({"language": "fortran"}, "^language: unknown language 'fortran'"),
        ({"factorization": "tt:1"}, "^factorization"),
        ({"factorization": civita.Factorization.joint(1, numpy.ones((3, 2)))}, "arrays"),
    ],
)
def test_bad_words_are_named_as_arguments(words, says):
    with pytest.raises(ValueError, match=says) as error:
        civita.formulas(civita.Model.from_file("planar_2r"), **words)
    assert "--" not in str(error.value)


def test_settings_are_named_by_their_keys():
    """Errors have no flags of the program."""
    cases = [
        lambda: civita.run("planar_2r", 0.01, set={"gains.K_D": -1}),
        lambda: civita.compare("planar_2r", {"K_D": [5, -1]}, duration=0.01),
        lambda: civita.compare("planar_2r", {"K_D": [5, 6]}, set={"gains.Lambda": [1, 2, 3]}, duration=0.01),
    ]
    for case, key in zip(cases, ["gains.K_D", "gains.K_D", "gains.Lambda"], strict=True):
        with pytest.raises(ValueError, match=f"^{key}: ") as error:
            case()
        assert "--" not in str(error.value)
    with pytest.raises(ValueError, match="^vary: nothing to compare"):
        civita.compare("planar_2r", {"K_D": [5]})
    with pytest.raises(ValueError, match="^push: not a list of numbers from 0"):
        civita.survive("quadruped", -1.0, trials=1)
