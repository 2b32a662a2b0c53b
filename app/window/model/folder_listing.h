#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace civita {

/// What of a folder can be opened, or led into.
struct FolderEntry {
  enum class Kind {
    kFolder,
    kRun,   ///< a recorded run, see IsRunFolder
    kFile,  ///< a config or a robot's file, see IsConfigName, IsModelName
  };

  std::string name;
  Kind kind = Kind::kFile;
  bool operator==(const FolderEntry&) const = default;
};

struct FolderListing {
  std::vector<FolderEntry> entries;  ///< folders, runs, files, each by name in whatever case
  std::string error;                 ///< why the folder could not be read, one line
};

/// Without hidden entries. A folder that is read in part has its entries and the error.
FolderListing ListFolder(const std::filesystem::path& folder);

/// The path that a user types in a folder: relative to it, absolute, or below the home folder with
/// "~/".
std::filesystem::path TypedPath(const std::filesystem::path& folder, const std::string& text);

}  // namespace civita
