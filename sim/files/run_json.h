#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "civita/sim/input_event.h"
#include "civita/sim/run_summary.h"
#include "civita/sim/simulation.h"

namespace civita {

/// CPU, cores, operating system.
nlohmann::ordered_json DescribeMachine();

/// Files that a config and its factorization name, and that its runs depend on, with a hash of what
/// is in them. The model's own is that of the compiled model, with meshes and what it includes.
nlohmann::ordered_json HashFiles(const SceneConfig& config, const Factorization& factorization);

/// Content of run.json at the start of a run: versions, model and its hash, seed, time steps, the
/// resolved config, notices, the machine; "status" is "running".
nlohmann::ordered_json DescribeRun(const Simulation& simulation);

/// Completes the JSON of DescribeRun at the end of the run: "status" done, failed or interrupted,
/// the verdict, the hash, what could not be written, the metrics and the columns' names; non-finite
/// numbers become null.
void AddResult(const RunSummary& summary, const std::vector<InputEvent>& events,
               nlohmann::ordered_json* run);

/// The file of a run folder that holds the events of a run that has not ended, a line each.
inline constexpr std::string_view kEventsFile = "events.jsonl";

/// An event as a line of that file.
std::string EventLine(const InputEvent& event);

/// The events of a run folder with this run.json, by time; nullopt where they are not known, as of
/// a killed run of an earlier version. @throws UserError where they are damaged.
std::optional<std::vector<InputEvent>> ReadEvents(const std::filesystem::path& directory,
                                                  const nlohmann::json& run);

/// The run.json of a run folder; an empty object if there is none, or no JSON object in it.
nlohmann::json ReadRunJson(const std::filesystem::path& directory);

}  // namespace civita
