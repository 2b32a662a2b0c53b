#include "app/verbs/survive/survive.h"

#include <filesystem>
#include <optional>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/progress_line.h"
#include "app/terminal.h"
#include "civita/sim/output_file.h"
#include "civita/sim/output_folder.h"

namespace civita {

int RunSurvive(const SurviveOptions& options, const std::string& out) {
  const InterruptGuard guard;
  std::optional<OutputFolder> folder;
  if (!out.empty()) folder.emplace(out);
  const SurvivalTable table = [&] {
    ProgressLine progress;
    return RunTrials(options, progress.watch());
  }();
  const std::string text = FormatSurvival(table);
  PrintOut(text);
  if (folder) {
    const std::filesystem::path directory = out;
    WriteWhole(directory / "survival.md", text);
    WriteWhole(directory / "survival.json", FormatSurvivalJson(table));
    WriteWhole(directory / kTableFile, ToJson(PushesTable(table)));
  }
  if (!table.interrupted) return kExitDone;
  size_t done = 0;
  for (const SurvivalRow& row : table.rows) done += row.trials.size();
  PrintError("interrupted after " + std::to_string(done) + " of " +
             std::to_string(table.rows.size() * static_cast<size_t>(table.trials)) + " trials");
  return kExitInterrupted;
}

}  // namespace civita
