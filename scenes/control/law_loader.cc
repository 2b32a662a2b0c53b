#include "civita/scenes/control/law_loader.h"

#include <utility>

#include "civita/error.h"

namespace civita {
namespace {

LawLoader& TheLoader() {
  static LawLoader loader;
  return loader;
}

}  // namespace

void SetLawLoader(LawLoader loader) { TheLoader() = std::move(loader); }

bool NamesCode(const std::string& name) { return name.find(':') != name.npos; }

std::string LoadLaw(const std::string& name, const std::filesystem::path& directory) {
  if (!NamesCode(name)) return name;
  if (!TheLoader()) {
    throw UserError("'" + name +
                    "' is a law in Python, which needs civita's Python package: pip install "
                    "civita, then python -m civita in place of civita");
  }
  return TheLoader()(name, directory);
}

}  // namespace civita
