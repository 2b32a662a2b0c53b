#pragma once

#include <functional>
#include <string>

#include "civita/study/survive/survive.h"

namespace CLI {
class App;
}

namespace civita {

struct Registry;

/// Adds the verb's options and help, see Verb::add.
std::function<int()> AddSurvive(CLI::App* command, const Registry& registry);

/// Runs the trials, prints the table, writes the files into a folder; an empty `out` is none.
/// @returns an ExitCode. @throws UserError.
int RunSurvive(const SurviveOptions& options, const std::string& out);

}  // namespace civita
