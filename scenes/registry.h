#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "civita/controllers/controller.h"

namespace civita {

struct ReferenceType;  // scenes/motion/reference_types.h
struct Verb;           // app/verbs/verb.h
struct RunOptions;     // app/verbs/run/run.h

/// What a program is made of, row by row; nothing registers itself.
struct Registry {
  std::vector<const LawInfo*> laws;
  std::vector<const ReferenceType*> references;
  std::vector<const Verb*> verbs;  ///< of the program; a plug-in has none
  int (*run_in_window)(const RunOptions& options) = nullptr;  ///< null: there is no window
};

/// Makes the registry's laws and references known to the process: configs, menus and comparisons
/// find them from now on. @throws UserError as RegisterLaw and RegisterReferenceType.
void Register(const Registry& registry);

/// What a plug-in and the program that loads it must agree on.
struct PluginAbi {
  /// Raised with every change of a class that a plug-in derives from or fills.
  int interface = 2;
  std::size_t controller = sizeof(Controller), options = sizeof(ControllerOptions),
              output = sizeof(ControlOutput), law = sizeof(LawInfo), registry = sizeof(Registry);

  bool operator==(const PluginAbi&) const = default;
};

/// Loads a plug-in, a shared library with CIVITA_PLUGIN, and registers its rows; a file that is
/// loaded already is left as it is. It stays loaded. Safe to call from any thread.
/// @throws UserError when there is no such file, it is no plug-in or one for another civita, or it
/// adds a row whose name is taken.
void LoadPlugin(const std::filesystem::path& file);

/// The plug-ins that the law and the reference are from, absolute paths.
std::vector<std::string> FindPluginsOf(const LawInfo& law, const ReferenceType& reference);

}  // namespace civita

/// Makes a shared library a plug-in, once in one of its files. Adds rows that live as long as the
/// library, as in
///   CIVITA_PLUGIN(registry) { registry->laws.push_back(&kOwnLaw); }
#define CIVITA_PLUGIN(registry)                                                              \
  extern "C" {                                                                               \
  __attribute__((visibility("default"))) extern const ::civita::PluginAbi civita_plugin_abi; \
  const ::civita::PluginAbi civita_plugin_abi{};                                             \
  __attribute__((visibility("default"))) void civita_register(::civita::Registry*);          \
  }                                                                                          \
  void civita_register(::civita::Registry* registry)  // NOLINT(bugprone-macro-parentheses): a name
