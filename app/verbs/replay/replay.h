#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace civita {

struct Registry;

/// `civita replay DIR --headless`: simulates the run of a folder again and compares every row, bit
/// for bit; prints what it finds. @returns an ExitCode. @throws UserError.
int ReplayHeadless(const std::string& directory);

/// Adds the verb's options and help, see Verb::add. Registry::run_in_window shows the replay.
std::function<int()> AddReplay(CLI::App* command, const Registry& registry);

}  // namespace civita
