#include "python/src/bind_study.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/scenes/scene.h"
#include "civita/sim/trials/survival_trial.h"
#include "civita/study/compare/compare_variants.h"
#include "civita/study/open_scene.h"
#include "civita/study/survive/survival.h"
#include "python/src/quiet_mujoco.h"

// What sweeps need of configs, and the trials of `civita survive`.

namespace nb = nanobind;

namespace civita::python {
namespace {

using Settings = std::vector<std::string>;

SceneConfig Read(const std::string& scene, const Settings& settings) {
  return ReadConfig({.scene = scene, .overrides = settings});
}

std::string ResolveConfig(const std::string& scene, const Settings& settings) {
  const nb::gil_scoped_release release;
  const QuietMujoco quiet;
  return ToYaml(Read(scene, settings));
}

nb::dict DescribeScene(const std::string& scene, const Settings& settings) {
  std::unique_ptr<Scene> loaded;
  {
    const nb::gil_scoped_release release;
    const QuietMujoco quiet;
    loaded = LoadScene(Read(scene, settings), OptionNames{});
  }
  nb::dict description;
  description["config"] = ToYaml(loaded->config);
  description["model_hash"] = loaded->model_hash;
  description["name"] = loaded->config.name;
  return description;
}

bool Walks(const std::string& scene, const Settings& settings) {
  const nb::gil_scoped_release release;
  const QuietMujoco quiet;
  return FindGait(*LoadScene(Read(scene, settings), OptionNames{})).has_value();
}

nb::dict RunSurvivalTrial(const std::string& scene, const Settings& settings, bool is_impulse,
                          double amount, int seed) {
  std::optional<SurvivalTrial> trial;
  {
    const nb::gil_scoped_release release;
    const QuietMujoco quiet;
    const std::atomic<bool> stop = false;
    trial = RunTrial(Read(scene, settings), {is_impulse, amount}, seed, stop);
  }
  return DescribeTrial(trial.value(), std::nullopt);
}

}  // namespace

nb::dict DescribeTrial(const SurvivalTrial& trial, std::optional<bool> gait) {
  nb::dict row;
  for (const auto& [name, value] : FiguresOf(trial, gait)) {
    row[name] = std::visit([](const auto& x) -> nb::object { return nb::cast(x); }, value);
  }
  return row;
}

void BindStudy(nb::module_& module) {
  module.def(
      "full_key", [](const std::string& key) { return ResolveConfigKey(key); }, nb::arg("key"),
      "The full name of a key of the config given by its last word: 'factorization'. Raises "
      "ValueError for an unknown or ambiguous one; keys with dots are checked where they are "
      "read.");
  module.def(
      "resolve_config", ResolveConfig, nb::arg("scene"), nb::arg("settings"),
      nb::sig("def resolve_config(scene: str, settings: list[str]) -> str"),
      "The complete config of a scene with settings 'key=value', as YAML. Raises ValueError.");
  module.def("describe_scene", DescribeScene, nb::arg("scene"), nb::arg("settings"),
             nb::sig("def describe_scene(scene: str, settings: list[str]) -> "
                     "dict[str, typing.Any]"),
             "Loads a scene with settings 'key=value': its name, its config with the defaults of "
             "its model as YAML, and a hash of the compiled model. Raises ValueError.");
  module.def("walks", Walks, nb::arg("scene"), nb::arg("settings"),
             nb::sig("def walks(scene: str, settings: list[str]) -> bool"),
             "Whether a robot on legs walks rather than stands. Raises ValueError without legs.");
  module.def("survival_trial", RunSurvivalTrial, nb::arg("scene"), nb::arg("settings"),
             nb::arg("is_impulse"), nb::arg("amount"), nb::arg("seed"),
             nb::sig("def survival_trial(scene: str, settings: list[str], is_impulse: bool, "
                     "amount: float, seed: int) -> dict[str, typing.Any]"),
             "One trial of `civita survive`: a push of a share of the ceiling of standing, or an "
             "impulse in N·s. docs/survival.md defines the results. Raises ValueError.");
}

}  // namespace civita::python
