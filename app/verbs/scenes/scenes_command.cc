#include <CLI/CLI.hpp>

#include "app/verbs/scenes/scenes.h"

namespace civita {

std::function<int()> AddScenes(CLI::App* command, const Registry& /*registry*/) {
  command->description("Lists the scenes.");
  return ListScenes;
}

}  // namespace civita
