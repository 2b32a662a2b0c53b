#pragma once

#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <string>

#include "app/window/render/view3d.h"
#include "civita/scenes/scene.h"

namespace civita {

/// Pictures of the scenes for the launcher, kept on disk between starts. Missing ones are made one
/// after the other: a model is built on another thread, then its picture is drawn, in the present
/// theme. Needs the window's OpenGL context.
class Thumbnails {
 public:
  /// `folder` of the files; empty: none are kept. The default is in the user's cache.
  explicit Thumbnails(std::filesystem::path folder = CacheFolder());

  /// Texture of the scene's picture, 0 until it is there; asking for it has it made.
  unsigned Find(const SceneInfo& info, const Theme& theme, int width, int height);

  /// Draws at most one picture that is due. @returns true when there was one.
  bool Work();
  /// True while pictures that were asked for are missing.
  bool is_busy() const { return is_busy_; }

  /// $XDG_CACHE_HOME/civita/thumbnails, by default in ~/.cache; empty without a home.
  static std::filesystem::path CacheFolder();

 private:
  struct Entry {
    std::string name;
    bool failed = false;
    RenderTarget picture;
    bool is_dark = false;
    bool has_picture = false;
    Theme wanted;
    int width = 0, height = 0;

    bool is_missing() const { return !failed && !(has_picture && is_dark == wanted.dark); }
  };

  std::filesystem::path FileOf(const Entry& entry) const;
  bool Load(Entry* entry) const;
  void Save(const Entry& entry);

  std::filesystem::path folder_;
  std::string key_;  ///< of the program and all scene files, at first use
  bool is_swept_ = false;
  std::map<std::string, Entry, std::less<>> entries_;
  std::future<std::unique_ptr<Scene>> building_;
  Entry* built_ = nullptr;  ///< of which `building_` is
  bool is_busy_ = false;
};

}  // namespace civita
