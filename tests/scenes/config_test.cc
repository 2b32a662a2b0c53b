#include "civita/scenes/schema/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/scenes/motion/reference_types.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace config_test {

using testing::ElementsAre;
using testing::HasSubstr;

class ConfigTest : public testing::Test {
 protected:
  ConfigTest() { folder_.Write("model.xml", "<mujoco/>"); }

  // The message of the UserError without the temporary folder's path; "" if none is thrown.
  std::string ErrorOf(const std::string& scene, const std::vector<std::string>& overrides = {}) {
    try {
      ReadConfig(scene, overrides);
    } catch (const UserError& error) {
      return folder_.WithoutPath(error.what());
    }
    return "";
  }
  std::string ErrorOfYaml(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
    return ErrorOf(folder_.Write("c.yaml", yaml), overrides);
  }
  SceneConfig Read(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
    return ReadConfig(folder_.Write("c.yaml", yaml), overrides);
  }

  TemporaryFolder folder_;
};

struct BadYaml {
  const char* yaml;
  std::string message;
};

std::string Join(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ", ") + name;
  return joined;
}

TEST_F(ConfigTest, BadFilesGiveOneLineWithThePlace) {
  const std::string keys = Join(ConfigKeyNames(""));
  std::vector<std::string> laws;
  for (const LawInfo* law : Laws()) laws.emplace_back(law->type);
  std::vector<std::string> references;
  for (const ReferenceType* type : ReferenceTypes()) references.emplace_back(type->name);
  const BadYaml rows[] = {
      {"model: model.xml\ngains:\n  lamda: 5\n",
       "c.yaml:3:3: unknown key 'lamda' (did you mean 'Lambda'?); valid: Lambda, K_D, "
       "G, bandwidth_hz, damping_ratio"},
      {"model: model.xml\ndurations: 5\n",
       "c.yaml:2:1: unknown key 'durations' (did you mean 'duration_s'?); valid: " +
           Join(ConfigKeyNames(""))},
      {"model: model.xml\ncontrol: {mode: held, rate: 1000}\n",
       "c.yaml:2:23: unknown key 'rate' (did you mean 'rate_hz'?); valid: " +
           Join(ConfigKeyNames("control"))},
      {"model: model.xml\nseed: 1\nseed: 2\n",
       "c.yaml:3:1: duplicate key 'seed', first at c.yaml:2:1"},
      {"model: model.xml\ngains: {K_D: 1, K_D: 2}\n",
       "c.yaml:2:17: duplicate key 'K_D', first at c.yaml:2:9"},
      {"model: model.xml\nduration_s: ten\n",
       "c.yaml:2:13: duration_s must be a number > 0, not 'ten'"},
      {"model: model.xml\nduration_s: 0\n",
       "c.yaml:2:13: duration_s must be a number > 0, not '0'"},
      {"model: model.xml\nduration_s: 1e\n",
       "c.yaml:2:13: duration_s must be a number > 0, not '1e'"},
      {"model: model.xml\nduration_s: 0x10\n",
       "c.yaml:2:13: duration_s must be a number > 0, not '0x10'"},
      {"model: model.xml\nduration_s: \"10\"\n",
       "c.yaml:2:13: duration_s must be a number > 0, not the text '10'"},
      {"model: model.xml\nduration_s: .inf\n",
       "c.yaml:2:13: duration_s must be a finite number, not '.inf'"},
      {"model: model.xml\nduration_s: 1e999\n",
       "c.yaml:2:13: duration_s must be a finite number, not '1e999'"},
      {"model: model.xml\nduration_s:\n",
       "c.yaml:2:1: duration_s must be a number > 0, not nothing"},
      {"model: model.xml\nduration_s: [1]\n",
       "c.yaml:2:13: duration_s must be a number > 0, not a list"},
      {"model: model.xml\nseed: 1.5\n",
       "c.yaml:2:7: seed must be a whole number from 0 to 2147483647, not '1.5'"},
      {"model: model.xml\nseed: -1\n",
       "c.yaml:2:7: seed must be a whole number from 0 to 2147483647, not '-1'"},
      {"model: model.xml\nseed: 4294967296\n",
       "c.yaml:2:7: seed must be a whole number from 0 to 2147483647, not '4294967296'"},
      {"model: model.xml\ngains: {K_D: -1}\n",
       "c.yaml:2:14: gains.K_D must be a number ≥ 0, not '-1'"},
      {"model: model.xml\ncontroller: {type: adaptive}\ngains: {gamma: 0}\n",
       "c.yaml:3:16: gains.gamma must be a number > 0, not '0'"},
      {"model: model.xml\ngains: {K_D: [1, .nan]}\n",
       "c.yaml:2:18: gains.K_D[1] must be a finite number, not '.nan'"},
      {"model: model.xml\ngains: {K_D: [1, {a: 1}]}\n",
       "c.yaml:2:18: gains.K_D[1] must be a number ≥ 0, not a map"},
      {"model: model.xml\ngains: 5\n",
       "c.yaml:2:8: gains must be a map of keys (Lambda, K_D, G, bandwidth_hz, damping_ratio), not "
       "'5'"},
      {"model: model.xml\ncontrol: held\n",
       "c.yaml:2:10: control must be a map of keys (mode, rate_hz, delay_s, encoder_resolution, "
       "velocity_filter_hz, actuation_delay_s), not 'held'"},
      {"model: model.xml\ncontrol: {mode: hold}\n",
       "c.yaml:2:17: unknown control.mode 'hold' (did you mean 'held'?); valid: held, every_stage"},
      {"model: model.xml\ncontroller: {type: slotine}\n",
       "c.yaml:2:20: unknown controller.type 'slotine' (did you mean 'slotine_li'?); valid: " +
           Join(laws)},
      {"model: model.xml\ncontroller: {type: reference_dynamics, goal: circle}\n",
       "c.yaml:2:46: unknown controller.goal 'circle'; valid: tracking, limit_cycle, task"},
      {"model: model.xml\ncontroller: {type: reference_dynamics, level: speed}\n",
       "c.yaml:2:47: unknown controller.level 'speed'; valid: acceleration, velocity"},
      {"model: model.xml\ncontroller: {metric: log_det}\n",
       "c.yaml:2:14: controller.metric is an option of adaptive, adaptive_whole_body, not of "
       "controller.type slotine_li; valid: type, factorization, coordinates, gain_form, "
       "model_scale, estimate"},
      {"model: model.xml\ncontroller: {type: adaptive, goal: task}\n",
       "c.yaml:2:30: controller.goal is an option of reference_dynamics, not of controller.type "
       "adaptive; valid: type, factorization, coordinates, gain_form, model_scale, estimate, "
       "metric, adapt_bodies, deadzone_J"},
      {"model: model.xml\ncontroller: {type: adaptive, metrik: log_det}\n",
       "c.yaml:2:30: unknown key 'metrik' (did you mean 'metric'?); valid: type, factorization, "
       "coordinates, gain_form, model_scale, estimate, metric, adapt_bodies, deadzone_J"},
      {"model: model.xml\ncontroller: {type: reference_dynamics, cycle_radius: 0}\n",
       "c.yaml:2:54: controller.cycle_radius must be a number > 0, not '0'"},
      {"model: model.xml\ncontroller: {gain_form: H}\n",
       "c.yaml:2:25: unknown controller.gain_form 'H'; valid: mass, diagonal"},
      {"model: model.xml\nreference: {type: sine}\n",
       "c.yaml:2:19: unknown reference.type 'sine' (did you mean 'line'?); valid: " +
           Join(references)},
      {"model: model.xml\nreference: {type: quintic, repeat: maybe}\n",
       "c.yaml:2:36: reference.repeat must be true or false, not 'maybe'"},
      {"model: model.xml\ninitial: {q: 5}\n",
       "c.yaml:2:14: initial.q must be a list of numbers, not '5'"},
      {"model: model.xml\npushes: {body: hand}\n", "c.yaml:2:9: pushes must be a list, not a map"},
      {"model: model.xml\npushes:\n  - {body: hand, start_s: 1}\n",
       "c.yaml:3:5: pushes.0 lacks the key 'force_N' or 'impulse_Ns'"},
      {"model: model.xml\npushes:\n  - {body: hand, force_N: [1, 2]}\n",
       "c.yaml:3:27: pushes.0.force_N must be 3 numbers"},
      {"model: model.xml\npushes:\n  - {body: hand, force: [1, 2, 3]}\n",
       "c.yaml:3:18: unknown key 'force' (did you mean 'force_N'?); valid: body, joint, point_m, "
       "start_s, duration_s, shape, frequency_hz, phase_rad, force_N, impulse_Ns, joint_force"},
      {"model: model.xml\nmarks_s: [1, two]\n",
       "c.yaml:2:14: marks_s[1] must be a number ≥ 0, not 'two'"},
      {"duration_s: 5\n", "c.yaml: lacks the key 'model', the MJCF or URDF file"},
      {"model: nothing.xml\n", "c.yaml:1:8: model: no such file: nothing.xml"},
      {"model: model.xml\n? [a]\n: 1\n", "c.yaml:2:3: a key must be a word"},
      {"a: &x {seed: 1}\n<<: *x\n", "c.yaml:2:1: merge keys ('<<') are not supported"},
      {"model: model.xml\n---\nmodel: model.xml\n",
       "c.yaml:3:1: a second YAML document; only one is read"},
      {"", "c.yaml: holds nothing; a config needs the key 'model'"},
      {"# nothing but a comment\n", "c.yaml: holds nothing; a config needs the key 'model'"},
      {"model: [model.xml\n", "c.yaml:2:1: malformed YAML: end of sequence flow not found"},
      {"model: model.xml\n\tseed: 1\n",
       "c.yaml:2:1: malformed YAML: illegal tab when looking for indentation"},
  };
  for (const BadYaml& row : rows) EXPECT_EQ(ErrorOfYaml(row.yaml), row.message) << row.yaml;
  EXPECT_EQ(ErrorOfYaml("- a\n- b\n"),
            "c.yaml:1:1: a config is a map of keys (" + keys + "), not a list");
  EXPECT_EQ(ErrorOfYaml("just words\n"),
            "c.yaml:1:1: a config is a map of keys (" + keys + "), not 'just words'");
}

TEST_F(ConfigTest, BadOverridesNameTheFlagAndKey) {
  const std::string yaml = "model: model.xml\npushes: [{body: hand, force_N: [1, 2, 3]}]\n";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"gains.lamda=5",
       "--set gains.lamda: unknown key 'lamda' (did you mean 'Lambda'?); valid: Lambda, K_D, G, "
       "bandwidth_hz, damping_ratio"},
      {"gains.K_D=-1", "--set gains.K_D: gains.K_D must be a number ≥ 0, not '-1'"},
      {"gains.K_D=",
       "--set gains.K_D: gains.K_D must be a number or a list of numbers, not nothing"},
      {"gains.K_D=[1, nan]", "--set gains.K_D: gains.K_D[1] must be a finite number, not 'nan'"},
      {"gains.K_D=[1", "--set gains.K_D: malformed YAML: end of sequence flow not found"},
      {"duration=5",
       "--set duration: unknown key 'duration' (did you mean 'duration_s'?); valid: " +
           Join(ConfigKeyNames(""))},
      {"gains.K_D", "--set gains.K_D: write key=value, as in --set gains.K_D=5"},
      {"=5", "--set =5: write key=value, as in --set gains.K_D=5"},
      {"gains..K_D=5", "--set gains..K_D: 'gains..K_D' is no key; write key=value"},
      {"pushes.2.body=foot",
       "--set pushes.2.body: '2' is no entry of a list of 1 (counted from 0), nor the next one"},
      {"control={mode: held, mode: held}", "--set control: duplicate key 'mode'"},
      {"model=missing.xml", "--set model: model: no such file: " +
                                (std::filesystem::current_path() / "missing.xml").string()},
  };
  for (const auto& [text, message] : rows) EXPECT_EQ(ErrorOfYaml(yaml, {text}), message) << text;
}

TEST_F(ConfigTest, OverridesReachItemsOfListsAndAddThem) {
  const std::string yaml = "model: model.xml\npushes: [{body: hand, force_N: [1, 2, 3]}]\n";
  const SceneConfig more =
      Read(yaml, {"pushes.0.force_N.1=7", "pushes.1.body=foot", "pushes.1.impulse_Ns=[0,0,1]"});
  ASSERT_EQ(more.pushes.size(), 2u);
  EXPECT_THAT(more.pushes[0].force, ElementsAre(1, 7, 3));
  EXPECT_EQ(more.pushes[1].body, "foot");
  const SceneConfig first =
      Read("model: model.xml\n", {"pushes.0.joint=elbow", "pushes.0.joint_force=[2]",
                                  "pushes.0.shape=sine", "pushes.0.frequency_hz=3"});
  ASSERT_EQ(first.pushes.size(), 1u);
  EXPECT_EQ(first.pushes[0].frequency_hz, 3);
}

TEST_F(ConfigTest, BandwidthAndDampingRatioGiveGains) {
  constexpr double kOmega = 2 * 3.14159265358979323846 * 1.5;
  const auto gains = [](const std::string& law) {
    return ReadConfig("arm7", {"controller.type=" + law, "gains.bandwidth_hz=1.5",
                               "gains.damping_ratio=1.25"})
        .gains;
  };
  auto roots = gains("slotine_li");
  EXPECT_NEAR(roots["Lambda"].at(0), kOmega / 2, 1e-12);
  EXPECT_NEAR(roots["K_D"].at(0), 2 * kOmega, 1e-12);
  roots = gains("reference_dynamics");
  EXPECT_NEAR(roots["Lambda"].at(0), kOmega / 2, 1e-12);
  EXPECT_NEAR(roots["K_D"].at(0), 2 * kOmega, 1e-12);
  EXPECT_NEAR(roots["K_v"].at(0), 2 * kOmega, 1e-12);
  EXPECT_EQ(roots["k"].at(0), 5);
  auto second_order = gains("computed_torque");
  EXPECT_NEAR(second_order["K_P"].at(0), kOmega * kOmega, 1e-11);
  EXPECT_NEAR(second_order["K_D"].at(0), 2.5 * kOmega, 1e-12);
  const std::string model = "model: model.xml\n";
  EXPECT_THAT(ErrorOfYaml(model + "gains: {bandwidth_hz: 1, damping_ratio: 0.7}\n"),
              HasSubstr("c.yaml:2:41: gains.damping_ratio is 0.7"));
  EXPECT_THAT(ErrorOfYaml(model + "gains: {bandwidth_hz: 1, K_D: 5}\n"),
              HasSubstr("gains.K_D and gains.bandwidth_hz are both given"));
  EXPECT_THAT(ErrorOfYaml(model + "gains: {damping_ratio: 1}\n"),
              HasSubstr("gains.damping_ratio needs gains.bandwidth_hz"));
  EXPECT_THAT(ErrorOfYaml(model + "controller: {gain_form: diagonal}\ngains: {bandwidth_hz: 1}\n"),
              HasSubstr("gains.bandwidth_hz needs controller.gain_form mass"));
}

TEST_F(ConfigTest, BadScenesListTheValidOnes) {
  std::string names;
  for (const SceneInfo& info : Scenes()) {
    names += (names.empty() ? "" : ", ") + std::string(info.name);
  }
  EXPECT_EQ(ErrorOf("arm8"), "unknown scene 'arm8' (did you mean 'arm7'?); valid: " + names +
                                 "; or a config (.yaml), MJCF (.xml) or URDF (.urdf) file");
  EXPECT_EQ(ErrorOf("missing.yaml"), "missing.yaml: no such file");
  EXPECT_EQ(ErrorOf("folder/missing"), "folder/missing: no such file");
  EXPECT_EQ(ErrorOf(folder_.path() / "."), ".: is a folder, not a file");
  EXPECT_EQ(ErrorOf(folder_.Write("c.txt", "")),
            "c.txt: is neither a config (.yaml) nor an MJCF (.xml) or URDF (.urdf) file");
  EXPECT_THAT(ErrorOf(folder_.Write("m.json", "{}")),
              HasSubstr("m.json: a model in JSON has no shapes to simulate; eval, formulas"));
}

TEST_F(ConfigTest, ValuesReplaceThoseOfTheBase) {
  folder_.Write("far/robot.xml", "<mujoco/>");
  folder_.Write("far/first.yaml",
                "model: robot.xml\nduration_s: 3\nseed: 7\nmarks_s: [1, 2]\n"
                "initial: {q: [1, 2]}\npushes: [{body: a, force_N: [1, 0, 0]}]\n");
  folder_.Write("second.yaml",
                "base: far/first.yaml\nseed: 8\ncontrol: {rate_hz: 500, delay_s: 0.1}\n");
  const SceneConfig c =
      Read("base: second.yaml\ncontrol: {delay_s: 0.2}\nmarks_s: [4]\ninitial:\npushes: []\n",
           {"duration_s=5"});
  EXPECT_EQ(c.model, folder_.path() / "far/robot.xml");
  EXPECT_EQ(c.name, "c");
  EXPECT_EQ(c.duration_s, 5);
  EXPECT_EQ(c.seed, 8);
  EXPECT_EQ(c.rate_hz, 500);
  EXPECT_EQ(c.delay_s, 0.2);
  EXPECT_THAT(c.marks_s, ElementsAre(4));
  EXPECT_FALSE(c.initial.q.has_value());
  EXPECT_TRUE(c.pushes.empty());
  EXPECT_EQ(folder_.WithoutPath(c.Where("control.rate_hz")), "second.yaml:3:20");
  EXPECT_EQ(folder_.WithoutPath(c.Where("control.delay_s")), "c.yaml:2:20");
}

TEST_F(ConfigTest, BaseOfAnotherTypeLeavesNeitherGainsNorOptionsNorReference) {
  folder_.Write("b.yaml",
                "model: model.xml\ngains: {Lambda: 3}\n"
                "controller: {type: adaptive, metric: euclidean, gain_form: diagonal}\n"
                "reference: {amplitude: 0.2, fade_s: 4}\n");
  const SceneConfig same = Read("base: b.yaml\ngains: {K_D: 9}\nreference: {fade_s: 2}\n");
  EXPECT_THAT(same.gains.at("Lambda"), ElementsAre(3));
  EXPECT_THAT(same.gains.at("K_D"), ElementsAre(9));
  EXPECT_THAT(same.reference.Numbers("amplitude"), ElementsAre(0.2));
  EXPECT_THAT(same.reference.Numbers("fade_s"), ElementsAre(2));
  EXPECT_EQ(same.law_options.Text("metric"), "euclidean");
  const SceneConfig other =
      Read("base: b.yaml\ncontroller: {type: computed_torque}\nreference: {type: hold}\n");
  EXPECT_FALSE(other.gains.contains("Lambda"));
  EXPECT_TRUE(other.law_options.empty());
  EXPECT_EQ(other.gain_form, GainForm::kDiagonal);
  EXPECT_EQ(other.reference.type().name, "hold");
  EXPECT_TRUE(other.notices.empty());
}

TEST_F(ConfigTest, BadBasesGiveOneLine) {
  EXPECT_EQ(ErrorOfYaml("base: none.yaml\n"),
            "c.yaml:1:7: base: no such file: none.yaml, nor a scene of this name");
  EXPECT_EQ(ErrorOfYaml("base: [a]\n"),
            "c.yaml:1:7: base must be the name of a config file, not a list");
  EXPECT_EQ(ErrorOfYaml("base: c.yaml\n"), "c.yaml:1:7: base: c.yaml is based on itself");
  folder_.Write("d.yaml", "title: D\nbase: c.yaml\n");
  EXPECT_EQ(ErrorOfYaml("base: d.yaml\n"), "d.yaml:2:7: base: c.yaml is based on itself");
  EXPECT_EQ(ErrorOfYaml("model: model.xml\n", {"base=d.yaml"}),
            "--set base: base can stand in a config file only");
  folder_.Write("bad.yaml", "model: model.xml\nseed: x\n");
  EXPECT_THAT(ErrorOfYaml("base: bad.yaml\n"), HasSubstr("bad.yaml:2:7: seed must be"));
}

TEST_F(ConfigTest, KeysOfAnotherReferenceAreRefused) {
  const std::string model = "model: model.xml\n";
  EXPECT_EQ(ErrorOfYaml(model + "reference: {type: hold, radius_m: 3}\n"),
            "c.yaml:2:25: reference.radius_m is no key of reference.type hold; valid: type");
  EXPECT_EQ(ErrorOfYaml(model + "reference: {waypoints: [[1]]}\n"),
            "c.yaml:2:13: reference.waypoints is no key of reference.type sinusoid; valid: type, "
            "amplitude, frequency_hz, phase, fade_s");
  EXPECT_EQ(ErrorOfYaml(model + "reference: {amplitud: 1}\n"),
            "c.yaml:2:13: unknown key 'amplitud' (did you mean 'amplitude'?); valid: type, "
            "amplitude, frequency_hz, phase, fade_s");
  EXPECT_EQ(ErrorOfYaml(model, {"reference.to=[1]"}),
            "--set reference.to: reference.to is no key of reference.type sinusoid; valid: type, "
            "amplitude, frequency_hz, phase, fade_s");
}

TEST_F(ConfigTest, AnotherReferenceByOverrideLeavesTheFilesKeysOut) {
  const SceneConfig c = Read("model: model.xml\nreference: {amplitude: 0.2, phase: 1}\n",
                             {"reference.type=excitation", "reference.harmonics=4"});
  EXPECT_THAT(c.reference.Numbers("amplitude"), ElementsAre(0.2)) << "both types have it";
  EXPECT_EQ(c.reference.type().name, "excitation");
  EXPECT_THAT(ToYaml(c), HasSubstr("\n  base_hz: 0.1\n  harmonics: 4\n"));
}

TEST_F(ConfigTest, EveryKeyOfAReferenceStandsInTheTable) {
  const std::vector<std::string> all = ConfigKeyNames("reference");
  std::vector<std::string> used = {"type"};
  for (const ReferenceType* type : ReferenceTypes()) {
    for (const std::string& key : KeyNames(*type)) {
      EXPECT_THAT(all, testing::Contains(key)) << type->name;
      used.push_back(key);
    }
  }
  for (const std::string& key : all) EXPECT_THAT(used, testing::Contains(key));
}

TEST_F(ConfigTest, ReadsEveryKindOfKey) {
  const SceneConfig c = Read(R"(
title: An arm
model: ./model.xml
duration_s: 1e1
seed: 7
control: {mode: every_stage, rate_hz: .5e3}
physics: {timestep_s: +0.002}
controller: {type: slotine_li, factorization: t:0.3, gain_form: diagonal, model_scale: 0.9}
gains: {Lambda: 5, K_D: [1, 2.5, 0]}
reference: {type: quintic, to: [1, -.5], repeat: false}
initial: {v: [0, 1e-3]}
pushes:
  - {body: hand, start_s: 3, force_N: [0, 20, 0]}
)");
  EXPECT_EQ(c.name, "c");
  EXPECT_EQ(c.title, "An arm");
  EXPECT_EQ(c.model, folder_.path() / "model.xml");
  EXPECT_EQ(c.duration_s, 10);
  EXPECT_EQ(c.seed, 7);
  EXPECT_EQ(c.mode, ControlMode::kEveryStage);
  EXPECT_EQ(c.rate_hz, 500);
  EXPECT_EQ(c.physics.timestep_s, 0.002);
  EXPECT_EQ(c.factorization, "t:0.3");
  EXPECT_EQ(c.gain_form, GainForm::kDiagonal);
  EXPECT_EQ(c.model_scale, 0.9);
  EXPECT_THAT(c.gains.at("Lambda"), ElementsAre(5));
  EXPECT_THAT(c.gains.at("K_D"), ElementsAre(1, 2.5, 0));
  EXPECT_EQ(c.reference.type().name, "quintic");
  EXPECT_THAT(c.reference.Numbers("to"), ElementsAre(1, -0.5));
  EXPECT_THAT(ToYaml(c), HasSubstr("\n  repeat: false\n"));
  EXPECT_FALSE(c.initial.q.has_value());
  EXPECT_THAT(*c.initial.v, ElementsAre(0, 1e-3));
  ASSERT_EQ(c.pushes.size(), 1u);
  EXPECT_EQ(c.pushes[0].body, "hand");
  EXPECT_FALSE(c.pushes[0].duration_s.has_value());
  EXPECT_THAT(c.pushes[0].force, ElementsAre(0, 20, 0));
  EXPECT_THAT(c.marks_s, ElementsAre(1, 2, 5));
  EXPECT_EQ(folder_.WithoutPath(c.Where("gains.K_D")), "c.yaml:9:25");
  EXPECT_EQ(folder_.WithoutPath(c.Where("initial.q")), "c.yaml");
}

TEST_F(ConfigTest, AliasesAndEmptySectionsAreRead) {
  const SceneConfig c = Read("model: model.xml\ngains: {Lambda: &k 3, K_D: *k}\ncontrol:\n");
  EXPECT_THAT(c.gains.at("K_D"), ElementsAre(3));
}

TEST_F(ConfigTest, OverridesSetAnyKey) {
  const std::string yaml =
      "model: model.xml\ngains: {Lambda: 5}\npushes: [{body: hand, force_N: [1, 2, "
      "3]}]\n";
  const SceneConfig c = Read(
      yaml, {"gains.K_D=[1,2,3]", "gains.K_D.1=9", "reference.amplitude=0.3", "seed=3", "seed=4",
             "pushes.0.force_N=[0,0,5]", "controller={factorization: \"joint:-5\"}", "title=x=y"});
  EXPECT_THAT(c.gains.at("Lambda"), ElementsAre(5));
  EXPECT_THAT(c.gains.at("K_D"), ElementsAre(1, 9, 3));
  EXPECT_THAT(c.reference.Numbers("amplitude"), ElementsAre(0.3));
  EXPECT_EQ(c.seed, 4);
  EXPECT_THAT(c.pushes[0].force, ElementsAre(0, 0, 5));
  EXPECT_EQ(c.factorization, "joint:-5");
  EXPECT_EQ(c.title, "x=y");
  EXPECT_EQ(c.Where("gains.K_D"), "--set gains.K_D");
}

TEST_F(ConfigTest, AnotherLawByOverrideLeavesTheFilesGainsOut) {
  const std::string yaml = "model: model.xml\ngains: {Lambda: 77, K_D: 78}\n";
  const SceneConfig c = Read(yaml, {"controller.type=pd_gravity", "gains.K_D=3"});
  EXPECT_EQ(c.gains.count("Lambda"), 0u);
  EXPECT_THAT(c.gains.at("K_D"), ElementsAre(3));
  ASSERT_EQ(c.notices.size(), 1u);
  EXPECT_EQ(folder_.WithoutPath(c.notices[0]),
            "c.yaml: its gains are for slotine_li; pd_gravity runs with its own defaults");
  EXPECT_TRUE(Read(yaml).notices.empty());
}

TEST_F(ConfigTest, ModelFilesGetTheDefaults) {
  const SceneConfig c = ReadConfig(folder_.path() / "model.xml", {"gains.K_D=2"});
  EXPECT_EQ(c.name, "model");
  EXPECT_EQ(c.model, folder_.path() / "model.xml");
  EXPECT_EQ(c.controller, "slotine_li");
  EXPECT_EQ(c.reference.type().name, "sinusoid");
  EXPECT_THAT(c.gains.at("K_D"), ElementsAre(2));
}

TEST_F(ConfigTest, YamlOfAConfigReadsBackTheSame) {
  SceneConfig c = Read(
      "model: model.xml\nname: n\ntitle: 'a: b #c'\nduration_s: 0.1\nmarks_s: []\n"
      "controller: {factorization: 'joint:-5', gain_form: diagonal}\ncontrol: {mode: every_stage}\n"
      "gains: {Lambda: [0.1, 1e-300, 123456789.123456789]}\nphysics: {timestep_s: 0.0005}\n"
      "reference: {amplitude: [0.3], phase: [1, 2], fade_s: 0}\ninitial: {q: [0.1]}\n"
      "pushes: [{body: a b, start_s: 1, force_N: [0, 0.1, 0]}, {body: c, force_N: [1, 1, 1]}]\n");
  const std::string yaml = ToYaml(c);
  TemporaryFolder elsewhere;
  const SceneConfig d = ReadConfig(elsewhere.Write("config.yaml", yaml));
  EXPECT_EQ(ToYaml(d), yaml);
  EXPECT_EQ(d.model, c.model);
  EXPECT_EQ(d.name, "n");
  EXPECT_EQ(d.title, "a: b #c");
  EXPECT_EQ(d.gains, c.gains);
  EXPECT_TRUE(d.marks_s.empty());
  EXPECT_EQ(d.pushes.size(), 2u);
  EXPECT_EQ(d.pushes[0].body, "a b");
}

TEST_F(ConfigTest, OptionsOfALawAreCompletedAndWritten) {
  const SceneConfig c = Read("model: model.xml\ncontroller: {type: adaptive, deadzone_J: 0.5}\n");
  EXPECT_EQ(c.law_options.Number("deadzone_J"), 0.5);
  EXPECT_EQ(c.law_options.Text("metric"), "log_det");
  EXPECT_TRUE(c.law_options.Texts("adapt_bodies").empty());
  const std::string yaml = ToYaml(c);
  EXPECT_THAT(yaml, HasSubstr("\n  metric: log_det\n  deadzone_J: 0.5\n"));
  EXPECT_THAT(yaml, testing::Not(HasSubstr("cycle_radius")));
}

TEST_F(ConfigTest, OptionsOfTheFilesLawAreLeftOutForAnotherOne) {
  const std::string yaml = "model: model.xml\ncontroller: {type: adaptive, metric: euclidean}\n";
  const SceneConfig c = Read(yaml, {"controller.type=slotine_li"});
  EXPECT_TRUE(c.law_options.empty());
  ASSERT_EQ(c.notices.size(), 1u);
  EXPECT_EQ(folder_.WithoutPath(c.notices[0]),
            "c.yaml: its controller.metric is for adaptive; slotine_li has no such option");
  EXPECT_EQ(Read(yaml, {"controller.type=adaptive_whole_body"}).law_options.Text("metric"),
            "euclidean");
  EXPECT_EQ(ErrorOfYaml(yaml, {"controller.type=pd_gravity", "controller.deadzone_J=1"}),
            "--set controller.deadzone_J: controller.deadzone_J is an option of adaptive, "
            "adaptive_whole_body, not of controller.type pd_gravity; valid: type, factorization, "
            "coordinates, gain_form, model_scale, estimate");
}

TEST_F(ConfigTest, EveryKeyOfTheTableIsRead) {
  for (const ConfigKey& key : ConfigKeys()) {
    EXPECT_FALSE(key.doc.empty()) << key.key;
    if (key.key.find('*') != std::string_view::npos) continue;
    // An override of each key must be known; most refuse a list of maps, and name the key.
    const std::string error =
        ErrorOfYaml("model: model.xml\n", {std::string(key.key) + "=[{a: 1}]"});
    EXPECT_THAT(error, HasSubstr("--set " + std::string(key.key) + ": " + std::string(key.key)));
  }
}

}  // namespace config_test
}  // namespace civita
