#pragma once

#include <future>
#include <map>
#include <memory>
#include <string>

#include "app/window/render/view3d.h"
#include "civita/scenes/scene.h"

namespace civita {

/// Pictures of the scenes for the launcher. Models are built on another thread, one picture is
/// drawn a frame, in the present theme. Needs the window's OpenGL context.
class Thumbnails {
 public:
  /// Texture of the scene's picture, 0 until it is there; asking for it has it made.
  unsigned Find(const SceneInfo& info, const Theme& theme, int width, int height);

  /// Draws at most one picture that is due. @returns true when there was one.
  bool Work();
  /// True while pictures that were asked for are missing.
  bool is_busy() const { return is_busy_; }

 private:
  struct Entry {
    std::future<std::unique_ptr<Scene>> building;
    std::unique_ptr<Scene> scene;  ///< kept, so that a change of theme only draws anew
    bool failed = false;
    RenderTarget picture;
    bool is_dark = false;
    bool has_picture = false;
    Theme wanted;
    int width = 0, height = 0;
  };

  std::map<std::string, Entry, std::less<>> entries_;
  bool is_busy_ = false;
};

}  // namespace civita
