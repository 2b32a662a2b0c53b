#include "civita/scenes/registry.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "civita/error.h"
#include "civita/scenes/motion/reference_types.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

/// The loaded plug-ins of the process, by absolute path; append-only.
struct Plugins {
  /// Held while a plug-in is loaded, which may read scenes as it registers: by itself or in a
  /// thread that it waits for. The table's own lock is not held then.
  std::recursive_mutex loading;
  std::set<fs::path> begun;  ///< loaded or being loaded; of `loading`
  std::mutex mutex;
  std::map<fs::path, Registry> registries;  ///< of `mutex`
};

Plugins& ThePlugins() {
  static Plugins plugins;
  return plugins;
}

[[noreturn]] void Refuse(const fs::path& file, const std::string& why) {
  throw UserError(file.string() + ": " + why);
}

/// Makes the symbols of the shared library that contains this function, if it is in one, visible to
/// plug-ins, which link to them; those of a program are.
void ShareSymbols() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&ShareSymbols), &info) == 0) return;
  dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

void CheckUnique(const fs::path& file, const std::string& what,
                 std::vector<std::string_view> keys) {
  std::ranges::sort(keys);
  if (!keys.empty() && keys.front().empty()) Refuse(file, what + " without a name");
  const auto twice = std::ranges::adjacent_find(keys);
  if (twice != keys.end()) Refuse(file, what + " '" + std::string(*twice) + "' twice");
}

/// Checks the rows of a plug-in, which others have written, before anything is made of them.
void CheckRow(const fs::path& file, const LawInfo* law) {
  if (law == nullptr) Refuse(file, "registers a control law that is null");
  if (law->type.empty()) Refuse(file, "registers a control law without a type");
  const std::string of = "registers the control law '" + std::string(law->type) + "' with ";
  if (!law->make) Refuse(file, of + "no function make");
  std::vector<std::string_view> gains, options;
  for (const ParameterInfo& gain : law->parameters) {
    gains.push_back(gain.key);
    const bool fits = gain.min >= 0 && gain.default_value >= gain.min &&
                      gain.default_value <= gain.max && std::isfinite(gain.max);
    if (!fits) Refuse(file, of + "a default of gains." + std::string(gain.key) + " out of bounds");
  }
  for (const OptionInfo& option : law->options) {
    options.push_back(option.key);
    const auto* text = std::get_if<std::string_view>(&option.default_value);
    const bool fits =
        text == nullptr || option.choices.empty() || std::ranges::count(option.choices, *text) > 0;
    if (!fits) {
      Refuse(file,
             of + "a default of controller." + std::string(option.key) + " out of its choices");
    }
  }
  CheckUnique(file, of + "a gain", std::move(gains));
  CheckUnique(file, of + "an option", std::move(options));
}

void CheckRow(const fs::path& file, const ReferenceType* type) {
  if (type == nullptr) Refuse(file, "registers a reference type that is null");
  if (type->name.empty()) Refuse(file, "registers a reference type without a name");
  if (type->defaults == nullptr || type->bind == nullptr || type->make == nullptr) {
    Refuse(file, "registers the reference type '" + std::string(type->name) +
                     "' without one of its functions");
  }
}

/// What the plug-in registers. @throws UserError, also for whatever it throws.
Registry ReadRows(const fs::path& file, void (*register_all)(Registry* registry)) {
  Registry registry;
  try {
    register_all(&registry);
  } catch (const std::exception& error) {
    Refuse(file, std::string("threw while it was registered: ") + error.what());
  } catch (...) {
    Refuse(file, "threw what is no exception while it was registered");
  }
  for (const LawInfo* law : registry.laws) CheckRow(file, law);
  for (const ReferenceType* type : registry.references) CheckRow(file, type);
  return registry;
}

using RegisterFunction = void (*)(Registry* registry);

/// Opens the library. @throws UserError unless it is a plug-in built for this civita.
RegisterFunction FindRegister(const fs::path& file) {
  ShareSymbols();
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::string why = dlerror();
    if (why.starts_with(file.string() + ": ")) why.erase(0, file.string().size() + 2);
    Refuse(file, "cannot be loaded: " + why);
  }
  const auto* abi = static_cast<const PluginAbi*>(dlsym(library, "civita_plugin_abi"));
  void* const function = dlsym(library, "civita_register");
  if (abi == nullptr || function == nullptr) {
    dlclose(library);
    Refuse(file, "is no plug-in of civita: it lacks CIVITA_PLUGIN");
  }
  if (abi->interface != PluginAbi().interface || !(*abi == PluginAbi())) {
    dlclose(library);
    Refuse(file,
           "is a plug-in for another civita, or compiled with other options, such as -march; "
           "build it again with this civita's package");
  }
  return reinterpret_cast<RegisterFunction>(function);
}

}  // namespace

void Register(const Registry& registry) {
  for (const LawInfo* law : registry.laws) RegisterLaw(*law);
  for (const ReferenceType* type : registry.references) RegisterReferenceType(*type);
}

void LoadPlugin(const fs::path& file) {
  std::error_code error;
  const fs::path path = fs::canonical(file, error);
  if (error) Refuse(file, "no such file");
  Plugins& plugins = ThePlugins();
  const std::lock_guard loading(plugins.loading);
  if (!plugins.begun.insert(path).second) return;
  try {
    const Registry registry = ReadRows(file, FindRegister(path));
    Register(registry);
    const std::lock_guard lock(plugins.mutex);
    plugins.registries[path] = registry;
  } catch (...) {
    plugins.begun.erase(path);
    throw;
  }
}

bool IsLoadedPlugin(const fs::path& file) {
  std::error_code error;
  const fs::path path = fs::canonical(file, error);
  Plugins& plugins = ThePlugins();
  const std::lock_guard lock(plugins.mutex);
  return !error && plugins.registries.contains(path);
}

std::vector<std::string> FindPluginsOf(const LawInfo& law, const ReferenceType& reference) {
  Plugins& plugins = ThePlugins();
  const std::lock_guard lock(plugins.mutex);
  std::vector<std::string> files;
  for (const auto& [path, registry] : plugins.registries) {
    if (std::ranges::find(registry.laws, &law) != registry.laws.end() ||
        std::ranges::find(registry.references, &reference) != registry.references.end()) {
      files.push_back(path.string());
    }
  }
  return files;
}

}  // namespace civita
