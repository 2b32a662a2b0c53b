"""Studies of sweeps: what they contain, and what is wrong with them."""

import pathlib

import numpy
import own_laws
import pytest
import scipy.stats

import civita

pytest.importorskip("distributed")

from civita.sweeps import StudyError, read_study  # noqa: E402

STUDY = """\
scene: point_mass
duration_s: 0.1
vary:
  gains.Lambda: [1, 2, 3]
  factorization: [christoffel, "t:1"]
seeds: 2
"""


def study_of(tmp_path, text):
    file = tmp_path / "study.yaml"
    file.write_text(text)
    return read_study(file)


def values(study, key):
    return [run.varied[key] for run in study.runs]


def test_grid_is_all_combinations_seeds_fastest(tmp_path):
    study = study_of(tmp_path, STUDY)
    assert len(study) == len(study.runs) == 12
    assert [run.seed for run in study.runs[:4]] == [0, 1, 0, 1]
    assert values(study, "controller.factorization")[:4] == ["christoffel"] * 2 + ["t:1"] * 2
    assert values(study, "gains.Lambda")[::4] == [1, 2, 3]
    assert len({run.name for run in study.runs}) == 12


def test_items_of_lists_and_entries_of_a_skew_gain_vary(tmp_path):
    study = study_of(
        tmp_path,
        "scene: arm7\n"
        "set: {pushes: [{joint: joint2, joint_force: [2], shape: sine, frequency_hz: 1}]}\n"
        "vary:\n"
        "  pushes.0.frequency_hz: {from: 1, to: 4, count: 3, scale: log}\n"
        "  gains.G.0.1: [0, 5]\n"
        "  initial.v_error_prior: [joint, impulse]\n"
        "  initial.v_error_seed: [1, 2, 3]\n"
        "  factorization: [christoffel, 'form:random:4']\n",
    )
    assert len(study) == 72
    assert len({run.name for run in study.runs}) == 72
    assert sorted(set(values(study, "pushes.0.frequency_hz"))) == pytest.approx([1, 2, 4])


def test_file_and_mapping_are_the_same_study(tmp_path):
    study = {
        "scene": "point_mass",
        "duration_s": 0.1,
        "vary": {"gains.Lambda": numpy.array([1, 2, 3]), "factorization": ["christoffel", "t:1"]},
        "seeds": 2,
    }
    names = [run.name for run in read_study(study).runs]
    assert names == [run.name for run in study_of(tmp_path, STUDY).runs]


@pytest.mark.parametrize(
    "change",
    ["duration_s: 0.2", "seeds: [5, 6]", "set: {gains.K_D: 3}", "keep: {metrics: [error_rms]}"],
)
def test_hash_depends_on_all_that_determines_a_run(tmp_path, change):
    key = change.partition(":")[0]
    text = "".join(line for line in STUDY.splitlines(True) if not line.startswith(key)) + change
    before = {run.name for run in study_of(tmp_path, STUDY).runs}
    assert before.isdisjoint(run.name for run in study_of(tmp_path, text).runs)


def test_hash_does_not_depend_on_how_a_run_is_written(tmp_path):
    text = STUDY.replace("gains.Lambda: [1, 2, 3]", "gains.Lambda: [3.0, 1e0, 2]")
    before = {run.name for run in study_of(tmp_path, STUDY).runs}
    assert before == {run.name for run in study_of(tmp_path, text).runs}


def test_hash_depends_on_a_scenes_file(tmp_path):
    base = pathlib.Path(civita.__file__).parent / "data" / "config" / "point_mass.yaml"
    (tmp_path / "mine.yaml").write_text(f"base: {base}\nduration_s: 0.1\n")
    first = study_of(tmp_path, "scene: mine.yaml\n").runs[0].name
    (tmp_path / "mine.yaml").write_text(f"base: {base}\nduration_s: 0.1\ngains: {{K_D: 7}}\n")
    assert study_of(tmp_path, "scene: mine.yaml\n").runs[0].name != first


def test_range(tmp_path):
    text = "scene: point_mass\nvary: {gains.Lambda: {from: 1, to: 100, count: 3, scale: log}}\n"
    assert values(study_of(tmp_path, text), "gains.Lambda") == pytest.approx([1, 10, 100])


@pytest.mark.parametrize("method", ["random", "sobol", "latin_hypercube"])
def test_samples_follow_their_distributions(tmp_path, method):
    study = study_of(
        tmp_path,
        "scene: point_mass\nduration_s: 0.1\nvary:\n  gains.Lambda: {distribution: gamma, a: 3}\n"
        "  gains.K_D: {distribution: randint, low: 1, high: 4}\n"
        f"sample: {{method: {method}, count: 256, seed: 1}}\n",
    )
    assert scipy.stats.kstest(values(study, "gains.Lambda"), scipy.stats.gamma(3).cdf).pvalue > 0.01
    assert set(values(study, "gains.K_D")) == {1, 2, 3}
    assert [run.varied for run in study.runs] == list(study.variants)


def test_latin_hypercube_has_one_value_in_each_cell(tmp_path):
    study = study_of(
        tmp_path,
        "scene: point_mass\nvary: {gains.Lambda: {distribution: uniform, loc: 1, scale: 8}}\n"
        "sample: {method: latin_hypercube, count: 8}\n",
    )
    assert sorted(int(x) for x in values(study, "gains.Lambda")) == list(range(1, 9))


def test_distribution_of_a_list(tmp_path):
    study = study_of(
        tmp_path,
        "scene: arm7_twist\nvary:\n"
        "  initial.v_error: {distribution: norm, loc: [0, 0, 0, 0, 0, 0, 9], scale: 1}\n"
        "sample: {count: 4}\n",
    )
    v = numpy.array(values(study, "initial.v_error"))
    assert v.shape == (4, 7)
    assert numpy.all(v[:, 6] > v[:, 0] + 3)


NOISES = ["joint_position", "joint_velocity", "orientation_rad", "angular_velocity", "position_m", "velocity"]

WRONG = [
    ("sceen: point_mass\n", "1:1: sceen: unknown key 'sceen' (did you mean 'scene'?)"),
    ("seeds: 2\n", "1:1: scene: a study needs it"),
    ("scene: point_mas\n", "1:1: scene: unknown scene 'point_mas' (did you mean 'point_mass'?)"),
    (STUDY + "keep: {metrics: [error_rmss]}\n", "7:18: keep.metrics.0: unknown metric 'error_rmss' (did"),
    (STUDY + "keep: {signals: [/ee]}\n", "7:18: keep.signals.0: unknown signal '/ee'"),
    (STUDY + "keep: {signal: [/e]}\n", "7:8: keep.signal: unknown key 'signal' (did you mean 'signals'?)"),
    (STUDY.replace("Lambda", "Lamda"), "4:3: vary.gains.Lamda"),
    (STUDY.replace("factorization", "factorisation"), "5:3: vary.factorisation: unknown key"),
    (STUDY.replace("2, 3", "-2, 3"), "4:21: vary.gains.Lambda.1: "),
    (STUDY.replace('"t:1"', "tt:1"), "5:32: vary.factorization.1: "),
    (STUDY.replace("[1, 2, 3]", "[1, 1]"), "4:21: vary.gains.Lambda.1: 1 twice"),
    (STUDY.replace("[1, 2, 3]", "[]"), "vary.gains.Lambda: an empty list"),
    (STUDY.replace("[1, 2, 3]", "5"), "4:3: vary.gains.Lambda: write a list of values, a range"),
    (STUDY.replace("[1, 2, 3]", "{from: 1, to: 2}"), "a range needs 'count'"),
    (STUDY.replace("[1, 2, 3]", "{distribution: unifrom}"), "(did you mean 'uniform'?)"),
    (STUDY.replace("[1, 2, 3]", "{distribution: gamma}"), "gamma needs 'a'"),
    (STUDY.replace("[1, 2, 3]", "{distribution: norm, scale: -1}"), "norm has no distribution"),
    (STUDY.replace("[1, 2, 3]", "{distribution: norm}"), "sample: distributions need it"),
    (STUDY + "sample: {count: 3}\n", "7:1: sample: nothing in 'vary' has a distribution"),
    (STUDY.replace("seeds: 2", "seeds: 0"), "6:1: seeds: not a whole number from 1 to 10000000: 0"),
    (STUDY.replace("seeds: 2", "seeds: 2147483647"), "6:1: seeds: not a whole number from 1 to"),
    (STUDY.replace("seeds: 2", "seeds: " + "9" * 5000), "6:1: seeds: a number of 5000 digits"),
    (STUDY.replace("[1, 2, 3]", "{from: 1, to: 2, count: 2000000000}"), "count: not a whole number"),
    (STUDY.replace("[1, 2, 3]", "[[1, {a: 2}], [1.0, {a: 2}]]"), "Lambda.1: [1.0, {'a': 2}] twice"),
    (
        "scene: point_mass\nvary:\n" + "".join(f"  noise.{key}: {list(range(9999))}\n" for key in NOISES),
        f"{9999**6} runs; 10000000 at most",
    ),
    (STUDY.replace("seeds: 2", "seeds: [1, 1]"), "6:12: seeds.1: 1 twice"),
    (STUDY.replace("0.1", "-0.1"), "2:1: duration_s: not a number > 0"),
    (STUDY + "scene: arm7\n", "7:1: scene: given twice"),
    (STUDY + "set: {gains.Lambda: 3}\n", "4:3: vary.gains.Lambda: is in 'set' too"),
    (STUDY + "set: {push: 3}\n", "7:7: set.push: only trials are pushed; add survive: true"),
    ("scene: quadruped\nsurvive: true\nvary: {push: [1, x]}\n", "vary.push.1: not a number ≥ 0"),
    ("scene: arm7\nsurvive: true\n", "arm7"),
    ("scene: [\n", "malformed YAML"),
    ("&a scene: [*a, &b [*b]]\n", "nested too deeply"),
    ("[" * 3000, "nested too deeply"),
    ("scene: p\x1blanar\n", "malformed YAML: unacceptable character"),
    ("scene: " + "a" * 5000 + "\n", "1:1: scene: "),
    (STUDY.replace("[1, 2, 3]", "{from: 1, to: 1" + "0" * 400 + ", count: 2}"), "not a number"),
    (
        "a: &a [" + "1, " * 99 + "1]\nb: &b [" + "*a, " * 99 + "*a]\nscene: [" + "*b, " * 99 + "*b]\n",
        "more than 100000 values",
    ),
    ("3\n", "1:1: a study is a map with the keys scene"),
    ("", "a study is a map"),
]


@pytest.mark.parametrize("text, message", WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_one_line_with_its_place(tmp_path, text, message):
    with pytest.raises(StudyError) as error:
        study_of(tmp_path, text)
    line = str(error.value)
    assert message in line
    assert "\n" not in line
    assert line.startswith(str(tmp_path / "study.yaml"))


LAW = "open(__file__ + '.ran', 'w')\nimport civita\nclass Own(civita.Controller):\n    control = None\n"


@pytest.mark.parametrize(
    "text",
    [
        "set: {controller.type: LAW}",
        "set: {controller: {type: LAW}}",
        "set: {controller: '{type: LAW}'}",
        "vary: {controller.type: [slotine_li, LAW]}",
        "vary: {controller: ['{type: slotine_li}', '{type: LAW}']}",
        "set: {plugins: [LAW.py]}",
    ],
)
def test_a_study_file_names_no_code(tmp_path, text):
    (tmp_path / "own.py").write_text(LAW)
    (tmp_path / "own.py:Own.py").write_text("")
    law = f"{tmp_path}/own.py:Own"
    with pytest.raises(StudyError, match=r"study.yaml:2:\d+: .*own.py:Own.* is code.*only with --trust"):
        study_of(tmp_path, "scene: point_mass\n" + text.replace("LAW", law) + "\n")
    assert not (tmp_path / "own.py.ran").exists()


def test_a_mapping_may_name_code(tmp_path):
    (tmp_path / "own.py").write_text(LAW)
    read_study({"scene": "point_mass", "set": {"controller.type": f"{tmp_path}/own.py:Own"}, "seeds": 2})
    assert (tmp_path / "own.py.ran").exists()


def test_of_a_mapping_the_key_is_named():
    with pytest.raises(StudyError, match="^study: seeds: not a whole number"):
        read_study({"scene": "point_mass", "seeds": 0.5})


def names(study):
    return [run.name for run in read_study(study).runs]


def test_a_run_is_named_by_the_files_that_its_config_names(tmp_path):
    laws = pathlib.Path(own_laws.__file__).read_text()
    law, table, matrix = tmp_path / "mine.py", tmp_path / "motion.csv", tmp_path / "S.csv"
    law.write_text(laws)
    table.write_text("0, 0.1, 0.2\n2, 0.3, -0.1\n")
    matrix.write_text("0, 1\n1, 1\n0, 0\n")
    settings = {
        law: {"controller.type": f"{law}:PassivityBased"},
        table: {"reference.type": "file", "reference.file": str(table)},
        matrix: {"controller.factorization": f"t:1+joint:0.5:{matrix}"},
    }
    for file, chosen in settings.items():
        study = {"scene": "planar_2r", "duration_s": 0.02, "set": chosen, "vary": {"gains.K_D": [5, 10]}}
        before, text = names(study), file.read_text()
        assert names(study) == before
        file.write_text(text + "\n" if file == law else text.replace("0.", "0.0").replace("1, 1", "1, 2"))
        assert not set(names(study)) & set(before), file
        file.write_text(text)
        assert names(study) == before


def test_a_run_is_named_by_its_model_as_it_is_now(tmp_path):
    model = tmp_path / "robot.xml"
    text = (
        '<mujoco><worldbody><body><joint name="a" axis="0 1 0"/><geom size="0.1" pos="0.2 0 0" mass="1"/>'
        '</body></worldbody><actuator><motor joint="a"/></actuator></mujoco>'
    )
    model.write_text(text)
    study = {"scene": str(model), "duration_s": 0.02}
    before = names(study)
    model.write_text(text.replace('mass="1"', 'mass="2"'))
    assert names(study) != before
