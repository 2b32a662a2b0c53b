#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "civita/controllers/controller.h"

namespace civita {

struct ReferenceType;  // scenes/motion/reference_types.h
struct Verb;           // app/verbs/verb.h
struct RunOptions;     // app/verbs/run/run.h
class RunFilm;         // app/verbs/run/run_film.h
class Simulation;      // sim/step/simulation.h

/// The components of a program, as lists of rows; nothing registers itself.
struct Registry {
  std::vector<const LawInfo*> laws;
  std::vector<const ReferenceType*> references;
  std::vector<const Verb*> verbs;  ///< of the program; empty in a plug-in
  int (*run_in_window)(const RunOptions& options) = nullptr;  ///< null: built without the window
  std::unique_ptr<RunFilm> (*film_run)(const RunOptions& options,
                                       const Simulation& simulation) = nullptr;
};

/// Registers the registry's laws and references for the process: configs, menus and comparisons
/// find them from now on. @throws UserError as RegisterLaw and RegisterReferenceType.
void Register(const Registry& registry);

/// Binary interface that a plug-in and the program that loads it must share.
struct PluginAbi {
  /// Incremented with every change of a class that a plug-in derives from or fills.
  int interface = 8;
  std::size_t controller = sizeof(Controller), options = sizeof(ControllerOptions),
              output = sizeof(ControlOutput), law = sizeof(LawInfo), registry = sizeof(Registry);

  bool operator==(const PluginAbi&) const = default;
};

/// Loads a plug-in, a shared library with CIVITA_PLUGIN, and registers its rows; no effect for a
/// file that is loaded. It is never unloaded. Thread-safe.
/// @throws UserError when there is no such file, it is no plug-in or one for another civita, or it
/// adds a row whose name is taken.
void LoadPlugin(const std::filesystem::path& file);

/// Whether the plug-in is loaded already.
bool IsLoadedPlugin(const std::filesystem::path& file);

/// Absolute paths of the plug-ins that define the law or the reference.
std::vector<std::string> FindPluginsOf(const LawInfo& law, const ReferenceType& reference);

}  // namespace civita

/// Makes a shared library a plug-in; use it in exactly one of its files. It adds rows that live as
/// long as the library, as in
///   CIVITA_PLUGIN(registry) { registry->laws.push_back(&kOwnLaw); }
#define CIVITA_PLUGIN(registry)                                                              \
  extern "C" {                                                                               \
  __attribute__((visibility("default"))) extern const ::civita::PluginAbi civita_plugin_abi; \
  const ::civita::PluginAbi civita_plugin_abi{};                                             \
  __attribute__((visibility("default"))) void civita_register(::civita::Registry*);          \
  }                                                                                          \
  void civita_register(::civita::Registry* registry)  // NOLINT(bugprone-macro-parentheses): a name
