#include <algorithm>

#include "app/program.h"
#include "app/report/text_width.h"
#include "app/terminal.h"
#include "app/verbs/scenes/scenes.h"
#include "civita/scenes/scene.h"

namespace civita {

int ListScenes() {
  std::size_t width = 0;
  for (const SceneInfo& scene : Scenes()) width = std::max(width, scene.name.size());
  for (const SceneInfo& scene : Scenes()) {
    PrintOut(PadRight(scene.name, width) + "  " + scene.line + "\n");
  }
  return kExitDone;
}

}  // namespace civita
