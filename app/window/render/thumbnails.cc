#include "app/window/render/thumbnails.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "app/window/render/gl_objects.h"
#include "civita/build_info.h"
#include "civita/error.h"
#include "civita/scenes/scene_list.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

// Of the program's version, and of name, size and time of every file of the scenes.
std::string KeyOfProgram() {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  };
  add(kVersion);
  add(kGitDescribe);
  add(kMujocoVersion);
  std::vector<std::string> files;
  std::error_code ignored;
  for (const char* folder : {"scenes", "config"}) {
    for (fs::recursive_directory_iterator it(DataDirectory() / folder, ignored), end; it != end;
         it.increment(ignored)) {
      if (ignored || !it->is_regular_file(ignored)) continue;
      const auto time = it->last_write_time(ignored).time_since_epoch().count();
      files.push_back(it->path().string() + " " + std::to_string(it->file_size(ignored)) + " " +
                      std::to_string(time));
    }
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) add(file);
  std::array<char, 17> text;
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

}  // namespace

Thumbnails::Thumbnails(fs::path folder) : folder_(std::move(folder)) {}

fs::path Thumbnails::CacheFolder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value != nullptr ? value : "");
  };
  if (const fs::path given = variable("XDG_CACHE_HOME"); given.is_absolute()) {
    return given / "civita/thumbnails";
  }
  const fs::path home = variable("HOME");
  return home.is_absolute() ? home / ".cache/civita/thumbnails" : fs::path();
}

fs::path Thumbnails::FileOf(const Entry& entry) const {
  return folder_ / (key_ + "-" + entry.name + (entry.wanted.dark ? "-dark-" : "-light-") +
                    std::to_string(entry.width) + "x" + std::to_string(entry.height) + ".png");
}

// A file that is not there or broken is no error: the picture is drawn anew.
bool Thumbnails::Load(Entry* entry) const {
  if (folder_.empty()) return false;
  const std::optional<Image> image = ReadPng(FileOf(*entry).string());
  if (!image || image->width != entry->width || image->height != entry->height) return false;
  entry->picture = MakeTexture(*image);
  entry->is_dark = entry->wanted.dark;
  entry->has_picture = true;
  return true;
}

// Through a temporary file, so that another program never reads half a picture. Failure only costs
// time at the next start.
void Thumbnails::Save(const Entry& entry) {
  if (folder_.empty()) return;
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  if (!is_swept_) {  // pictures of other versions
    is_swept_ = true;
    for (fs::directory_iterator it(folder_, ignored), end; it != end; it.increment(ignored)) {
      if (ignored) break;
      if (!it->path().filename().string().starts_with(key_)) fs::remove(it->path(), ignored);
    }
  }
  const fs::path file = FileOf(entry);
  const fs::path unfinished = file.string() + "." + std::to_string(getpid());
  try {
    WritePng(unfinished.string(),
             ReadPixels(entry.picture.framebuffer(), entry.width, entry.height));
  } catch (const Error&) {
    fs::remove(unfinished, ignored);
    return;
  }
  fs::rename(unfinished, file, ignored);
}

unsigned Thumbnails::Find(const SceneInfo& info, const Theme& theme, int width, int height) {
  if (key_.empty()) key_ = KeyOfProgram();
  Entry& entry = entries_[std::string(info.name)];
  const bool is_asked = entry.width == width && entry.height == height &&
                        entry.wanted.dark == theme.dark && !entry.name.empty();
  entry.name = info.name;
  entry.wanted = theme;
  entry.width = width;
  entry.height = height;
  if (!is_asked && entry.is_missing()) Load(&entry);
  is_busy_ = is_busy_ || entry.is_missing();
  return entry.has_picture ? entry.picture.texture() : 0;
}

bool Thumbnails::Work() {
  bool worked = false;
  if (building_.valid() &&
      building_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    try {
      const std::unique_ptr<Scene> scene = building_.get();
      const Eigen::VectorXd& q = scene->q_start;
      built_->picture = RenderThumbnail(*scene->mj, {q.data(), static_cast<std::size_t>(q.size())},
                                        built_->wanted, built_->width, built_->height);
      built_->is_dark = built_->wanted.dark;
      built_->has_picture = worked = true;
      Save(*built_);
    } catch (const std::exception&) {
      built_->failed = true;  // opening the scene reports the reason
    }
  }
  const auto missing = std::find_if(entries_.begin(), entries_.end(),
                                    [](const auto& entry) { return entry.second.is_missing(); });
  is_busy_ = missing != entries_.end();
  if (is_busy_ && !building_.valid()) {
    built_ = &missing->second;
    building_ = std::async(std::launch::async,
                           [name = built_->name] { return LoadScene(ReadConfig(name)); });
  }
  return worked;
}

}  // namespace civita
