#include "app/program.h"
#include "app/terminal.h"
#include "app/verbs/scenes/scenes.h"
#include "civita/scenes/scene.h"
#include "civita/study/table.h"

namespace civita {

int ListScenes() {
  Table table;
  table.columns = {{.is_text = true}};
  for (const SceneInfo& scene : Scenes()) table.AddRow(scene.name, {scene.line});
  PrintOut(ToTerminal(table, kAnyWidth, 0));
  return kExitDone;
}

}  // namespace civita
