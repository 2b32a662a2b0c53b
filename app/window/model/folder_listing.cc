#include "app/window/model/folder_listing.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <tuple>
#include <utility>

#include "app/window/widgets/widgets.h"
#include "civita/scenes/schema/config.h"
#include "civita/sim/run_record.h"

namespace civita {

namespace fs = std::filesystem;

FolderListing ListFolder(const fs::path& folder) {
  FolderListing listing;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    std::error_code ignored;
    if (name.starts_with('.')) continue;
    if (at->is_directory(ignored)) {
      listing.entries.push_back({std::move(name), IsRunFolder(at->path())
                                                      ? FolderEntry::Kind::kRun
                                                      : FolderEntry::Kind::kFolder});
    } else if ((IsConfigName(at->path()) || IsModelName(at->path())) &&
               at->is_regular_file(ignored)) {
      listing.entries.push_back({std::move(name), FolderEntry::Kind::kFile});
    }
  }
  if (error) listing.error = folder.string() + ": " + error.message();
  std::ranges::sort(listing.entries, {}, [](const FolderEntry& entry) {
    return std::tuple(entry.kind, LowerCase(entry.name), entry.name);
  });
  return listing;
}

fs::path TypedPath(const fs::path& folder, const std::string& text) {
  const char* home = std::getenv("HOME");
  if (text.starts_with("~/") && home != nullptr) {
    return (fs::path(home) / text.substr(2)).lexically_normal();
  }
  return (folder / text).lexically_normal();
}

}  // namespace civita
