#include <algorithm>
#include <cstdio>
#include <string>

#include "app/program.h"
#include "scenes/scene.h"

namespace civita {

int ListScenes() {
  std::size_t name_width = 0, dof_width = 0;
  for (const SceneInfo& scene : Scenes()) {
    name_width = std::max(name_width, scene.name.size());
    dof_width = std::max(dof_width, scene.dof.size());
  }
  for (const SceneInfo& scene : Scenes()) {
    const std::string text(scene.line);
    std::printf("%-*.*s  %*.*s  %s\n", static_cast<int>(name_width),
                static_cast<int>(scene.name.size()), scene.name.data(), static_cast<int>(dof_width),
                static_cast<int>(scene.dof.size()), scene.dof.data(), text.c_str());
  }
  return kExitDone;
}

}  // namespace civita
