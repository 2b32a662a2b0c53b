#include <CLI/CLI.hpp>
#include <functional>

#include "app/program.h"
#include "app/terminal.h"
#include "app/verbs/verb.h"
#include "civita/scenes/scene.h"
#include "civita/study/table.h"

namespace civita {
namespace {

/// `civita scenes`: prints the table of scenes. @returns an ExitCode.
int ListScenes() {
  Table table;
  table.columns = {{.is_text = true}};
  for (const SceneInfo& scene : Scenes()) table.AddRow(scene.name, {scene.line});
  PrintOut(ToTerminal(table, kAnyWidth, 0));
  return kExitDone;
}

}  // namespace

std::function<int()> AddScenes(CLI::App* command, const Registry& /*registry*/) {
  command->description("Lists the scenes.");
  return ListScenes;
}

}  // namespace civita
