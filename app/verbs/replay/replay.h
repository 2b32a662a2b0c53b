#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace civita {

struct Registry;

/// Adds the verb's options and help, see Verb::add. Registry::run_in_window shows the replay.
std::function<int()> AddReplay(CLI::App* command, const Registry& registry);

}  // namespace civita
