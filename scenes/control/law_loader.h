#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace civita {

/// Registers the law that a config names by "FILE.py:CLASS", the file relative to the directory, or
/// by "MODULE:CLASS". @returns its type in the table of laws. @throws UserError.
using LawLoader =
    std::function<std::string(const std::string& name, const std::filesystem::path& directory)>;

/// Sets the loader of the process, before any config is read: the Python package's.
void SetLawLoader(LawLoader loader);

/// Whether a law's name is one for the loader: it has a colon, which types have not.
bool NamesCode(const std::string& name);

/// Calls the loader; a name that is none for it is a type already. @throws UserError, also where
/// there is no loader.
std::string LoadLaw(const std::string& name, const std::filesystem::path& directory);

}  // namespace civita
