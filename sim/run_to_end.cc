#include "civita/sim/run_to_end.h"

#include <chrono>
#include <cmath>
#include <string>

#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "civita/sim/saved_state.h"
#include "civita/sim/signals.h"
#include "core/internal/read_file.h"

namespace civita {

bool RunToEnd(Simulation* simulation, Recorder* recorder, const std::function<bool()>& go_on) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kSavePeriod(1);
  const double duration_s = simulation->scene().config.duration_s;
  const long rows = std::lround(duration_s / simulation->control_dt()) + 1;
  Clock::time_point save_at = Clock::now() + kSavePeriod;
  try {
    while (simulation->step() < rows) {
      if (!simulation->Step()) return !simulation->failure().failed;
      recorder->Add(simulation->record());
      const bool is_interrupted = !go_on() && simulation->step() < rows;
      if (is_interrupted || Clock::now() >= save_at) {
        recorder->SaveState(*simulation);
        save_at = Clock::now() + kSavePeriod;
      }
      if (is_interrupted) return true;
    }
  } catch (const WriteError&) {
    // The recorder's summary tells of it.
  }
  return false;
}

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
  } catch (const UserError& error) {
    const std::string what = error.what();
    throw UserError(what.starts_with(file.string()) ? what : file.string() + ": " + what);
  }
  const auto rows = static_cast<std::size_t>(saved.step);
  if (saved.step < 0 || rows > record.size()) {
    throw UserError(file.string() + ": is later than the " + std::to_string(record.size()) +
                    " rows of signals.csv");
  }
  record.Arrange(SignalTable(simulation->scene()));
  auto recorder = std::make_unique<Recorder>(*simulation, &record, rows);
  simulation->Repeat(saved, saved.step);
  return recorder;
}

}  // namespace civita
