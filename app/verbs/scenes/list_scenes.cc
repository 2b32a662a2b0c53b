#include <algorithm>
#include <cstdio>

#include "app/program.h"
#include "app/verbs/scenes/scenes.h"
#include "civita/scenes/scene.h"

namespace civita {

int ListScenes() {
  std::size_t width = 0;
  for (const SceneInfo& scene : Scenes()) width = std::max(width, scene.name.size());
  for (const SceneInfo& scene : Scenes()) {
    std::printf("%-*s  %s\n", static_cast<int>(width), scene.name.c_str(), scene.line.c_str());
  }
  return kExitDone;
}

}  // namespace civita
