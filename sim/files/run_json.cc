#include "civita/sim/run_json.h"

#include <sys/utsname.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/check_json.h"
#include "base/read_file.h"
#include "base/utf8.h"
#include "civita/build_info.h"
#include "civita/error.h"
#include "civita/sim/output_folder.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const YAML::Node& node) {
  if (node.IsMap()) {
    Json map = Json::object();
    for (const auto& entry : node) map[entry.first.as<std::string>()] = ToJson(entry.second);
    return map;
  }
  if (node.IsSequence()) {
    Json list = Json::array();
    for (const YAML::Node& item : node) list.push_back(ToJson(item));
    return list;
  }
  if (!node.IsDefined() || node.IsNull()) return nullptr;
  const std::string& text = node.Scalar();
  // YAML quoted the scalar (tag "!"): it is a string.
  if (node.Tag() != "!") {
    if (text == ".nan" || text == ".inf" || text == "-.inf") return nullptr;
    // Not by YAML, whose numbers are those of the locale that a plug-in may have set.
    if (const Json number = Json::parse(text, nullptr, /*allow_exceptions=*/false);
        number.is_number()) {
      return number;
    }
    if (bool flag = false; YAML::convert<bool>::decode(node, flag)) return flag;
  }
  return text;
}

std::string CpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

Json DescribeFall(const Fall& fall) {
  if (!fall.fallen) return nullptr;
  if (fall.freely) return {{"t", fall.t}, {"freely", true}, {"sunk_m", fall.sunk}};
  return {{"t", fall.t},
          {"freely", false},
          {"height_m", fall.height},
          {"nominal_height_m", fall.nominal_height},
          {"tilt_rad", fall.tilt}};
}

Json Number(const MetricInfo& info, double value) {
  if (!std::isfinite(value)) return nullptr;
  return info.count ? Json(std::lround(value)) : Json(value);
}

/// Puts every metric at its place; those at marks become a list of the marks reached.
void AddMetrics(const RunSummary& run, Json* summary) {
  for (std::size_t i = 0; i < run.metrics.size(); ++i) {
    const MetricInfo& info = run.metrics[i];
    const double value = run.values[i];
    if (!info.mark_s) {
      const std::string place = info.json.empty() ? info.key : info.json;
      (*summary)[Json::json_pointer("/" + place)] = Number(info, value);
      continue;
    }
    Json& list = (*summary)[info.key];
    if (list.is_null()) list = Json::array();
    if (!std::isnan(value)) list.push_back({{"t", *info.mark_s}, {"V", value}});
  }
}

Json ToJson(const InputEvent& event) {
  return {{"t", event.t}, {"what", event.what}, {"input", Json::parse(event.input)}};
}

}  // namespace

Json DescribeMachine() {
  utsname system{};
  uname(&system);
  return {{"cpu", CpuName()},
          {"cores", std::thread::hardware_concurrency()},
          {"os", std::string(system.sysname) + " " + system.release + " " + system.machine}};
}

Json HashFiles(const SceneConfig& config, const Factorization& factorization) {
  Json hashes = Json::object();
  const auto add = [&hashes](const std::filesystem::path& file) {
    std::error_code ignored;
    if (!file.is_absolute() || !std::filesystem::is_regular_file(file, ignored)) return;
    hashes[file.string()] = HashBytes(internal::ReadFile(file.string()));
  };
  const Json values = ToJson(YAML::Load(ToYaml(config))).flatten();
  for (const auto& [pointer, value] : values.items()) {
    if (!value.is_string() || value == config.model.string()) continue;
    const auto text = value.get<std::string>();
    add(text);
    if (pointer == "/controller/type") add(text.substr(0, text.rfind(':')));  // of a law in Python
  }
  for (const auto& injection : factorization.joint_injections) add(injection.file);
  for (const auto& form : factorization.three_forms) add(form.file);
  return hashes;
}

Json DescribeRun(const Simulation& simulation) {
  const Scene& scene = simulation.scene();
  Json run;
  run["status"] = "running";
  run["scene"] = scene.config.name;
  run["started"] = UtcNow();
  run["versions"] = {
      {"civita", kVersion},
      {"source", kGitDescribe},
      {"mujoco", mj_versionString()},
      {"eigen", std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) +
                    "." + std::to_string(EIGEN_MINOR_VERSION)},
      {"compiler", __VERSION__}};
  run["model"] = {{"file", scene.config.model.string()},
                  {"hash", scene.model_hash},
                  {"nq", scene.plant.nq()},
                  {"nv", scene.plant.nv()},
                  {"velocity_names", scene.velocity_names}};
  run["seed"] = scene.config.seed;
  run["dt_s"] = simulation.control_dt();
  run["physics_dt_s"] = simulation.mj()->opt.timestep;
  run["config"] = ToJson(YAML::Load(ToYaml(scene.config)));
  run["files"] = HashFiles(scene.config, simulation.controller().factorization());
  run["notices"] = scene.notices;
  run["events"] = Json::array();  // until it has ended, those of kEventsFile follow
  run["machine"] = DescribeMachine();
  return run;
}

void AddResult(const RunSummary& summary, const std::vector<InputEvent>& events, Json* run) {
  (*run)["status"] = summary.interrupted ? "interrupted" : summary.passed ? "done" : "failed";
  (*run)["passed"] = summary.passed;
  (*run)["verdict"] = summary.verdict;
  (*run)["hash"] = summary.hash;
  if (!summary.write_error.empty()) (*run)["write_error"] = summary.write_error;
  Json& figures = (*run)["summary"];
  figures = {{"steps", summary.steps},
             {"duration_s", summary.duration_s},
             {"error_unit", summary.error_unit},
             {"error_rms_by_coordinate", summary.error_rms_by_coordinate},
             {"V_at", Json::array()},
             {"wall_s", summary.wall_s},
             {"real_time_factor", summary.real_time_factor},
             {"mujoco_warnings", summary.mujoco_warnings},
             {"notes", summary.notes}};
  if (summary.fall) figures["fall"] = DescribeFall(*summary.fall);
  const bool has_legs = std::ranges::any_of(
      summary.metrics, [](const MetricInfo& info) { return info.json.starts_with("legs/"); });
  if (summary.fall && has_legs) {
    figures["legs"] = {{"nominal_height_m", summary.fall->nominal_height}, {"contacts", nullptr}};
  }
  AddMetrics(summary, &figures);
  Json list = Json::array();
  for (const InputEvent& event : events) list.push_back(ToJson(event));
  (*run)["events"] = list;
}

std::string EventLine(const InputEvent& event) {
  return ToJson(event).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<std::vector<InputEvent>> ReadEvents(const std::filesystem::path& directory,
                                                  const nlohmann::json& run) {
  if (!run.contains("events")) return std::nullopt;
  std::vector<InputEvent> events;
  const auto add = [&events](const nlohmann::json& event) {
    const bool has_input = event.contains("input");  // earlier versions wrote none
    events.push_back({event.at("t"), event.at("what"), has_input ? event["input"].dump() : ""});
  };
  std::string file = "run.json";
  try {
    for (const nlohmann::json& event : run.at("events")) add(event);
    file = (directory / kEventsFile).string();
    std::error_code ignored;
    if (run.value("status", "") == "running" && std::filesystem::exists(file, ignored)) {
      std::istringstream lines(internal::ReadText(file));
      // A kill may have ended within the last line.
      for (std::string line; std::getline(lines, line) && !lines.eof();) {
        internal::CheckJson(line, file);
        add(nlohmann::json::parse(line));
      }
    }
  } catch (const nlohmann::json::exception&) {
    throw UserError("the events of " + file + " are damaged");
  }
  std::ranges::stable_sort(events, {}, &InputEvent::t);
  return events;
}

nlohmann::json ReadRunJson(const std::filesystem::path& directory) {
  const std::string file = (directory / "run.json").string();
  std::string text;
  try {
    text = internal::ReadFile(file);
  } catch (const UserError&) {
    // There is none.
  }
  internal::CheckUtf8(text, file);
  internal::CheckJson(text, file);
  auto run = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  return run.is_object() ? run : nlohmann::json::object();
}

}  // namespace civita
