#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace civita {

struct Registry;

/// Simulates the run of a folder again and compares every row, bit for bit, and the rows with the
/// hash that its run.json tells; prints what it finds. @returns an ExitCode: kExitFailed when
/// something differs. @throws UserError.
int RunVerify(const std::string& directory);

/// Adds the verb's options and help, see Verb::add.
std::function<int()> AddVerify(CLI::App* command, const Registry& registry);

}  // namespace civita
