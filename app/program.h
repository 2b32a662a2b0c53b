#pragma once

namespace civita {

struct Registry;  // scenes/registry.h

/// What a program says by ending.
enum ExitCode : int {
  kExitDone = 0,
  kExitFailed = 1,         ///< it ran, and failed: blow-up
  kExitBadInput = 2,       ///< command line, file, key, directory, display
  kExitInterrupted = 130,  ///< by Ctrl-C; files are kept
};

/// The laws and verbs of this repository, and no window.
Registry BuiltinRegistry();

/// The program: reads the command line, does what it says with what the registry holds, and with
/// the plug-ins that the command line and configs name.
/// @returns an ExitCode; one line on standard error says why when it is not kExitDone.
int RunProgram(int argc, const char* const* argv, const Registry& registry);

}  // namespace civita
