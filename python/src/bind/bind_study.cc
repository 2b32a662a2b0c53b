#include "python/src/bind/bind_study.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "civita/error.h"
#include "civita/scenes/scene.h"
#include "civita/scenes/schema/config_file.h"
#include "civita/sim/run_json.h"
#include "civita/sim/trials/survival_trial.h"
#include "civita/study/compare/compare_variants.h"
#include "civita/study/compare/comparison.h"
#include "civita/study/open_scene.h"
#include "python/src/support/quiet_mujoco.h"

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

std::vector<std::pair<std::string, std::string>> ResolveConfigs(
    const std::string& scene, const std::vector<Settings>& variants) {
  constexpr std::string_view kOverride = "--set ";
  const nb::gil_scoped_release release;
  const QuietMujoco quiet;
  const internal::ConfigFile file = internal::ReadConfigFile(scene);
  std::vector<std::pair<std::string, std::string>> configs;
  for (const Settings& settings : variants) {
    auto& [config, reason] = configs.emplace_back();
    try {
      config = ToYaml(internal::ReadConfig(file, settings));
    } catch (const UserError& error) {
      reason = error.what();
      if (reason.starts_with(kOverride)) reason.erase(0, kOverride.size());
    }
  }
  return configs;
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
  description["files"] = HashFiles(loaded->config, loaded->controller->factorization()).dump();
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

using NamedEstimates = std::tuple<std::string, std::string, std::vector<std::pair<double, double>>>;

std::string MetricTableText(const std::vector<std::string>& names,
                            const std::vector<std::string>& statuses,
                            const std::vector<NamedEstimates>& metrics,
                            const std::string& summary) {
  std::vector<MetricInfo> infos;
  std::vector<std::vector<Estimate>> estimates;
  for (const auto& [column, unit, pairs] : metrics) {
    infos.push_back(MetricOf(column, unit));
    std::vector<Estimate>& row = estimates.emplace_back();
    for (const auto& [mean, half] : pairs) row.push_back({mean, half});
  }
  Table table = MetricTable(names, statuses, infos, estimates);
  table.summary = summary;
  return ToJson(table);
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
  module.def("resolve_configs", ResolveConfigs, nb::arg("scene"), nb::arg("variants"),
             nb::sig("def resolve_configs(scene: str, variants: list[list[str]]) -> "
                     "list[tuple[str, str]]"),
             "resolve_config of each of many settings, whose files are read once: the config and "
             "\"\", or \"\" and what is wrong. Raises ValueError if that is the scene.");
  module.def("describe_scene", DescribeScene, nb::arg("scene"), nb::arg("settings"),
             nb::sig("def describe_scene(scene: str, settings: list[str]) -> "
                     "dict[str, typing.Any]"),
             "Loads a scene with settings 'key=value': its name, its config with the defaults of "
             "its model as YAML, and hashes of the compiled model and, as JSON, of the files that "
             "it names. Raises ValueError.");
  module.def("walks", Walks, nb::arg("scene"), nb::arg("settings"),
             nb::sig("def walks(scene: str, settings: list[str]) -> bool"),
             "Whether a robot on legs walks rather than stands. Raises ValueError without legs.");
  module.def("survival_trial", RunSurvivalTrial, nb::arg("scene"), nb::arg("settings"),
             nb::arg("is_impulse"), nb::arg("amount"), nb::arg("seed"),
             nb::sig("def survival_trial(scene: str, settings: list[str], is_impulse: bool, "
                     "amount: float, seed: int) -> dict[str, typing.Any]"),
             "One trial of `civita survive`: a push of a share of the ceiling of standing, or an "
             "impulse in N·s. docs/survival.md defines the results. Raises ValueError.");
  module.def("metric_table", MetricTableText, nb::arg("names"), nb::arg("statuses"),
             nb::arg("metrics"), nb::arg("summary"),
             nb::sig("def metric_table(names: list[str], statuses: list[str], "
                     "metrics: list[tuple[str, str, list[tuple[float, float]]]], "
                     "summary: str) -> str"),
             "What table.json holds, which the window shows, of columns with these names: of each "
             "metric its name, unit, and the mean and half width of the 95 % interval in each "
             "column; NaN where there is none.");
}

}  // namespace civita::python
