#include "civita/scenes/registry.h"

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <system_error>

#include "civita/error.h"
#include "civita/scenes/motion/reference_types.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

/// The loaded plug-ins of the process, by absolute path; append-only.
struct Plugins {
  std::mutex mutex;
  std::map<fs::path, Registry> registries;
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
  const std::lock_guard lock(plugins.mutex);
  if (plugins.registries.contains(path)) return;
  Registry registry;
  FindRegister(path)(&registry);
  Register(registry);
  plugins.registries[path] = registry;
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
