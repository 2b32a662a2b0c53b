#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "civita/sim/input_event.h"
#include "civita/sim/run_summary.h"
#include "civita/sim/simulation.h"

namespace civita {

/// CPU, cores, operating system.
nlohmann::ordered_json DescribeMachine();

/// Content of run.json at the start of a run: versions, model and its hash, seed, time steps, the
/// resolved config, notices, the machine; "status" is "running".
nlohmann::ordered_json DescribeRun(const Simulation& simulation);

/// Completes the JSON of DescribeRun at the end of the run: "status" done, failed or interrupted,
/// the verdict, the hash, what could not be written, the metrics and the columns' names; non-finite
/// numbers become null.
void AddResult(const RunSummary& summary, const std::vector<InputEvent>& events,
               nlohmann::ordered_json* run);

/// The events of a run.json, by time. @throws UserError where they are damaged.
std::vector<InputEvent> ReadEvents(const nlohmann::json& run);

/// The run.json of a run folder; an empty object if there is none, or no JSON object in it.
nlohmann::json ReadRunJson(const std::filesystem::path& directory);

}  // namespace civita
