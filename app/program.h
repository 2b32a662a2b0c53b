#pragma once

#include <span>
#include <string>
#include <vector>

namespace civita {

struct Registry;  // scenes/registry.h
struct Verb;      // app/verbs/verb.h

/// Exit code of a program.
enum ExitCode : int {
  kExitDone = 0,
  kExitFailed = 1,         ///< it ran and failed, for instance by divergence
  kExitBadInput = 2,       ///< command line, file, key, directory, display
  kExitSkipped = 3,        ///< this build or machine cannot do it, and the output says why
  kExitInterrupted = 130,  ///< by Ctrl-C; files written so far are kept
};

/// The laws and types of reference of this repository with these verbs, without the window.
Registry MakeRegistry(std::span<const Verb> verbs);
/// That with all verbs of this repository.
Registry BuiltinRegistry();

/// The program: executes the command line with the components of the registry and the plug-ins
/// that the command line and configs name.
/// @returns an ExitCode; unless it is kExitDone, one line on standard error gives the reason.
int RunProgram(int argc, const char* const* argv, const Registry& registry);

/// What the program prints and writes of its arguments is UTF-8.
/// @throws UserError for the first of the words after the program's name that is none, with its
/// number and the column.
void CheckArguments(const std::vector<std::string>& argv);

}  // namespace civita
