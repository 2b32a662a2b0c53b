#include "civita/sim/run_to_end.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/read_file.h"
#include "base/text.h"
#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "civita/sim/run_json.h"
#include "civita/sim/saved_state.h"
#include "civita/sim/signals.h"

namespace civita {

bool RunToEnd(Simulation* simulation, Recorder* recorder, const std::function<bool()>& go_on) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kSavePeriod(1);
  const double duration_s = simulation->scene().config.duration_s;
  const long rows = std::lround(duration_s / simulation->control_dt()) + 1;
  Clock::time_point save_at = Clock::now() + kSavePeriod;
  const auto writes = [](auto work) {
    try {
      work();
      return true;
    } catch (const WriteError&) {
      return false;  // the recorder's summary tells of it
    }
  };
  while (simulation->step() < rows) {
    if (!simulation->Step()) return !simulation->failure().failed;
    if (!writes([&] { recorder->Add(simulation->record()); })) return false;
    const bool is_interrupted = !go_on() && simulation->step() < rows;
    if (is_interrupted || Clock::now() >= save_at) {
      if (!writes([&] { recorder->SaveState(*simulation); })) return false;
      save_at = Clock::now() + kSavePeriod;
    }
    if (is_interrupted) return true;
  }
  return false;
}

namespace {

using Json = nlohmann::ordered_json;

/// Keys that say nothing of the motion.
bool IsOutput(std::string_view key) {
  return key == "name" || key == "title" || key.starts_with("list.") || key.starts_with("marks_s");
}

/// "control.rate_hz" for the pointer "/control/rate_hz".
std::string KeyAt(std::string pointer) {
  std::ranges::replace(pointer, '/', '.');
  return pointer.empty() ? pointer : pointer.substr(1);
}

/// The keys in which two configs differ, those aside that say nothing of the motion; entries of
/// lists are keys of their own.
std::vector<std::string> FindChanges(const Json& before, const Json& now) {
  const Json old_values = before.flatten(), new_values = now.flatten();
  std::set<std::string> changed;
  const auto find = [&changed](const Json& among, const Json& others) {
    for (const auto& [pointer, value] : among.items()) {
      if (!others.contains(pointer) || others[pointer] != value) changed.insert(KeyAt(pointer));
    }
  };
  find(old_values, new_values);
  find(new_values, old_values);
  std::erase_if(changed, [](const std::string& key) { return IsOutput(key); });
  const Json duration = new_values.value("/duration_s", Json());
  if (old_values.value("/duration_s", duration) < duration) changed.erase("duration_s");
  return {changed.begin(), changed.end()};
}

/// The rows to come are to be those of the run that was stopped. @throws UserError.
void CheckUnchanged(const std::filesystem::path& directory, const Simulation& simulation) {
  Json before = ReadRunJson(directory);
  Json now = DescribeRun(simulation);
  const std::string place = directory.string() + ": ";
  if (!before.contains("config") || !before.contains("model") || !before["model"].is_object()) {
    throw UserError(place + "run.json does not tell of which config and model the run was");
  }
  const std::vector<std::string> keys = FindChanges(before["config"], now["config"]);
  if (!keys.empty()) {
    throw UserError(place + "config.yaml has changed since the run was stopped: " +
                    internal::Join(keys, ", ") + "; only duration_s may grow");
  }
  if (before["model"]["hash"] != now["model"]["hash"]) {
    throw UserError(place + "the model has changed since the run was stopped: " +
                    simulation.scene().config.model.string());
  }
  const auto refuse = [&place](const std::string& what, const std::string& file) {
    throw UserError(place + what + ": " + file);
  };
  const Json& files = now["files"];
  for (const auto& [file, hash] : before["files"].items()) {
    if (!files.contains(file)) refuse("the run's file is missing", file);
    if (files[file] != hash) refuse("a file has changed since the run was stopped", file);
  }
}

}  // namespace

std::unique_ptr<Recorder> ResumeRun(RunRecord record, Simulation* simulation) {
  const std::filesystem::path file = record.directory() / kStateFile;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    throw UserError(record.directory().string() +
                    ": holds no state to go on from: the run has ended, or was not one of run "
                    "--headless, or ended in its first second");
  }
  Simulation::Saved saved;
  simulation->Save(&saved);
  try {
    FromBytes(internal::ReadFile(file.string()), &saved);
    CheckSaved(*simulation, saved);
  } catch (const UserError& error) {
    const std::string what = error.what();
    throw UserError(what.starts_with(file.string()) ? what : file.string() + ": " + what);
  }
  const auto rows = static_cast<std::size_t>(saved.step);
  if (rows > record.size()) {
    throw UserError(file.string() + ": is later than the " + std::to_string(record.size()) +
                    " rows of signals.csv");
  }
  CheckUnchanged(record.directory(), *simulation);
  record.Arrange(SignalTable(simulation->scene()));
  auto recorder = std::make_unique<Recorder>(*simulation, &record, rows);
  simulation->Repeat(saved, saved.step);
  return recorder;
}

}  // namespace civita
