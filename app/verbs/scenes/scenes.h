#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace civita {

struct Registry;

/// `civita scenes`: prints the table of scenes. @returns an ExitCode.
int ListScenes();

/// Adds the verb's help, see Verb::add.
std::function<int()> AddScenes(CLI::App* command, const Registry& registry);

}  // namespace civita
